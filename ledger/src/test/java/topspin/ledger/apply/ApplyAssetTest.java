package topspin.ledger.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import static topspin.ledger.TestNetwork.address;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.AssetParams;
import topspin.codec.txn.AssetTransfer;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.TestNetwork;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.Resources;
import topspin.ledger.rules.Reason;

import java.util.Objects;

/** validation.md sections 11.5 to 11.7, and the table of 12.5. */
class ApplyAssetTest {
    // As in the table: creator, clawback, manager, two holders, and one who holds nothing.
    private static final int C = 0;
    private static final int K = 1;
    private static final int M = 2;
    private static final int X = 3;
    private static final int Y = 4;
    private static final int Z = 5;
    private static final int FREEZER = 6;

    private final TestNetwork net = new TestNetwork(7);
    private long asset;

    @BeforeEach
    void anAssetWithHolders() {
        EvaluatedBlock block = net.confirm(new AssetConfig(net.header(C), 0, params(10, false)));
        asset = block.block().transactions().getFirst().applied().createdAsset();
        net.accept(net.optIn(X, asset));
        net.accept(net.optIn(Y, asset));
        net.accept(net.transfer(C, X, asset, 5));
        net.nextBlock();
    }

    private static AssetParams params(long total, boolean defaultFrozen) {
        return new AssetParams(
                total,
                0,
                defaultFrozen,
                Bytes.utf8("u"),
                Bytes.utf8("name"),
                Bytes.EMPTY,
                Digest.ZERO,
                address(M),
                Address.ZERO,
                address(FREEZER),
                address(K));
    }

    // Creating, changing, destroying.

    @Test
    void theFirstAssetOfAChainIsNumber1001() {
        assertEquals(1_001, asset);
        AssetRecord record = Objects.requireNonNull(net.state().asset(asset));
        assertEquals(address(C), record.creator());
        assertEquals(params(10, false), record.params());
        assertEquals(new Resources(1, 1, 0, 0, 0, 0, 0, 0, 0), net.account(C).resources());
    }

    @Test
    void theNumberOfAnAssetIsItsPlaceAmongAllTransactions() {
        long before = net.state().header().transactionCounter();
        net.accept(net.pay(C, X, 1));
        net.accept(net.create(Y, 1));
        net.nextBlock();
        assertNotNull(net.state().asset(before + 2));
        assertNull(net.state().asset(before + 1));
    }

    @Test
    void theCreatorIsNeverFrozenByDefault() {
        EvaluatedBlock block = net.confirm(new AssetConfig(net.header(Z), 0, params(1, true)));
        long frozen = block.block().transactions().getFirst().applied().createdAsset();
        assertEquals(new Holding(1, false), net.holding(Z, frozen));
        net.confirm(net.optIn(X, frozen));
        assertEquals(new Holding(0, true), net.holding(X, frozen));
        net.refuse(Reason.ASSET_RECEIVER_FROZEN, net.transfer(Z, X, frozen, 1));
    }

    @Test
    void anAssetOfNothingAtAllCanBeCreated() {
        net.confirm(new AssetConfig(net.header(Z), 0, AssetParams.ZERO));
        assertEquals(1, net.account(Z).resources().createdAssets());
    }

    @Test
    void onlyTheManagerChanges() {
        AssetConfig change = new AssetConfig(net.header(C), asset, params(1, false));
        assertEquals(
                "this transaction should be issued by the manager. It is issued by "
                        + address(C)
                        + ", manager key "
                        + address(M),
                net.refuse(Reason.ASSET_MANAGER, change));
        assertEquals(
                "asset 999 does not exist or has been deleted",
                net.refuse(
                        Reason.ASSET_ABSENT,
                        new AssetConfig(net.header(M), 999, params(1, false))));
    }

    @Test
    void reconfiguringChangesTheFourAddressesOnly() {
        AssetParams wanted = TestNetwork.params(77, address(Z));
        net.confirm(new AssetConfig(net.header(M), asset, wanted));
        AssetParams now = Objects.requireNonNull(net.state().asset(asset)).params();
        assertEquals(address(Z), now.manager());
        assertEquals(Address.ZERO, now.reserve()); // It was zero, so it stays zero.
        assertEquals(address(Z), now.freeze());
        assertEquals(address(Z), now.clawback());
        assertEquals(10, now.total());
        assertEquals(Bytes.utf8("name"), now.name());
        net.refuse(Reason.ASSET_MANAGER, new AssetConfig(net.header(M), asset, wanted));
    }

    @Test
    void omittedAddressesAreGoneForGood() {
        AssetParams onlyTotal =
                new AssetParams(
                        1,
                        0,
                        false,
                        Bytes.EMPTY,
                        Bytes.EMPTY,
                        Bytes.EMPTY,
                        Digest.ZERO,
                        Address.ZERO,
                        Address.ZERO,
                        Address.ZERO,
                        Address.ZERO);
        net.confirm(new AssetConfig(net.header(M), asset, onlyTotal));
        AssetParams now = Objects.requireNonNull(net.state().asset(asset)).params();
        assertEquals(10, now.total());
        assertEquals(Address.ZERO, now.manager());
        assertEquals(Address.ZERO, now.clawback());
        net.refuse(Reason.ASSET_MANAGER, new AssetConfig(net.header(M), asset, onlyTotal));
        net.refuse(Reason.ASSET_CLAWBACK, net.clawBack(K, X, Y, asset, 1));
        net.refuse(Reason.FREEZE_NOT_ALLOWED, net.freeze(FREEZER, X, asset, true));
    }

    @Test
    void anAssetIsDestroyedOnlyWhole() {
        AssetConfig destroy = new AssetConfig(net.header(M), asset, AssetParams.ZERO);
        assertEquals(
                "cannot destroy asset: creator is holding only 5/10",
                net.refuse(Reason.ASSET_DESTROY, destroy));
        net.refuse(Reason.ASSET_MANAGER, new AssetConfig(net.header(C), asset, AssetParams.ZERO));
        net.confirm(net.transfer(X, C, asset, 5));
        net.confirm(destroy);
        assertNull(net.state().asset(asset));
        assertNull(net.holding(C, asset));
        assertEquals(Resources.NONE, net.account(C).resources());
        // Who was opted in still is, and can leave.
        assertEquals(new Holding(0, false), net.holding(X, asset));
        net.refuse(Reason.ASSET_ABSENT, net.optIn(Z, asset));
        net.accept(net.optIn(X, asset));
        net.confirm(net.closeOut(X, Z, asset));
        assertNull(net.holding(X, asset));
        assertEquals(Resources.NONE, net.account(X).resources());
    }

    // Transfers.

    @Test
    void nothingMayBeSentToAnyone() {
        net.accept(net.transfer(X, Z, asset, 0));
        net.accept(net.transfer(X, Z, 999, 0));
        net.nextBlock();
        assertNull(net.holding(Z, asset));
        assertEquals(
                "asset 0 does not exist or has been deleted",
                net.refuse(Reason.ASSET_ABSENT, net.optIn(X, 0)));
    }

    @Test
    void somethingNeedsAHolderOnBothSides() {
        assertEquals(
                "receiver error: must optin, asset 1001 missing from " + address(Z),
                net.refuse(Reason.ASSET_RECEIVER_MISSING, net.transfer(X, Z, asset, 1)));
        assertEquals(
                "asset 1001 missing from " + address(Z),
                net.refuse(Reason.ASSET_MISSING, net.transfer(Z, X, asset, 1)));
        assertEquals(
                "underflow on subtracting 6 from sender amount 5",
                net.refuse(Reason.ASSET_UNDERFLOW, net.transfer(X, Y, asset, 6)));
        net.confirm(net.transfer(X, Y, asset, 5));
        assertEquals(new Holding(0, false), net.holding(X, asset));
        assertEquals(new Holding(5, false), net.holding(Y, asset));
    }

    @Test
    void sendingToOneselfChangesNothing() {
        net.confirm(net.transfer(X, X, asset, 5));
        assertEquals(new Holding(5, false), net.holding(X, asset));
        net.refuse(Reason.ASSET_UNDERFLOW, net.transfer(X, X, asset, 6));
    }

    @Test
    void aFrozenHolderSendsAndReceivesNothing() {
        net.confirm(net.freeze(FREEZER, X, asset, true));
        assertEquals(
                "asset 1001 frozen in " + address(X),
                net.refuse(Reason.ASSET_FROZEN, net.transfer(X, C, asset, 5)));
        assertEquals(
                "asset frozen in recipient",
                net.refuse(Reason.ASSET_RECEIVER_FROZEN, net.transfer(C, X, asset, 1)));
        net.accept(net.transfer(X, C, asset, 0));
        net.accept(net.freeze(FREEZER, X, asset, false));
        net.accept(net.transfer(X, C, asset, 5));
    }

    @Test
    void aHoldingMayBeAsLargeAs64BitsHold() {
        EvaluatedBlock block = net.confirm(net.create(Z, -1));
        long all = block.block().transactions().getFirst().applied().createdAsset();
        net.confirm(net.optIn(X, all));
        net.confirm(net.transfer(Z, X, all, -1));
        assertEquals(new Holding(-1, false), net.holding(X, all));
        net.confirm(net.transfer(X, Z, all, -1));
        assertEquals(new Holding(-1, false), net.holding(Z, all));
    }

    @Test
    void noHoldingOverflows() {
        // All units of an asset fit 64 bits, so this takes a state that nobody can reach.
        WorkingState state = new WorkingState(net.state());
        state.begin();
        state.putHolding(address(Y), asset, new Holding(-1, false));
        BlockContext block =
                new BlockContext(
                        net.round(),
                        net.rules().params(),
                        TestNetwork.FEE_SINK,
                        TestNetwork.REWARDS_POOL,
                        0);
        var refusal =
                ApplyTransaction.apply(
                        state, block, net.transfer(X, Y, asset, 2), 1, new Effects());
        assertEquals(
                "overflow on adding 2 to receiver amount 1",
                Objects.requireNonNull(refusal).text());
    }

    // Clawback.

    @Test
    void theClawbackAddressMovesWhatIsNotItsOwn() {
        net.confirm(net.freeze(FREEZER, X, asset, true));
        assertEquals(
                "clawback not allowed: sender " + address(M) + ", clawback " + address(K),
                net.refuse(Reason.ASSET_CLAWBACK, net.clawBack(M, X, Y, asset, 5)));
        net.refuse(Reason.ASSET_RECEIVER_MISSING, net.clawBack(K, X, Z, asset, 5));
        net.refuse(Reason.ASSET_MISSING, net.clawBack(K, Z, X, asset, 5));
        assertEquals(
                "underflow on subtracting 6 from sender amount 5",
                net.refuse(Reason.ASSET_UNDERFLOW, net.clawBack(K, X, K, asset, 6)));
        net.refuse(Reason.ASSET_ABSENT, net.clawBack(K, X, Y, 999, 5));
        net.confirm(net.clawBack(K, X, Y, asset, 5));
        assertEquals(new Holding(0, true), net.holding(X, asset));
        assertEquals(new Holding(5, false), net.holding(Y, asset));
    }

    @Test
    void aClawbackOfNothingIsNoOptIn() {
        net.confirm(net.clawBack(K, Z, Z, asset, 0));
        assertNull(net.holding(Z, asset));
    }

    // Closing out.

    @Test
    void closingOutMovesTheRestAndEndsTheHolding() {
        AssetTransfer close =
                new AssetTransfer(net.header(X), asset, 2, Address.ZERO, address(Y), address(C));
        EvaluatedBlock block = net.confirm(close);
        assertEquals(3, block.block().transactions().getFirst().applied().assetClosingAmount());
        assertEquals(new Holding(2, false), net.holding(Y, asset));
        assertEquals(new Holding(8, false), net.holding(C, asset));
        assertNull(net.holding(X, asset));
        assertEquals(Resources.NONE, net.account(X).resources());
    }

    @Test
    void aFrozenHolderMayCloseToTheCreatorOnly() {
        net.confirm(net.freeze(FREEZER, X, asset, true));
        net.refuse(Reason.ASSET_FROZEN, net.closeOut(X, Y, asset));
        EvaluatedBlock block = net.confirm(net.closeOut(X, C, asset));
        assertEquals(5, block.block().transactions().getFirst().applied().assetClosingAmount());
        assertNull(net.holding(X, asset));
    }

    @Test
    void whatCannotBeClosedOut() {
        assertEquals(
                "cannot close asset holding on account "
                        + address(Z)
                        + " : account is not opted in asset 1001 ",
                net.refuse(Reason.ASSET_CLOSE_NOT_OPTED_IN, net.closeOut(Z, C, asset)));
        assertEquals(
                "cannot close asset ID in allocating account",
                net.refuse(Reason.ASSET_CLOSE_BY_CREATOR, net.closeOut(C, X, asset)));
        net.confirm(net.create(Z, 1));
        assertEquals(
                "asset 1001 not present in account " + address(Z),
                net.refuse(Reason.ASSET_CLOSE_ABSENT, net.closeOut(Z, C, asset)));
        assertEquals(
                "asset 1001 not zero (5) after closing",
                net.refuse(Reason.ASSET_CLOSE_LEFT, net.closeOut(X, X, asset)));
        net.refuse(Reason.ASSET_RECEIVER_MISSING, net.closeOut(X, M, asset));
        net.accept(net.closeOut(Y, Y, asset)); // Empty, so nothing is left.
        net.nextBlock();
        assertNull(net.holding(Y, asset));
    }

    // Freezing.

    @Test
    void onlyTheFreezeAddressFreezes() {
        assertEquals(
                "freeze not allowed: sender " + address(M) + ", freeze " + address(FREEZER),
                net.refuse(Reason.FREEZE_NOT_ALLOWED, net.freeze(M, X, asset, true)));
        assertEquals(
                "asset not found in account",
                net.refuse(Reason.FREEZE_ABSENT, net.freeze(FREEZER, Z, asset, true)));
        net.refuse(Reason.ASSET_ABSENT, net.freeze(FREEZER, X, 999, true));
        net.accept(net.freeze(FREEZER, C, asset, true));
        net.accept(
                net.freeze(FREEZER, C, asset, true).withHeader(net.header(FREEZER).withFee(1_001)));
        net.nextBlock();
        assertEquals(new Holding(5, true), net.holding(C, asset));
        net.refuse(Reason.ASSET_FROZEN, net.transfer(C, X, asset, 1));
    }

    // What holdings cost: section 12.2.

    @Test
    void eachHoldingRaisesTheMinimum() {
        int poor = 20;
        net.confirm(net.pay(C, poor, 201_000));
        net.confirm(net.optIn(poor, asset));
        assertEquals(200_000, net.account(poor).balance());
        assertEquals(
                "account " + address(poor) + " balance 199000 below min 200000 (1 assets)",
                net.refuse(Reason.BALANCE_BELOW_MINIMUM, net.pay(poor, C, 0)));
    }

    @Test
    void fundingMustComeBeforeTheOptInItPaysFor() {
        int poor = 20;
        net.confirm(net.pay(C, poor, 100_000));
        var free = net.optIn(poor, asset).withHeader(net.header(poor).withFee(0));
        var funding = net.pay(X, poor, 1_000_000).withHeader(net.header(X).withFee(2_000));
        assertEquals(
                "account " + address(poor) + " balance 100000 below min 200000 (1 assets)",
                net.refuse(Reason.BALANCE_BELOW_MINIMUM, free, funding));
        net.accept(funding, free);
    }
}
