package topspin.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Vectors;
import topspin.codec.block.Block;
import topspin.codec.block.BlockEncoder;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.account.Account;
import topspin.ledger.account.AccountTotals;
import topspin.ledger.account.Holding;
import topspin.ledger.apply.MinimumBalance;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedGroup;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What the reference node did, done again. */
class RecordedChainTest {
    /** The first round with a logic signature and an application. */
    private static final long FIRST_BEYOND_US = 113;

    @Test
    void theFirst112RoundsChangeWhatTheyChangedThere() {
        try (RecordedChain chain = new RecordedChain("chain")) {
            replay(chain, FIRST_BEYOND_US - 1);
            Refusal refusal = Objects.requireNonNull(chain.tryNext().refusal());
            assertEquals(Reason.LOGIC_UNSUPPORTED, refusal.reason());
        }
    }

    @Test
    void fromRound118On() {
        try (RecordedChain chain = RecordedChain.at("chain", 117)) {
            replay(chain, 642);
            Refusal refusal = Objects.requireNonNull(chain.tryNext().refusal());
            assertEquals(Reason.STATE_PROOF_UNSUPPORTED, refusal.reason());
        }
    }

    @Test
    void theFastChainToItsFirstStateProof() {
        try (RecordedChain chain = new RecordedChain("chain_fast")) {
            while (chain.view().round() < 658) {
                Block block = chain.addNext().block();
                sameBytes(chain, block);
            }
            Refusal refusal = Objects.requireNonNull(chain.tryNext().refusal());
            assertEquals(Reason.STATE_PROOF_UNSUPPORTED, refusal.reason());
        }
    }

    private static void replay(RecordedChain chain, long last) {
        Map<Long, List<Vectors.Row>> deltas = chain.byRound("deltas.jsonl.gz");
        Map<Long, List<Vectors.Row>> states = chain.byRound("states.jsonl");
        Map<Long, List<Vectors.Row>> totals = chain.byRound("totals.jsonl");
        while (chain.view().round() < last) {
            long round = chain.view().round() + 1;
            assembleAgain(chain, chain.block(round));
            EvaluatedBlock evaluated = chain.addNext();
            sameBytes(chain, evaluated.block());
            for (Vectors.Row row : deltas.getOrDefault(round, List.of())) {
                sameDelta(row, evaluated.delta(), chain.view());
            }
            for (Vectors.Row row : totals.getOrDefault(round, List.of())) {
                sameTotals(round, row.object("totals"), chain.view().totals());
            }
            for (Vectors.Row row : states.getOrDefault(round, List.of())) {
                sameAccount(chain.view(), row.object("json"));
            }
        }
    }

    private static void sameBytes(RecordedChain chain, Block block) {
        Vectors.Row row = chain.row(block.round());
        assertEquals(
                Bytes.of(row.hex("block_msgpack_hex")), Bytes.of(BlockEncoder.encodeBlock(block)));
        assertEquals(chain.view().headerHash().toString(), row.text("block_hash"));
    }

    private static void sameDelta(Vectors.Row row, StateDelta delta, LedgerView view) {
        RecordedDelta theirs = RecordedDelta.read(row.hex("msgpack_hex"));
        RecordedDelta ours = RecordedDelta.of(delta);
        String round = "round " + delta.round();
        assertEquals(theirs.accounts(), ours.accounts(), round);
        assertEquals(theirs.ids(), ours.ids(), round);
        assertEquals(theirs.totals(), ours.totals(), round);
        // The reference also tells parts of an asset that the round did not change.
        assertTrue(theirs.assets().keySet().containsAll(ours.assets().keySet()), round);
        assertTrue(theirs.holdings().keySet().containsAll(ours.holdings().keySet()), round);
        theirs.assets().forEach((asset, record) -> assertEquals(record, view.asset(asset), round));
        theirs.holdings()
                .forEach(
                        (key, holding) ->
                                assertEquals(
                                        holding, view.holding(key.address(), key.asset()), round));
    }

    private static void sameTotals(long round, Vectors.Row theirs, AccountTotals ours) {
        sameSum(round, theirs, "online", ours.online());
        sameSum(round, theirs, "offline", ours.offline());
        sameSum(round, theirs, "notpart", ours.notParticipating());
        assertEquals(number(theirs, "rwdlvl"), ours.rewardsLevel());
    }

    private static void sameSum(
            long round, Vectors.Row theirs, String name, AccountTotals.Sum ours) {
        assertEquals(
                new AccountTotals.Sum(number(theirs, name + ".mon"), number(theirs, name + ".rwd")),
                ours,
                "round " + round + " " + name);
    }

    /** An account as REST showed it, against the record. */
    private static void sameAccount(LedgerView view, Vectors.Row theirs) {
        Address address = Address.parse(theirs.text("address"));
        Account ours = view.account(address);
        String which = "round " + view.round() + " " + address;
        long level = view.totals().rewardsLevel();
        long unit = view.params().rewardUnit();
        assertEquals(number(theirs, "amount-without-pending-rewards"), ours.balance(), which);
        assertEquals(number(theirs, "amount"), ours.balanceAt(level, unit), which);
        assertEquals(number(theirs, "pending-rewards"), ours.pendingRewards(level, unit), which);
        assertEquals(
                number(theirs, "reward-base"), ours.withRewards(level, unit).rewardsBase(), which);
        assertEquals(
                number(theirs, "rewards"),
                ours.rewarded() + ours.pendingRewards(level, unit),
                which);
        assertEquals(number(theirs, "min-balance"), MinimumBalance.of(ours, view.params()), which);
        assertEquals(theirs.text("status"), ours.status().toString(), which);
        assertEquals(number(theirs, "last-proposed"), ours.lastProposed(), which);
        assertEquals(number(theirs, "last-heartbeat"), ours.lastHeartbeat(), which);
        assertEquals(theirs.has("incentive-eligible"), ours.incentiveEligible(), which);
        assertEquals(number(theirs, "total-assets-opted-in"), ours.resources().assets(), which);
        assertEquals(
                number(theirs, "total-created-assets"), ours.resources().createdAssets(), which);
        String authorizer = theirs.textOrNull("auth-addr");
        assertEquals(
                authorizer == null ? Address.ZERO : Address.parse(authorizer),
                ours.authorizer(),
                which);
        for (Vectors.Row asset : theirs.rows("assets")) {
            assertEquals(
                    new Holding(asset.number("amount"), asset.flag("is-frozen")),
                    view.holding(address, asset.number("asset-id")),
                    which);
        }
        for (Vectors.Row asset : theirs.rows("created-assets")) {
            assertEquals(
                    address,
                    Objects.requireNonNull(view.asset(asset.number("index"))).creator(),
                    which);
        }
        assertEquals(theirs.has("participation"), ours.hasVoteKey(), which);
        if (ours.hasVoteKey()) {
            assertEquals(
                    number(theirs, "participation.vote-last-valid"),
                    ours.participation().voteLast(),
                    which);
        }
    }

    private static long number(Vectors.Row row, String name) {
        return row.has(name) ? row.number(name) : 0;
    }

    /** The same groups, given to our evaluator, become the same transactions of a block. */
    private static void assembleAgain(RecordedChain chain, Block block) {
        BlockEvaluator evaluator =
                new BlockEvaluator(chain.view(), chain.versions(), block.header().timestamp());
        for (TransactionGroup group : groups(block)) {
            Signatures.Outcome outcome = chain.signatures().verify(group, evaluator.rules());
            VerifiedGroup verified = Objects.requireNonNull(outcome.verified());
            Refusal refusal = evaluator.add(verified);
            assertNull(refusal, () -> "round " + block.round() + ": " + refusal);
        }
        BlockMaker maker =
                new BlockMaker(
                        block.header().seed(),
                        block.header().proposer(),
                        block.header().payout() != 0,
                        address -> true);
        Block again = evaluator.finish(maker).block();
        assertEquals(
                block.transactions().stream().map(BlockTransaction::encoding).toList(),
                again.transactions().stream().map(BlockTransaction::encoding).toList());
        assertEquals(block.header(), again.header());
    }

    private static List<TransactionGroup> groups(Block block) {
        List<TransactionGroup> groups = new ArrayList<>();
        List<SignedTransaction> members = new ArrayList<>();
        Digest current = Digest.ZERO;
        for (BlockTransaction transaction : block.transactions()) {
            Digest group = transaction.txn().group();
            if (!members.isEmpty() && (group.isZero() || !group.equals(current))) {
                groups.add(TransactionGroup.of(members));
                members.clear();
            }
            members.add(transaction.signed());
            current = group;
        }
        if (!members.isEmpty()) {
            groups.add(TransactionGroup.of(members));
        }
        return groups;
    }
}
