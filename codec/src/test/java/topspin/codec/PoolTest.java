package topspin.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import topspin.codec.block.BlockDecoder;
import topspin.codec.block.BlockEncoder;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.txn.GroupId;
import topspin.codec.txn.LooseDecoder;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionDecoder;
import topspin.codec.txn.TransactionGroup;
import topspin.codec.txn.TransactionHeader;
import topspin.codec.txn.TxIdHasher;
import topspin.codec.vote.ProposalDecoder;
import topspin.codec.vote.ProposalEncoder;
import topspin.codec.vote.VoteDecoder;
import topspin.codec.vote.VoteEncoder;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;

/** What is used again is as good as new after each use, whatever came of that. */
class PoolTest {
    private enum Decoder {
        GROUP {
            @Override
            byte[] sample(Samples samples) {
                return samples.authorized().toBytes();
            }

            @Override
            Decoding make() {
                var decoder = new TransactionDecoder();
                return bytes -> decoder.decodeGroup(bytes, 0, bytes.length);
            }
        },
        TRANSACTION {
            @Override
            byte[] sample(Samples samples) {
                return samples.authorized().txnEncoding().toArray();
            }

            @Override
            Decoding make() {
                var decoder = new TransactionDecoder();
                return bytes -> decoder.decodeTransaction(bytes, 0, bytes.length);
            }
        },
        LOOSE_GROUP {
            @Override
            byte[] sample(Samples samples) {
                return samples.authorized().toBytes();
            }

            @Override
            Decoding make() {
                return new LooseDecoder()::decodeGroup;
            }
        },
        LOOSE_FIRST {
            @Override
            byte[] sample(Samples samples) {
                return samples.authorized().toBytes();
            }

            @Override
            Decoding make() {
                return new LooseDecoder()::decodeFirst;
            }
        },
        LOOSE_ONE {
            @Override
            byte[] sample(Samples samples) {
                return samples.authorized().toBytes();
            }

            @Override
            Decoding make() {
                return new LooseDecoder()::decodeOne;
            }
        },
        BLOCK {
            @Override
            byte[] sample(Samples samples) {
                return BlockEncoder.encodeBlock(samples.block(2));
            }

            @Override
            Decoding make() {
                return new BlockDecoder()::decodeBlock;
            }
        },
        HEADER {
            @Override
            byte[] sample(Samples samples) {
                return BlockEncoder.encodeHeader(samples.blockHeader());
            }

            @Override
            Decoding make() {
                return new BlockDecoder()::decodeHeader;
            }
        },
        VOTE {
            @Override
            byte[] sample(Samples samples) {
                return VoteEncoder.encode(samples.vote());
            }

            @Override
            Decoding make() {
                var decoder = new VoteDecoder();
                return bytes -> decoder.decodeVote(bytes, 0, bytes.length);
            }
        },
        BUNDLE {
            @Override
            byte[] sample(Samples samples) {
                return VoteEncoder.encode(samples.bundle());
            }

            @Override
            Decoding make() {
                var decoder = new VoteDecoder();
                return bytes -> decoder.decodeBundle(bytes, 0, bytes.length);
            }
        },
        PROPOSAL {
            @Override
            byte[] sample(Samples samples) {
                return ProposalEncoder.encode(samples.proposal());
            }

            @Override
            Decoding make() {
                var decoder = new ProposalDecoder();
                return bytes -> decoder.decode(bytes, 0, bytes.length);
            }
        };

        abstract byte[] sample(Samples samples);

        abstract Decoding make();
    }

    private interface Decoding {
        Object run(byte[] bytes) throws MalformedMessage;
    }

    @ParameterizedTest
    @EnumSource
    void aDecoderKeepsNoMessageThatItRefused(Decoder decoder) {
        Decoding decoding = decoder.make();
        assertCollected(refused(decoding, decoder.sample(new Samples(3))), decoder);
        Reference.reachabilityFence(decoding);
    }

    /** In a method of its own, so that no frame holds the message. */
    private static WeakReference<byte[]> refused(Decoding decoding, byte[] valid) {
        byte[] message = Arrays.copyOf(valid, valid.length - 1);
        assertThatThrownBy(() -> decoding.run(message)).isInstanceOf(MalformedMessage.class);
        return new WeakReference<>(message);
    }

    @ParameterizedTest
    @EnumSource
    void aDecoderKeepsNoMessageThatItTook(Decoder decoder) throws MalformedMessage {
        Decoding decoding = decoder.make();
        assertCollected(taken(decoding, decoder.sample(new Samples(4))), decoder);
        Reference.reachabilityFence(decoding);
    }

    private static WeakReference<byte[]> taken(Decoding decoding, byte[] valid)
            throws MalformedMessage {
        byte[] message = valid.clone();
        assertThat(decoding.run(message)).isNotNull();
        return new WeakReference<>(message);
    }

    private static void assertCollected(WeakReference<byte[]> message, Decoder decoder) {
        for (int attempt = 0; attempt < 50 && message.get() != null; attempt++) {
            System.gc();
        }
        assertThat(message.get() == null).as("%s lets go of its message", decoder).isTrue();
    }

    /** Else the next message of this thread would be hashed behind half of another. */
    @ParameterizedTest
    @EnumSource
    void aHashIsRightAfterOneThatFailed(HashFunction function) {
        byte[] message = {1, 2, 3};
        byte[] expected = function.digest(Domain.TX, message, 0, 3);
        byte[] target = new byte[function.bytes()];
        assertThatThrownBy(() -> function.digest(Domain.TX, message, 1, 3, target, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> function.digest(Domain.TX, message, 0, 3, target, 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(function.digest(Domain.TX, message, 0, 3)).isEqualTo(expected);
    }

    /**
     * A transaction that is ours to blame, as a text of it is missing, ends the encoder halfway.
     */
    @Test
    void anIdIsRightAfterOneThatFailed() {
        var samples = new Samples(5);
        SignedTransaction good = samples.signedPayment();
        Payment broken = samples.plainPayment().withHeader(headerWithoutText(samples));
        var hasher = new TxIdHasher();
        assertThatThrownBy(() -> hasher.hash(broken)).isInstanceOf(NullPointerException.class);
        assertThat(hasher.hash(good.txn())).isEqualTo(good.id());

        Digest expected = GroupId.of(TransactionGroup.of(good));
        assertThatThrownBy(() -> GroupId.of(List.of(good.txn(), broken)))
                .isInstanceOf(NullPointerException.class);
        assertThat(GroupId.of(TransactionGroup.of(good))).isEqualTo(expected);
        assertThat(GroupId.of(List.of(good.txn()))).isEqualTo(expected);
    }

    @SuppressWarnings("NullAway") // That is the point.
    private static TransactionHeader headerWithoutText(Samples samples) {
        return new TransactionHeader(samples.address(), 1, 2, 3, null, samples.digest());
    }

    @Test
    void aBlocksHashIsRightAfterOneThatFailed() {
        var header = new Samples(6).blockHeader();
        Digest expected = BlockEncoder.hash(header);
        byte[] tooShort = new byte[31];
        assertThatThrownBy(() -> BlockEncoder.hash(header, HashFunction.SHA512_256, tooShort, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(BlockEncoder.hash(header)).isEqualTo(expected);
    }
}
