package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.Vote;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The payloads of one round (agreement.md 7.5): one per period at most, that of the value which
 * leads or has a quorum, and one more that may have been committed to. Others are let go.
 */
final class ProposalStore {
    /** What is held of one value. */
    private static final class Assembler {
        @Nullable Payload pipelined;
        @Nullable Payload assembled;
        final List<VerifiedVote> authenticators = new ArrayList<>();

        /** A proposal-vote of the period, or null. */
        @Nullable Vote authenticator(long period) {
            for (VerifiedVote vote : authenticators) {
                if (vote.raw().period() == period) {
                    return vote.vote();
                }
            }
            return null;
        }
    }

    /**
     * A payload that the store took.
     *
     * @param period the latest in which it matters
     * @param pinned whether it matters in any
     * @param authenticator a proposal-vote of the current period for it
     */
    record Held(Payload payload, long period, boolean pinned, @Nullable Vote authenticator) {}

    private final TreeMap<Long, ProposalValue> relevant = new TreeMap<>(Long::compareUnsigned);
    private ProposalValue pinned = ProposalValue.BOTTOM;
    private final Map<ProposalValue, Assembler> assemblers = new LinkedHashMap<>();

    /**
     * A proposal leads its period.
     *
     * @param current the player's period
     * @return its payload, if that is here and valid
     */
    @Nullable Payload lead(VerifiedVote vote, long current) {
        ProposalValue value = vote.raw().value();
        Assembler assembler = assembler(value);
        assembler.authenticators.add(vote);
        relevant.put(vote.raw().period(), value);
        trim(current);
        return assembler.assembled;
    }

    private Assembler assembler(ProposalValue value) {
        return assemblers.computeIfAbsent(value, absent -> new Assembler());
    }

    /** Why a payload that arrived is not wanted, or null. */
    Action.@Nullable Drop refuse(Payload payload) {
        Assembler assembler = assemblers.get(payload.value());
        if (assembler == null) {
            return Action.Drop.NOT_PROPOSED;
        }
        return assembler.pipelined != null || assembler.assembled != null ? Action.Drop.HELD : null;
    }

    /** Takes a payload that {@link #refuse} did not. */
    Held pipeline(Payload payload, long current) {
        Assembler assembler = assembler(payload.value());
        assembler.pipelined = payload;
        return held(payload, assembler, current);
    }

    private Held held(Payload payload, Assembler assembler, long current) {
        return new Held(
                payload,
                lastRelevant(payload.value()),
                pinned.equals(payload.value()),
                assembler.authenticator(current));
    }

    private long lastRelevant(ProposalValue value) {
        if (!pinned.equals(value)) {
            for (Map.Entry<Long, ProposalValue> entry : relevant.descendingMap().entrySet()) {
                if (entry.getValue().equals(value)) {
                    return entry.getKey();
                }
            }
        }
        return 0;
    }

    /** Takes a payload that holds; null if nobody proposed it or it is here already. */
    @Nullable Held bind(Payload payload, long current) {
        Assembler assembler = assemblers.get(payload.value());
        if (assembler == null || assembler.assembled != null) {
            return null;
        }
        assembler.assembled = payload;
        assembler.pipelined = null;
        return held(payload, assembler, current);
    }

    /**
     * A new period begins.
     *
     * @param starting the value with which the one before ended, or ⊥
     * @param staged what had a quorum in the player's period so far, or ⊥
     */
    void newPeriod(long target, ProposalValue starting, ProposalValue staged, long current) {
        if (!starting.isBottom()) {
            pinned = starting;
        } else if (!staged.isBottom()) {
            pinned = staged;
        }
        relevant.keySet().removeIf(period -> Long.compareUnsigned(period + 1, target) < 0);
        trim(current);
    }

    /** The round begins: the payload that has been waiting for it, if any. */
    @Nullable Held newRound(long current) {
        assert assemblers.size() <= 1 : "more than one value leads before the round began";
        for (Assembler assembler : assemblers.values()) {
            if (assembler.pipelined != null) {
                return held(assembler.pipelined, assembler, current);
            }
        }
        return null;
    }

    /**
     * A quorum is for a value: from now on its payload matters. So it does where it is here
     * already: if it came with the proposal of a later period, another of that period may take that
     * one's place, and with it would go what this node may have committed to. (The reference node
     * lets it go, and then votes to give up.)
     */
    void stage(long period, ProposalValue value, long current) {
        assembler(value);
        relevant.put(period, value);
        trim(current);
    }

    /** The payload of a value, if it is here and valid. */
    @Nullable Payload assembled(ProposalValue value) {
        Assembler assembler = assemblers.get(value);
        return assembler == null ? null : assembler.assembled;
    }

    /** The payload that may have been committed to, if it is here and valid. */
    @Nullable Payload pinnedPayload() {
        return assembled(pinned);
    }

    /** Payloads whose verification has not ended. */
    List<Held> unverified(long current) {
        List<Held> found = new ArrayList<>();
        for (Assembler assembler : assemblers.values()) {
            if (assembler.assembled == null && assembler.pipelined != null) {
                found.add(held(assembler.pipelined, assembler, current));
            }
        }
        return found;
    }

    private void trim(long current) {
        Set<ProposalValue> wanted = new LinkedHashSet<>(relevant.values());
        wanted.add(pinned);
        wanted.remove(ProposalValue.BOTTOM);
        assemblers.keySet().retainAll(wanted);
        for (ProposalValue value : wanted) {
            assembler(value)
                    .authenticators
                    .removeIf(vote -> Long.compareUnsigned(vote.raw().period(), current) < 0);
        }
    }

    void write(StateWriter out) {
        out.map(relevant, (value, writer) -> writer.value(value));
        out.value(pinned);
        out.list(
                assemblers.entrySet(),
                entry -> {
                    Assembler assembler = entry.getValue();
                    out.value(entry.getKey());
                    out.optional(assembler.pipelined, out::payload);
                    out.optional(assembler.assembled, out::payload);
                    out.list(assembler.authenticators, out::vote);
                });
    }

    static ProposalStore read(StateReader in) throws MalformedMessage {
        var store = new ProposalStore();
        in.map(store.relevant, StateReader::value);
        store.pinned = in.value();
        in.list(
                () -> {
                    Assembler assembler = store.assembler(in.value());
                    assembler.pipelined = in.optional(in::payload);
                    assembler.assembled = in.optional(in::payload);
                    in.list(() -> assembler.authenticators.add(in.vote()));
                });
        return store;
    }
}
