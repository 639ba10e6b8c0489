package topspin.node.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Address;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.LedgerView;
import topspin.ledger.TestNetwork;
import topspin.ledger.account.Status;
import topspin.node.RealSubstance;
import topspin.node.sim.Simulation.Journey;
import topspin.node.sim.Simulation.Travelled;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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

    /**
     * Where the seed and the keys of a round begin to come from blocks and no more from the genesis
     * (agreement.md 3), somebody goes down and the network falls apart.
     */
    @Test
    void lookBacksThatLeaveTheGenesisBehindMakeNoDifference() {
        List<Long> struck = List.of(1L, 2L, 3L, 159L, 160L, 161L, 319L, 320L, 321L);
        Travelled run = travel(3, 330, struck, Simulation.VERSIONS, "fast", RealSubstance.LAST);
        assertThat(run.report().height()).isGreaterThanOrEqualTo(330);
    }

    @Test
    void aNodeWhoseKeysRunOutIsTakenOfflineAndTheOthersGoOn() {
        long last = 20;
        Travelled run = travel(5, 60, List.of(last), Simulation.VERSIONS, "fast", last);
        LedgerView view = run.view();
        Address expired = TestNetwork.address(0);
        List<Long> said = new ArrayList<>();
        for (long round = 1; round <= view.round(); round++) {
            if (view.header(round).expiredAccounts().contains(expired)) {
                said.add(round);
            }
        }
        assertThat(said).as("rounds whose block says that its keys have run out").hasSize(1);
        assertThat(said.getFirst()).isGreaterThan(last);
        assertThat(view.account(expired).status()).isEqualTo(Status.OFFLINE);
    }

    @Test
    void whenTheRulesChangeTheRoundsGoOnUnderTheNewOnes() {
        String before =
                Simulation.VERSIONS
                        .write(List.of("fast"))
                        .replace("\"fast\"", "\"before\"")
                        .replace("\"UpgradeVoteRounds\": 10000", "\"UpgradeVoteRounds\": 6")
                        .replace("\"UpgradeThreshold\": 9000", "\"UpgradeThreshold\": 4")
                        .replace("\"MinUpgradeWaitRounds\": 10000", "\"MinUpgradeWaitRounds\": 1")
                        .replace(
                                "\"ApprovedUpgrades\": {}",
                                "\"ApprovedUpgrades\": {\"" + ConsensusVersions.V42 + "\": 4}");
        ConsensusVersions versions = Simulation.VERSIONS.with(before);
        List<Long> struck = List.of(7L, 9L, 10L, 11L, 12L);
        Travelled run = travel(4, 20, struck, versions, "before", RealSubstance.LAST);
        LedgerView view = run.view();
        assertThat(view.header(10).protocol()).isEqualTo("before");
        assertThat(view.header(11).protocol()).isEqualTo(ConsensusVersions.V42);
        assertThat(view.header().protocol()).isEqualTo(ConsensusVersions.V42);
    }

    private static Travelled travel(
            int nodes,
            long rounds,
            List<Long> struck,
            ConsensusVersions versions,
            String protocol,
            long lastOfFirst) {
        long seed = 9;
        var network = new RealSubstance.Network(nodes, versions, protocol, seed, lastOfFirst);
        return Simulation.runReal(
                Faults.calm(seed, nodes, true), network, new Journey(rounds, struck));
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
