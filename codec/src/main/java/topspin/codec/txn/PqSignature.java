package topspin.codec.txn;

import topspin.codec.Bytes;

/**
 * A post-quantum signature, carried as it is.
 *
 * @param scheme two characters, {@code f1} for Falcon-1024; empty when zero
 * @param salt of the address; 0 to 255
 */
public record PqSignature(Bytes scheme, int salt, Bytes publicKey, Bytes signature) {}
