package topspin.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.codec.crypto.Calibration;
import topspin.codec.crypto.Calibration.Outcome;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

class EngineTrialsTest {
    private final Deque<Calibration> trials = new ArrayDeque<>();
    private final List<String> log = new ArrayList<>();
    private final List<Long> pauses = new ArrayList<>();

    private void run(Outcome... outcomes) throws InterruptedException {
        for (Outcome outcome : outcomes) {
            trials.add(new Calibration(4, outcome, 20_000, 10_000, outcome, 500, 400));
        }
        new EngineTrials(trials::remove, log::add).run(pauses::add);
    }

    @Test
    void whatWasSlowerUnderLoadIsTriedAgainUntilItIsFaster() throws InterruptedException {
        run(Outcome.SLOWER, Outcome.SLOWER, Outcome.FASTER, Outcome.FASTER);
        assertThat(trials).hasSize(1);
        assertThat(pauses).hasSize(3).isSorted();
        assertThat(log).hasSize(2);
        assertThat(log.getFirst()).contains("slower");
        assertThat(log.getLast()).contains("vector lanes");
    }

    @Test
    void whatStaysSlowerIsGivenUpAndSaidOnce() throws InterruptedException {
        run(Outcome.SLOWER, Outcome.SLOWER, Outcome.SLOWER, Outcome.SLOWER, Outcome.SLOWER);
        assertThat(trials).isEmpty();
        assertThat(log).hasSize(1);
    }

    @Test
    void whatCannotChangeIsNotTriedAgain() throws InterruptedException {
        for (Outcome outcome :
                List.of(Outcome.NO_MODULE, Outcome.NO_WIDE_VECTORS, Outcome.DIFFERENT)) {
            pauses.clear();
            run(outcome);
            assertThat(pauses).hasSize(1);
        }
        assertThat(log).hasSize(3);
    }

    @Test
    void closingEndsThePause() throws InterruptedException {
        trials.add(new Calibration(4, Outcome.SLOWER, 1, 2, Outcome.SLOWER, 1, 2));
        new EngineTrials(trials::remove, log::add).run(seconds -> seconds < 5);
        assertThat(log).hasSize(1);
    }

    @Test
    void aNodeThatIsClosedBeforeTheFirstTrialHasNone() throws InterruptedException {
        new EngineTrials(trials::remove, log::add).run(seconds -> false);
        assertThat(log).isEmpty();
    }
}
