package topspin.codec;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import topspin.codec.block.BlockDecoder;
import topspin.codec.block.BlockEncoder;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.msgpack.ShapeChecker;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.BlockTransactionDecoder;
import topspin.codec.txn.Limits;
import topspin.codec.txn.LooseDecoder;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionDecoder;
import topspin.codec.txn.TransactionEncoder;
import topspin.codec.txn.TransactionGroup;
import topspin.codec.txn.TransactionShapes;
import topspin.codec.vote.ProposalDecoder;
import topspin.codec.vote.ProposalEncoder;
import topspin.codec.vote.VoteDecoder;
import topspin.codec.vote.VoteEncoder;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Bytes that are not quite what they claim to be, for every decoder there is: each refuses them,
 * with the one exception and a place, or gives back the very same bytes.
 */
class SpoiltInputProperties {
    /** What can be decoded; each makes valid bytes, and re-encodes what it decoded. */
    private enum Kind {
        TRANSACTION {
            @Override
            byte[] sample(Samples samples) {
                return TransactionEncoder.encode(samples.transaction());
            }

            @Override
            byte[] reencode(byte[] bytes, Decoders with) throws MalformedMessage {
                return TransactionEncoder.encode(
                        with.transactions.decodeTransaction(bytes, 0, bytes.length));
            }
        },
        GROUP {
            @Override
            byte[] sample(Samples samples) {
                var out = new ByteArrayOutputStream();
                for (long left = Math.floorMod(samples.number(), 3); left >= 0; left--) {
                    out.writeBytes(samples.authorized().toBytes());
                }
                return out.toByteArray();
            }

            @Override
            byte[] reencode(byte[] bytes, Decoders with) throws MalformedMessage {
                var out = new ByteArrayOutputStream();
                for (SignedTransaction member :
                        with.transactions.decodeGroup(bytes, 0, bytes.length)) {
                    out.writeBytes(rebuilt(member));
                }
                return out.toByteArray();
            }
        },
        HEADER {
            @Override
            byte[] sample(Samples samples) {
                return BlockEncoder.encodeHeader(samples.blockHeader());
            }

            @Override
            byte[] reencode(byte[] bytes, Decoders with) throws MalformedMessage {
                return BlockEncoder.encodeHeader(with.blocks.decodeHeader(bytes));
            }
        },
        BLOCK {
            @Override
            byte[] sample(Samples samples) {
                return BlockEncoder.encodeBlock(samples.block(2));
            }

            @Override
            byte[] reencode(byte[] bytes, Decoders with) throws MalformedMessage {
                return BlockEncoder.encodeBlock(with.blocks.decodeBlock(bytes));
            }
        },
        /** With what it did, and inner transactions. */
        BLOCK_TRANSACTION {
            @Override
            byte[] sample(Samples samples) {
                return samples.block(1).transactions().getFirst().encoding().toArray();
            }

            @Override
            byte[] reencode(byte[] bytes, Decoders with) throws MalformedMessage {
                with.reader.reset(bytes, 0, bytes.length);
                BlockTransaction read =
                        with.blockTransactions.read(Samples.GENESIS_ID, Samples.GENESIS_HASH);
                if (!with.reader.atEnd()) {
                    throw with.reader.malformed("bytes behind the end", with.reader.position());
                }
                // A block may hold what we would not put there: then its bytes are all we have.
                return read.stripped() && !read.hasGenesisHash()
                        ? BlockTransaction.of(read.signed(), read.applied()).encoding().toArray()
                        : read.encoding().toArray();
            }
        },
        VOTE {
            @Override
            byte[] sample(Samples samples) {
                return VoteEncoder.encode(samples.vote());
            }

            @Override
            byte[] reencode(byte[] bytes, Decoders with) throws MalformedMessage {
                return VoteEncoder.encode(with.votes.decodeVote(bytes, 0, bytes.length));
            }
        },
        /** Of the step that certifies, a certificate. */
        BUNDLE {
            @Override
            byte[] sample(Samples samples) {
                return VoteEncoder.encode(samples.bundle());
            }

            @Override
            byte[] reencode(byte[] bytes, Decoders with) throws MalformedMessage {
                return VoteEncoder.encode(with.votes.decodeBundle(bytes, 0, bytes.length));
            }
        },
        PROPOSAL {
            @Override
            byte[] sample(Samples samples) {
                return ProposalEncoder.encode(samples.proposal());
            }

            @Override
            byte[] reencode(byte[] bytes, Decoders with) throws MalformedMessage {
                return ProposalEncoder.encode(with.proposals.decode(bytes, 0, bytes.length));
            }
        };

        abstract byte[] sample(Samples samples);

        abstract byte[] reencode(byte[] bytes, Decoders with) throws MalformedMessage;
    }

    /** One of each, used again and again, so that what one message leaves behind would show. */
    private static final class Decoders {
        private final TransactionDecoder transactions = new TransactionDecoder();
        private final LooseDecoder loose = new LooseDecoder();
        private final BlockDecoder blocks = new BlockDecoder();
        private final MsgpackReader reader = new MsgpackReader();
        private final BlockTransactionDecoder blockTransactions =
                new BlockTransactionDecoder(reader);
        private final VoteDecoder votes = new VoteDecoder();
        private final ProposalDecoder proposals = new ProposalDecoder();
    }

    private static final int MUTANTS = 10;
    private static final int LONG_SEEDS = 140_000;

    private final Decoders decoders = new Decoders();

    @Property(tries = 2000)
    void whatIsValidComesBackAsItIs(@ForAll Kind kind, @ForAll long seed) {
        byte[] valid = kind.sample(new Samples(seed));
        assertThat(isTaken(kind, valid)).as("%s of seed %d", kind, seed).isTrue();
    }

    @Property(tries = 3000)
    void whatIsSpoiltIsRefusedOrComesBackAsItIs(@ForAll Kind kind, @ForAll long seed) {
        checkMutants(kind, seed);
    }

    /** The long run of the same: eleven million spoilt inputs. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    @Tag("long")
    void millionsOfSpoiltInputsAreRefusedOrComeBackAsTheyAre(Kind kind) {
        for (long seed = 0; seed < LONG_SEEDS; seed++) {
            checkMutants(kind, seed);
        }
    }

    private void checkMutants(Kind kind, long seed) {
        byte[] valid = kind.sample(new Samples(seed));
        var mutations = new Mutations(new Random(seed));
        for (int count = 0; count < MUTANTS; count++) {
            byte[] mutant = mutations.mutate(valid);
            boolean taken = isTaken(kind, mutant);
            if (kind == Kind.GROUP) {
                if (taken != isCanonicalByTable(mutant)) {
                    throw new AssertionError(
                            "decoder and table of shapes do not agree on " + hex(mutant));
                }
                checkLoosely(mutant);
            }
        }
    }

    /** No byte may be missing, and each of these forms is one that nothing canonical has. */
    @Property(tries = 2)
    void whatIsCutOffOrInAnotherFormIsRefused(@ForAll long seed) {
        for (Kind kind : Kind.values()) {
            byte[] valid = smallest(kind, seed);
            for (int length = 0; length < valid.length; length++) {
                boolean taken = isTaken(kind, Arrays.copyOf(valid, length));
                // A group is as long as its members are: some of them are a group, too.
                assertThat(taken && kind != Kind.GROUP).as("%s, %d bytes", kind, length).isFalse();
            }
            Mutations.everyRearrangement(valid).forEach(bytes -> assertRefused(kind, bytes));
            Mutations.everyWidening(valid).forEach(bytes -> assertRefused(kind, bytes));
            byte[] trailed = Arrays.copyOf(valid, valid.length + 1);
            for (int last = 0; last < 256; last++) {
                trailed[valid.length] = (byte) last;
                assertRefused(kind, trailed);
            }
        }
    }

    @Property(tries = 1)
    void everyFlippedBitIsRefusedOrComesBackAsItIs(@ForAll long seed) {
        for (Kind kind : Kind.values()) {
            byte[] flipped = smallest(kind, seed);
            for (int bit = 0; bit < 8 * flipped.length; bit++) {
                flipped[bit >> 3] ^= (byte) (1 << (bit & 7));
                isTaken(kind, flipped);
                flipped[bit >> 3] ^= (byte) (1 << (bit & 7));
            }
        }
    }

    /** Of several samples: what is done to every byte takes time by the square of the length. */
    private static byte[] smallest(Kind kind, long seed) {
        return IntStream.range(0, 8)
                .mapToObj(index -> kind.sample(new Samples(seed + index)))
                .min(Comparator.comparingInt(bytes -> bytes.length))
                .orElseThrow();
    }

    private void assertRefused(Kind kind, byte[] bytes) {
        assertThat(isTaken(kind, bytes)).as("%s %s", kind, hex(bytes)).isFalse();
    }

    /** Whether the decoder takes them; fails unless it keeps its promise either way. */
    private boolean isTaken(Kind kind, byte[] bytes) {
        try {
            byte[] again = kind.reencode(bytes, decoders);
            if (!Arrays.equals(again, bytes)) {
                throw new AssertionError(kind + " became " + hex(again) + " from " + hex(bytes));
            }
            return true;
        } catch (MalformedMessage e) {
            if (e.offset() < 0 || e.offset() > bytes.length || e.getStackTrace().length > 0) {
                throw new AssertionError(kind + " at " + e.offset() + " of " + hex(bytes), e);
            }
            return false;
        } catch (RuntimeException | StackOverflowError e) {
            throw new AssertionError(kind + " of " + hex(bytes), e);
        }
    }

    /**
     * The same verdict from the table of shapes, which shares only the reader's lowest level with
     * the decoder.
     */
    private static boolean isCanonicalByTable(byte[] message) {
        var in = new MsgpackReader().reset(message, 0, message.length);
        try {
            int size = 0;
            while (!in.atEnd() && size <= Limits.GROUP_SIZE) {
                ShapeChecker.check(TransactionShapes.SIGNED, in);
                size++;
            }
            return size > 0 && size <= Limits.GROUP_SIZE;
        } catch (MalformedMessage e) {
            return false;
        }
    }

    /** REST takes more forms; what it makes of one is the canonical form, and stays that. */
    private void checkLoosely(byte[] body) {
        byte @Nullable [] canonical = canonical(body);
        if (canonical != null && !Arrays.equals(canonical, canonical(canonical))) {
            throw new AssertionError("the canonical form has another one: " + hex(body));
        }
    }

    private byte @Nullable [] canonical(byte[] body) {
        try {
            TransactionGroup group = decoders.loose.decodeGroup(body);
            return Bytes.of(group.bytes(), group.offset(), group.signedLength()).toArray();
        } catch (MalformedMessage e) {
            if (e.reason().isEmpty()) { // Else a text that REST can answer.
                throw new AssertionError("no reason to refuse " + hex(body));
            }
            return null;
        } catch (RuntimeException | StackOverflowError e) {
            throw new AssertionError(hex(body), e);
        }
    }

    /** Puts the parts together anew: nothing may be lost between the bytes and the records. */
    private static byte[] rebuilt(SignedTransaction signed) {
        return SignedTransaction.of(
                        signed.txn(),
                        signed.signature(),
                        signed.multisig(),
                        signed.logicSignature(),
                        signed.pqSignature(),
                        signed.signer())
                .toBytes();
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
