package topspin.node.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;

/** Thousands of networks, drawn from seeds: none forks, none votes twice, all recover. */
final class SimulationTest {
    private static final int SEEDS = Integer.getInteger("topspin.seeds", 100);

    @Test
    void honestNodesCertifyOneBlockPerRoundAndRecover() {
        run(1, SEEDS);
    }

    @Test
    @Tag("long")
    void tenThousandSeeds() {
        run(100_000, Integer.getInteger("topspin.seeds.long", 10_000));
    }

    private static void run(long first, int seeds) {
        var recoveries = new long[seeds];
        long rounds = 0;
        for (int i = 0; i < seeds; i++) {
            Faults faults = Faults.drawnFrom(first + i);
            try {
                Simulation.Report report = Simulation.run(faults);
                recoveries[i] = report.recoveryNanos();
                rounds += report.height();
            } catch (Violation | IllegalStateException broken) {
                throw new AssertionError("seed " + faults.seed() + ": " + faults, broken);
            }
        }
        Arrays.sort(recoveries);
        // Half of the runs end in a network that has not stopped, or recovers at the next deadline.
        assertThat(recoveries[seeds / 2]).as("median").isLessThan(60 * Faults.SECOND);
        assertThat(rounds).isGreaterThan(2L * seeds);
    }

    /** Real keys, lots, blocks, evaluator and ledger under the same faults. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void realBlocksAndKeysFareNoWorse(long seed) {
        Faults drawn = Faults.drawnFrom(seed);
        Simulation.Report report = Simulation.runReal(drawn.amongHonest());
        assertThat(report.height()).isGreaterThanOrEqualTo(2);
    }

    @Test
    void theSameSeedGivesTheSameTrace() {
        for (long seed = 1; seed <= 10; seed++) {
            Simulation.Report first = Simulation.run(Faults.drawnFrom(seed));
            assertThat(Simulation.run(Faults.drawnFrom(seed))).isEqualTo(first);
        }
    }

    @Test
    void withoutFaultsARoundTakesAFilterTimeoutAndTwoHops() {
        for (int nodes : new int[] {2, 3, 4, 5, 7}) {
            for (boolean isFast : new boolean[] {true, false}) {
                Simulation.run(Faults.calm(nodes, nodes, isFast));
            }
        }
    }
}
