package topspin.node.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.Bytes;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.ledger.EvaluatedBlock;
import topspin.node.Chain;
import topspin.node.Funds;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * More waits than a block holds: validation.md, section 8. On a version whose blocks hold four
 * payments.
 */
final class PressureTest {
    private static final int PAYMENTS_A_BLOCK = 4;
    private static final String SMALL = "small blocks";

    private static final ConsensusVersions VERSIONS = versions();

    private final List<Throwable> faults = new ArrayList<>();
    private final Funds funds = new Funds(2, SMALL);
    private Chain chain;
    private TransactionPool pool;

    private static ConsensusVersions versions() {
        ConsensusVersions builtIn = ConsensusVersions.builtIn();
        String small =
                builtIn.write(List.of(ConsensusVersions.V42))
                        .replace(ConsensusVersions.V42, SMALL)
                        .replaceFirst("(\"MaxTxnBytesPerBlock\": *)5242880", "$11000");
        return builtIn.with(small);
    }

    @BeforeEach
    void open(@TempDir Path folder) throws Exception {
        chain = new Chain(folder, funds, VERSIONS);
        pool =
                new TransactionPool(
                        PoolConfig.DEFAULT, chain.ledger().view(), VERSIONS, () -> 0, faults::add);
        pool.start();
    }

    @AfterEach
    void close() throws Exception {
        pool.close();
        chain.close();
        assertThat(faults).isEmpty();
    }

    private String offer(SignedTransaction payment) throws Exception {
        var watcher = new Watcher();
        pool.offer(chain.verified(payment), false, watcher);
        return watcher.entry();
    }

    /** So many payments that each pay the minimum. */
    private List<SignedTransaction> fill(int count) throws Exception {
        List<SignedTransaction> filled = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            SignedTransaction payment = funds.payment(0, 1, 1);
            assertThat(offer(payment)).as("payment %d", i).isEqualTo("accepted");
            filled.add(payment);
        }
        return filled;
    }

    private EvaluatedBlock makeBlock() throws Exception {
        Assembly assembly = pool.assemble(Long.MAX_VALUE / 2).get(10, TimeUnit.SECONDS);
        EvaluatedBlock block = assembly.complete(assembly.base().header().timestamp() + 1);
        chain.add(block);
        pool.committed(chain.ledger().view(), block.delta());
        return block;
    }

    private long askedPerByte() throws Exception {
        assertThat(offer(funds.sign(0, costly()))).isEqualTo("accepted");
        return pool.feePerByte();
    }

    private Payment costly() {
        var payment = funds.unsigned(0, 1, 1);
        return payment.withHeader(payment.header().withFee(100_000));
    }

    @Test
    void blocksTakeWhatWaitsInOrderAFullBlockAtATime() throws Exception {
        List<SignedTransaction> waiting = fill(10);

        List<SignedTransaction> made = new ArrayList<>();
        for (int size : new int[] {PAYMENTS_A_BLOCK, PAYMENTS_A_BLOCK, 2, 0}) {
            EvaluatedBlock block = makeBlock();
            assertThat(block.block().transactions()).hasSize(size);
            block.block().transactions().forEach(each -> made.add(each.signed()));
        }
        assertThat(made)
                .extracting(SignedTransaction::id)
                .containsExactlyElementsOf(waiting.stream().map(SignedTransaction::id).toList());
        assertThat(pool.pending().transactionCount()).isZero();
    }

    @Test
    void whatCannotWaitForItsTurnIsDeadNow() throws Exception {
        fill(2 * PAYMENTS_A_BLOCK + 1); // The block after the next two begins.

        assertThat(offer(funds.payment(0, 1, 1, 2)))
                .isEqualTo("TransactionPool.Remember: txn dead: round 3 outside of 1--2");
        assertThat(offer(funds.payment(0, 1, 1, 3))).isEqualTo("accepted");
    }

    @Test
    void eachBlockThatWaitsDoublesWhatAByteCosts() throws Exception {
        for (long perByte : new long[] {0, 0, 0, 2, 4, 8}) {
            assertThat(askedPerByte()).isEqualTo(perByte);
            fill(perByte < 4 ? PAYMENTS_A_BLOCK - 1 : 0); // Then a payment's fee is too low.
        }
        SignedTransaction cheap = funds.payment(0, 1, 1);
        assertThat(offer(cheap))
                .isEqualTo(
                        "TransactionPool.Remember: fee {1000} below threshold %d (8 per byte * %d"
                                        .formatted(8 * cheap.length(), cheap.length())
                                + " bytes)");
        assertThat(pool.counters().refusedFee()).isEqualTo(1);
    }

    @Test
    void pressureThatLastsMultipliesAndQuietHalves() throws Exception {
        fill(2 * PAYMENTS_A_BLOCK + 1);
        assertThat(askedPerByte()).isEqualTo(2);
        makeBlock(); // Two blocks waited: the multiplier becomes 1.
        assertThat(askedPerByte()).isEqualTo(1);
        fill(PAYMENTS_A_BLOCK);
        makeBlock(); // Two again: 2.
        assertThat(askedPerByte()).isEqualTo(2);
        makeBlock(); // One: it stays.
        assertThat(askedPerByte()).isEqualTo(2);
        while (pool.pending().transactionCount() > 0) {
            makeBlock();
        }
        makeBlock();
        assertThat(askedPerByte()).isZero();
    }

    @Test
    void whatABlockNeverHoldsIsRefused() throws Exception {
        var payment = funds.unsigned(0, 1, 1);
        byte[] note = new byte[1000];
        SignedTransaction large =
                funds.sign(0, payment.withHeader(payment.header().withNote(Bytes.of(note))));

        assertThat(offer(large))
                .isEqualTo("TransactionPool.Remember: block does not have space for transaction");
        fill(1);
    }
}
