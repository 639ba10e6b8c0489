package topspin.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static topspin.ledger.TestNetwork.address;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockHeader;
import topspin.codec.block.Certificate;
import topspin.ledger.account.Account;
import topspin.ledger.store.Column;
import topspin.ledger.store.LedgerStore;
import topspin.ledger.store.MemoryStore;
import topspin.ledger.store.SnapshotClosed;
import topspin.ledger.store.StoreFault;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** The ledger beside the simplest model of it, {@link MemoryState}, fed with the same blocks. */
final class LedgerTest {
    private static final int ACCOUNTS = 12;

    private final TestNetwork net = new TestNetwork(ACCOUNTS);
    private final AtomicLong nanos = new AtomicLong();
    private final MemoryStore store = new MemoryStore();
    private final Ledger ledger =
            Ledger.over(store, net.genesis(), LedgerConfig.DEFAULT, nanos::get);

    @AfterEach
    void close() {
        ledger.close();
    }

    @Test
    void roundZeroIsWhatTheGenesisSays() {
        LedgerView view = ledger.view();
        assertThat(view.round()).isZero();
        assertThat(view.header()).isEqualTo(net.state().header());
        assertThat(view.headerHash()).isEqualTo(net.state().headerHash());
        assertThat(view.totals()).isEqualTo(net.state().totals());
        assertThat(view.account(address(3))).isEqualTo(net.account(3));
        assertThat(ledger.certificateBytes(0)).containsExactly(0x80);
        assertThat(ledger.blockBytes(1)).isNull();
        assertThat(ledger.blockBytes(-1)).isNull();
    }

    @Test
    void randomHistoryShowsWhatTheModelShows() {
        var history = new RandomHistory(net, ACCOUNTS, 7);
        List<MemoryState> states = new ArrayList<>(List.of(net.state()));
        for (int round = 1; round <= 60; round++) {
            add(history.nextBlock());
            states.add(net.state());
            compare(ledger.view(), states, history);
        }
    }

    @Test
    void stakeLooksBackAcrossAllThatChangedSince() {
        var history = new RandomHistory(net, ACCOUNTS, 11);
        List<MemoryState> states = new ArrayList<>(List.of(net.state()));
        for (int round = 1; round <= 330; round++) {
            add(round % 7 == 0 ? history.nextBlock() : net.nextBlock());
            states.add(net.state());
        }
        LedgerView view = ledger.view();
        for (long round = 0; round <= view.round(); round += 9) {
            compareStake(view, states.get((int) round), round);
        }
    }

    @Test
    void stakeOfTooLongAgoIsNotKeptAndSaysSo() {
        long kept = OnlineStake.historyRounds(ledger.view().params());
        for (long round = 1; round <= kept + 2; round++) {
            add(net.nextBlock());
        }
        LedgerView view = ledger.view();
        assertThat(view.online(address(1), 2)).isEqualTo(Account.EMPTY);
        assertThat(view.totals(2).money()).isEqualTo(view.totals().money());
        for (long round : new long[] {0, 1}) {
            assertThatThrownBy(() -> view.online(address(1), round))
                    .isInstanceOf(RoundNotKept.class);
            assertThatThrownBy(() -> view.circulation(round, round + 320))
                    .isInstanceOf(RoundNotKept.class);
        }
        assertThatThrownBy(() -> view.online(address(1), view.round() + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .isNotInstanceOf(RoundNotKept.class);
        assertThat(keys(Column.TOTALS)).hasSize((int) kept + 1);
    }

    /** Headers stay for look-backs, whole blocks do not. */
    @Test
    void aHeaderThatIsKeptDoesNotKeepItsBlock() throws Exception {
        EvaluatedBlock made = net.confirm(net.pay(0, 1, 5));
        byte[] bytes = BlockEncoder.encodeBlock(made.block());
        Block read = new BlockDecoder().decodeBlock(bytes, 0, bytes.length);
        assertThat(read.header().previous512().array()).isSameAs(bytes);
        add(new EvaluatedBlock(read, made.delta()));
        BlockHeader kept = ledger.view().header();
        assertThat(kept).isEqualTo(read.header());
        assertThat(kept.previous512().array()).hasSize(kept.previous512().length());
        assertThat(kept.sha512Root().array()).hasSize(kept.sha512Root().length());
    }

    @Test
    void viewStaysAsItWasWhileTheLedgerGoesOn() {
        add(net.confirm(net.pay(0, 1, 5)));
        LedgerView then = ledger.view();
        MemoryState state = net.state();
        Account before = then.account(address(0));
        for (int i = 0; i < 5; i++) {
            add(net.confirm(net.pay(0, 1, 5), net.pay(2, 0, 1)));
        }
        assertThat(then.account(address(0))).isEqualTo(before);
        assertThat(then.account(address(2))).isEqualTo(state.account(address(2)));
        assertThat(then.account(address(5))).isEqualTo(state.account(address(5)));
        assertThat(then.totals()).isEqualTo(state.totals());
        assertThat(ledger.view().account(address(0))).isEqualTo(net.account(0));
    }

    @Test
    void viewIsReadableForItsTimeAndThenSaysSo() {
        LedgerView genesis = ledger.view();
        for (int i = 0; i < 20; i++) {
            add(net.nextBlock());
        }
        assertThat(genesis.account(address(0))).isEqualTo(net.account(0));
        nanos.addAndGet(Ledger.VIEW_NANOS + 1);
        add(net.nextBlock());
        assertThatThrownBy(() -> genesis.account(address(1))).isInstanceOf(SnapshotClosed.class);
        assertThat(store.usage().snapshots()).isLessThan(12);
    }

    @Test
    void viewsAreBoundedHoweverFastRoundsCome() {
        LedgerView genesis = ledger.view();
        for (int i = 0; i < Ledger.VIEWS_MAX + 20; i++) {
            add(net.nextBlock());
            assertThat(store.usage().snapshots()).isLessThanOrEqualTo(Ledger.VIEWS_MAX);
        }
        assertThatThrownBy(() -> genesis.account(address(1))).isInstanceOf(SnapshotClosed.class);
    }

    @Test
    void idIsAnsweredForUntilAThousandRoundsAfterItsLast() {
        EvaluatedBlock made = net.confirm(net.pay(0, 1, 5));
        StateDelta.CommittedId id = made.delta().ids().getFirst();
        add(made);
        LedgerView early = ledger.view();
        assertThat(early.committedRound(id.id())).isEqualTo(1);
        assertThat(early.committedRound(id.id(), id.lastValid())).isEqualTo(1);
        assertThat(early.isCommitted(id.id(), id.lastValid() - 1)).isTrue(); // Ids are unique.
        assertThat(early.committedRound(Digest.ZERO)).isEqualTo(LedgerView.NOT_COMMITTED);
        assertThat(ledger.view().isCommitted(Digest.ZERO, 5)).isFalse();
        while (ledger.view().round() < id.lastValid() + TxTail.IDS_LINGER_ROUNDS - 1) {
            add(net.nextBlock());
        }
        assertThat(keys(Column.IDS)).hasSize(1);
        add(net.nextBlock());
        assertThat(keys(Column.IDS)).isEmpty();
    }

    @Test
    void roundsHaveToFollowEachOther() {
        EvaluatedBlock first = net.nextBlock();
        EvaluatedBlock second = net.nextBlock();
        assertThatThrownBy(() -> add(second)).isInstanceOf(IllegalArgumentException.class);
        add(first);
        assertThatThrownBy(() -> add(first)).isInstanceOf(IllegalArgumentException.class);
        var stranger = new TestNetwork(2);
        stranger.nextBlock();
        assertThatThrownBy(() -> add(stranger.nextBlock()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not follow");
        add(second);
    }

    @Test
    void roundThatMakesMoneyIsRefused() {
        EvaluatedBlock made = net.nextBlock();
        StateDelta delta = made.delta();
        var richer =
                new StateDelta(
                        delta.round(),
                        delta.accounts(),
                        delta.holdings(),
                        delta.assets(),
                        delta.ids(),
                        delta.leases(),
                        delta.totals().plus(Account.EMPTY.withBalance(1), 1_000_000));
        assertThatThrownBy(() -> add(new EvaluatedBlock(made.block(), richer)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("genesis had");
        assertThat(ledger.view().round()).isZero();
    }

    @Test
    void listenersAndWaitersAreToldOnceTheRoundShows() {
        List<String> told = new ArrayList<>();
        RoundListener listener =
                (view, block, delta) ->
                        told.add(view.round() + " " + block.round() + " " + ledger.view().round());
        ledger.addListener(listener);
        CompletableFuture<Long> zero = ledger.reached(0);
        CompletableFuture<Long> one = ledger.reached(1);
        CompletableFuture<Long> two = ledger.reached(2);
        assertThat(zero).isCompletedWithValue(0L);
        assertThat(one).isNotDone();
        add(net.nextBlock());
        assertThat(one).isCompletedWithValue(1L);
        assertThat(two).isNotDone();
        ledger.removeListener(listener);
        add(net.nextBlock());
        assertThat(two).isCompletedWithValue(2L);
        assertThat(told).containsExactly("1 1 1");
        assertThat(ledger.waiters()).isZero();
    }

    @Test
    void whoeverGivesUpWaitingIsForgottenAndTheirNumberIsBounded() {
        List<CompletableFuture<Long>> waiters = new ArrayList<>();
        for (int i = 0; i < Ledger.WAITERS_MAX; i++) {
            waiters.add(ledger.reached(1 + i % 3));
        }
        assertThat(ledger.reached(1)).isCompletedExceptionally();
        assertThatThrownBy(() -> ledger.reached(1).join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(RejectedExecutionException.class);
        waiters.removeLast().cancel(false);
        waiters.removeLast().completeExceptionally(new TimeoutException("as orTimeout does"));
        assertThat(ledger.waiters()).isEqualTo(Ledger.WAITERS_MAX - 2);
        assertThat(ledger.reached(-1)).isNotDone(); // The farthest round there is.
        ledger.close();
        assertThat(ledger.waiters()).isZero();
        assertThat(waiters).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(ledger.reached(1)).as("asked too late").isCompletedExceptionally();
        assertThat(ledger.waiters()).isZero();
    }

    @Test
    void diskThatRefusesStopsTheLedgerAndLosesNothing() {
        add(net.confirm(net.pay(0, 1, 5)));
        Digest digest = ledger.digest();
        EvaluatedBlock next = net.confirm(net.pay(0, 1, 6));
        store.failNextCommit(new StoreFault(StoreFault.Kind.NO_SPACE, "full", null));
        assertThatThrownBy(() -> add(next)).isInstanceOf(StoreFault.class).hasMessage("full");
        assertThatThrownBy(() -> add(next)).isInstanceOf(StoreFault.class).hasMessage("full");
        assertThat(ledger.view().round()).isEqualTo(1);
        assertThat(ledger.digest()).isEqualTo(digest);
        try (Ledger again = Ledger.over(store, net.genesis(), LedgerConfig.DEFAULT, nanos::get)) {
            assertThat(again.view().round()).isEqualTo(1);
            add(again, next);
            assertThat(again.view().account(address(0))).isEqualTo(net.account(0));
        }
    }

    @Test
    void journalIsKeptApartFromRounds() {
        assertThat(ledger.readJournal()).isNull();
        Digest digest = ledger.digest();
        Digest one = Digest.fromBytes(new byte[Digest.BYTES]);
        Digest two = ledger.view().headerHash();
        var bytes = Bytes.of(new byte[] {9, 8, 7}, 1, 2);
        ledger.writeJournal(new byte[] {1, 2}, Map.of(one, bytes), Set.of());
        ledger.writeJournal(new byte[] {3}, Map.of(two, Bytes.of((byte) 5)), Set.of(one));
        assertThat(ledger.readJournal()).containsExactly(3);
        assertThat(ledger.readJournal(one)).isNull();
        assertThat(ledger.readJournal(two)).containsExactly(5);
        assertThat(ledger.digest()).isEqualTo(digest);
    }

    @Test
    void reopenedLedgerIsTheSameAndGoesOnTheSameWay(@TempDir Path dir) {
        var history = new RandomHistory(net, ACCOUNTS, 3);
        Ledger real = Ledger.open(dir, net.genesis(), LedgerConfig.DEFAULT);
        List<MemoryState> states = new ArrayList<>(List.of(net.state()));
        try {
            for (int round = 1; round <= 40; round++) {
                EvaluatedBlock made = history.nextBlock();
                add(made);
                add(real, made);
                states.add(net.state());
                assertThat(real.digest()).isEqualTo(ledger.digest());
                if (round % 10 == 0) {
                    real.close();
                    real = Ledger.open(dir, net.genesis(), LedgerConfig.DEFAULT);
                    compare(real.view(), states, history);
                    assertThat(real.digest()).isEqualTo(ledger.digest());
                }
            }
            assertThat(real.blockBytes(17)).isEqualTo(ledger.blockBytes(17));
            assertThat(real.view().headerHash(17)).isEqualTo(states.get(17).headerHash());
        } finally {
            real.close();
        }
    }

    @Test
    void foreignBlocksLeadToTheSameStateByteForByte(@TempDir Path dir) {
        var history = new RandomHistory(net, ACCOUNTS, 5);
        for (int round = 1; round <= 30; round++) {
            add(history.nextBlock());
        }
        List<Long> rounds = new ArrayList<>();
        Replay.Verification verified = Replay.verify(ledger, net.signatures(), dir, rounds::add);
        assertThat(verified.fault()).isNull();
        assertThat(verified.holds()).isTrue();
        assertThat(verified.evaluated()).isEqualTo(ledger.digest());
        assertThat(rounds).hasSize(30).endsWith(30L);
    }

    @Test
    void verificationFindsAStateThatNoBlockExplains(@TempDir Path dir) {
        add(net.confirm(net.pay(0, 1, 5)));
        try (LedgerStore.Batch batch = store.batch()) {
            batch.delete(Column.ACCOUNTS, Column.address(address(4)));
            batch.commit();
        }
        add(net.nextBlock());
        Replay.Verification verified = Replay.verify(ledger, net.signatures(), dir, round -> {});
        assertThat(verified.fault()).isNull();
        assertThat(verified.holds()).isFalse();
    }

    @Test
    void prunedRoundsAreGoneAndTheRestIsServed() {
        var keep = LedgerConfig.DEFAULT.withKeepRounds(LedgerConfig.KEEP_ROUNDS_MIN);
        var pruned = new MemoryStore();
        try (Ledger few = Ledger.over(pruned, net.genesis(), keep, nanos::get)) {
            long last = LedgerConfig.KEEP_ROUNDS_MIN + 30;
            for (long round = 1; round <= last; round++) {
                EvaluatedBlock made = net.nextBlock();
                add(made);
                add(few, made);
            }
            assertThat(few.view().firstRound()).isEqualTo(31);
            assertThat(few.blockBytes(30)).isNull();
            assertThat(few.certificateBytes(30)).isNull();
            assertThat(few.blockBytes(31)).isEqualTo(ledger.blockBytes(31));
            assertThat(few.digest()).isEqualTo(ledger.digest());
            assertThatThrownBy(
                            () -> Replay.verify(few, net.signatures(), Path.of("unused"), r -> {}))
                    .isInstanceOf(RoundNotKept.class);
        }
        // Opened again with all rounds to keep, it keeps what it still has.
        try (Ledger few =
                Ledger.over(pruned.reopen(), net.genesis(), LedgerConfig.DEFAULT, nanos::get)) {
            EvaluatedBlock made = net.nextBlock();
            add(few, made);
            assertThat(few.view().firstRound()).isEqualTo(31);
            assertThatThrownBy(() -> few.view().header(30)).isInstanceOf(RoundNotKept.class);
        }
    }

    @Test
    void genesisThatNobodyCanStartFromIsRefused() {
        Genesis rich = net.genesis();
        var poor =
                new Genesis(
                        rich.allocations().subList(1, rich.allocations().size()),
                        "",
                        true,
                        rich.feeSink(),
                        rich.rewardsPool(),
                        "v1",
                        "test",
                        rich.protocol(),
                        0);
        assertThatThrownBy(
                        () ->
                                Ledger.over(
                                        new MemoryStore(), poor, LedgerConfig.DEFAULT, nanos::get))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rewards pool must hold at least 100000");
    }

    private void add(EvaluatedBlock made) {
        add(ledger, made);
    }

    private static void add(Ledger ledger, EvaluatedBlock made) {
        long round = made.block().round();
        ledger.add(made.block(), Certificate.ofRound(round).encoding().toArray(), made.delta());
        assertThat(ledger.blockBytes(round)).isEqualTo(BlockEncoder.encodeBlock(made.block()));
    }

    private static void compare(LedgerView view, List<MemoryState> states, RandomHistory history) {
        MemoryState state = states.get((int) view.round());
        assertThat(view.round()).isEqualTo(state.round());
        assertThat(view.headerHash()).isEqualTo(state.headerHash());
        assertThat(view.totals()).isEqualTo(state.totals());
        for (int i = 0; i < ACCOUNTS; i++) {
            assertThat(view.account(address(i))).isEqualTo(state.account(address(i)));
            List<LedgerView.AssetHolding> holdings = view.holdings(address(i), 0, 1000);
            assertThat(holdings).hasSize((int) state.account(address(i)).resources().assets());
            for (LedgerView.AssetHolding held : holdings) {
                assertThat(state.holding(address(i), held.asset())).isEqualTo(held.holding());
            }
        }
        for (long asset : history.assets()) {
            assertThat(view.asset(asset)).isEqualTo(state.asset(asset));
            assertThat(view.holding(address(0), asset)).isEqualTo(state.holding(address(0), asset));
        }
        for (StateDelta.CommittedId id : history.ids()) {
            if (id.lastValid() > view.round()) {
                assertThat(view.isCommitted(id.id(), id.lastValid())).isTrue();
            }
        }
        for (Digest lease : history.leases()) {
            for (int i = 0; i < ACCOUNTS; i++) {
                long until = view.leaseUntil(address(i), lease);
                long expected = state.leaseUntil(address(i), lease);
                assertThat(until > view.round() ? until : RoundState.NO_LEASE)
                        .isEqualTo(expected > view.round() ? expected : RoundState.NO_LEASE);
            }
        }
        for (long back = 0; back < states.size(); back += 5) {
            compareStake(view, states.get((int) back), back);
        }
    }

    private static void compareStake(LedgerView view, MemoryState then, long round) {
        List<String> expected = new ArrayList<>();
        then.forEachOnline(round, (address, account) -> expected.add(address + " " + account));
        List<String> actual = new ArrayList<>();
        view.forEachOnline(round, (address, account) -> actual.add(address + " " + account));
        assertThat(actual).isEqualTo(expected);
        for (int i = 0; i < ACCOUNTS; i++) {
            assertThat(view.online(address(i), round)).isEqualTo(then.online(address(i), round));
        }
        for (long ahead : new long[] {1, 16, 320, 321, 1000}) {
            assertThat(view.circulation(round, round + ahead))
                    .isEqualTo(then.circulation(round, round + ahead));
        }
        assertThat(view.totals(round)).isEqualTo(then.totals());
    }

    private List<byte[]> keys(Column column) {
        List<byte[]> keys = new ArrayList<>();
        try (LedgerStore.Snapshot snapshot = store.snapshot()) {
            snapshot.scan(
                    column,
                    new byte[0],
                    null,
                    (key, value) -> {
                        keys.add(key);
                        return true;
                    });
        }
        return keys;
    }
}
