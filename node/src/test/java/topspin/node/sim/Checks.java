package topspin.node.sim;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;
import topspin.codec.vote.Vote;
import topspin.node.agreement.Outcome;
import topspin.node.agreement.Payload;
import topspin.node.agreement.Player;
import topspin.node.agreement.Step;

import java.util.HashMap;
import java.util.Map;

/**
 * What must never happen (agreement.md 14.1, 14.2): two blocks in a round, an honest double vote, a
 * certificate that does not hold; and what follows for each honest node from the proofs.
 */
final class Checks {
    private record Slot(Address sender, long round, long period, long step) {}

    private record Quorum(long round, long period, long step, ProposalValue value) {}

    private record Ballot(Address sender, Quorum quorum) {}

    private final Simulation sim;
    private final Map<Long, ProposalValue> chain = new HashMap<>();
    private final Map<Slot, ProposalValue> votes = new HashMap<>();
    private final Map<Quorum, Long> weights = new HashMap<>();
    private final Map<Ballot, Boolean> counted = new HashMap<>();

    /** The value that a quorum committed to, by round: nothing else may be settled on after it. */
    private final Map<Long, Quorum> committed = new HashMap<>();

    Checks(Simulation sim) {
        this.sim = sim;
    }

    /** A vote has left an honest node. */
    void voteLeft(SimNode node, Vote vote, long weight) {
        RawVote raw = vote.raw();
        var slot = new Slot(raw.sender(), raw.round(), raw.period(), raw.step());
        ProposalValue before = votes.putIfAbsent(slot, raw.value());
        if (before != null && !before.equals(raw.value())) {
            throw new Violation(node.number + " voted twice: " + before + " and " + raw);
        }
        if (before == null) {
            count(vote, weight);
            checkAlone(node, raw);
        }
    }

    /** What a node by itself never does. */
    private void checkAlone(SimNode node, RawVote raw) {
        ProposalValue cert = voted(raw, Step.CERT);
        if (cert != null && raw.step() >= Step.NEXT && !raw.value().equals(cert)) {
            throw new Violation(node.number + " gave up what it had committed to: " + raw);
        }
        if (raw.step() == Step.CERT) {
            for (long step = Step.NEXT; step < Step.NEXT + 12; step++) {
                ProposalValue next = voted(raw, step);
                if (next != null && !next.equals(raw.value())) {
                    throw new Violation(node.number + " commits after it gave up: " + raw);
                }
            }
        }
        if (raw.step() == Step.SOFT && raw.period() > 0) {
            checkSoft(node, raw);
        }
    }

    private @Nullable ProposalValue voted(RawVote raw, long step) {
        return votes.get(new Slot(raw.sender(), raw.round(), raw.period(), step));
    }

    private void checkSoft(SimNode node, RawVote raw) {
        ProposalValue value = raw.value();
        if (value.originalPeriod() < raw.period()
                && !endedWith(raw.round(), raw.period() - 1, value)) {
            throw new Violation(node.number + " votes for what nobody settled on: " + raw);
        }
        if (endedWith(raw.round(), raw.period() - 1, ProposalValue.BOTTOM)
                || hasQuorum(raw.round(), raw.period(), Step.SOFT, null)) {
            return;
        }
        // The period before ended with a value and not with nothing: that value it is.
        for (Quorum quorum : weights.keySet()) {
            if (quorum.round == raw.round()
                    && quorum.period == raw.period() - 1
                    && quorum.step >= Step.NEXT
                    && isReached(quorum)
                    && !quorum.value.equals(value)) {
                throw new Violation(node.number + " ignores what the period starts with: " + raw);
            }
        }
    }

    /** Adds a vote to what all honest nodes together said. */
    private void count(Vote vote, long weight) {
        RawVote raw = vote.raw();
        var quorum = new Quorum(raw.round(), raw.period(), raw.step(), raw.value());
        if (raw.step() == Step.PROPOSE
                || sim.badAccounts().contains(raw.sender())
                || counted.put(new Ballot(raw.sender(), quorum), true) != null) {
            return;
        }
        weights.merge(quorum, weight, Long::sum);
        if (isReached(quorum)) {
            reached(quorum);
        }
    }

    private void reached(Quorum quorum) {
        Quorum before = committed.get(quorum.round);
        if (quorum.step == Step.CERT) {
            if (before != null && !before.value.equals(quorum.value)) {
                throw new Violation("fork: " + before + " and " + quorum);
            }
            committed.putIfAbsent(quorum.round, quorum);
        } else if (quorum.step >= Step.NEXT
                && before != null
                && quorum.period >= before.period
                && !quorum.value.equals(before.value)) {
            throw new Violation("settled on " + quorum + " after " + before);
        }
    }

    /** Whoever is bad may vote for everything, now or later. */
    private boolean isReached(Quorum quorum) {
        long bad = 0;
        for (Address account : sim.badAccounts()) {
            bad +=
                    sim.crypto()
                            .weight(
                                    new RawVote(
                                            account,
                                            quorum.round,
                                            quorum.period,
                                            quorum.step,
                                            quorum.value));
        }
        return sim.rules(quorum.round)
                .reachesQuorum(quorum.step, weights.getOrDefault(quorum, 0L) + bad);
    }

    private boolean endedWith(long round, long period, ProposalValue value) {
        for (Quorum quorum : weights.keySet()) {
            if (quorum.round == round
                    && quorum.period == period
                    && quorum.step >= Step.NEXT
                    && quorum.value.equals(value)
                    && isReached(quorum)) {
                return true;
            }
        }
        return false;
    }

    private boolean hasQuorum(long round, long period, long step, @Nullable ProposalValue value) {
        for (Quorum quorum : weights.keySet()) {
            if (quorum.round == round
                    && quorum.period == period
                    && quorum.step == step
                    && (value == null || quorum.value.equals(value))
                    && isReached(quorum)) {
                return true;
            }
        }
        return false;
    }

    /** An honest node may have gone on to another period or round. */
    void moved(SimNode node, long round, long period, Player player) {
        if (player.round() < round || player.round() == round && player.period() < period) {
            throw new Violation(node.number + " went back to " + player.period());
        }
        boolean isNew = player.round() != round || player.period() != period;
        if (isNew && player.period() > 0) {
            long now = player.period();
            boolean isGrounded =
                    hasNext(player.round(), now - 1)
                            || hasQuorum(player.round(), now, Step.SOFT, null)
                            || hasQuorum(player.round(), now, Step.CERT, null);
            if (!isGrounded) {
                throw new Violation(node.number + " entered period " + now + " for no reason");
            }
        }
    }

    private boolean hasNext(long round, long period) {
        for (Quorum quorum : weights.keySet()) {
            if (quorum.round == round
                    && quorum.period == period
                    && quorum.step >= Step.NEXT
                    && isReached(quorum)) {
                return true;
            }
        }
        return false;
    }

    /** A node adds a block to its ledger. */
    void certified(SimNode node, Payload payload, Bundle certificate) {
        ProposalValue before = chain.putIfAbsent(payload.round(), payload.value());
        if (before != null && !before.equals(payload.value())) {
            throw new Violation("two blocks in round " + payload.round());
        }
        boolean holds =
                certificate.step() == Step.CERT
                        && certificate.round() == payload.round()
                        && certificate.value().equals(payload.value())
                        && node.verify(certificate) instanceof Outcome.Valid<?>;
        if (!holds) {
            throw new Violation(node.number + " holds a certificate that is none: " + certificate);
        }
        // Of rounds that everyone is past there is nothing more to be said.
        long past = sim.minHonestHeight();
        weights.keySet().removeIf(quorum -> quorum.round < past);
        counted.keySet().removeIf(ballot -> ballot.quorum.round < past);
        votes.keySet().removeIf(slot -> slot.round < past);
    }
}
