package topspin.ledger.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static topspin.ledger.TestNetwork.FEE;
import static topspin.ledger.TestNetwork.FUNDS;
import static topspin.ledger.TestNetwork.address;

import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.txn.ApplyData;
import topspin.codec.txn.Payment;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.TestNetwork;
import topspin.ledger.account.Account;
import topspin.ledger.account.Resources;
import topspin.ledger.account.Status;
import topspin.ledger.rules.Reason;

/** validation.md sections 11.2 to 11.4, 12.2. */
class ApplyPaymentTest {
    private static final int POOR = 20;

    private final TestNetwork net = new TestNetwork(3);

    @Test
    void moneyMovesAndTheFeeIsPaid() {
        EvaluatedBlock block = net.confirm(net.pay(0, 1, 7));
        assertEquals(FUNDS - 7 - FEE, net.account(0).balance());
        assertEquals(FUNDS + 7, net.account(1).balance());
        assertEquals(ApplyData.ZERO, block.block().transactions().getFirst().applied());
    }

    @Test
    void payingOneselfCostsTheFeeOnly() {
        net.confirm(net.pay(0, 0, 5_000));
        assertEquals(FUNDS - FEE, net.account(0).balance());
    }

    @Test
    void theZeroAddressReceivesLikeAnother() {
        net.confirm(new Payment(net.header(0), Address.ZERO, 100_000, Address.ZERO));
        assertEquals(100_000, net.state().account(Address.ZERO).balance());
    }

    @Test
    void nobodySpendsWhatHeDoesNotHave() {
        String text = net.refuse(Reason.OVERSPEND, net.pay(0, 1, FUNDS - FEE + 1));
        assertTrue(text.startsWith("overspend (account " + address(0) + ", data {"), text);
        assertTrue(text.endsWith("tried to spend 999.999001A)"), text);
        // All of it leaves an account without a record, which needs no minimum.
        net.confirm(net.pay(0, 1, FUNDS - FEE));
        assertEquals(Account.EMPTY, net.account(0));
    }

    @Test
    void anAmountThatWouldOverflowWithItsFeeIsAnOverspend() {
        net.refuse(Reason.OVERSPEND, net.pay(0, 1, -1));
        Payment dear = net.pay(0, 1, 1);
        net.refuse(Reason.OVERSPEND, dear.withHeader(dear.header().withFee(-1)));
    }

    @Test
    void noBalanceOverflows() {
        // Nobody can get there, since all money fits 64 bits; the sum is refused all the same.
        net.state().put(address(5), rich(-1_000));
        WorkingState state = new WorkingState(net.state());
        state.begin();
        Payment payment = net.pay(0, 5, 1_000);
        var refusal = ApplyTransaction.apply(state, context(), payment, 1_000, new Effects());
        assertEquals(Reason.BALANCE_OVERFLOW, java.util.Objects.requireNonNull(refusal).reason());
        state.rollback();
        state.begin();
        assertEquals(
                null,
                ApplyTransaction.apply(state, context(), net.pay(0, 5, 999), 1_000, new Effects()));
    }

    private BlockContext context() {
        return new BlockContext(
                1, net.rules().params(), TestNetwork.FEE_SINK, TestNetwork.REWARDS_POOL, 0);
    }

    private static Account rich(long balance) {
        return new Account(
                Status.NOT_PARTICIPATING,
                balance,
                0,
                0,
                Address.ZERO,
                topspin.ledger.account.Participation.NONE,
                Resources.NONE,
                false,
                0,
                0);
    }

    @Test
    void anAccountKeepsItsMinimum() {
        net.confirm(net.pay(0, POOR, 101_000));
        assertEquals(
                "account " + address(POOR) + " balance 99999 below min 100000 (0 assets)",
                net.refuse(Reason.BALANCE_BELOW_MINIMUM, withFee(net.pay(POOR, 0, 0), 1_001)));
        net.refuse(Reason.OVERSPEND, net.pay(POOR, 0, 101_000));
        net.confirm(net.pay(POOR, 0, 0));
        assertEquals(100_000, net.account(POOR).balance());
        net.refuse(Reason.BALANCE_BELOW_MINIMUM, net.pay(0, POOR + 1, 99_999));
        net.accept(net.pay(0, POOR + 1, 100_000));
    }

    @Test
    void whatIsBelowTheMinimumForAMomentIsRefusedToo() {
        net.refuse(
                Reason.BALANCE_BELOW_MINIMUM, net.pay(0, POOR, 50_000), net.pay(1, POOR, 50_000));
        net.accept(net.pay(0, POOR, 100_000), net.pay(1, POOR, 50_000));
    }

    @Test
    void anotherMayPayTheFeeOfAnAccountWithoutFunds() {
        net.accept(withFee(net.pay(POOR, POOR, 0), 0), withFee(net.pay(0, 1, 5), 2 * FEE));
        net.refuse(
                Reason.GROUP_FEE_TOO_LOW,
                withFee(net.pay(POOR, POOR, 0), 0),
                withFee(net.pay(0, 1, 5), 2 * FEE - 1));
        net.nextBlock();
        assertEquals(Account.EMPTY, net.account(POOR));
    }

    @Test
    void closingMovesAllThatIsLeft() {
        Payment close = new Payment(net.header(0), address(1), 300, address(2));
        EvaluatedBlock block = net.confirm(close);
        long left = FUNDS - FEE - 300;
        assertEquals(left, block.block().transactions().getFirst().applied().closingAmount());
        assertEquals(Account.EMPTY, net.account(0));
        assertEquals(FUNDS + 300, net.account(1).balance());
        assertEquals(FUNDS + left, net.account(2).balance());
    }

    /** Validation.md 12.2. */
    @Test
    void closingPaysOutTheMinimumToo() {
        net.confirm(net.pay(0, POOR, 101_000));
        Payment close = new Payment(net.header(POOR), address(0), 0, address(1));
        EvaluatedBlock block = net.confirm(close);
        assertEquals(100_000, block.block().transactions().getFirst().applied().closingAmount());
        assertEquals(Account.EMPTY, net.account(POOR));
        assertEquals(FUNDS + 100_000, net.account(1).balance());
    }

    @Test
    void closingToTheReceiverGivesItBothParts() {
        EvaluatedBlock block = net.confirm(new Payment(net.header(0), address(1), 300, address(1)));
        assertEquals(
                FUNDS - FEE - 300,
                block.block().transactions().getFirst().applied().closingAmount());
        assertEquals(2 * FUNDS - FEE, net.account(1).balance());
    }

    @Test
    void anAccountThatHoldsSomethingCannotClose() {
        net.confirm(net.create(0, 10));
        assertEquals(
                "cannot close: 1 outstanding assets",
                net.refuse(Reason.CLOSE_HAS_ASSETS, net.close(0, 1)));
        net.confirm(net.optIn(1, 1_001));
        net.refuse(Reason.CLOSE_HAS_ASSETS, net.close(1, 2));
        net.confirm(net.closeOut(1, 0, 1_001));
        net.accept(net.close(1, 2));
    }

    @Test
    void otherThingsThatHoldAnAccountOpen() {
        refusesToClose(
                "cannot close: 2 outstanding created assets",
                new Resources(0, 2, 0, 0, 0, 0, 0, 0, 0));
        refusesToClose(
                "cannot close: 3 outstanding applications opted in. Please opt out or clear them",
                new Resources(0, 0, 0, 3, 0, 0, 0, 0, 0));
        refusesToClose(
                "cannot close: 4 outstanding boxes", new Resources(0, 0, 0, 0, 0, 0, 0, 4, 9));
        refusesToClose(
                "cannot close: 5 outstanding created applications",
                new Resources(0, 0, 5, 0, 0, 0, 0, 0, 0));
    }

    private void refusesToClose(String text, Resources held) {
        net.state().put(address(0), net.account(0).withResources(held));
        WorkingState state = new WorkingState(net.state());
        state.begin();
        var refusal =
                ApplyTransaction.apply(state, context(), net.close(0, 1), 1_000, new Effects());
        assertEquals(text, java.util.Objects.requireNonNull(refusal).text());
    }

    @Test
    void aClosedAccountMayComeBackInItsGroup() {
        net.confirm(net.close(0, 1), net.pay(1, 0, 200_000));
        assertEquals(200_000, net.account(0).balance());
    }

    @Test
    void closingForgetsTheRekeying() {
        Payment close = net.close(0, 1);
        net.confirm(close.withHeader(close.header().withRekeyTo(address(2))));
        assertEquals(Account.EMPTY, net.account(0));
    }

    static Payment withFee(Payment payment, long fee) {
        return payment.withHeader(payment.header().withFee(fee));
    }
}
