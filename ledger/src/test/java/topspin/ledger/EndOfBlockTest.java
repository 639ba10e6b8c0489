package topspin.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static topspin.ledger.TestNetwork.FEE_SINK;
import static topspin.ledger.TestNetwork.address;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.block.Block;
import topspin.codec.block.BlockHeader;
import topspin.codec.txn.KeyRegistration;
import topspin.ledger.BlockEvaluator.Origin;
import topspin.ledger.account.Account;
import topspin.ledger.account.Status;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;

import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Payouts, expired and absent accounts: block.md section 5. */
class EndOfBlockTest {
    private final TestNetwork net = new TestNetwork(4);

    @Test
    void theProposerIsPaidFromFeesAndBonusAsFarAsTheSinkReaches() {
        net.accept(fee(net.pay(0, 1, 5), 30_000));
        EvaluatedBlock block = net.nextBlock(proposed(2, true));
        // Half of the fees and a bonus of 10 Algos; the sink owns 30,000 more than its minimum.
        assertEquals(30_000, block.block().header().payout());
        assertEquals(100_000, net.state().account(FEE_SINK).balance());
        assertEquals(TestNetwork.FUNDS + 30_000, net.account(2).balance());
        assertEquals(1, net.account(2).lastProposed());

        net.accept(fee(net.pay(0, 1, 5), 40_000_000));
        assertEquals(30_000_000, net.nextBlock(proposed(2, true)).block().header().payout());
    }

    @Test
    void whoIsNotEligibleOrClosedIsNotPaid() {
        net.accept(fee(net.pay(0, 1, 5), 30_000));
        assertEquals(0, net.nextBlock(proposed(2, false)).block().header().payout());
        assertEquals(1, net.account(2).lastProposed());
        net.accept(net.close(3, 0));
        assertEquals(0, net.nextBlock(proposed(3, true)).block().header().payout());
        assertEquals(Account.EMPTY, net.account(3));
    }

    @Test
    void anothersPayoutMayBeLessAndNeverMore() {
        net.accept(fee(net.pay(0, 1, 5), 30_000));
        judged(null, draft -> draft.payout = 0);
        judged(null, draft -> draft.payout = 29_999);
        judged(Reason.BLOCK_PAYOUT, draft -> draft.payout = 30_001);
        judged(Reason.BLOCK_PROPOSER_MISSING, draft -> draft.proposer = Address.ZERO);
        judged(Reason.BLOCK_PAYOUT_CLOSED, draft -> draft.proposer = address(50));
        judged(
                null,
                draft -> {
                    draft.proposer = address(50);
                    draft.payout = 0;
                });
    }

    private void judged(@Nullable Reason expected, Consumer<BlockHeader.Draft> alteration) {
        EvaluatedBlock made = net.evaluator().finish(proposed(2, true));
        BlockHeader.Draft draft = made.block().header().toDraft();
        alteration.accept(draft);
        Block block = new Block(draft.build(), made.block().transactions());
        Refusal refusal =
                BlockEvaluator.validate(
                                block,
                                net.state(),
                                net.versions(),
                                net.signatures(),
                                Origin.AGREEMENT)
                        .refusal();
        assertEquals(expected, refusal == null ? null : refusal.reason());
    }

    @Test
    void anEligibleAccountThatDoesNotShowItselfIsSuspendedAndComesBackByProposing() {
        net.accept(fee(net.goOnline(0, 50_000), 2_000_000));
        net.accept(fee(net.goOnline(1, 50_000), 2_000_000));
        net.nextBlock(proposed(1, false));
        // Half of the stake each: late when last seen more than 40 rounds ago, and each counts as
        // seen in round 321.
        while (net.round() <= 361) {
            net.nextBlock(proposed(1, false));
        }
        net.accept(net.pay(2, 0, 5), net.pay(2, 1, 5));
        assertEquals(362, net.round());
        BlockHeader header = net.nextBlock(proposed(1, false)).block().header();
        assertEquals(List.of(address(0)), header.absentAccounts());
        Account suspended = net.account(0);
        assertEquals(Status.OFFLINE, suspended.status());
        assertTrue(suspended.hasVoteKey());
        assertFalse(suspended.incentiveEligible());

        net.nextBlock(proposed(0, false));
        assertEquals(Status.ONLINE, net.account(0).status());
        assertFalse(net.account(0).incentiveEligible());
    }

    @Test
    void theMakerDoesNotReportItself() {
        net.confirm(net.goOnline(0, 3));
        net.advanceTo(4);
        net.accept(net.pay(1, 0, 5));
        BlockMaker own =
                new BlockMaker(net.state().headerHash(), Address.ZERO, false, address(0)::equals);
        assertTrue(net.evaluator().finish(own).block().header().expiredAccounts().isEmpty());
    }

    @Test
    void onceInAnIntervalAllOnlineAccountsAreLookedAt() {
        net.confirm(net.goOnline(0, 3));
        net.advanceTo(256);
        assertEquals(Status.ONLINE, net.account(0).status());
        BlockHeader header = net.nextBlock().block().header();
        assertEquals(List.of(address(0)), header.expiredAccounts());
        assertEquals(64, header.stateProofTracking().getFirst().votersCommitment().length());
    }

    @Test
    void doublingABalanceGivesTimeToShowOneself() {
        net.accept(fee(net.goOnline(0, 50_000), 2_000_000));
        net.nextBlock();
        assertEquals(321, net.account(0).lastHeartbeat());
        net.advanceTo(10);
        long balance = net.account(0).balance();
        net.confirm(net.pay(1, 0, balance - 1));
        assertEquals(321, net.account(0).lastHeartbeat());
        net.confirm(net.pay(0, 1, balance - 1 - TestNetwork.FEE));
        assertEquals(321, net.account(0).lastHeartbeat());
        long now = net.account(0).balance();
        net.confirm(net.pay(1, 0, now));
        assertEquals(12 + 320, net.account(0).lastHeartbeat());
    }

    @Test
    void aProposerThatIsGoneLeavesNoTrace() {
        net.accept(net.close(3, 0));
        net.nextBlock(proposed(3, false));
        assertNull(nullIfEmpty(net.account(3)));
    }

    private static @Nullable Account nullIfEmpty(Account account) {
        return account.isEmpty() ? null : account;
    }

    private BlockMaker proposed(int proposer, boolean eligible) {
        return new BlockMaker(
                net.state().headerHash(), address(proposer), eligible, address -> false);
    }

    private static topspin.codec.txn.Payment fee(topspin.codec.txn.Payment payment, long fee) {
        return Objects.requireNonNull(payment.withHeader(payment.header().withFee(fee)));
    }

    private static KeyRegistration fee(KeyRegistration keys, long fee) {
        return keys.withHeader(keys.header().withFee(fee));
    }
}
