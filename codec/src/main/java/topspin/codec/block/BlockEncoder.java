package topspin.codec.block;

import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.txn.BlockTransaction;

/** The canonical bytes of headers and blocks, and the hashes of headers (block.md section 1). */
public final class BlockEncoder {
    /** Where headers are hashed; each grows to the largest header, some kilobytes. */
    private static final ThreadLocal<CanonicalWriter> BUFFERS =
            ThreadLocal.withInitial(CanonicalWriter::new);

    private BlockEncoder() {}

    /** The canonical bytes of a header. */
    public static byte[] encodeHeader(BlockHeader header) {
        var out = new CanonicalWriter();
        encode(header, out);
        return out.toByteArray();
    }

    /** The canonical bytes of a block, as it is stored and served. */
    public static byte[] encodeBlock(Block block) {
        var out = new CanonicalWriter(sizeHint(block));
        encode(block, out);
        return out.toByteArray();
    }

    /** Bytes that will do for a block, so that a buffer need not grow. */
    public static int sizeHint(Block block) {
        int size = 4096;
        for (BlockTransaction transaction : block.transactions()) {
            size += transaction.encoding().length();
        }
        return size;
    }

    /** Appends the canonical bytes of a header. */
    public static void encode(BlockHeader header, CanonicalWriter out) {
        long map = out.openMap();
        header(header, out);
        BlockFields.writeUpgrade(header, out);
        out.closeMap(map);
    }

    /** Appends the canonical bytes of a block. */
    public static void encode(Block block, CanonicalWriter out) {
        long map = out.openMap();
        header(block.header(), out);
        BlockFields.writeTransactions(block.transactions(), out);
        BlockFields.writeUpgrade(block.header(), out);
        out.closeMap(map);
    }

    /**
     * The hash of a block, which is that of its header: what the next one names as the previous.
     */
    public static Digest hash(BlockHeader header) {
        byte[] hash = new byte[Digest.BYTES];
        hash(header, HashFunction.SHA512_256, hash, 0);
        return Digest.of(hash, 0);
    }

    /** SHA-512 of a header, 64 bytes: {@code prev512} of the next one. */
    public static byte[] hash512(BlockHeader header) {
        byte[] hash = new byte[HashFunction.SHA512.bytes()];
        hash(header, HashFunction.SHA512, hash, 0);
        return hash;
    }

    /** Writes the hash of a header to {@code target} at {@code offset}. Leaves no garbage. */
    public static void hash(BlockHeader header, HashFunction function, byte[] target, int offset) {
        CanonicalWriter out = BUFFERS.get().reset();
        encode(header, out);
        function.digest(Domain.BH, out.array(), 0, out.position(), target, offset);
    }

    /** All of a header that stands before the transactions. */
    private static void header(BlockHeader header, CanonicalWriter out) {
        BlockFields.writeToNextProtocol(header, out);
        BlockFields.writeToProposer(header, out);
        BlockFields.writeToRewards(header, out);
        BlockFields.writeToRoots(header, out);
    }
}
