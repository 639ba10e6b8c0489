package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;
import topspin.codec.vote.Vote;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts the votes of one step (agreement.md 7.4). Who votes for two values counts for every value;
 * of each sender at most two votes are kept. Tells of a quorum once.
 */
final class VoteTracker {
    /** Two votes of one sender for different values, in the order they came. */
    private record Pair(VerifiedVote first, VerifiedVote second) {}

    private static final Comparator<VerifiedVote> HEAVIEST_FIRST =
            Comparator.comparingLong(VerifiedVote::weight)
                    .thenComparing(vote -> vote.raw().sender())
                    .reversed();

    // In the order of arrival, so that a run can be repeated: hashes are salted.
    private final Map<Address, VerifiedVote> voters = new LinkedHashMap<>();
    private final Map<ProposalValue, Long> weights = new LinkedHashMap<>();
    private final Map<Address, Pair> equivocators = new LinkedHashMap<>();
    private long equivocatorsWeight;

    /** Whether nothing new can come of a vote: its sender has said that, or two other things. */
    boolean isRepeated(RawVote raw) {
        if (equivocators.containsKey(raw.sender())) {
            return true;
        }
        VerifiedVote known = voters.get(raw.sender());
        return known != null && known.raw().value().equals(raw.value());
    }

    /**
     * Counts a vote.
     *
     * @return the quorum that it completes, the first of this step, or null
     * @throws SafetyLost if two values have a quorum, or double voters alone make one
     */
    @Nullable Threshold accept(VerifiedVote vote, AgreementRules rules) {
        RawVote raw = vote.raw();
        if (equivocators.containsKey(raw.sender())) {
            return null;
        }
        ProposalValue before = overThreshold(raw, rules);
        VerifiedVote known = voters.get(raw.sender());
        if (known == null) {
            voters.put(raw.sender(), vote);
            weights.merge(raw.value(), vote.weight(), Long::sum);
        } else if (known.raw().value().equals(raw.value())) {
            return null;
        } else {
            condemn(known, vote);
            if (rules.reachesQuorum(raw.step(), equivocatorsWeight)) {
                throw new SafetyLost("double voters make a quorum of their own in " + raw);
            }
            if (voters.isEmpty()) {
                return null;
            }
        }
        ProposalValue over = overThreshold(raw, rules);
        return before != null || over == null ? null : new Threshold(bundle(over, rules), rules);
    }

    private void condemn(VerifiedVote first, VerifiedVote second) {
        Address sender = first.raw().sender();
        equivocatorsWeight += second.weight();
        long left = weights.getOrDefault(first.raw().value(), 0L) - first.weight();
        if (left > 0) {
            weights.put(first.raw().value(), left);
        } else {
            weights.remove(first.raw().value());
        }
        voters.remove(sender);
        equivocators.put(sender, new Pair(first, second));
    }

    private @Nullable ProposalValue overThreshold(RawVote raw, AgreementRules rules) {
        ProposalValue found = null;
        for (Map.Entry<ProposalValue, Long> entry : weights.entrySet()) {
            if (rules.reachesQuorum(raw.step(), entry.getValue() + equivocatorsWeight)) {
                if (found != null) {
                    throw new SafetyLost("two values have a quorum in " + raw);
                }
                found = entry.getKey();
            }
        }
        return found;
    }

    /** The heaviest votes for a value that reach the threshold, pairs last. */
    private Bundle bundle(ProposalValue value, AgreementRules rules) {
        List<VerifiedVote> plain = new ArrayList<>();
        for (VerifiedVote vote : voters.values()) {
            if (vote.raw().value().equals(value)) {
                plain.add(vote);
            }
        }
        plain.sort(HEAVIEST_FIRST);
        RawVote raw = plain.getFirst().raw();
        long weight = 0;
        List<Bundle.Member> members = new ArrayList<>();
        for (VerifiedVote next : plain) {
            if (rules.reachesQuorum(raw.step(), weight)) {
                break;
            }
            Vote vote = next.vote();
            members.add(
                    new Bundle.Member(vote.raw().sender(), vote.credential(), vote.signature()));
            weight += next.weight();
        }
        List<Pair> doubles = new ArrayList<>(equivocators.values());
        doubles.sort(Comparator.comparing(Pair::first, HEAVIEST_FIRST));
        List<Bundle.Pair> pairs = new ArrayList<>();
        for (Pair next : doubles) {
            if (rules.reachesQuorum(raw.step(), weight)) {
                break;
            }
            pairs.add(pair(next));
            weight += next.first.weight();
        }
        return new Bundle(raw.round(), raw.period(), raw.step(), value, members, pairs);
    }

    private static Bundle.Pair pair(Pair pair) {
        Vote first = pair.first.vote();
        Vote second = pair.second.vote();
        if (first.signature() == null || second.signature() == null) {
            throw new IllegalStateException("a vote that holds is signed");
        }
        return new Bundle.Pair(
                first.raw().sender(),
                first.credential(),
                first.raw().value(),
                second.raw().value(),
                first.signature(),
                second.signature());
    }

    /** All votes held, both of each pair. */
    List<Vote> votes() {
        List<Vote> votes = new ArrayList<>();
        for (VerifiedVote vote : voters.values()) {
            votes.add(vote.vote());
        }
        for (Pair pair : equivocators.values()) {
            votes.add(pair.first.vote());
            votes.add(pair.second.vote());
        }
        return votes;
    }

    void write(StateWriter out) {
        out.list(voters.values(), out::vote);
        out.list(
                equivocators.values(),
                pair -> {
                    out.vote(pair.first);
                    out.vote(pair.second);
                });
    }

    static VoteTracker read(StateReader in) throws MalformedMessage {
        var tracker = new VoteTracker();
        in.list(
                () -> {
                    VerifiedVote vote = in.vote();
                    tracker.voters.put(vote.raw().sender(), vote);
                    tracker.weights.merge(vote.raw().value(), vote.weight(), Long::sum);
                });
        in.list(
                () -> {
                    var pair = new Pair(in.vote(), in.vote());
                    tracker.equivocators.put(pair.first.raw().sender(), pair);
                    tracker.equivocatorsWeight += pair.first.weight();
                });
        return tracker;
    }
}
