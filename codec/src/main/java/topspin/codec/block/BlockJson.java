package topspin.codec.block;

import static topspin.codec.msgpack.Shape.*;

import com.fasterxml.jackson.core.JsonGenerator;

import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.msgpack.Shape;
import topspin.codec.msgpack.ShapeJson;
import topspin.codec.txn.TransactionShapes;

import java.io.IOException;

/**
 * Blocks as JSON (block.md section 9): names as in msgpack, {@code prev} as {@code blk-} and
 * base32.
 */
public final class BlockJson {
    private static final Shape BLOCK =
            struct(
                    field("rnd", uint64()),
                    field("prev", new Fixed(32, Look.BLOCK_HASH)),
                    field("prev512", fixed(64)),
                    field("seed", fixed(32)),
                    field("txn", fixed(32)),
                    field("txn256", fixed(32)),
                    field("txn512", fixed(64)),
                    field("ts", new Signed()),
                    field("gen", new Text(NO_BOUND)),
                    field("gh", fixed(32)),
                    field("prp", address()),
                    field("fc", uint64()),
                    field("bi", uint64()),
                    field("pp", uint64()),
                    field("fees", address()),
                    field("rwd", address()),
                    field("earn", uint64()),
                    field("rate", uint64()),
                    field("frac", uint64()),
                    field("rwcalr", uint64()),
                    field("proto", new Text(NO_BOUND)),
                    field("nextproto", new Text(NO_BOUND)),
                    field("nextyes", uint64()),
                    field("nextbefore", uint64()),
                    field("nextswitch", uint64()),
                    field("upgradeprop", new Text(NO_BOUND)),
                    field("upgradedelay", uint64()),
                    field("upgradeyes", new Flag()),
                    field("tc", uint64()),
                    field(
                            "spt",
                            new MapOf(
                                    uint64(),
                                    struct(
                                            field("v", new Blob(NO_BOUND)),
                                            field("t", uint64()),
                                            field("n", uint64())),
                                    NO_BOUND)),
                    field("partupdrmv", new ListOf(address(), NO_BOUND, "[]basics.Address")),
                    field("partupdabs", new ListOf(address(), NO_BOUND, "[]basics.Address")),
                    field("ld", uint64()),
                    field("ct", uint64()),
                    field(
                            "txns",
                            new ListOf(
                                    TransactionShapes.IN_BLOCK, NO_BOUND, "transactions.Payset")));

    private BlockJson() {}

    /** Writes a block, given as it is stored. */
    public static void writeBlock(byte[] block, JsonGenerator json) throws IOException {
        var in = MsgpackReader.withoutBounds().reset(block, 0, block.length);
        try {
            ShapeJson.write(BLOCK, in, json);
        } catch (MalformedMessage e) {
            throw new IllegalArgumentException("no canonical block", e);
        }
    }

    /** Writes a block. */
    public static void write(Block block, JsonGenerator json) throws IOException {
        writeBlock(BlockEncoder.encodeBlock(block), json);
    }

    /** Writes a header, as a block without transactions. */
    public static void write(BlockHeader header, JsonGenerator json) throws IOException {
        writeBlock(BlockEncoder.encodeHeader(header), json);
    }
}
