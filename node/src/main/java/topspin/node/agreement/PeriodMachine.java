package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.Vote;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** One period: its proposals, the votes of its steps, and how it ended. */
final class PeriodMachine {
    private ProposalTracker proposals = new ProposalTracker();
    private final TreeMap<Long, VoteTracker> steps = new TreeMap<>(Long::compareUnsigned);
    private boolean sawBottom;
    private ProposalValue nextValue = ProposalValue.BOTTOM;

    ProposalTracker proposals() {
        return proposals;
    }

    /** The votes of a step; an empty tracker is made on first use. */
    VoteTracker step(long step) {
        return steps.computeIfAbsent(step, absent -> new VoteTracker());
    }

    /** The votes of a step, or null if none came. */
    @Nullable VoteTracker existingStep(long step) {
        return steps.get(step);
    }

    /** All votes held, step by step, without proposals. */
    List<Vote> votes() {
        List<Vote> votes = new ArrayList<>();
        steps.values().forEach(tracker -> votes.addAll(tracker.votes()));
        return votes;
    }

    /** Remembers that a quorum ended the period. */
    void endWith(ProposalValue value) {
        if (value.isBottom()) {
            sawBottom = true;
        } else {
            nextValue = value;
        }
    }

    /** Whether a quorum ended the period with nothing. */
    boolean sawBottom() {
        return sawBottom;
    }

    /** The value that a quorum ended the period with, or ⊥ if there was none. */
    ProposalValue nextValue() {
        return nextValue;
    }

    /** Lets go of everything but the arrival of proposals. */
    void retire() {
        steps.clear();
    }

    void write(StateWriter out) {
        proposals.write(out);
        out.map(steps, VoteTracker::write);
        out.flag(sawBottom);
        out.value(nextValue);
    }

    static PeriodMachine read(StateReader in) throws MalformedMessage {
        var machine = new PeriodMachine();
        machine.proposals = ProposalTracker.read(in);
        in.map(machine.steps, VoteTracker::read);
        machine.sawBottom = in.flag();
        machine.nextValue = in.value();
        return machine;
    }
}
