package topspin.ledger.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.ApplyData;
import topspin.codec.txn.Payment;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.TestNetwork;
import topspin.ledger.account.Account;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.Participation;
import topspin.ledger.account.Resources;
import topspin.ledger.account.StateReader;
import topspin.ledger.account.Status;
import topspin.ledger.rules.Reason;

import java.util.HashMap;
import java.util.Map;

/** validation.md sections 11.2, 12.3; block.md section 5. */
class RewardsTest {
    private static final Address SENDER = TestNetwork.address(0);
    private static final Address RECEIVER = TestNetwork.address(1);

    private final TestNetwork net = new TestNetwork(2);
    private final Accounts below = new Accounts();
    private final BlockContext block =
            new BlockContext(
                    5, net.rules().params(), TestNetwork.FEE_SINK, TestNetwork.REWARDS_POOL, 13);

    @Test
    void theWorkedExample() {
        below.put(SENDER, account(5_999_999, 10));
        below.put(RECEIVER, account(2_500_000, 12));
        WorkingState state = new WorkingState(below);
        state.begin();
        Effects effects = new Effects();
        assertNull(ApplyTransaction.apply(state, block, net.pay(0, 1, 1_000_000), 1_000, effects));
        assertEquals(new ApplyData(0, 0, 15, 2, 0, 0, 0, null), effects.toApplyData());
        assertEquals(rewarded(4_999_014, 13, 15), state.account(SENDER));
        assertEquals(rewarded(3_500_002, 13, 2), state.account(RECEIVER));
    }

    @Test
    void lessThanAUnitEarnsNothingAndIsBroughtUpToDate() {
        below.put(SENDER, account(999_999, 3));
        below.put(RECEIVER, account(500_000, 4));
        WorkingState state = new WorkingState(below);
        state.begin();
        Effects effects = new Effects();
        assertNull(ApplyTransaction.apply(state, block, net.pay(0, 1, 1), 1_000, effects));
        assertEquals(0, effects.toApplyData().senderRewards());
        assertEquals(rewarded(998_998, 13, 0), state.account(SENDER));
    }

    @Test
    void nothingOnEitherSideWritesNothing() {
        below.put(SENDER, account(999_999, 3));
        below.put(RECEIVER, account(500_000, 4));
        WorkingState state = new WorkingState(below);
        state.begin();
        Payment payment = ApplyPaymentTest.withFee(net.pay(0, 1, 0), 0);
        assertNull(ApplyTransaction.apply(state, block, payment, 1_000, new Effects()));
        state.forEachAccount((address, before, after) -> assertEquals(null, address));
    }

    @Test
    void spendingToExactlyNothingLeavesARecordThatNeedsTheMinimum() {
        below.put(SENDER, account(101_000, 0));
        WorkingState state = new WorkingState(below);
        state.begin();
        var refusal =
                ApplyTransaction.apply(state, block, net.pay(0, 1, 100_000), 1_000, new Effects());
        assertEquals(
                Reason.BALANCE_BELOW_MINIMUM, java.util.Objects.requireNonNull(refusal).reason());
    }

    @Test
    void thePoolPaysWhatAllEarn() {
        long pool = 500_000L * 1_000_000_000L + 100_000;
        TestNetwork rich =
                new TestNetwork(2, pool, ConsensusVersions.builtIn(), ConsensusVersions.V42);
        long money = rich.state().totals().money();
        EvaluatedBlock one = rich.nextBlock();
        // Two accounts of 1,000 units each share a billion a round.
        assertEquals(500_000, one.block().header().rewardsLevel());
        assertEquals(0, one.block().header().rewardsResidue());
        assertEquals(
                pool - 1_000_000_000, rich.state().account(TestNetwork.REWARDS_POOL).balance());
        EvaluatedBlock two = rich.confirm(rich.pay(0, 1, 0));
        ApplyData applied = two.block().transactions().getFirst().applied();
        assertEquals(1_000_000L * 1_000, applied.senderRewards());
        assertEquals(1_000_000L * 1_000, applied.receiverRewards());
        assertEquals(2_000_000_000L - 1_000, rich.account(0).balance());
        assertEquals(money, rich.state().totals().money());
    }

    @Test
    void accountsThatDoNotParticipateEarnNothing() {
        Account sink =
                account(5_000_000, 0)
                        .withStatus(Status.NOT_PARTICIPATING, Participation.NONE, false);
        assertEquals(0, sink.pendingRewards(13, 1_000_000));
        assertEquals(sink, sink.withRewards(13, 1_000_000));
    }

    /** Accounts alone, at whatever level of rewards. */
    private static final class Accounts implements StateReader {
        private final Map<Address, Account> accounts = new HashMap<>();

        void put(Address address, Account account) {
            accounts.put(address, account);
        }

        @Override
        public Account account(Address address) {
            return accounts.getOrDefault(address, Account.EMPTY);
        }

        @Override
        public @Nullable Holding holding(Address address, long asset) {
            return null;
        }

        @Override
        public @Nullable AssetRecord asset(long asset) {
            return null;
        }
    }

    private static Account account(long balance, long base) {
        return rewarded(balance, base, 0);
    }

    private static Account rewarded(long balance, long base, long rewarded) {
        return new Account(
                Status.OFFLINE,
                balance,
                base,
                rewarded,
                Address.ZERO,
                Participation.NONE,
                Resources.NONE,
                false,
                0,
                0);
    }
}
