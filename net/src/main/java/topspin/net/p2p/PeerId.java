package topspin.net.p2p;

import org.jspecify.annotations.Nullable;

import topspin.net.multiaddr.Multibase;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * Who a peer is: its Ed25519 public key, wrapped as libp2p wraps it (gossip.md A.4). Ordered by its
 * bytes, unsigned: of two peers the smaller one opens the tagged stream.
 */
public final class PeerId implements Comparable<PeerId> {
    /** Bytes of the multihash. */
    public static final int BYTES = 38;

    /** Bytes of a public key as a protobuf message. */
    static final int PUBLIC_KEY_BYTES = 36;

    private static final int KEY_BYTES = 32;

    /** Identity multihash of 36 bytes, key type Ed25519, key of 32 bytes. */
    private static final byte[] PREFIX = HexFormat.of().parseHex("002408011220");

    private final byte[] multihash;

    private PeerId(byte[] multihash) {
        this.multihash = multihash;
    }

    /** The peer whose Ed25519 public key this is. */
    public static PeerId of(byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("a key of " + key.length + " bytes");
        }
        byte[] multihash = Arrays.copyOf(PREFIX, BYTES);
        System.arraycopy(key, 0, multihash, PREFIX.length, KEY_BYTES);
        return new PeerId(multihash);
    }

    /** The peer of a multihash; null if it does not hold an Ed25519 key. */
    public static @Nullable PeerId ofMultihash(byte[] multihash) {
        return multihash.length == BYTES
                        && Arrays.equals(multihash, 0, PREFIX.length, PREFIX, 0, PREFIX.length)
                ? new PeerId(multihash.clone())
                : null;
    }

    /** The peer of a public key as a protobuf message; null if it is no Ed25519 key. */
    static @Nullable PeerId ofPublicKey(byte[] message) {
        return message.length == PUBLIC_KEY_BYTES
                        && Arrays.equals(message, 0, 4, PREFIX, 2, PREFIX.length)
                ? of(Arrays.copyOfRange(message, 4, PUBLIC_KEY_BYTES))
                : null;
    }

    /**
     * Reads base58 or a CID.
     *
     * @throws IllegalArgumentException if it is no id that holds an Ed25519 key
     */
    public static PeerId parse(String text) {
        byte[] multihash = Multibase.decodePeer(text);
        PeerId id = multihash == null ? null : ofMultihash(multihash);
        if (id == null) {
            throw new IllegalArgumentException("'" + text + "' is no peer id");
        }
        return id;
    }

    /** The public key. */
    public byte[] key() {
        return Arrays.copyOfRange(multihash, PREFIX.length, BYTES);
    }

    /** The public key as a protobuf message. */
    byte[] publicKey() {
        return Arrays.copyOfRange(multihash, 2, BYTES);
    }

    public byte[] toBytes() {
        return multihash.clone();
    }

    /** Whether the span holds this id's bytes. No garbage. */
    public boolean isAt(byte[] bytes, int offset, int length) {
        return Arrays.equals(multihash, 0, BYTES, bytes, offset, offset + length);
    }

    @Override
    public int compareTo(PeerId that) {
        return Arrays.compareUnsigned(multihash, that.multihash);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PeerId that && Arrays.equals(multihash, that.multihash);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(multihash);
    }

    /** Base58: {@code 12D3KooW…}. */
    @Override
    public String toString() {
        return Multibase.base58(multihash);
    }
}
