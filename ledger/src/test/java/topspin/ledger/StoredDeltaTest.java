package topspin.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import topspin.codec.block.Certificate;
import topspin.codec.msgpack.MalformedMessage;
import topspin.ledger.store.Column;
import topspin.ledger.store.LedgerStore;
import topspin.ledger.store.MemoryStore;
import topspin.ledger.store.StoreFault;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

final class StoredDeltaTest {
    private static final int ACCOUNTS = 12;
    private static final int KEPT = 3;

    private final TestNetwork net = new TestNetwork(ACCOUNTS);
    private final RandomHistory history = new RandomHistory(net, ACCOUNTS, 3);
    private final MemoryStore store = new MemoryStore();

    @Test
    void theLastRoundsCanBeReadAgain() {
        List<StateDelta> deltas = new ArrayList<>();
        try (Ledger ledger = open(KEPT)) {
            for (int round = 1; round <= 40; round++) {
                EvaluatedBlock made = history.nextBlock();
                deltas.add(made.delta());
                add(ledger, made);
                check(ledger, deltas);
            }
        }
        assertThat(deltas).anyMatch(delta -> !delta.holdings().isEmpty());
        assertThat(deltas).anyMatch(delta -> !delta.assets().isEmpty());
        assertThat(deltas).anyMatch(delta -> !delta.leases().isEmpty());
    }

    private static void check(Ledger ledger, List<StateDelta> deltas) {
        int latest = deltas.size();
        for (int round = 0; round <= latest + 1; round++) {
            boolean kept = round >= 1 && round <= latest && round > latest - KEPT;
            assertThat(ledger.storedDelta(round)).isEqualTo(kept ? deltas.get(round - 1) : null);
        }
    }

    @Test
    void nothingIsKeptUnlessThatIsAsked() {
        try (Ledger ledger = open(0)) {
            add(ledger, history.nextBlock());
            assertThat(ledger.storedDelta(1)).isNull();
        }
    }

    @Test
    void whatIsDamagedIsToldAsSuch() throws Exception {
        StoredDelta form = new StoredDelta();
        EvaluatedBlock made = history.nextBlock();
        byte[] whole = form.encode(made.delta());
        assertThat(form.decode(1, whole)).isEqualTo(made.delta());
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> form.decode(1, cut)).isInstanceOf(MalformedMessage.class);
        }
        try (Ledger ledger = open(KEPT)) {
            add(ledger, made);
            try (LedgerStore.Batch batch = store.batch()) {
                batch.put(Column.DELTAS, Column.number(1), Arrays.copyOf(whole, whole.length + 1));
                batch.commit();
            }
            assertThatThrownBy(() -> ledger.storedDelta(1))
                    .isInstanceOf(StoreFault.class)
                    .hasMessageContaining("changes of round 1");
        }
    }

    private Ledger open(int kept) {
        return Ledger.over(
                store, net.genesis(), LedgerConfig.DEFAULT.withKeepDeltas(kept), System::nanoTime);
    }

    private static void add(Ledger ledger, EvaluatedBlock made) {
        ledger.add(
                made.block(),
                Certificate.ofRound(made.block().round()).encoding().toArray(),
                made.delta());
    }
}
