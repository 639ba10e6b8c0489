package topspin.codec.txn;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Items;

import java.util.List;

/**
 * Signatures of several keys, of which {@code threshold} are needed.
 *
 * @param version 1 is the only one there is; 0 to 255
 * @param threshold 0 to 255
 * @param keys in the order that makes up the address
 */
public record MultisigSignature(int version, int threshold, List<Subsignature> keys) {
    public MultisigSignature {
        keys = Items.copyOf(keys);
    }

    /**
     * One key's share.
     *
     * @param signature 64 bytes; null if that key has not signed
     */
    public record Subsignature(Digest publicKey, @Nullable Bytes signature) {}
}
