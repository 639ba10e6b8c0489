package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockHeader;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.params.ConsensusParams;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.Proposal;
import topspin.codec.vote.ProposalDecoder;
import topspin.codec.vote.ProposalEncoder;
import topspin.codec.vote.ProposalMessage;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.VoteEncoder;
import topspin.ledger.BlockEvaluator;
import topspin.ledger.BlockEvaluator.Origin;
import topspin.ledger.BlockMaker;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerView;
import topspin.ledger.StateDelta;
import topspin.ledger.rules.GroupVerifier;
import topspin.node.agreement.HistoryUnknown;
import topspin.node.agreement.KeyRing;
import topspin.node.agreement.Outcome;
import topspin.node.agreement.Payload;
import topspin.node.agreement.SeedRule;
import topspin.node.agreement.StakeSource;
import topspin.node.agreement.StakeSource.OnlineAccount;
import topspin.node.pool.Assembly;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Blocks on their way through agreement: made into payloads, judged, and added to the ledger once
 * they are certified (agreement.md 5.5, 6). One thread.
 */
final class BlockProposals {
    /** Evaluated payloads that may yet be certified. Each holds its block and its changes. */
    private static final int KEPT_MAX = 4;

    /** Payloads that were decoded and may yet be judged. Each takes some five times its bytes. */
    private static final int DECODED_MAX = 2;

    private final Ledger ledger;
    private final StakeSource stake;
    private final GroupVerifier signatures;
    private final ProposalDecoder decoder = new ProposalDecoder();
    private final Map<ProposalValue, EvaluatedBlock> evaluated = new LinkedHashMap<>();

    /** Under its own lock: whoever decodes adds, and what is judged leaves. */
    private final Map<ProposalValue, Proposal> decoded = new LinkedHashMap<>();

    BlockProposals(Ledger ledger, StakeSource stake, GroupVerifier signatures) {
        this.ledger = ledger;
        this.stake = stake;
        this.signatures = signatures;
    }

    /**
     * The payload that one of our accounts proposes.
     *
     * @param block completes what was assembled
     * @param isOurs accounts that this node does not report as expired or absent
     */
    Payload make(
            Function<BlockMaker, Assembly.Proposed> block,
            Address account,
            long period,
            KeyRing.Seed seed,
            boolean isPayoutEligible,
            Predicate<Address> isOurs) {
        Assembly.Proposed made =
                block.apply(new BlockMaker(seed.seed(), account, isPayoutEligible, isOurs));
        var proposal = new Proposal(made.block(), period, account, seed.proof());
        Payload payload = payload(proposal, ProposalEncoder.encode(proposal));
        StateDelta delta = made.delta();
        if (delta != null) { // What the makers of a block know need not be found out again.
            keep(payload.value(), new EvaluatedBlock(made.block(), delta));
        }
        return payload;
    }

    private static Payload payload(Proposal proposal, Bytes encoding) {
        return new Payload(
                proposal.block().round(), ProposalEncoder.value(proposal, encoding), encoding);
    }

    /**
     * A peer's proposal as agreement handles it. Any thread.
     *
     * @param bytes what it was decoded from
     */
    Payload received(ProposalMessage message, byte[] bytes) {
        Payload payload = payload(message.proposal(), ProposalEncoder.withoutVote(bytes));
        synchronized (decoded) {
            if (decoded.size() >= DECODED_MAX) {
                decoded.remove(decoded.keySet().iterator().next());
            }
            decoded.put(payload.value(), message.proposal());
        }
        return payload;
    }

    private Proposal proposal(Payload payload) throws MalformedMessage {
        Proposal known;
        synchronized (decoded) {
            known = decoded.remove(payload.value());
        }
        if (known != null) {
            return known;
        }
        Bytes bytes = payload.encoding();
        return decoder.decode(bytes.array(), bytes.offset(), bytes.length()).proposal();
    }

    /** Judges a payload for a round. Cancelled if the ledger is not at the round before. */
    Outcome<Payload> verify(Payload payload, long round) {
        LedgerView view = ledger.view();
        if (view.round() != round - 1) {
            return new Outcome.Cancelled<>();
        }
        try {
            Proposal proposal = proposal(payload);
            String fault = fault(proposal, round);
            if (fault != null) {
                return new Outcome.Invalid<>(fault);
            }
            BlockEvaluator.Outcome outcome = evaluate(proposal.block(), view);
            EvaluatedBlock block = outcome.block();
            if (block == null) {
                return new Outcome.Invalid<>(String.valueOf(outcome.refusal()));
            }
            keep(payload.value(), block);
            return new Outcome.Valid<>(payload);
        } catch (MalformedMessage malformed) {
            return new Outcome.Invalid<>(String.valueOf(malformed.getMessage()));
        } catch (HistoryUnknown unknown) {
            return new Outcome.Cancelled<>();
        }
    }

    /** What is wrong with it beyond what the evaluator sees, or null. */
    private @Nullable String fault(Proposal proposal, long round) throws HistoryUnknown {
        BlockHeader header = proposal.block().header();
        Address proposer = proposal.originalProposer();
        if (header.round() != round) {
            return "a block of round " + Long.toUnsignedString(header.round());
        } else if (!header.proposer().isZero() && !header.proposer().equals(proposer)) {
            return "its header names another proposer";
        }
        ConsensusParams params = stake.rules(Math.max(0, round - 2)).params();
        long balanceRound = Math.max(0, round - params.balanceLookback());
        OnlineAccount account = stake.online(balanceRound, proposer);
        if (account == null) {
            return "its proposer does not take part";
        } else if (header.payout() != 0 && !account.isPayoutEligible()) {
            return "its proposer may not be paid";
        }
        Digest seed =
                SeedRule.expected(
                        round,
                        proposal.originalPeriod(),
                        proposer,
                        proposal.seedProof(),
                        account,
                        stake);
        return seed != null && header.seed().equals(seed) ? null : "its seed is not the proposer's";
    }

    private BlockEvaluator.Outcome evaluate(Block block, LedgerView view) {
        long begun = ledger.blockTimes().begin();
        try {
            return BlockEvaluator.validate(
                    block, view, ledger.versions(), signatures, Origin.AGREEMENT);
        } finally {
            ledger.blockTimes().end(begun);
        }
    }

    private void keep(ProposalValue value, EvaluatedBlock block) {
        if (evaluated.size() >= KEPT_MAX) {
            evaluated.remove(evaluated.keySet().iterator().next());
        }
        evaluated.put(value, block);
    }

    /**
     * Adds a certified block; does nothing if its round is there already.
     *
     * @throws IllegalStateException if the block is not valid though certified: the network or this
     *     node is broken
     */
    void add(Payload payload, Bundle certificate) {
        LedgerView view = ledger.view();
        if (view.round() >= payload.round()) {
            requireSame(view, payload.round(), certificate);
            return;
        } else if (view.round() != payload.round() - 1) {
            return; // Agreement is ahead of what catches up.
        }
        EvaluatedBlock block = evaluated.get(payload.value());
        if (block == null || block.delta().round() != payload.round()) {
            block = evaluateCertified(payload, view);
        }
        forget();
        ledger.add(block.block(), VoteEncoder.encode(certificate), block.delta());
    }

    /** What other blocks there are of a round that is done will not be asked for. */
    private void forget() {
        evaluated.clear();
        synchronized (decoded) {
            decoded.clear();
        }
    }

    /** Two certificates of one round for two blocks: a fork, which nobody can mend. */
    private static void requireSame(LedgerView view, long round, Bundle certificate) {
        Digest kept;
        try {
            kept = view.headerHash(round);
        } catch (IllegalArgumentException pruned) {
            return;
        }
        if (!kept.equals(certificate.value().blockDigest())) {
            throw new IllegalStateException(
                    "round "
                            + round
                            + " is certified twice: for "
                            + kept
                            + ", which is here, and for "
                            + certificate.value().blockDigest());
        }
    }

    /**
     * Adds a block whose certificate was checked; what is there already is left alone.
     *
     * @return what is wrong with it, or null
     */
    @Nullable String add(Block block, byte[] certificate) {
        LedgerView view = ledger.view();
        if (view.round() != block.round() - 1) {
            return null;
        }
        BlockEvaluator.Outcome outcome = evaluate(block, view);
        EvaluatedBlock found = outcome.block();
        if (found == null) {
            return String.valueOf(outcome.refusal());
        }
        forget();
        ledger.add(found.block(), certificate, found.delta());
        return null;
    }

    private EvaluatedBlock evaluateCertified(Payload payload, LedgerView view) {
        try {
            BlockEvaluator.Outcome outcome = evaluate(proposal(payload).block(), view);
            EvaluatedBlock block = outcome.block();
            if (block != null) {
                return block;
            }
            throw new IllegalStateException(
                    "round "
                            + payload.round()
                            + " is certified, but invalid: "
                            + outcome.refusal());
        } catch (MalformedMessage malformed) {
            throw new IllegalStateException(
                    "round " + payload.round() + " is certified, but no block", malformed);
        }
    }
}
