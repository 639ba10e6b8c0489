package topspin.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static topspin.ledger.TestNetwork.FEE;
import static topspin.ledger.TestNetwork.FEE_SINK;
import static topspin.ledger.TestNetwork.FUNDS;
import static topspin.ledger.TestNetwork.address;
import static topspin.ledger.TestNetwork.group;
import static topspin.ledger.TestNetwork.key;
import static topspin.ledger.TestNetwork.sign;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockHeader;
import topspin.codec.block.TransactionRoot;
import topspin.codec.txn.ApplyData;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionHeader;
import topspin.ledger.BlockEvaluator.Origin;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

class BlockEvaluatorTest {
    private final TestNetwork net = new TestNetwork(4);

    // Duplicates and leases: validation.md section 9.

    @Test
    void aTransactionIsCommittedOnce() {
        Payment payment = net.pay(0, 1, 5);
        net.accept(payment);
        String text = net.refuse(Reason.DUPLICATE, payment);
        assertEquals("transaction already in ledger: " + sign(payment).id(), text);
        net.nextBlock();
        net.refuse(Reason.DUPLICATE, payment);
        net.accept(net.pay(0, 1, 5)); // Another, by its first valid round.
    }

    @Test
    void anIdIsRememberedToItsLastRoundAndThenTheTransactionIsDead() {
        Payment payment = with(net.pay(0, 1, 5), header -> lifetime(header, 1, 3));
        net.confirm(payment);
        net.refuse(Reason.DUPLICATE, payment);
        net.nextBlock();
        net.refuse(Reason.DUPLICATE, payment);
        net.nextBlock();
        assertEquals("txn dead: round 4 outside of 1--3", net.refuse(Reason.DEAD, payment));
    }

    @Test
    void aLeaseIsHeldToTheLastRoundOfWhoeverTookIt() {
        Digest lease = digest(9);
        net.confirm(leased(net.pay(0, 1, 5), lease, 4));
        for (long round = net.round(); round <= 4; round++) {
            String text = net.refuse(Reason.LEASE_HELD, leased(net.pay(0, 1, 6), lease, 1_000));
            assertTrue(text.contains("(" + address(0) + ", "), text);
            net.nextBlock();
        }
        net.accept(leased(net.pay(0, 1, 6), lease, 1_000));
        net.refuse(Reason.LEASE_HELD, leased(net.pay(0, 1, 7), lease, 1_000));
    }

    @Test
    void leasesOfDifferentSendersDoNotMeet() {
        Digest lease = digest(9);
        net.accept(leased(net.pay(0, 1, 5), lease, 50));
        net.accept(leased(net.pay(1, 0, 5), lease, 50));
        net.accept(leased(net.pay(0, 1, 5), digest(10), 50));
    }

    @Test
    void membersOfAGroupConflictOverALease() {
        Digest lease = digest(9);
        net.refuse(
                Reason.LEASE_HELD,
                leased(net.pay(0, 1, 5), lease, 50),
                leased(net.pay(0, 1, 6), lease, 50));
        net.accept(leased(net.pay(0, 1, 5), lease, 50)); // The refused group took nothing.
    }

    @Test
    void aRepeatedTransactionWithALeaseReportsTheLease() {
        Payment payment = leased(net.pay(0, 1, 5), digest(9), 50);
        net.accept(payment);
        net.refuse(Reason.DUPLICATE, payment);
        net.nextBlock();
        net.refuse(Reason.LEASE_HELD, payment);
    }

    // Copies.

    @Test
    void aCopyMakesTheBlockOfItsMomentWhicheverGoesOn() {
        long asset = net.confirm(net.create(0, 1_000)).delta().assets().getFirst().asset();
        Payment payment = leased(net.pay(0, 1, 5), digest(9), 50);
        net.accept(payment);
        net.accept(net.optIn(1, asset));
        net.accept(net.transfer(0, 1, asset, 7), net.pay(2, 20, FUNDS / 2));
        net.accept(net.create(1, 5));
        var maker = new BlockMaker(digest(1), address(3), true, address -> false);
        BlockEvaluator original = net.evaluator();
        EvaluatedBlock now = original.finish(maker);

        BlockEvaluator copy = original.copy();
        BlockEvaluator longer = copy.copy();
        net.accept(net.pay(1, 3, FUNDS / 2), net.transfer(0, 1, asset, 1));
        assertNull(longer.add(net.verified(net.pay(2, 1, 1))));

        assertEquals(now, copy.finish(maker));
        assertEquals(5, copy.size());
        assertEquals(7, original.size());
        assertEquals(6, longer.finish(maker).block().transactions().size());
        Refusal again = copy.add(net.verified(payment));
        assertEquals(Reason.DUPLICATE, Objects.requireNonNull(again).reason());
        Refusal held = copy.add(net.verified(leased(net.pay(0, 1, 6), digest(9), 50)));
        assertEquals(Reason.LEASE_HELD, Objects.requireNonNull(held).reason());
        Refusal poor = copy.add(net.verified(net.pay(2, 1, FUNDS / 2)));
        assertEquals(Reason.OVERSPEND, Objects.requireNonNull(poor).reason());
        assertEquals(now, copy.finish(maker)); // Its own state went back.
    }

    // Groups.

    @Test
    void aGroupIsAllOrNothing() {
        net.refuse(Reason.OVERSPEND, net.pay(0, 1, 5), net.pay(1, 2, FUNDS + 10));
        assertEquals(0, net.evaluator().size());
        assertEquals(0, net.evaluator().bytes());
        EvaluatedBlock block = net.nextBlock();
        assertEquals(FUNDS, net.account(0).balance());
        assertEquals(1_000, block.block().header().transactionCounter());
        assertTrue(block.delta().ids().isEmpty());
    }

    @Test
    void moneyMustComeBeforeItIsSpent() {
        net.accept(net.pay(0, 10, 300_000), net.pay(10, 1, 100_000));
        net.refuse(Reason.OVERSPEND, net.pay(11, 1, 100_000), net.pay(0, 11, 300_000));
    }

    @Test
    void membersThatAreEqualAreOneTransactionTwice() {
        Payment payment = net.pay(0, 1, 5);
        net.refuse(Reason.DUPLICATE, payment, payment);
    }

    @Test
    void sixteenMembersAreAGroup() {
        Transaction[] members = new Transaction[16];
        for (int i = 0; i < members.length; i++) {
            members[i] = net.pay(0, 1, i);
        }
        net.confirm(members);
        assertEquals(FUNDS - 16 * FEE - 120, net.account(0).balance());
    }

    @Test
    void seventeenMembersAreNone() {
        List<BlockTransaction> members = new ArrayList<>();
        for (int i = 0; i < 17; i++) {
            Payment member = with(net.pay(0, 1, i), header -> header.withGroup(digest(7)));
            members.add(BlockTransaction.of(sign(member), ApplyData.ZERO));
        }
        Block empty = net.evaluator().finish(BlockMaker.devMode(net.state())).block();
        assertEquals(
                "group size 17 exceeds maximum 16",
                judged(Reason.GROUP_TOO_LARGE, with(empty, members)));
        judged(Reason.GROUP_INCOMPLETE, with(empty, members.subList(0, 16)));
    }

    @Test
    void oneMemberAloneMayNameItsGroup() {
        List<Transaction> alone = topspin.codec.txn.GroupId.assign(List.of(net.pay(0, 1, 5)));
        net.accept(alone.getFirst());
        net.refuse(
                Reason.GROUP_INCOMPLETE,
                with(net.pay(0, 1, 6), header -> header.withGroup(digest(7))));
    }

    // Rekeying: section 6.2.

    @Test
    void aRekeyedAccountNeedsItsNewKeyFromThenOn() {
        Payment rekey = with(net.pay(0, 0, 0), header -> header.withRekeyTo(address(1)));
        net.confirm(rekey);
        assertEquals(address(1), net.account(0).authorizer());
        net.refuse(Reason.WRONG_AUTHORIZER, net.pay(0, 2, 1));
        assertNull(net.submit(SignedTransaction.sign(net.pay(0, 2, 2), key(1))));
        Payment back = with(net.pay(0, 0, 0), header -> header.withRekeyTo(address(0)));
        assertNull(net.submit(SignedTransaction.sign(back, key(1))));
        net.nextBlock();
        assertEquals(Address.ZERO, net.account(0).authorizer());
        net.accept(net.pay(0, 2, 3));
    }

    @Test
    void rekeyingCountsWithinItsGroup() {
        Payment rekey = with(net.pay(0, 0, 0), header -> header.withRekeyTo(address(1)));
        Payment after = net.pay(0, 2, 7);
        List<Transaction> members = topspin.codec.txn.GroupId.assign(List.of(rekey, after));
        SignedTransaction first = sign(members.get(0));
        SignedTransaction oldKey = SignedTransaction.sign(members.get(1), key(0));
        SignedTransaction newKey = SignedTransaction.sign(members.get(1), key(1));
        Refusal refusal = net.submit(topspin.codec.txn.TransactionGroup.of(List.of(first, oldKey)));
        assertEquals(Reason.WRONG_AUTHORIZER, Objects.requireNonNull(refusal).reason());
        SignedTransaction early = SignedTransaction.sign(members.get(0), key(1));
        refusal = net.submit(topspin.codec.txn.TransactionGroup.of(List.of(early, newKey)));
        assertEquals(Reason.WRONG_AUTHORIZER, Objects.requireNonNull(refusal).reason());
        assertNull(net.submit(topspin.codec.txn.TransactionGroup.of(List.of(first, newKey))));
    }

    // The block itself.

    @Test
    void anEmptyBlockHasTheHeaderThatFollowsFromTheOneBelow() {
        BlockHeader genesis = net.state().header();
        BlockHeader one = net.nextBlock().block().header();
        assertEquals(1, one.round());
        assertEquals(topspin.codec.block.BlockEncoder.hash(genesis), one.previous());
        assertEquals(one.previous(), one.seed());
        assertEquals(10_000_000, one.bonus());
        assertEquals(512, one.stateProofTracking().getFirst().nextRound());
        assertEquals(Digest.ZERO, one.transactionRoot());
        assertEquals(1_000, one.transactionCounter());
        assertEquals(0, one.payout());
        assertEquals(Address.ZERO, one.proposer());
        BlockHeader two = net.nextBlock().block().header();
        assertEquals(one.timestamp() + 3, two.timestamp());
        assertEquals(10_000_000, two.bonus());
    }

    @Test
    void feesGoToTheSinkAndTheHeaderCountsThem() {
        net.accept(net.pay(0, 1, 5));
        net.accept(net.pay(1, 0, 5), net.pay(2, 0, 5));
        BlockHeader header = net.nextBlock().block().header();
        assertEquals(3 * FEE, header.feesCollected());
        assertEquals(100_000 + 3 * FEE, net.state().account(FEE_SINK).balance());
        assertEquals(1_003, header.transactionCounter());
    }

    @Test
    void timeMovesByTwentyFiveSecondsAtMost() {
        net.nextBlock();
        long before = net.state().header().timestamp();
        assertEquals(before, timestampWhenItIs(before - 1));
        assertEquals(before, timestampWhenItIs(before));
        assertEquals(before + 25, timestampWhenItIs(before + 25));
        assertEquals(before + 25, timestampWhenItIs(before + 26));
    }

    private long timestampWhenItIs(long clock) {
        return new BlockEvaluator(net.state(), net.versions(), clock)
                .finish(BlockMaker.devMode(net.state()))
                .block()
                .header()
                .timestamp();
    }

    @Test
    void aFullBlockRefusesWhatDoesNotFitAndKeepsWhatIsIn() {
        int sent = 0;
        @Nullable Refusal refusal = null;
        while (refusal == null) {
            refusal = net.submit(group(notes(sent)));
            sent += refusal == null ? 16 : 0;
        }
        assertEquals(Reason.NO_SPACE, refusal.reason());
        assertEquals("block does not have space for transaction", refusal.text());
        assertEquals(sent, net.evaluator().size());
        long room = 5_242_880 - net.evaluator().bytes();
        assertTrue(room >= 0 && room < 16 * 4_500, () -> "room left: " + room);
        BlockHeader header = net.nextBlock().block().header();
        assertTrue(header.load() > 980_000 && header.load() <= 1_000_000);
        BlockHeader next = net.nextBlock().block().header();
        assertTrue(next.congestionTax() > 90_000, () -> "tax " + next.congestionTax());
        assertEquals(0, net.nextBlock().block().header().congestionTax());
    }

    @Test
    void aStateAheadOfItsBlockMakesNoBlock() {
        net.accept(net.pay(0, 1, 5));
        net.evaluator().startNextBlock();
        assertEquals(0, net.evaluator().bytes());
        net.accept(net.pay(0, 1, 6));
        net.refuse(Reason.OVERSPEND, net.pay(0, 1, FUNDS - 11)); // Both payments count.
        assertThrows(
                IllegalStateException.class,
                () -> net.evaluator().finish(BlockMaker.devMode(net.state())));
    }

    @Test
    void finishingLeavesTheEvaluatorAsItWas() {
        net.accept(net.pay(0, 1, 5));
        EvaluatedBlock early = net.evaluator().finish(BlockMaker.devMode(net.state()));
        EvaluatedBlock again = net.evaluator().finish(BlockMaker.devMode(net.state()));
        assertEquals(early.delta(), again.delta());
        assertEquals(early.block().header(), again.block().header());
        net.accept(net.pay(0, 1, 6));
        assertEquals(2, net.nextBlock().block().transactions().size());
    }

    // Another node's block.

    @Test
    void eachFieldOfAnothersHeaderIsChecked() {
        net.nextBlock();
        net.accept(net.pay(0, 1, 5));
        altered(Reason.BLOCK_ROUND, draft -> draft.round++);
        altered(Reason.BLOCK_PREVIOUS, draft -> draft.previous = digest(1));
        altered(Reason.BLOCK_PREVIOUS512, draft -> draft.previous512 = Bytes.EMPTY);
        altered(Reason.BLOCK_ROOT, draft -> draft.transactionRoot = digest(1));
        altered(Reason.BLOCK_ROOT, draft -> draft.sha256Root = digest(1));
        altered(Reason.BLOCK_ROOT, draft -> draft.sha512Root = Bytes.EMPTY);
        altered(null, draft -> draft.timestamp += 3600); // A dev mode's clock may be told to jump.
        altered(Reason.BLOCK_TIME_BEFORE, draft -> draft.timestamp -= 4);
        altered(null, draft -> draft.timestamp -= 3);
        altered(null, draft -> draft.timestamp += 22);
        altered(Reason.BLOCK_GENESIS_ID, draft -> draft.genesisId = "other-v1");
        altered(Reason.BLOCK_GENESIS_ID_MISSING, draft -> draft.genesisId = "");
        altered(Reason.BLOCK_GENESIS_HASH, draft -> draft.genesisHash = digest(1));
        altered(Reason.BLOCK_GENESIS_HASH_MISSING, draft -> draft.genesisHash = Digest.ZERO);
        altered(Reason.BLOCK_FEES, draft -> draft.feesCollected++);
        altered(Reason.BLOCK_BONUS, draft -> draft.bonus++);
        altered(Reason.BLOCK_PAYOUT_TO_NOBODY, draft -> draft.payout = 1);
        altered(Reason.BLOCK_REWARDS, draft -> draft.feeSink = address(0));
        altered(Reason.BLOCK_REWARDS, draft -> draft.rewardsPool = address(0));
        altered(Reason.BLOCK_REWARDS, draft -> draft.rewardsLevel++);
        altered(Reason.BLOCK_REWARDS, draft -> draft.rewardsRate++);
        altered(Reason.BLOCK_REWARDS, draft -> draft.rewardsResidue++);
        altered(Reason.BLOCK_REWARDS, draft -> draft.rewardsRecalculationRound++);
        altered(Reason.PROTOCOL_UNSUPPORTED, draft -> draft.protocol = "unknown");
        altered(
                Reason.BLOCK_UPGRADE_STATE,
                draft -> draft.protocol = topspin.codec.params.ConsensusVersions.V41);
        altered(Reason.BLOCK_UPGRADE_STATE, draft -> draft.nextProtocol = "x");
        altered(Reason.BLOCK_UPGRADE_DELAY_WITHOUT, draft -> draft.upgradeDelay = 10_000);
        altered(Reason.BLOCK_UPGRADE_APPROVAL_WITHOUT, draft -> draft.upgradeApprove = true);
        altered(Reason.BLOCK_UPGRADE_DELAY_RANGE, draft -> propose(draft, 9_999));
        altered(null, draft -> propose(draft, 10_000));
        altered(null, draft -> propose(draft, 250_000));
        altered(Reason.BLOCK_UPGRADE_DELAY_RANGE, draft -> propose(draft, 250_001));
        altered(Reason.BLOCK_COUNTER, draft -> draft.transactionCounter++);
        altered(Reason.BLOCK_STATE_PROOF_NEXT, draft -> draft.stateProofTracking = List.of());
        altered(Reason.BLOCK_LOAD, draft -> draft.load++);
        altered(Reason.BLOCK_CONGESTION, draft -> draft.congestionTax++);
        altered(Reason.BLOCK_EXPIRED_NO_KEY, draft -> draft.expiredAccounts = List.of(address(0)));
        altered(
                Reason.BLOCK_LIST_DUPLICATE,
                draft -> draft.absentAccounts = List.of(address(0), address(0)));
        altered(
                Reason.BLOCK_ABSENT_NOT_ONLINE,
                draft -> draft.absentAccounts = List.of(address(0)));
        altered(
                Reason.BLOCK_LIST_TOO_LONG,
                draft -> {
                    List<Address> many = new ArrayList<>();
                    for (int i = 0; i < 33; i++) {
                        many.add(address(i));
                    }
                    draft.expiredAccounts = many;
                });
        altered(null, draft -> draft.seed = digest(1)); // Agreement's to check.
        altered(null, draft -> draft.proposer = address(0)); // Likewise, in dev mode.
    }

    private static void propose(BlockHeader.Draft draft, long delay) {
        draft.upgradePropose = "x";
        draft.upgradeDelay = delay;
        draft.nextProtocol = "x";
        draft.nextProtocolVoteBefore = draft.round + 10_000;
        draft.nextProtocolSwitchOn = draft.round + 10_000 + delay;
    }

    private void altered(@Nullable Reason expected, Consumer<BlockHeader.Draft> alteration) {
        EvaluatedBlock made = net.evaluator().finish(BlockMaker.devMode(net.state()));
        BlockHeader.Draft draft = made.block().header().toDraft();
        alteration.accept(draft);
        judged(expected, new Block(draft.build(), made.block().transactions()));
    }

    /** Judges another's block; the text of the refusal, or none. */
    private String judged(@Nullable Reason expected, Block block) {
        Refusal refusal =
                BlockEvaluator.validate(
                                block,
                                net.state(),
                                net.versions(),
                                net.signatures(),
                                Origin.DEV_MODE)
                        .refusal();
        assertEquals(
                expected,
                refusal == null ? null : refusal.reason(),
                () -> refusal == null ? "valid" : refusal.text());
        return refusal == null ? "" : refusal.text();
    }

    @Test
    void aBlockOfAgreementIsAtMost25SecondsYounger() {
        net.nextBlock();
        BlockHeader previous = net.state().header();
        BlockHeader.Draft draft =
                net.evaluator().finish(BlockMaker.devMode(net.state())).block().header().toDraft();
        draft.proposer = address(0);
        draft.timestamp = previous.timestamp() + 26;
        Refusal beyond =
                BlockEvaluator.validate(
                                new Block(draft.build(), List.of()),
                                net.state(),
                                net.versions(),
                                net.signatures(),
                                Origin.AGREEMENT)
                        .refusal();
        assertEquals(Reason.BLOCK_TIME_BEYOND, beyond == null ? null : beyond.reason());
        draft.timestamp = previous.timestamp() + 25;
        Refusal within =
                BlockEvaluator.validate(
                                new Block(draft.build(), List.of()),
                                net.state(),
                                net.versions(),
                                net.signatures(),
                                Origin.AGREEMENT)
                        .refusal();
        assertTrue(within == null || within.reason() != Reason.BLOCK_TIME_BEYOND);
    }

    @Test
    void aBlockOfAgreementNamesItsProposer() {
        Block block = net.evaluator().finish(BlockMaker.devMode(net.state())).block();
        Refusal refusal =
                BlockEvaluator.validate(
                                block,
                                net.state(),
                                net.versions(),
                                net.signatures(),
                                Origin.AGREEMENT)
                        .refusal();
        assertEquals(Reason.BLOCK_PROPOSER_MISSING, Objects.requireNonNull(refusal).reason());
    }

    @Test
    void transactionsOfAnothersBlockAreCheckedLikeOurs() {
        net.accept(net.pay(0, 1, 5));
        net.accept(net.pay(1, 2, 5), net.pay(2, 0, 5));
        Block good = net.evaluator().finish(BlockMaker.devMode(net.state())).block();
        List<BlockTransaction> txns = good.transactions();
        BlockTransaction first = txns.getFirst();

        judged(Reason.BLOCK_COUNTER, with(good, txns.subList(1, 3)));
        judged(Reason.DUPLICATE, with(good, List.of(first, first, txns.get(1), txns.get(2))));
        judged(Reason.GROUP_INCOMPLETE, with(good, txns.subList(0, 2)));
        judged(Reason.GROUP_INCOMPLETE, with(good, List.of(txns.get(2), txns.get(1), first)));
        ApplyData lie = new ApplyData(0, 0, 1, 0, 0, 0, 0, null);
        judged(
                Reason.BLOCK_APPLY_DATA,
                with(
                        good,
                        List.of(
                                BlockTransaction.of(first.signed(), lie),
                                txns.get(1),
                                txns.get(2))));
    }

    @Test
    void aKnownIdWithAnotherSignatureIsRefused() {
        SignedTransaction honest = sign(net.pay(0, 1, 5));
        assertNull(net.submit(honest));
        Block good = net.evaluator().finish(BlockMaker.devMode(net.state())).block();
        byte[] signature = Objects.requireNonNull(honest.signature()).toArray();
        signature[3] ^= 1;
        SignedTransaction forged = SignedTransaction.of(honest.txn(), Bytes.of(signature));
        assertEquals(honest.id(), forged.id());
        judged(
                Reason.SIGNATURE_INVALID,
                with(good, List.of(BlockTransaction.of(forged, ApplyData.ZERO))));
    }

    /** The block with other transactions and the roots that go with them. */
    private static Block with(Block block, List<BlockTransaction> transactions) {
        BlockHeader.Draft draft = block.header().toDraft();
        TransactionRoot root = TransactionRoot.of(transactions);
        draft.transactionRoot = root.sha512_256();
        draft.sha256Root = root.sha256();
        draft.sha512Root = root.sha512();
        return new Block(draft.build(), transactions);
    }

    private Transaction[] notes(int from) {
        Transaction[] members = new Transaction[16];
        for (int i = 0; i < members.length; i++) {
            byte[] note = new byte[4_096];
            note[0] = (byte) (from + i);
            note[1] = (byte) ((from + i) >> 8);
            note[2] = 1;
            members[i] =
                    with(
                            net.pay(0, 1, 0),
                            header -> header.withFee(1_308).withNote(Bytes.of(note)));
        }
        return members;
    }

    private static Payment leased(Payment payment, Digest lease, long lastValid) {
        return with(
                payment,
                header -> lifetime(header, header.firstValid(), lastValid).withLease(lease));
    }

    private static TransactionHeader lifetime(TransactionHeader header, long first, long last) {
        return new TransactionHeader(
                        header.sender(),
                        header.fee(),
                        first,
                        last,
                        header.genesisId(),
                        header.genesisHash())
                .withLease(header.lease());
    }

    private static Payment with(
            Payment payment, java.util.function.UnaryOperator<TransactionHeader> change) {
        return payment.withHeader(change.apply(payment.header()));
    }

    private static Digest digest(int value) {
        byte[] bytes = new byte[32];
        bytes[31] = (byte) value;
        return Digest.of(bytes, 0);
    }
}
