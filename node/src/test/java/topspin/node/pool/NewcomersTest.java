package topspin.node.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Digest;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.SignedTransaction;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.VerifiedGroup;
import topspin.node.Chain;
import topspin.node.Funds;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What is offered while the pool evaluates again what a round left. */
@Timeout(60)
final class NewcomersTest {
    private static final int LEFT = 500;

    private final List<Throwable> faults = new CopyOnWriteArrayList<>();
    private final Funds funds = new Funds(4);
    private Chain chain;
    private TransactionPool pool;

    /** What sinks were told, in order; they are told on one thread. */
    private final List<String> told = new CopyOnWriteArrayList<>();

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @BeforeEach
    void open(@TempDir Path folder) throws Exception {
        chain = new Chain(folder, funds, ConsensusVersions.builtIn());
        pool =
                new TransactionPool(
                        PoolConfig.DEFAULT,
                        chain.ledger().view(),
                        ConsensusVersions.builtIn(),
                        () -> 0,
                        faults::add);
        pool.start();
    }

    @AfterEach
    void close() {
        goOn.countDown();
        pool.close();
        chain.close();
        assertThat(faults).isEmpty();
    }

    /** Writes down what it is told. */
    private class Named implements PoolSink {
        private final String name;
        final CountDownLatch taken = new CountDownLatch(1);

        Named(String name) {
            this.name = name;
        }

        @Override
        public void accepted() {
            told.add(name + " accepted");
            taken.countDown();
        }

        @Override
        public void refused(PoolRefusal refusal) {
            told.add(name + " refused: " + refusal.text());
        }

        @Override
        public void committed(long round) {
            told.add(name + " committed");
        }

        @Override
        public void passedOver(long round) {
            told.add(name + " passed over");
        }

        @Override
        public void evicted(Refusal refusal) {
            told.add(name + " evicted");
        }
    }

    /** Holds the pool's thread up, with the rest still to be evaluated again. */
    private final class Gate extends Named {
        Gate() {
            super("gate");
        }

        @Override
        public void passedOver(long round) {
            begun.countDown();
            try {
                assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException ended) {
                throw new AssertionError(ended);
            }
        }
    }

    private void offer(String name, SignedTransaction payment) throws Exception {
        offer(new Named(name), payment);
    }

    private void offer(PoolSink sink, SignedTransaction payment) throws Exception {
        pool.offer(chain.verified(payment), false, sink);
    }

    /** A block leaves many; the pool has begun with them, and stands. */
    private void leaveMany(VerifiedGroup... block) throws Exception {
        offer(new Gate(), funds.payment(0, 1, 1));
        for (int i = 2; i < LEFT; i++) {
            offer("left", funds.payment(0, 1, 1));
        }
        var last = new Named("last");
        offer(last, funds.payment(0, 1, 1));
        assertThat(last.taken.await(30, TimeUnit.SECONDS)).isTrue();
        EvaluatedBlock made = chain.add(block);
        pool.committed(chain.ledger().view(), made.delta());
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private VerifiedGroup known() throws Exception {
        SignedTransaction payment = funds.payment(0, 1, 1);
        offer("known", payment);
        return chain.verified(payment);
    }

    private Assembly assemble() throws Exception {
        return pool.assemble(Long.MAX_VALUE / 2).get(30, TimeUnit.SECONDS);
    }

    private List<Digest> idsOfNextBlock() throws Exception {
        return assemble().complete(1).block().transactions().stream()
                .map(each -> each.signed().id())
                .toList();
    }

    /** Waits until all that was offered has been judged. */
    private void settle() throws Exception {
        var last = new Watcher();
        pool.offer(chain.verified(funds.payment(2, 1, 1)), false, last);
        assertThat(last.entry()).isEqualTo("accepted");
    }

    @Test
    void whoCanFollowAllThatWaitsDoesNotWait() throws Exception {
        leaveMany(known());
        SignedTransaction payment = funds.payment(2, 3, 5);

        offer("newcomer", payment);
        goOn.countDown();

        assertThat(idsOfNextBlock()).hasSize(LEFT + 1).endsWith(payment.id());
        assertThat(told).containsSubsequence("newcomer accepted", "last passed over");
        assertThat(told).doesNotContain("newcomer passed over"); // No round was without it.
        assertThat(pool.contains(payment.id())).isTrue();
    }

    @Test
    void whoCannotFollowIsJudgedOnTheNewStateAndNobodyOvertakesHim() throws Exception {
        leaveMany(known());

        offer("poor", funds.payment(0, 1, Funds.BALANCE - LEFT * Funds.FEE));
        offer("behind", funds.payment(2, 3, 5));
        goOn.countDown();
        settle();

        assertThat(told)
                .filteredOn(line -> !line.startsWith("left") && !line.startsWith("gate"))
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo("known accepted"),
                        line -> assertThat(line).isEqualTo("last accepted"),
                        line -> assertThat(line).isEqualTo("known committed"),
                        line -> assertThat(line).isEqualTo("last passed over"),
                        line -> assertThat(line).startsWith("poor refused: ").contains("overspend"),
                        line -> assertThat(line).isEqualTo("behind accepted"));
    }

    @Test
    void whatABlockBroughtFromElsewhereIsKnownToNewcomers() throws Exception {
        SignedTransaction stranger = funds.payment(3, 2, Funds.BALANCE / 2);
        leaveMany(known(), chain.verified(stranger));

        offer("again", stranger);
        offer("poorer", funds.payment(3, 1, Funds.BALANCE / 2));
        offer("richer", funds.payment(2, 1, Funds.BALANCE + 1));
        goOn.countDown();
        settle();

        assertThat(told)
                .contains(
                        "again refused: TransactionPool.Remember: transaction already in ledger: "
                                + stranger.id(),
                        "richer accepted");
        assertThat(told).anyMatch(line -> line.startsWith("poorer refused: "));
        assertThat(told).doesNotContain("poorer accepted", "again accepted");
    }

    @Test
    void whatEndsWithTheRoundIsNotTakenForTheNext() throws Exception {
        leaveMany(known());

        offer("late", funds.payment(2, 3, 1, 1));
        goOn.countDown();
        settle();

        assertThat(told)
                .contains(
                        "late refused: TransactionPool.Remember: txn dead: round 2 outside of 1--1");
    }

    /** Nothing is evicted where every block is made of what waited first, whenever it came. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatIsAcceptedStays(long seed) throws Exception {
        var random = new Random(seed);
        List<Watcher> watchers = new ArrayList<>();
        List<SignedTransaction> payments = new ArrayList<>();
        for (int round = 0; round < 12; round++) {
            for (int i = random.nextInt(400); i > 0; i--) {
                // Most of what an account has, so that many are refused and order matters.
                long amount = random.nextLong(random.nextInt(8) == 0 ? Funds.BALANCE : 10_000);
                payments.add(funds.payment(random.nextInt(4), random.nextInt(4), amount));
                var watcher = new Watcher();
                watchers.add(watcher);
                pool.offer(chain.verified(payments.getLast()), false, watcher);
            }
            Assembly assembly = assemble();
            EvaluatedBlock block = assembly.complete(assembly.base().header().timestamp() + 1);
            assembly.release();
            for (int i = random.nextInt(100); i > 0; i--) {
                var watcher = new Watcher();
                watchers.add(watcher);
                payments.add(funds.payment(random.nextInt(4), random.nextInt(4), 1));
                pool.offer(chain.verified(payments.getLast()), false, watcher);
            }
            chain.add(block);
            pool.committed(chain.ledger().view(), block.delta());
        }
        for (Watcher watcher : watchers) {
            watcher.entry();
        }
        Assembly rest = assemble();
        EvaluatedBlock last = rest.complete(rest.base().header().timestamp() + 1);
        chain.add(last);
        pool.committed(chain.ledger().view(), last.delta());
        int committed = 0;
        for (int i = 0; i < watchers.size(); i++) {
            if (watchers.get(i).entry().equals("accepted")) {
                assertThat(watchers.get(i).exit()).startsWith("committed in ");
                SignedTransaction payment = payments.get(i);
                assertThat(
                                chain.ledger()
                                        .view()
                                        .isCommitted(payment.id(), payment.txn().lastValid()))
                        .isTrue();
                committed++;
            }
        }
        assertThat(pool.counters().evicted()).isZero();
        assertThat(pool.counters().committed()).isEqualTo(committed).isPositive();
    }
}
