package topspin.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import topspin.codec.block.BlockHeader;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;

import java.util.List;
import java.util.Objects;

/** The state machines of a header: block.md section 5. */
class NextHeaderTest {
    private static final ConsensusParams V42 =
            Objects.requireNonNull(ConsensusVersions.builtIn().get(ConsensusVersions.V42));

    @ParameterizedTest
    @CsvSource({
        // load and tax of the previous block, in millionths, and the tax that follows
        "0, 0, 0",
        "500000, 0, 0",
        "499999, 1000, 1000",
        "500001, 0, 0",
        "500005, 0, 1",
        "1000000, 0, 100000",
        "1000000, 100000, 210000",
        "991289, 0, 98257",
        "0, 100000, 0",
        "0, 210000, 89000",
        "250000, 210000, 149500",
        "1000000, -1, -1"
    })
    void congestionRisesAndFalls(long load, long tax, long next) {
        BlockHeader.Draft previous = new BlockHeader.Draft();
        previous.load = load;
        previous.congestionTax = tax;
        assertEquals(next, NextHeader.congestionTax(previous.build()));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, 10000000",
        "10000000, 2, 10000000",
        "10000000, 999999, 10000000",
        "10000000, 1000000, 9900000",
        "9900001, 2000000, 9801000",
        "0, 5, 0"
    })
    void bonusBeginsAndDecays(long previous, long round, long bonus) {
        assertEquals(bonus, NextHeader.bonus(previous, round, V42.bonus(), V42.bonus()));
    }

    @Test
    void aNewPlanOfBonusesBeginsAtOnceOrAtItsRound() {
        ConsensusParams.Bonus now = new ConsensusParams.Bonus(0, 7_000_000, 1_000_000);
        assertEquals(7_000_000, NextHeader.bonus(9_000_000, 50, V42.bonus(), now));
        ConsensusParams.Bonus later = new ConsensusParams.Bonus(60, 7_000_000, 1_000_000);
        assertEquals(9_000_000, NextHeader.bonus(9_000_000, 50, V42.bonus(), later));
        assertEquals(7_000_000, NextHeader.bonus(9_000_000, 60, later, later));
        assertEquals(9_000_000, NextHeader.bonus(9_000_000, 61, later, later));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "206, 39", "2621440, 500000", "5242879, 999999", "5242880, 1000000"})
    void loadIsMillionthsOfAFullBlock(long bytes, long load) {
        assertEquals(load, NextHeader.load(bytes, V42));
    }

    @ParameterizedTest
    @CsvSource({
        // wanted, that of the previous block, and what it becomes
        "7, 0, 7",
        "7, 10, 10",
        "36, 10, 35",
        "7, 9223372036854775800, 9223372036854775800",
        "9223372036854775807, 9223372036854775800, 9223372036854775807"
    })
    void timeGoesOnWithinItsBoundsAndNeverWraps(long wanted, long previous, long time) {
        assertEquals(time, V42.nextTimestamp(wanted, previous));
    }

    @Test
    void theRateOfRewardsIsSetAnewFromThePool() {
        String json =
                json(ConsensusVersions.V42)
                        .replace(
                                "\"RewardsRateRefreshInterval\": 500000",
                                "\"RewardsRateRefreshInterval\": 10");
        TestNetwork net =
                new TestNetwork(
                        2,
                        100_000 + 50_000,
                        ConsensusVersions.builtIn().with(json),
                        ConsensusVersions.V42);
        assertEquals(5_000, net.state().header().rewardsRate());
        assertEquals(10, net.state().header().rewardsRecalculationRound());
        net.advanceTo(10);
        // Nine rounds of 5,000 gave 22 a unit to 2,000 units, and left 1,000 over.
        assertEquals(22, net.state().header().rewardsLevel());
        assertEquals(1_000, net.state().header().rewardsResidue());
        net.nextBlock();
        BlockHeader ten = net.state().header();
        assertEquals((150_000 - 44_000 - 100_000 - 1_000) / 10, ten.rewardsRate());
        assertEquals(20, ten.rewardsRecalculationRound());
        assertEquals(1_500, ten.rewardsResidue());
    }

    @Test
    void aPoolThatCannotPayStopsTheChain() {
        TestNetwork net = new TestNetwork(2);
        net.state()
                .put(
                        TestNetwork.REWARDS_POOL,
                        net.state().account(TestNetwork.REWARDS_POOL).withBalance(99_999));
        IllegalStateException stopped =
                assertThrows(
                        IllegalStateException.class,
                        () -> new BlockEvaluator(net.state(), net.versions(), 1));
        assertTrue(
                Objects.requireNonNull(stopped.getMessage())
                        .startsWith("round 1 cannot be made: rewards pool cannot pay"),
                stopped.getMessage());
    }

    // Upgrades, with windows short enough to see the end of.

    @Test
    void anUpgradeThatIsApprovedHappens() {
        TestNetwork net = upgrading("3", "2");
        BlockHeader one = net.nextBlock().block().header();
        assertEquals("next", one.upgradePropose());
        assertEquals(2, one.upgradeDelay());
        assertTrue(one.upgradeApprove());
        assertEquals("next", one.nextProtocol());
        assertEquals(1, one.nextProtocolApprovals());
        assertEquals(4, one.nextProtocolVoteBefore());
        assertEquals(6, one.nextProtocolSwitchOn());
        net.advanceTo(5);
        BlockHeader four = net.state().header();
        assertEquals(3, four.nextProtocolApprovals());
        assertEquals("now", four.protocol());
        net.accept(net.pay(0, 1, 5)); // Verified under the old rules, applied under them.
        net.nextBlock();
        BlockHeader six = net.nextBlock().block().header();
        assertEquals("next", six.protocol());
        assertEquals("", six.nextProtocol());
        assertEquals(0, six.nextProtocolSwitchOn());
        assertEquals("next", net.rules().protocol());
    }

    @Test
    void anUpgradeWithTooFewVotesIsForgottenAndProposedAgain() {
        TestNetwork net = upgrading("3", "4");
        net.advanceTo(5);
        BlockHeader four = net.state().header();
        assertEquals("", four.nextProtocol());
        assertEquals(0, four.nextProtocolApprovals());
        assertEquals("next", net.nextBlock().block().header().upgradePropose());
    }

    private static TestNetwork upgrading(String voteRounds, String threshold) {
        String now =
                rename(json(ConsensusVersions.V42), "now")
                        .replace(
                                "\"UpgradeVoteRounds\": 10000",
                                "\"UpgradeVoteRounds\": " + voteRounds)
                        .replace("\"UpgradeThreshold\": 9000", "\"UpgradeThreshold\": " + threshold)
                        .replace("\"MinUpgradeWaitRounds\": 10000", "\"MinUpgradeWaitRounds\": 1")
                        .replace("\"ApprovedUpgrades\": {}", "\"ApprovedUpgrades\": {\"next\": 2}");
        ConsensusVersions versions =
                ConsensusVersions.builtIn()
                        .with(now)
                        .with(rename(json(ConsensusVersions.V42), "next"));
        return new TestNetwork(2, 100_000, versions, "now");
    }

    private static String rename(String json, String name) {
        return json.replace(ConsensusVersions.V42, name);
    }

    private static String json(String version) {
        return ConsensusVersions.builtIn().write(List.of(version));
    }
}
