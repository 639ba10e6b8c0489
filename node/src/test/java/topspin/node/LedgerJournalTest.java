package topspin.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.Ledger;
import topspin.ledger.store.StoreFault;
import topspin.node.agreement.SavedState;
import topspin.node.agreement.SavedState.Part;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

class LedgerJournalTest {
    private static final Digest ONE = digest(1);
    private static final Digest TWO = digest(2);
    private static final Bytes LARGE = Bytes.of(new byte[100_000]);
    private static final Bytes LARGER = Bytes.of(new byte[200_000]);

    private final Ledger ledger =
            new RealSubstance(
                            0,
                            new RealSubstance.Network(
                                    1, ConsensusVersions.builtIn(), ConsensusVersions.V42, 1),
                            () -> 1)
                    .ledger();
    private final List<String> written = new ArrayList<>();

    @Test
    void whatWasWrittenLastIsThere() {
        LedgerJournal journal = journal();
        assertThat(journal.load()).isNull();

        for (SavedState state :
                List.of(
                        state(part(1, 2), new Part(LARGE, ONE), part(3)),
                        state(part(4), new Part(LARGE, ONE), part(5), new Part(LARGER, TWO)),
                        state(part(6), new Part(LARGER, TWO)),
                        state(part(7)))) {
            journal.write(1, state, 9);
            assertThat(journal().load()).isEqualTo(state.toByteArray());
        }
        assertThat(written).containsExactly("9 null", "9 null", "9 null", "9 null");
    }

    @Test
    void aLargePartIsWrittenOnceAndGoesWithTheLastStateThatHasIt() {
        LedgerJournal journal = journal();
        journal.write(1, state(part(1), new Part(LARGE, ONE)), 1);
        assertThat(ledger.readJournal(ONE)).hasSize(LARGE.length());

        ledger.writeJournal(ledger.readJournal(), Map.of(ONE, Bytes.of((byte) 1)), Set.of());
        journal.write(1, state(part(2), new Part(LARGE, ONE)), 2);
        assertThat(ledger.readJournal(ONE)).as("as it was put there").containsExactly(1);
        assertThat(ledger.readJournal().length).isLessThan(100);

        LedgerJournal again = journal();
        assertThat(again.load()).isNotNull();
        again.write(1, state(part(3)), 3);
        assertThat(ledger.readJournal(ONE)).isNull();
    }

    @Test
    void aStateInOnePieceIsTakenAsItIs() {
        byte[] whole = {1, 5, 6};
        ledger.writeJournal(whole, Map.of(), Set.of());
        assertThat(journal().load()).isEqualTo(whole);
    }

    @Test
    void aPartThatIsMissingIsDamage() {
        journal().write(1, state(part(1), new Part(LARGE, ONE)), 1);
        ledger.writeJournal(ledger.readJournal(), Map.of(), Set.of(ONE));
        LedgerJournal journal = journal();
        assertThatThrownBy(journal::load).isInstanceOf(StoreFault.class);
    }

    private LedgerJournal journal() {
        return new LedgerJournal(
                ledger, Runnable::run, (number, fault) -> written.add(number + " " + fault));
    }

    private static SavedState state(Part... parts) {
        return new SavedState(Arrays.asList(parts));
    }

    private static Part part(int... bytes) {
        var array = new byte[bytes.length];
        for (int i = 0; i < array.length; i++) {
            array[i] = (byte) bytes[i];
        }
        return new Part(Bytes.of(array), null);
    }

    private static Digest digest(int first) {
        var bytes = new byte[Digest.BYTES];
        bytes[0] = (byte) first;
        return Digest.fromBytes(bytes);
    }
}
