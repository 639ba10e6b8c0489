package topspin.node.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/**
 * The simulation notices when the state machine is wrong: each of these changes breaks a run. A
 * change that no longer applies to the source fails the build.
 */
final class MutantTest {
    /** Where a known run does not show the change any more, so many others are tried. */
    private static final int SEARCHED = Integer.getInteger("topspin.mutant.seeds", 300);

    static List<Mutant> mutants() {
        return List.of(
                new Mutant(
                        "the next vote is always for nothing",
                        "Player",
                        "attest(step, committable == null ? startingValue() :"
                                + " committable.value());",
                        "attest(step, ProposalValue.BOTTOM);",
                        1,
                        3),
                new Mutant(
                        "a quorum takes one vote less",
                        "AgreementRules",
                        "Long.compareUnsigned(weight, threshold(step)) >= 0",
                        "Long.compareUnsigned(weight + 1, threshold(step)) >= 0",
                        97),
                new Mutant(
                        "a quorum takes a tenth less",
                        "AgreementRules",
                        "Long.compareUnsigned(weight, threshold(step)) >= 0",
                        "Long.compareUnsigned(weight * 10, threshold(step) * 9) >= 0",
                        1,
                        6),
                new Mutant(
                        "the pinned value is forgotten",
                        "ProposalStore",
                        "        wanted.add(pinned);\n",
                        "",
                        3_196),
                new Mutant(
                        "a block that was here before its quorum may be let go",
                        "ProposalStore",
                        "        assembler(value);\n"
                                + "        relevant.put(period, value);\n"
                                + "        trim(current);\n"
                                + "    }\n",
                        "        if (assembled(value) == null) {\n"
                                + "            assembler(value);\n"
                                + "            relevant.put(period, value);\n"
                                + "            trim(current);\n"
                                + "        }\n"
                                + "    }\n",
                        109_766),
                new Mutant(
                        "any valid block is committed to, staged or not",
                        "Player",
                        "machine.staged(period).equals(payload.value()) && step <= Step.CERT",
                        "step <= Step.CERT",
                        1),
                new Mutant(
                        "votes leave before they are durable",
                        "AgreementLoop",
                        "held.add(new Held(attest, votes, ++writes));",
                        "held.add(new Held(attest, votes, ++writes));"
                                + " votes.forEach(vote -> addOwn(vote, false));",
                        1),
                new Mutant(
                        "a restarted node starts the round afresh",
                        "AgreementLoop",
                        "restored.player.round() >= next",
                        "restored.player.round() > next",
                        1,
                        4),
                new Mutant(
                        "what period 0 ended with holds for all periods",
                        "Player",
                        "machine(round).existingPeriod(period - 1);",
                        "machine(round).existingPeriod(0);",
                        14,
                        101),
                new Mutant(
                        "commits after it has given up",
                        "Player",
                        "deliver(reached) && step <= Step.CERT",
                        "deliver(reached)",
                        3,
                        11),
                new Mutant(
                        "the soft vote ignores what the period starts with",
                        "Player",
                        "if (!sawBottom && !starting.isBottom()) {",
                        "if (leader.isBottom() && !sawBottom && !starting.isBottom()) {",
                        34,
                        57),
                new Mutant(
                        "proposes again what nobody settled on, and gets votes",
                        "Player",
                        "period == leader.originalPeriod() || leader.equals(starting)",
                        "true",
                        20,
                        64),
                new Mutant(
                        "who votes twice counts twice",
                        "VoteTracker",
                        "long left = weights.getOrDefault(first.raw().value(), 0L) -"
                                + " first.weight();",
                        "long left = weights.getOrDefault(first.raw().value(), 0L);",
                        13,
                        54),
                new Mutant(
                        "says nothing when the network is in pieces",
                        "Player",
                        "if (step < PARTITION_STEP && period < PARTITION_PERIOD) {",
                        "if (step >= 0) {",
                        4,
                        9),
                new Mutant(
                        "loses the block that came with a vote",
                        "Player",
                        "            PayloadPresent tail = tails.remove(verified.ticket());\n",
                        "            PayloadPresent tail = null;\n",
                        24,
                        28),
                new Mutant(
                        "waits for the network before it leaves a period",
                        "Player",
                        "            voteNext(end);\n        } else if (napping) {",
                        "            deadline = Long.MAX_VALUE / 4;\n"
                                + "        } else if (napping) {",
                        4,
                        9));
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void isKilled(Mutant mutant) {
        Mutant.Runner runner = mutant.compile();
        String fault = null;
        for (long seed : mutant.seeds()) {
            fault = fault == null ? runner.fault(seed) : fault;
        }
        for (long seed = 1; seed <= SEARCHED && fault == null; seed++) {
            fault = runner.fault(seed);
        }
        assertThat(fault).as("%s survives", mutant.name()).isNotNull();
    }

    @Test
    void theSeedsThatKillAreCleanWithoutTheChange() {
        for (Mutant mutant : mutants()) {
            for (long seed : mutant.seeds()) {
                @Nullable String fault = Simulation.fault(seed);
                assertThat(fault).as("seed %d", seed).isNull();
            }
        }
    }
}
