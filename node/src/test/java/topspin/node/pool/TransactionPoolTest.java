package topspin.node.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.BlockMaker;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.VerifiedGroup;
import topspin.node.Chain;
import topspin.node.Funds;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The pool on a real ledger; its clock is the test's. */
@Timeout(60)
final class TransactionPoolTest {
    private final List<Throwable> faults = new CopyOnWriteArrayList<>();
    private Funds funds = new Funds(4);
    private Chain chain;
    private TransactionPool pool;
    private volatile long nanos;

    @BeforeEach
    void open(@TempDir Path folder) throws Exception {
        chain = new Chain(folder, funds, ConsensusVersions.builtIn());
        pool = pool(PoolConfig.DEFAULT);
    }

    private TransactionPool pool(PoolConfig config) {
        var opened =
                new TransactionPool(
                        config,
                        chain.ledger().view(),
                        ConsensusVersions.builtIn(),
                        () -> nanos,
                        faults::add);
        opened.start();
        return opened;
    }

    @AfterEach
    void close() throws Exception {
        pool.close();
        chain.close();
        assertThat(faults).isEmpty();
    }

    @Test
    void whatIsAcceptedWaitsInOrder() throws Exception {
        SignedTransaction first = funds.payment(0, 1, 5);
        TransactionGroup group = funds.group(1, 2, 3);

        assertThat(offer(first).entry()).isEqualTo("accepted");
        assertThat(offer(chain.verified(group)).entry()).isEqualTo("accepted");

        Pending pending = pool.pending();
        assertThat(pending.transactionCount()).isEqualTo(4);
        assertThat(pending.groupCount()).isEqualTo(2);
        List<SignedTransaction> waiting = new ArrayList<>();
        pending.forEach(waiting::add);
        assertThat(waiting).containsExactly(first, group.get(0), group.get(1), group.get(2));
        assertThat(pool.lookup(first.id())).isEqualTo(new PoolEntry.Waiting(first));
        assertThat(pool.contains(group.get(2).id())).isTrue();
        assertThat(pool.lookup(funds.payment(0, 1, 5).id())).isNull();
    }

    @Test
    void aSnapshotDoesNotChange() throws Exception {
        Pending before = pool.pending();
        offer(funds.payment(0, 1, 5)).entry();

        assertThat(before.transactionCount()).isZero();
        assertThat(before).isEmpty();
    }

    @Test
    void whatCannotBeAppliedAfterAllBeforeItIsRefused() throws Exception {
        assertThat(offer(funds.payment(0, 1, Funds.BALANCE - 200_000)).entry())
                .isEqualTo("accepted");

        assertThat(offer(funds.payment(0, 1, 500_000)).entry())
                .startsWith("TransactionPool.Remember: transaction ")
                .contains(": overspend (account " + funds.address(0));
        assertThat(pool.counters().refused(Reason.OVERSPEND)).isEqualTo(1);
        assertThat(pool.pending().transactionCount()).isEqualTo(1);
    }

    @Test
    void moneyThatWaitsMayBeSpent() throws Exception {
        offer(funds.payment(0, 1, 800_000_000)).entry();

        assertThat(offer(funds.payment(1, 2, 1_500_000_000)).entry()).isEqualTo("accepted");
    }

    @Test
    void aSecondCopyIsAlreadyInTheLedger() throws Exception {
        SignedTransaction payment = funds.payment(0, 1, 5);
        offer(payment).entry();

        assertThat(offer(payment).entry())
                .isEqualTo(
                        "TransactionPool.Remember: transaction already in ledger: " + payment.id());
    }

    @Test
    void moreThanItsBoundIsRefused() throws Exception {
        pool.close();
        pool = pool(PoolConfig.ofSize(2));
        offer(funds.payment(0, 1, 5)).entry();

        assertThat(offer(chain.verified(funds.group(1, 2))).entry())
                .isEqualTo(
                        "TransactionPool.checkPendingQueueSize: transaction pool has reached"
                                + " capacity");
        assertThat(offer(funds.payment(0, 1, 5)).entry()).isEqualTo("accepted");
        assertThat(offer(funds.payment(0, 1, 5)).entry()).contains("capacity");
        assertThat(pool.counters().refusedFull()).isEqualTo(2);
    }

    @Test
    void aBlockHoldsWhatWaits() throws Exception {
        SignedTransaction payment = funds.payment(0, 1, 5);
        Watcher watcher = offer(payment);
        watcher.entry();

        EvaluatedBlock block = add(assemble());

        assertThat(block.block().transactions())
                .extracting(BlockTransaction::signed)
                .extracting(SignedTransaction::id)
                .containsExactly(payment.id());
        assertThat(watcher.exit()).isEqualTo("committed in 1");
        assertThat(pool.lookup(payment.id())).isNull();
        assertThat(pool.pending().transactionCount()).isZero();
        assertThat(pool.counters().committed()).isEqualTo(1);
    }

    @Test
    void nothingIsTakenInWhileABlockIsMade() throws Exception {
        Assembly assembly = assemble();

        Watcher waiting = offer(funds.payment(0, 1, 5));
        assertThat(waiting.hasEntry()).isFalse();
        EvaluatedBlock empty = add(assembly);

        assertThat(waiting.entry()).isEqualTo("accepted");
        assertThat(empty.block().transactions()).isEmpty();
    }

    @Test
    void offersGoOnOnceABlockIsGivenBack() throws Exception {
        SignedTransaction first = funds.payment(0, 1, 5);
        SignedTransaction second = funds.payment(0, 1, 6);
        offer(first).entry();
        Assembly proposed = assemble();
        Watcher waiting = offer(second);
        assertThat(waiting.hasEntry()).isFalse();
        proposed.release();

        assertThat(waiting.entry()).isEqualTo("accepted"); // Nobody waits for the block.
        Assembly.Proposed block = proposed.propose(maker(), 7);
        assertThat(proposed.propose(maker(), 7).block()).isEqualTo(block.block());
        assertThat(ids(block.block())).containsExactly(first.id());
        assertThat(block.block().header().proposer()).isEqualTo(funds.address(3));
        assertThat(block.block().header().timestamp()).isEqualTo(7);
    }

    @Test
    void aRoundThatIsTriedAgainTakesWhatCameMeanwhile() throws Exception {
        SignedTransaction first = funds.payment(0, 1, 5);
        SignedTransaction second = funds.payment(0, 1, 6);
        offer(first).entry();
        Assembly.Proposed early = proposeAndRelease();
        offer(second).entry();
        Assembly.Proposed later = proposeAndRelease();

        assertThat(ids(later.block())).containsExactly(first.id(), second.id());
        // The first one wins after all: what it left is in the round that follows.
        commit(chain.add(chain.verified(first)));
        assertThat(ids(proposeAndRelease().block())).containsExactly(second.id());
        assertThat(early.delta()).isNotNull();
    }

    @Test
    void aBlockGivenBackTooLateIsForgotten() throws Exception {
        Assembly late = assemble();
        commit(chain.add());
        Assembly next = assemble();
        late.release();

        Watcher waiting = offer(funds.payment(0, 1, 5));
        assertThat(next.base().round()).isEqualTo(1);
        assertThat(waiting.hasEntry()).isFalse();
        next.release();
        assertThat(waiting.entry()).isEqualTo("accepted");
    }

    private Assembly.Proposed proposeAndRelease() throws Exception {
        Assembly assembly = assemble();
        try {
            return assembly.propose(maker(), 7);
        } finally {
            assembly.release();
        }
    }

    private BlockMaker maker() {
        return new BlockMaker(Digest.ZERO, funds.address(3), true, address -> false);
    }

    private static List<Digest> ids(Block block) {
        return block.transactions().stream().map(each -> each.signed().id()).toList();
    }

    @Test
    void theTimestampIsItsMakersChoice() throws Exception {
        EvaluatedBlock block = assemble().complete(1_700_000_000);

        assertThat(block.block().header().timestamp()).isEqualTo(1_700_000_000);
    }

    @Test
    void aBlockIsWantedByTheGroupThatSaysSo() throws Exception {
        CompletableFuture<Assembly> wanted = pool.assembleWhenWanted();
        offer(chain.verified(funds.payment(0, 1, 1)), false).entry();
        assertThat(wanted).isNotDone();

        offer(chain.verified(funds.payment(0, 1, 2)), true).entry();
        Watcher after = offer(funds.payment(0, 1, 3));
        EvaluatedBlock block = add(wanted.get(10, TimeUnit.SECONDS));

        assertThat(block.block().transactions()).hasSize(2);
        assertThat(after.entry()).isEqualTo("accepted");
    }

    @Test
    void aBlockMayBeWantedByHand() throws Exception {
        CompletableFuture<Assembly> wanted = pool.assembleWhenWanted();
        pool.wantBlock();

        assertThat(add(wanted.get(10, TimeUnit.SECONDS)).block().transactions()).isEmpty();
    }

    @Test
    void anotherProducersBlockTakesItsTransactionsOut() throws Exception {
        SignedTransaction payment = funds.payment(0, 1, 5);
        SignedTransaction other = funds.payment(1, 2, 5);
        Watcher in = offer(payment);
        Watcher stays = offer(other);
        stays.entry();

        commit(chain.add(chain.verified(payment)));

        assertThat(in.exit()).isEqualTo("committed in 1");
        assertThat(pool.lookup(payment.id())).isNull();
        assertThat(pool.lookup(other.id())).isEqualTo(new PoolEntry.Waiting(other));
        Assembly next = assemble();
        assertThat(stays.roundsPassed()).isEqualTo(1);
        assertThat(add(next).block().transactions()).hasSize(1);
        assertThat(stays.exit()).isEqualTo("committed in 2");
    }

    @Test
    void whatABlockMadeInapplicableIsEvictedWithItsReason() throws Exception {
        SignedTransaction payment = funds.payment(0, 1, 600_000_000);
        SignedTransaction needsIt = funds.payment(1, 2, 1_200_000_000);
        Watcher spent = offer(payment);
        Watcher poor = offer(needsIt);
        poor.entry();

        commit(chain.add(chain.verified(funds.payment(0, 3, 700_000_000))));

        assertThat(spent.exit())
                .startsWith("transaction " + payment.id() + ": overspend (account ");
        assertThat(poor.exit()).startsWith("transaction " + needsIt.id() + ": overspend");
        assertThat(pool.lookup(payment.id()))
                .isEqualTo(new PoolEntry.Evicted(payment, spent.exit()));
        assertThat(pool.counters().evicted()).isEqualTo(2);
        awaitPending(0);
    }

    @Test
    void anEvictedTransactionMayComeAgain() throws Exception {
        SignedTransaction payment = funds.payment(0, 1, 600_000_000);
        Watcher evicted = offer(payment);
        evicted.entry();
        commit(chain.add(chain.verified(funds.payment(0, 3, 700_000_000))));
        evicted.exit();
        commit(chain.add(chain.verified(funds.payment(3, 0, 700_000_000))));

        assertThat(offer(payment).entry()).isEqualTo("accepted");
        assertThat(pool.lookup(payment.id())).isEqualTo(new PoolEntry.Waiting(payment));
    }

    @Test
    void whatExpiresIsEvicted() throws Exception {
        Watcher watcher = offer(funds.payment(0, 1, 1, 1));
        assertThat(watcher.entry()).isEqualTo("accepted");

        commit(chain.add());

        assertThat(watcher.exit()).isEqualTo("txn dead: round 2 outside of 1--1");
    }

    @Test
    void aLateDeadlineGivesTheBlockThatIsReady() throws Exception {
        nanos = 1_000;
        offer(funds.payment(0, 1, 5)).entry();

        Assembly assembly = pool.assemble(500).get(10, TimeUnit.SECONDS);

        assertThat(add(assembly).block().transactions()).hasSize(1);
    }

    @Test
    void requestsAreCancelledWhenThePoolCloses() {
        CompletableFuture<Assembly> wanted = pool.assembleWhenWanted();

        pool.close();

        assertThat(wanted).isCancelled();
        assertThatThrownBy(() -> pool.assemble(0).get(1, TimeUnit.SECONDS))
                .isInstanceOf(java.util.concurrent.CancellationException.class);
    }

    private Watcher offer(SignedTransaction payment) throws Exception {
        return offer(chain.verified(payment));
    }

    private Watcher offer(VerifiedGroup group) throws Exception {
        return offer(group, false);
    }

    private Watcher offer(VerifiedGroup group, boolean wantsBlock) throws Exception {
        Watcher watcher = new Watcher();
        pool.offer(group, wantsBlock, watcher);
        return watcher;
    }

    private Assembly assemble() throws Exception {
        return pool.assemble(nanos + 1).get(10, TimeUnit.SECONDS);
    }

    private EvaluatedBlock add(Assembly assembly) throws Exception {
        EvaluatedBlock block = assembly.complete(assembly.base().header().timestamp() + 1);
        chain.add(block);
        commit(block);
        return block;
    }

    private void commit(EvaluatedBlock block) throws Exception {
        pool.committed(chain.ledger().view(), block.delta());
    }

    private void awaitPending(int transactions) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (pool.pending().transactionCount() != transactions && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertThat(pool.pending().transactionCount()).isEqualTo(transactions);
    }
}
