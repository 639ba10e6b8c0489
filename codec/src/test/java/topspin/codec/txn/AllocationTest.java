package topspin.codec.txn;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import topspin.codec.Address;
import topspin.codec.Allocation;
import topspin.codec.Digest;
import topspin.codec.Samples;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockHeader;
import topspin.codec.block.Commitments;
import topspin.codec.crypto.HashFunction;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.txn.MultisigSignature.Subsignature;

import java.util.ArrayList;
import java.util.List;

/** What the hot path allocates: nothing to name a transaction, and its record to read it. */
class AllocationTest {
    private static final int WINDOWS = 10;
    private static final int CALLS = 5_000;

    private final TxIdHasher hasher = new TxIdHasher();
    private final byte[] id = new byte[Digest.BYTES];

    @ParameterizedTest
    @EnumSource
    void namingATransactionOfOursAllocatesNothing(TransactionType type) {
        Transaction txn = new Samples(3).transaction(type);
        assertThat(Allocation.smallestWindow(WINDOWS, CALLS, () -> hasher.hash(txn, id, 0)))
                .isZero();
    }

    @Test
    void namingAReceivedTransactionAllocatesNothing() {
        SignedTransaction signed = new Samples(3).signedPayment();
        assertThat(
                        Allocation.smallestWindow(
                                WINDOWS,
                                CALLS,
                                () ->
                                        hasher.hash(
                                                signed.bytes(),
                                                signed.txnOffset(),
                                                signed.txnLength(),
                                                id,
                                                0)))
                .isZero();
    }

    @Test
    void namingAGroupAllocatesNothing() {
        var samples = new Samples(8);
        List<Transaction> plain = new ArrayList<>();
        for (TransactionType type : TransactionType.values()) {
            plain.add(samples.transaction(type));
        }
        TransactionGroup group =
                TransactionGroup.of(
                        GroupId.assign(plain).stream().map(SignedTransaction::unsigned).toList());
        assertThat(GroupId.of(group)).isEqualTo(group.first().txn().group());
        var groupId = new GroupId();
        assertThat(Allocation.smallestWindow(WINDOWS, CALLS, () -> groupId.hash(group, id, 0)))
                .isZero();
    }

    @Test
    void hashingABlockAllocatesNothing() {
        var samples = new Samples(9);
        BlockHeader header = samples.block(0).header();
        for (HashFunction function : HashFunction.values()) {
            byte[] hash = new byte[function.bytes()];
            assertThat(
                            Allocation.smallestWindow(
                                    WINDOWS,
                                    CALLS,
                                    () -> BlockEncoder.hash(header, function, hash, 0)))
                    .isZero();
        }
    }

    @Test
    void committingToAPaysetAllocatesNothing() {
        List<BlockTransaction> payset = new Samples(10).block(21).transactions();
        byte[] roots = new byte[Commitments.BYTES];
        assertThat(
                        Allocation.smallestWindow(
                                WINDOWS,
                                200,
                                () -> Commitments.perThread().commit(payset, roots, 0)))
                .isZero();
    }

    @ParameterizedTest
    @EnumSource
    void encodingIntoABufferAllocatesNothing(TransactionType type) {
        Transaction txn = new Samples(4).transaction(type);
        var out = new CanonicalWriter();
        assertThat(
                        Allocation.smallestWindow(
                                WINDOWS, CALLS, () -> TransactionEncoder.encode(txn, out.reset())))
                .isZero();
    }

    @Test
    void readingASignedPaymentAllocatesItsRecordAndNothingElse() {
        byte[] bytes = new Samples(5).signedPayment().toBytes();
        long allocated = smallestDecode(bytes);
        // Group and list of members, signed transaction, payment, header, two addresses, spans of
        // note and
        // signature: 360 bytes where object headers take 12.
        assertThat(allocated).isEqualTo(360);
    }

    /** What it says in lists is made once: 24 bytes a list, 4 an item, and the items. */
    @Test
    void readingAMultisignatureAllocatesItsRecordAndNothingElse() {
        var samples = new Samples(11);
        List<Subsignature> keys = new ArrayList<>();
        for (int key = 0; key < 12; key++) {
            keys.add(new Subsignature(samples.digest(), samples.bytes(64)));
        }
        Payment payment = samples.plainPayment();
        var multisig = new MultisigSignature(1, 12, keys);
        byte[] bytes =
                SignedTransaction.of(payment, null, multisig, null, null, Address.ZERO).toBytes();
        // A single signature's span less; the record, its list and array; for each key the share
        // with its digest and span.
        assertThat(smallestDecode(bytes))
                .isEqualTo(360 - 24 + 24 + 24 + (16 + 12 * 4) + 12 * (24 + 48 + 24));
    }

    @Test
    void readingAnAssetTransferStaysWithinTheBound() {
        var samples = new Samples(6);
        byte[] bytes =
                samples.signed(samples.transaction(TransactionType.ASSET_TRANSFER)).toBytes();
        assertThat(smallestDecode(bytes)).isLessThanOrEqualTo(700);
    }

    /** Keeps what was read, or the compiler finds out that parts of it need not be made. */
    private static volatile @Nullable TransactionGroup decoded;

    private static long smallestDecode(byte[] bytes) {
        var decoder = new TransactionDecoder();
        return Allocation.smallestWindow(
                WINDOWS,
                CALLS,
                () -> {
                    try {
                        decoded = decoder.decodeGroup(bytes, 0, bytes.length);
                    } catch (MalformedMessage e) {
                        throw new AssertionError(e);
                    }
                });
    }
}
