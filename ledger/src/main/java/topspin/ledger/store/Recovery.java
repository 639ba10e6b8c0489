package topspin.ledger.store;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockHeader;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What is looked at before anybody may read a ledger that was there before: format, genesis, last
 * round, and the end of the hash chain. Also the only place that knows the entries of {@link
 * Column#META}.
 */
public final class Recovery {
    private static final byte[] FORMAT = Column.name("format");
    private static final byte[] GENESIS = Column.name("genesis");
    private static final byte[] GENESIS_ID = Column.name("genesis_id");
    private static final byte[] ROUND = Column.name("round");
    private static final byte[] FIRST = Column.name("first");

    /** A header and its hash, as the next header names it. */
    public record Link(BlockHeader header, Digest hash) {}

    /**
     * A ledger that may be used.
     *
     * @param round the latest
     * @param first the first whose block is kept
     * @param links the last headers in order, {@code chainRounds} or all that are kept
     */
    public record Found(long round, long first, List<Link> links) {}

    private Recovery() {}

    /**
     * Checks the ledger in a store.
     *
     * @param witnessed a round known to have been durable, or {@link Witness#NOTHING}
     * @param chainRounds headers at the end whose hash chain is followed
     * @return null when the store is new and empty
     * @throws StoreFault that says what is wrong and what to do
     */
    public static @Nullable Found check(
            LedgerStore store, Digest genesis, String genesisId, long witnessed, int chainRounds) {
        byte[] format = store.get(Column.META, FORMAT);
        if (format == null) {
            if (witnessed != Witness.NOTHING) {
                throw StoreFault.damaged("it is empty, but held rounds up to " + witnessed, null);
            }
            return null;
        }
        requireFormat(number(format, "format"));
        requireGenesis(store, genesis, genesisId);
        long round = number(require(store, ROUND, "last round"), "last round");
        long first = number(require(store, FIRST, "first round"), "first round");
        if (first < 0 || first > round) {
            throw StoreFault.damaged(
                    "its last round is "
                            + Long.toUnsignedString(round)
                            + ", its first "
                            + Long.toUnsignedString(first),
                    null);
        }
        if (witnessed > round) {
            throw StoreFault.damaged(
                    "it ends with round " + round + ", but held rounds up to " + witnessed, null);
        }
        return new Found(round, first, followChain(store, round, first, chainRounds));
    }

    /** Marks a new store: with round 0, in the same batch. */
    public static void mark(LedgerStore.Batch batch, Digest genesis, String genesisId) {
        batch.put(Column.META, FORMAT, encode(Column.FORMAT));
        var text = new CanonicalWriter();
        text.writeText(genesisId);
        batch.put(Column.META, GENESIS_ID, text.toByteArray());
        batch.put(Column.META, GENESIS, genesis.toBytes());
        markFirst(batch, 0);
    }

    /** Notes the round that a batch holds. */
    public static void markRound(LedgerStore.Batch batch, long round) {
        batch.put(Column.META, ROUND, encode(round));
    }

    /** Notes the first round whose block is kept from now on. */
    public static void markFirst(LedgerStore.Batch batch, long round) {
        batch.put(Column.META, FIRST, encode(round));
    }

    private static void requireFormat(long format) {
        if (Long.compareUnsigned(format, Column.FORMAT) > 0) {
            throw new StoreFault(
                    StoreFault.Kind.NEWER_FORMAT,
                    "the ledger has format "
                            + format
                            + ", this version reads up to "
                            + Column.FORMAT
                            + "; use the version that wrote it, or another folder",
                    null);
        }
    }

    private static void requireGenesis(LedgerStore store, Digest genesis, String genesisId) {
        Digest theirs = Digest.of(require(store, GENESIS, "genesis"), 0);
        if (!theirs.equals(genesis)) {
            byte[] name = require(store, GENESIS_ID, "genesis id");
            throw new StoreFault(
                    StoreFault.Kind.OTHER_GENESIS,
                    "the ledger belongs to network "
                            + text(name)
                            + " with genesis "
                            + theirs
                            + ", not to "
                            + genesisId
                            + " with genesis "
                            + genesis
                            + "; use another folder, or the genesis.json it was made with",
                    null);
        }
    }

    /**
     * Each header names the hash of the one before; the last block is whole and has the last one.
     */
    private static List<Link> followChain(
            LedgerStore store, long round, long first, int chainRounds) {
        var decoder = new BlockDecoder();
        List<Link> links = new ArrayList<>();
        Digest expected = null;
        for (long at = round; at >= first && links.size() < chainRounds; at--) {
            byte[] bytes = require(store, Column.HEADERS, at);
            BlockHeader header = decode(at, "header", d -> d.decodeHeader(bytes), decoder);
            Digest hash = Digest.of(Sha512_256.digest(Domain.BH, bytes), 0);
            if (header.round() != at || (expected != null && !expected.equals(hash))) {
                throw StoreFault.damaged(
                        "the header of round " + at + " is not the one that the next names", null);
            }
            links.add(new Link(header, hash));
            expected = header.previous();
        }
        byte[] bytes = require(store, Column.BLOCKS, round);
        Block last = decode(round, "block", d -> d.decodeBlock(bytes, 0, bytes.length), decoder);
        if (!BlockEncoder.hash(last.header()).equals(links.getFirst().hash())) {
            throw StoreFault.damaged("the block of round " + round + " has another header", null);
        }
        require(store, Column.CERTIFICATES, round);
        require(store, Column.TOTALS, round);
        Collections.reverse(links);
        return links;
    }

    private interface Decoding<T> {
        T apply(BlockDecoder decoder) throws MalformedMessage;
    }

    private static <T> T decode(
            long round, String what, Decoding<T> decoding, BlockDecoder decoder) {
        try {
            return decoding.apply(decoder);
        } catch (MalformedMessage malformed) {
            throw StoreFault.damaged(
                    what + " of round " + round + ": " + malformed.getMessage(), malformed);
        }
    }

    private static byte[] require(LedgerStore store, Column column, long round) {
        byte[] value = store.get(column, Column.number(round));
        if (value == null) {
            throw StoreFault.damaged("no entry for round " + round + " in " + column, null);
        }
        return value;
    }

    private static byte[] require(LedgerStore store, byte[] name, String what) {
        byte[] value = store.get(Column.META, name);
        if (value == null) {
            throw StoreFault.damaged("it does not say its " + what, null);
        }
        return value;
    }

    private static byte[] encode(long number) {
        var out = new CanonicalWriter(16);
        out.writeUint(number);
        return out.toByteArray();
    }

    private static long number(byte[] value, String what) {
        try {
            return new MsgpackReader().reset(value, 0, value.length).readUint();
        } catch (MalformedMessage malformed) {
            throw StoreFault.damaged(what + ": " + malformed.getMessage(), malformed);
        }
    }

    private static String text(byte[] value) {
        try {
            return new MsgpackReader()
                    .reset(value, 0, value.length)
                    .readText(value.length)
                    .toText();
        } catch (MalformedMessage malformed) {
            return "of unknown name";
        }
    }
}
