package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;

import java.util.TreeMap;

/** One round: its periods, its payloads, and the freshest quorum of all. */
final class RoundMachine {
    private ProposalStore store = new ProposalStore();
    private final TreeMap<Long, PeriodMachine> periods = new TreeMap<>(Long::compareUnsigned);
    private @Nullable Threshold freshest;

    ProposalStore store() {
        return store;
    }

    @Nullable Threshold freshest() {
        return freshest;
    }

    /** A period; an empty one is made on first use, also where it has been collected. */
    PeriodMachine period(long period) {
        return periods.computeIfAbsent(period, absent -> new PeriodMachine());
    }

    /** A period, or null if nothing was seen of it. */
    @Nullable PeriodMachine existingPeriod(long period) {
        return periods.get(period);
    }

    /** What a quorum of the period is for, or ⊥. */
    ProposalValue staged(long period) {
        PeriodMachine machine = periods.get(period);
        return machine == null ? ProposalValue.BOTTOM : machine.proposals().staging();
    }

    /** The payload of that, if it is here and valid: the period's committable value. */
    @Nullable Payload committable(long period) {
        return store.assembled(staged(period));
    }

    /**
     * Counts a vote.
     *
     * @return the quorum that it completes, if that tells more than was known
     */
    @Nullable Threshold count(VerifiedVote vote, AgreementRules rules) {
        RawVote raw = vote.raw();
        PeriodMachine period = period(raw.period());
        Threshold reached = period.step(raw.step()).accept(vote, rules);
        if (reached == null) {
            return null;
        }
        if (reached.endsPeriod()) {
            period.endWith(reached.value());
        }
        if (!reached.isFresherThan(freshest)) {
            return null;
        }
        freshest = reached;
        return reached;
    }

    /** Lets go of periods that no message can matter for (agreement.md 7.7). */
    void collect(long current) {
        periods.keySet()
                .removeIf(
                        period ->
                                Long.compareUnsigned(period, 1) > 0
                                        && Long.compareUnsigned(period + 1, current) < 0);
    }

    /** Lets go of everything but the arrival of proposals in period 0. */
    void retire() {
        store = new ProposalStore();
        freshest = null;
        periods.keySet().removeIf(period -> period != 0);
        periods.values().forEach(PeriodMachine::retire);
    }

    void write(StateWriter out) {
        store.write(out);
        out.map(periods, PeriodMachine::write);
        out.optional(freshest, out::threshold);
    }

    static RoundMachine read(StateReader in) throws MalformedMessage {
        var machine = new RoundMachine();
        machine.store = ProposalStore.read(in);
        in.map(machine.periods, PeriodMachine::read);
        machine.freshest = in.optional(in::threshold);
        return machine;
    }
}
