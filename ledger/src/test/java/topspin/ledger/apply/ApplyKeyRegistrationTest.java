package topspin.ledger.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static topspin.ledger.TestNetwork.FUNDS;
import static topspin.ledger.TestNetwork.address;

import org.junit.jupiter.api.Test;

import topspin.codec.txn.KeyRegistration;
import topspin.ledger.TestNetwork;
import topspin.ledger.account.Account;
import topspin.ledger.account.Participation;
import topspin.ledger.account.Status;
import topspin.ledger.rules.Reason;

/** validation.md sections 11.8 and 11.10. */
class ApplyKeyRegistrationTest {
    private final TestNetwork net = new TestNetwork(3);

    @Test
    void goingOnlineStoresTheKeysAndGivesTime() {
        KeyRegistration keys = net.goOnline(0, 5_000);
        net.confirm(keys);
        Account account = net.account(0);
        assertEquals(Status.ONLINE, account.status());
        assertEquals(
                new Participation(
                        keys.voteKey(), keys.selectionKey(), keys.stateProofKey(), 0, 5_000, 10),
                account.participation());
        assertEquals(1 + 320, account.lastHeartbeat());
        assertFalse(account.incentiveEligible());
        assertEquals(FUNDS - TestNetwork.FEE, net.state().totals().online().money());
    }

    @Test
    void aTallFeeOfItsOwnMakesEligible() {
        net.confirm(fee(net.goOnline(0, 5_000), 1_999_999));
        assertFalse(net.account(0).incentiveEligible());
        net.confirm(fee(net.goOnline(0, 5_001), 2_000_000));
        assertTrue(net.account(0).incentiveEligible());
        net.confirm(net.goOnline(0, 5_002)); // A small fee leaves it as it is.
        assertTrue(net.account(0).incentiveEligible());
        net.confirm(net.goOffline(0, false));
        assertTrue(net.account(0).incentiveEligible());
    }

    @Test
    void aPooledFeeDoesNotMakeEligible() {
        net.confirm(
                fee(net.goOnline(0, 5_000), 0),
                net.pay(1, 2, 5).withHeader(net.header(1).withFee(4_000_000)));
        assertFalse(net.account(0).incentiveEligible());
    }

    @Test
    void goingOfflineForgetsTheKeys() {
        net.confirm(net.goOnline(0, 5_000));
        net.confirm(net.goOffline(0, false));
        assertEquals(Status.OFFLINE, net.account(0).status());
        assertEquals(Participation.NONE, net.account(0).participation());
        net.accept(net.goOffline(0, false)); // Once more does no harm.
    }

    @Test
    void notToParticipateIsForEver() {
        net.confirm(net.goOffline(0, true));
        assertEquals(Status.NOT_PARTICIPATING, net.account(0).status());
        String text =
                "cannot change online/offline status of non-participating account " + address(0);
        assertEquals(text, net.refuse(Reason.KEYREG_NOT_PARTICIPATING, net.goOnline(0, 5_000)));
        assertEquals(text, net.refuse(Reason.KEYREG_NOT_PARTICIPATING, net.goOffline(0, true)));
        net.accept(net.pay(0, 1, 5));
    }

    @Test
    void keysMustBeGoodForTheNextRound() {
        net.advanceTo(4);
        net.refuse(Reason.KEYREG_LAST_IN_PAST, net.goOnline(0, 4));
        net.accept(net.goOnline(0, 5));
        net.refuse(Reason.KEYREG_FIRST_TOO_FAR, from(net.goOnline(1, 5_000), 6));
        net.accept(from(net.goOnline(1, 5_000), 5));
    }

    @Test
    void keysThatRanOutAreTakenAway() {
        net.confirm(net.goOnline(0, 4));
        net.advanceTo(5);
        net.accept(net.pay(1, 2, 5));
        net.nextBlock();
        assertEquals(Status.ONLINE, net.account(0).status()); // Nobody looked.
        net.accept(net.pay(1, 0, 5));
        var header = net.nextBlock().block().header();
        assertEquals(java.util.List.of(address(0)), header.expiredAccounts());
        assertEquals(Status.OFFLINE, net.account(0).status());
        assertEquals(Participation.NONE, net.account(0).participation());
        assertEquals(1 + 320, net.account(0).lastHeartbeat());
    }

    private static KeyRegistration fee(KeyRegistration txn, long fee) {
        return txn.withHeader(txn.header().withFee(fee));
    }

    private static KeyRegistration from(KeyRegistration txn, long first) {
        return new KeyRegistration(
                txn.header(),
                txn.voteKey(),
                txn.selectionKey(),
                txn.stateProofKey(),
                first,
                txn.voteLast(),
                txn.voteKeyDilution(),
                txn.nonParticipation());
    }
}
