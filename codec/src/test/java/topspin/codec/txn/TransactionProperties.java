package topspin.codec.txn;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Mutations;
import topspin.codec.Samples;
import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.block.BlockEncoder;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.msgpack.ShapeChecker;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * What holds of every transaction, and of every spoilt one. Seeds are drawn, and make {@link
 * Samples}.
 */
class TransactionProperties {
    private final TransactionDecoder decoder = new TransactionDecoder();
    private final LooseDecoder loose = new LooseDecoder();
    private final BlockDecoder blocks = new BlockDecoder();

    @Property(tries = 2000)
    void aTransactionComesBackAsItWas(@ForAll long seed) throws MalformedMessage {
        Transaction txn = new Samples(seed).transaction();
        byte[] bytes = TransactionEncoder.encode(txn);
        Transaction decoded = decoder.decodeTransaction(bytes, 0, bytes.length);
        assertThat(decoded).isEqualTo(txn);
        assertThat(TransactionEncoder.encode(decoded)).isEqualTo(bytes);
        assertThat(TxIdHasher.perThread().hash(decoded))
                .isEqualTo(TxIdHasher.perThread().hash(bytes, 0, bytes.length));
    }

    @Property(tries = 1000)
    void aSignedTransactionComesBackAsItWas(@ForAll long seed) throws MalformedMessage {
        SignedTransaction signed = new Samples(seed).authorized();
        byte[] bytes = signed.toBytes();
        SignedTransaction decoded = decoder.decodeSigned(bytes, 0, bytes.length);
        assertThat(decoded).isEqualTo(signed);
        assertThat(decoded.txn()).isEqualTo(signed.txn());
        assertThat(rebuilt(decoded)).isEqualTo(bytes);
    }

    @Property(tries = 1000)
    void ourBytesAreWhatASecondImplementationWrites(@ForAll long seed) {
        byte[] signed = new Samples(seed).authorized().toBytes();
        assertThat(MessagePackOracle.canonical(signed)).isEqualTo(signed);
        byte[] inBlock = new Samples(seed).blockTransaction().encoding().toArray();
        assertThat(MessagePackOracle.canonical(inBlock)).isEqualTo(inBlock);
    }

    @Property(tries = 500)
    void aBlockGivesBackWhatWasPutIn(@ForAll long seed) throws MalformedMessage {
        var samples = new Samples(seed);
        BlockTransaction put = samples.blockTransaction();
        byte[] bytes = put.encoding().toArray();
        var in = new MsgpackReader().reset(bytes, 0, bytes.length);
        BlockTransaction got =
                new BlockTransactionDecoder(in).read(Samples.GENESIS_ID, put.txn().genesisHash());
        assertThat(in.atEnd()).isTrue();
        assertThat(got.applied()).isEqualTo(put.applied());
        assertThat(got.signed().id()).isEqualTo(put.signed().id());
        assertThat(got).isEqualTo(put);
    }

    @Property(tries = 200)
    void aBlockComesBackAsItWas(@ForAll long seed) throws MalformedMessage {
        var samples = new Samples(seed);
        var block =
                new Block(
                        samples.blockHeader(),
                        Stream.generate(samples::blockTransaction)
                                .filter(one -> one.txn().genesisHash().equals(Samples.GENESIS_HASH))
                                .limit(Math.floorMod(seed, 4))
                                .toList());
        byte[] bytes = BlockEncoder.encodeBlock(block);
        assertThat(blocks.decodeBlock(bytes)).isEqualTo(block);
        assertThat(MessagePackOracle.canonical(bytes)).isEqualTo(bytes);
    }

    @Property(tries = 20_000)
    void whatDecodesStrictlyEncodesToTheSameBytes(@ForAll long seed) {
        checkMutant(seed);
    }

    /** The long run of the same: ten million spoilt inputs. */
    @Property(tries = 10_000_000, shrinking = ShrinkingMode.OFF)
    @Tag("long")
    void tenMillionMutantsAreRefusedOrComeBackAsTheyAre(@ForAll long seed) {
        checkMutant(seed);
    }

    private void checkMutant(long seed) {
        var samples = new Samples(seed >> 8); // Several mutants of each sample.
        byte[] valid = samples.authorized().toBytes();
        byte[] mutant = new Mutations(new Random(seed)).mutate(valid);
        try {
            checkStrictly(mutant);
            checkLoosely(mutant);
        } catch (RuntimeException | Error e) {
            throw new AssertionError(
                    "seed " + seed + ", bytes " + HexFormat.of().formatHex(mutant), e);
        }
    }

    private void checkStrictly(byte[] mutant) {
        boolean decodes = true;
        try {
            TransactionGroup group = decoder.decodeGroup(mutant, 0, mutant.length);
            int at = 0;
            for (SignedTransaction member : group) {
                byte[] bytes = member.toBytes();
                if (!Arrays.equals(bytes, 0, bytes.length, mutant, at, at + bytes.length)
                        || !Arrays.equals(rebuilt(member), bytes)) {
                    throw new AssertionError("a member is not the bytes it came from");
                }
                at += bytes.length;
            }
            if (at != mutant.length) {
                throw new AssertionError("bytes were left over");
            }
        } catch (MalformedMessage e) {
            decodes = false;
            if (e.offset() < 0 || e.offset() > mutant.length) {
                throw new AssertionError("offset " + e.offset());
            }
        }
        if (decodes != isCanonicalByTable(mutant)) {
            throw new AssertionError("decoder and table of shapes do not agree");
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

    private void checkLoosely(byte[] mutant) {
        try {
            TransactionGroup group = loose.decodeGroup(mutant);
            byte[] canonical =
                    Bytes.of(group.bytes(), group.offset(), group.signedLength()).toArray();
            TransactionGroup again = loose.decodeGroup(canonical);
            if (!Arrays.equals(
                    canonical,
                    Bytes.of(again.bytes(), again.offset(), again.signedLength()).toArray())) {
                throw new AssertionError("the canonical form has another canonical form");
            }
        } catch (MalformedMessage e) {
            // Refused: with a text that REST can answer.
            if (e.reason().isEmpty()) {
                throw new AssertionError("no reason");
            }
        }
    }

    @Property(tries = 200)
    void everyTruncationIsRefused(@ForAll long seed) {
        byte[] valid = new Samples(seed).authorized().toBytes();
        for (int length = 0; length < valid.length; length++) {
            byte[] cut = Arrays.copyOf(valid, length);
            try {
                decoder.decodeGroup(cut, 0, length);
                throw new AssertionError(HexFormat.of().formatHex(cut));
            } catch (MalformedMessage e) {
                assertThat(e.offset()).isBetween(0, length);
            }
        }
    }

    @Property(tries = 3)
    void everyBitFlipIsRefusedOrComesBackAsItIs(@ForAll long seed) {
        byte[] valid = new Samples(seed).signedPayment().toBytes();
        for (int bit = 0; bit < 8 * valid.length; bit++) {
            byte[] flipped = valid.clone();
            flipped[bit >> 3] ^= (byte) (1 << (bit & 7));
            checkStrictly(flipped);
            checkLoosely(flipped);
        }
    }

    @Property(tries = 300)
    void blocksThatAreSpoiltAreRefusedOrComeBackAsTheyAre(@ForAll long seed) {
        var samples = new Samples(seed);
        byte[] valid =
                BlockEncoder.encodeBlock(
                        new Block(
                                samples.blockHeader(),
                                List.of(samples.blockTransaction(), samples.blockTransaction())));
        var mutations = new Mutations(new Random(seed));
        for (int round = 0; round < 20; round++) {
            byte[] mutant = mutations.mutate(valid);
            try {
                Block block = blocks.decodeBlock(mutant);
                assertThat(BlockEncoder.encodeBlock(block)).isEqualTo(mutant);
                for (BlockTransaction transaction : block.transactions()) {
                    BlockTransaction made =
                            BlockTransaction.of(transaction.signed(), transaction.applied());
                    if (transaction.stripped()
                            && !transaction.hasGenesisHash()
                            && !block.header().genesisHash().equals(Digest.ZERO)
                            && (!block.header().genesisId().isEmpty()
                                    || !transaction.hasGenesisId())) {
                        assertThat(made.encoding()).isEqualTo(transaction.encoding());
                    }
                }
            } catch (MalformedMessage e) {
                assertThat(e.offset()).isBetween(0, mutant.length);
            }
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
}
