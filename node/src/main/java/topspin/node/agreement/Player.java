package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;
import topspin.codec.vote.Vote;
import topspin.node.agreement.Action.Assemble;
import topspin.node.agreement.Action.Attest;
import topspin.node.agreement.Action.Broadcast;
import topspin.node.agreement.Action.Disconnect;
import topspin.node.agreement.Action.Drop;
import topspin.node.agreement.Action.Ensure;
import topspin.node.agreement.Action.Ignore;
import topspin.node.agreement.Action.Relay;
import topspin.node.agreement.Action.ReleaseVotes;
import topspin.node.agreement.Action.Repropose;
import topspin.node.agreement.Action.Rezero;
import topspin.node.agreement.Action.StageDigest;
import topspin.node.agreement.Action.VerifyBundle;
import topspin.node.agreement.Action.VerifyPayload;
import topspin.node.agreement.Action.VerifyVote;
import topspin.node.agreement.Event.BundlePresent;
import topspin.node.agreement.Event.BundleVerified;
import topspin.node.agreement.Event.Checkpoint;
import topspin.node.agreement.Event.FastTimeout;
import topspin.node.agreement.Event.PayloadPresent;
import topspin.node.agreement.Event.PayloadVerified;
import topspin.node.agreement.Event.RoundInterruption;
import topspin.node.agreement.Event.Timeout;
import topspin.node.agreement.Event.VotePresent;
import topspin.node.agreement.Event.VoteVerified;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The agreement protocol of one node as a pure state machine (agreement.md 7): an event in, a list
 * of actions out, to be done in order before the next event. It has no clock, no randomness and no
 * I/O, and belongs to one thread.
 *
 * <pre>
 *   enterRound ─► soft ──filter timeout──► cert ──deadline──► next, next, … ──quorum──► enterPeriod
 *                  │  vote for the leader   │  vote once a      vote to leave the           │
 *                  ▲                        │  quorum is there  period                      ▼
 *                  └──────── certificate and block: the round is done ◄─────────────── soft …
 * </pre>
 */
public final class Player {
    /** From this step on the node takes it that the network is in pieces. */
    private static final long PARTITION_STEP = 6;

    /** From this period on likewise. */
    private static final long PARTITION_PERIOD = 3;

    /** Payloads that may wait for the vote they came with to be verified. */
    static final int TAILS_MAX = 64;

    /** What the deadline is for. */
    public enum DeadlineKind {
        /** The soft vote. */
        FILTER,
        /** Leaving the period. */
        TIMEOUT
    }

    private final Timing timing;
    private long round;
    private long period;
    private long step = Step.SOFT;
    private long lastConcluding;
    private long deadline;
    private DeadlineKind deadlineKind = DeadlineKind.FILTER;
    private boolean napping;
    private long fastDeadline;
    ArrivalHistory arrivals = new ArrivalHistory();
    private final TreeMap<Long, RoundMachine> rounds = new TreeMap<>();

    /** What came behind proposal-votes that are being verified. Not part of the saved state. */
    final Map<Long, PayloadPresent> tails = new LinkedHashMap<>();

    long ticket;

    /** Of the event at hand. */
    private List<Action> actions = new ArrayList<>();

    /**
     * A player at the start of a round.
     *
     * @param rules of the round, or null if unknown
     */
    public Player(long round, @Nullable AgreementRules rules, Timing timing) {
        this.timing = timing;
        this.round = round;
        this.deadline = filterTimeout(rules);
    }

    /** What a player that starts afresh has to do first. */
    public List<Action> start() {
        return List.of(new Assemble(round, 0), new Rezero(round));
    }

    public long round() {
        return round;
    }

    public long period() {
        return period;
    }

    public long step() {
        return step;
    }

    /** When a {@link Timeout} is due, in nanoseconds from the last {@link Rezero}. */
    public long deadline() {
        return deadline;
    }

    public DeadlineKind deadlineKind() {
        return deadlineKind;
    }

    /** Whether the next timeout casts the vote that this step is about. */
    public boolean isNapping() {
        return napping;
    }

    /** When a {@link FastTimeout} is due, in nanoseconds from the last {@link Rezero}. */
    public long fastDeadline() {
        return fastDeadline;
    }

    /**
     * Takes an event.
     *
     * @return what to do, in order
     * @throws SafetyLost if too many vote twice for agreement to mean anything
     */
    public List<Action> handle(Event event) {
        assert step >= Step.SOFT : "a player is never about to propose";
        assert !napping || step >= Step.NEXT : "only between attempts to leave is there a nap";
        collect();
        actions = new ArrayList<>();
        apply(event);
        return actions;
    }

    private void apply(Event event) {
        switch (event) {
            case VotePresent present -> onVotePresent(present);
            case VoteVerified verified -> onVoteVerified(verified);
            case PayloadPresent present -> onPayloadPresent(present);
            case PayloadVerified verified -> onPayloadVerified(verified);
            case BundlePresent present -> onBundlePresent(present);
            case BundleVerified verified -> onBundleVerified(verified);
            case Timeout timeout -> onTimeout(timeout);
            case FastTimeout timeout -> onFastTimeout(timeout);
            case RoundInterruption interruption -> {
                assert interruption.round() > round : "the ledger does not go back";
                enterRound(interruption.round(), interruption.rules());
            }
            case Checkpoint done ->
                    actions.add(
                            new ReleaseVotes(
                                    done.round(), done.period(), done.step(), done.fault()));
        }
    }

    private Freshness freshness() {
        return new Freshness(round, period, step, lastConcluding);
    }

    private RoundMachine machine(long ofRound) {
        return rounds.computeIfAbsent(ofRound, absent -> new RoundMachine());
    }

    private void ignore(Drop reason) {
        actions.add(new Ignore(reason));
    }

    // Votes.

    private void onVotePresent(VotePresent present) {
        RawVote raw = present.vote().raw();
        boolean isProposal = raw.step() == Step.PROPOSE;
        Drop drop =
                isProposal ? screenProposal(raw, present.rules()) : screen(raw, present.rules());
        PayloadPresent tail = present.tail();
        if (drop != null) {
            ignore(drop);
            if (tail != null) {
                apply(tail);
            }
            return;
        }
        long forTail = 0;
        if (isProposal) {
            forTail = ++ticket;
            if (tail != null && tails.size() < TAILS_MAX) {
                tails.put(forTail, tail);
            }
        }
        actions.add(new VerifyVote(present.vote(), forTail, present.source()));
    }

    private @Nullable Drop screen(RawVote raw, @Nullable AgreementRules rules) {
        if (rules == null) {
            return Drop.RULES_UNKNOWN;
        } else if (!freshness().isFresh(raw)) {
            return Drop.STALE;
        }
        PeriodMachine known = machine(raw.round()).existingPeriod(raw.period());
        VoteTracker tracker = known == null ? null : known.existingStep(raw.step());
        return tracker != null && tracker.isRepeated(raw) ? Drop.DUPLICATE : null;
    }

    private @Nullable Drop screenProposal(RawVote raw, @Nullable AgreementRules rules) {
        boolean isWanted = freshness().isFresh(raw) || isTracked(raw) && isDynamic(rules);
        if (!isWanted) {
            return Drop.STALE;
        }
        PeriodMachine known = machine(raw.round()).existingPeriod(raw.period());
        return known != null && known.proposals().hasVoted(raw.sender()) ? Drop.DUPLICATE : null;
    }

    /** Whether a proposal, too late to matter, still tells how long proposals take. */
    private boolean isTracked(RawVote raw) {
        return raw.period() == 0
                && raw.round() < round
                && raw.round() >= Math.max(0, round - timing.lagRounds());
    }

    private static boolean isDynamic(@Nullable AgreementRules rules) {
        return rules != null && rules.params().dynamicFilterTimeout();
    }

    private void onVoteVerified(VoteVerified verified) {
        if (verified.vote().raw().step() == Step.PROPOSE) {
            onProposalVerified(verified);
            PayloadPresent tail = tails.remove(verified.ticket());
            if (tail != null) {
                apply(tail);
            }
            return;
        }
        AgreementRules rules = verified.rules();
        switch (verified.outcome()) {
            case Outcome.Cancelled<VerifiedVote> cancelled -> ignore(Drop.CANCELLED);
            case Outcome.Invalid<VerifiedVote> invalid -> {
                if (rules == null) {
                    ignore(Drop.RULES_UNKNOWN);
                } else {
                    actions.add(new Disconnect(verified.source()));
                }
            }
            case Outcome.Valid<VerifiedVote>(var vote) -> {
                Drop drop = screen(vote.raw(), rules);
                if (drop != null || rules == null) {
                    ignore(drop == null ? Drop.RULES_UNKNOWN : drop);
                    return;
                }
                Threshold reached = machine(vote.raw().round()).count(vote, rules);
                actions.add(new Relay(new Message.OfVote(vote.vote()), verified.source()));
                if (reached != null && reached.round() == round) {
                    onThreshold(reached);
                }
            }
        }
    }

    private void onProposalVerified(VoteVerified verified) {
        switch (verified.outcome()) {
            case Outcome.Cancelled<VerifiedVote> cancelled -> ignore(Drop.CANCELLED);
            case Outcome.Invalid<VerifiedVote> invalid ->
                    actions.add(new Disconnect(verified.source()));
            case Outcome.Valid<VerifiedVote>(var vote) -> onProposal(vote, verified);
        }
    }

    private void onProposal(VerifiedVote vote, VoteVerified verified) {
        RawVote raw = vote.raw();
        boolean isFresh = freshness().isFresh(raw);
        if (!isFresh && !isTracked(raw)) {
            ignore(Drop.STALE);
            return;
        }
        RoundMachine machine = machine(raw.round());
        ProposalTracker tracker = machine.period(raw.period()).proposals();
        ProposalTracker.Answer answer = tracker.accept(vote, verified.validatedAt());
        if (!isFresh && answer == ProposalTracker.Answer.ACCEPTED) {
            answer = ProposalTracker.Answer.IMPROVED;
        }
        var relay = new Relay(new Message.OfVote(vote.vote()), verified.source());
        switch (answer) {
            case DUPLICATE -> ignore(Drop.DUPLICATE);
            case OUTBID -> ignore(Drop.OUTBID);
            case IMPROVED ->
                    actions.add(isDynamic(verified.rules()) ? relay : new Ignore(Drop.OUTBID));
            case ACCEPTED -> {
                Payload payload = machine.store().lead(vote, period);
                actions.add(
                        payload == null
                                ? relay
                                : new Broadcast(new Message.OfPayload(payload, vote.vote())));
            }
        }
    }

    // Bundles.

    private void onBundlePresent(BundlePresent present) {
        if (freshness().isFresh(present.bundle())) {
            actions.add(new VerifyBundle(present.bundle(), present.source()));
        } else {
            ignore(Drop.STALE);
        }
    }

    private void onBundleVerified(BundleVerified verified) {
        AgreementRules rules = verified.rules();
        switch (verified.outcome()) {
            case Outcome.Cancelled<List<VerifiedVote>> cancelled -> ignore(Drop.CANCELLED);
            case Outcome.Invalid<List<VerifiedVote>> invalid -> {
                if (rules == null) {
                    ignore(Drop.RULES_UNKNOWN);
                } else {
                    actions.add(new Disconnect(verified.source()));
                }
            }
            case Outcome.Valid<List<VerifiedVote>>(var votes) -> {
                if (rules == null) {
                    ignore(Drop.RULES_UNKNOWN);
                } else if (!freshness().isFresh(verified.bundle())) {
                    ignore(Drop.STALE);
                } else {
                    onBundle(votes, rules, verified.source());
                }
            }
        }
    }

    private void onBundle(List<VerifiedVote> votes, AgreementRules rules, Source source) {
        Threshold last = null;
        // All of them, so that nobody is left with one vote of a pair.
        for (VerifiedVote vote : votes) {
            Threshold reached = machine(round).count(vote, rules);
            last = reached == null ? last : reached;
        }
        if (last == null) {
            ignore(Drop.NOTHING_NEW);
            return;
        }
        actions.add(new Relay(new Message.OfBundle(last.bundle()), source));
        onThreshold(last);
    }

    // Payloads.

    private void onPayloadPresent(PayloadPresent present) {
        Payload payload = present.payload();
        boolean isNow = payload.round() == round;
        ProposalStore store = machine(isNow ? round : round + 1).store();
        Drop refused = store.refuse(payload);
        if (refused != null) {
            ignore(refused);
            return;
        }
        ProposalStore.Held held = store.pipeline(payload, period);
        if (isNow) {
            verify(held, present.source());
        }
        actions.add(
                new Relay(new Message.OfPayload(payload, held.authenticator()), present.source()));
    }

    private void verify(ProposalStore.Held held, Source source) {
        actions.add(new VerifyPayload(held.payload(), round, held.period(), held.pinned(), source));
    }

    private void onPayloadVerified(PayloadVerified verified) {
        switch (verified.outcome()) {
            case Outcome.Cancelled<Payload> cancelled -> ignore(Drop.CANCELLED);
            case Outcome.Invalid<Payload> invalid -> ignore(Drop.INVALID);
            case Outcome.Valid<Payload>(var payload) -> onPayload(payload, verified);
        }
    }

    private void onPayload(Payload payload, PayloadVerified verified) {
        RoundMachine machine = machine(round);
        ProposalStore.Held held = machine.store().bind(payload, period);
        if (held == null) {
            ignore(Drop.HELD);
            return;
        }
        if (verified.source().equals(Source.OWN)) {
            var message = new Message.OfPayload(payload, held.authenticator());
            actions.add(new Relay(message, Source.OWN));
        }
        Threshold freshest = machine.freshest();
        if (freshest != null && freshest.isCert() && freshest.value().equals(payload.value())) {
            conclude(payload, freshest.bundle(), verified.rules());
        } else if (machine.staged(period).equals(payload.value()) && step <= Step.CERT) {
            attestCert(payload.value());
        }
    }

    /** The round is done: the block and its certificate are here. */
    private void conclude(Payload payload, Bundle certificate, @Nullable AgreementRules rules) {
        actions.add(new Ensure(payload, certificate));
        recordArrival();
        enterRound(round + 1, rules);
    }

    private void recordArrival() {
        if (period != 0 || round <= timing.lagRounds()) {
            return;
        }
        RoundMachine then = rounds.get(round - timing.lagRounds());
        PeriodMachine first = then == null ? null : then.existingPeriod(0);
        if (first != null && first.proposals().hasArrival()) {
            arrivals.store(first.proposals().arrival());
        }
    }

    private void attestCert(ProposalValue value) {
        assert machine(round).committable(period) != null : "nothing to commit to";
        attest(Step.CERT, value);
    }

    private void attest(long ofStep, ProposalValue value) {
        actions.add(new Attest(round, period, ofStep, value));
    }

    // Quorums.

    private void onThreshold(Threshold reached) {
        assert reached.round() == round : "a quorum of another round waits for its round";
        assert reached.endsPeriod() || !reached.value().isBottom() : "nobody may vote so";
        if (reached.isCert()) {
            onCert(reached);
        } else if (reached.endsPeriod()) {
            if (reached.period() >= period) {
                enterPeriod(reached, reached.period() + 1);
            }
        } else if (reached.period() > period) {
            enterPeriod(reached, reached.period());
        } else if (reached.period() == period && deliver(reached) && step <= Step.CERT) {
            attestCert(reached.value());
        }
    }

    private void onCert(Threshold cert) {
        deliver(cert);
        Payload payload = machine(round).committable(cert.period());
        if (payload != null) {
            conclude(payload, cert.bundle(), cert.rules());
            return;
        }
        actions.add(new StageDigest(cert.bundle()));
        if (cert.period() > period) {
            enterPeriod(cert, cert.period());
        }
    }

    /**
     * Tells the round's proposals of a quorum.
     *
     * @return whether it makes a value committable
     */
    private boolean deliver(Threshold reached) {
        assert reached.isCert() || reached.period() >= period : "a quorum of a period that is over";
        RoundMachine machine = machine(round);
        long target = reached.endsPeriod() ? reached.period() + 1 : reached.period();
        if (target > period) {
            machine.store().newPeriod(target, reached.value(), machine.staged(period), period);
        }
        if (reached.endsPeriod()) {
            return false;
        }
        machine.period(reached.period()).proposals().stage(reached.value());
        machine.store().stage(reached.period(), reached.value(), period);
        return machine.committable(reached.period()) != null;
    }

    private void enterPeriod(Threshold source, long target) {
        assert target >= period : "periods do not go back";
        resynchronise();
        boolean isCommittable = deliver(source);
        begin(target);
        if (target != 0) {
            arrivals.clear();
        }
        deadline = filterTimeout(source.rules());
        actions.add(new Rezero(round));
        if (isCommittable) {
            attestCert(source.value());
        } else if (source.endsPeriod()) {
            actions.add(
                    source.value().isBottom()
                            ? new Assemble(round, period)
                            : new Repropose(round, period, source.value()));
        }
    }

    private void enterRound(long target, @Nullable AgreementRules rules) {
        ProposalStore.Held held = machine(target).store().newRound(period);
        round = target;
        begin(0);
        deadline = filterTimeout(rules);
        actions.add(new Rezero(round));
        actions.add(new Assemble(round, 0));
        if (held != null) {
            verify(held, Source.NEUTRAL);
        }
        Threshold known = machine(round).freshest();
        if (known != null) {
            onThreshold(known);
        }
    }

    private void begin(long target) {
        lastConcluding = step;
        period = target;
        step = Step.SOFT;
        napping = false;
        fastDeadline = 0;
        deadlineKind = DeadlineKind.FILTER;
    }

    private long filterTimeout(@Nullable AgreementRules rules) {
        if (rules == null) {
            return timing.fallbackDeadline();
        }
        long longest = rules.filterTimeout(period);
        return period == 0 && isDynamic(rules) ? arrivals.timeout(longest, timing) : longest;
    }

    // Timeouts.

    private void onTimeout(Timeout timeout) {
        AgreementRules rules = timeout.rules();
        long end = rules == null ? timing.fallbackDeadline() : rules.deadlineTimeout(period);
        if (step == Step.SOFT) {
            voteSoft();
            step = Step.CERT;
            deadline = end;
            deadlineKind = DeadlineKind.TIMEOUT;
        } else if (step == Step.CERT) {
            step = Step.NEXT;
            voteNext(end);
        } else if (napping) {
            voteNext(end);
        } else {
            step = Math.min(step + 1, Step.NEXT_LAST);
            long start = AgreementRules.windowStart(step, end, timing);
            long width = AgreementRules.windowEnd(step, end, timing) - start;
            deadline = start + Long.remainderUnsigned(timeout.entropy(), width);
            napping = true;
        }
    }

    private void voteSoft() {
        ProposalValue leader = machine(round).period(period).proposals().freeze();
        PeriodMachine before = previousPeriod();
        ProposalValue starting = before == null ? ProposalValue.BOTTOM : before.nextValue();
        boolean sawBottom = before != null && before.sawBottom();
        if (!sawBottom && !starting.isBottom()) {
            attest(Step.SOFT, starting);
        } else if (leader.isBottom()) {
            return;
        } else if (period == leader.originalPeriod() || leader.equals(starting)) {
            attest(Step.SOFT, leader);
        }
    }

    private @Nullable PeriodMachine previousPeriod() {
        return period == 0 ? null : machine(round).existingPeriod(period - 1);
    }

    /** The value to start the next period with, should this one fail; ⊥ if it is open. */
    private ProposalValue startingValue() {
        PeriodMachine before = previousPeriod();
        return before == null || before.sawBottom() ? ProposalValue.BOTTOM : before.nextValue();
    }

    private void voteNext(long end) {
        resynchronise();
        Payload committable = machine(round).committable(period);
        attest(step, committable == null ? startingValue() : committable.value());
        napping = false;
        deadline = AgreementRules.windowEnd(step, end, timing);
        deadlineKind = DeadlineKind.TIMEOUT;
    }

    private void onFastTimeout(FastTimeout timeout) {
        AgreementRules rules = timeout.rules();
        if (rules == null) {
            return;
        }
        long lambda = rules.params().fastRecoveryLambda();
        long start = (fastDeadline + lambda - 1) / lambda * lambda;
        long drawn = start + Long.remainderUnsigned(timeout.entropy(), lambda);
        if (fastDeadline == 0) {
            fastDeadline = drawn + lambda;
            return;
        }
        fastDeadline = drawn;
        voteFast();
    }

    private void voteFast() {
        resynchronise();
        PeriodMachine now = machine(round).period(period);
        for (long recovery = Step.LATE; recovery <= Step.DOWN; recovery++) {
            VoteTracker tracker = now.existingStep(recovery);
            if (tracker != null) {
                for (Vote vote : tracker.votes()) {
                    actions.add(new Broadcast(new Message.OfVote(vote)));
                }
            }
        }
        Payload committable = machine(round).committable(period);
        ProposalValue starting = startingValue();
        if (committable != null) {
            attest(Step.LATE, committable.value());
        } else if (!starting.isBottom()) {
            attest(Step.REDO, starting);
        } else {
            attest(Step.DOWN, ProposalValue.BOTTOM);
        }
    }

    /** If the network seems to be in pieces: tells everyone the freshest there is. */
    private void resynchronise() {
        if (step < PARTITION_STEP && period < PARTITION_PERIOD) {
            return;
        }
        RoundMachine machine = machine(round);
        Threshold freshest = machine.freshest();
        if (freshest != null) {
            actions.add(new Broadcast(new Message.OfBundle(freshest.bundle())));
        }
        long ofPeriod = period;
        if (freshest != null && !freshest.value().isBottom()) {
            ofPeriod = freshest.period();
        } else if (period != 0) {
            return;
        }
        Payload payload = machine.committable(ofPeriod);
        if (payload == null) {
            payload = machine.store().pinnedPayload();
        }
        if (payload != null) {
            actions.add(new Broadcast(new Message.OfPayload(payload, null)));
        }
    }

    // Who has just come.

    /** Votes that a peer is told at most. */
    static final int TOLD_MAX = 256;

    /**
     * What a peer that has just come may lack of the round, since it was said before: the freshest
     * quorum, the payload that leads, the votes of this period and of the one before. None of it is
     * new from us; to whom it is old it is a duplicate.
     */
    public List<Message> news() {
        RoundMachine machine = rounds.get(round);
        if (machine == null) {
            return List.of();
        }
        List<Message> news = new ArrayList<>();
        Threshold freshest = machine.freshest();
        if (freshest != null) {
            news.add(new Message.OfBundle(freshest.bundle()));
        }
        for (long of = Math.max(0, period - 1); of <= period; of++) {
            PeriodMachine known = machine.existingPeriod(of);
            if (known == null) {
                continue;
            }
            VerifiedVote leader = known.proposals().leader();
            if (leader != null) {
                Payload payload = machine.store().assembled(leader.raw().value());
                news.add(
                        payload == null
                                ? new Message.OfVote(leader.vote())
                                : new Message.OfPayload(payload, leader.vote()));
            }
            for (Vote vote : known.votes()) {
                if (news.size() < TOLD_MAX) {
                    news.add(new Message.OfVote(vote));
                }
            }
        }
        return news;
    }

    // Memory.

    private void collect() {
        rounds.headMap(round - timing.lagRounds()).clear();
        rounds.headMap(round).values().forEach(RoundMachine::retire);
        rounds.tailMap(round).values().forEach(machine -> machine.collect(period));
    }

    /**
     * The state, without what came before this round and what waits for a verification
     * (agreement.md 8.4).
     */
    public SavedState save() {
        var out = new StateWriter();
        out.number(round);
        out.number(period);
        out.number(step);
        out.number(lastConcluding);
        out.number(deadline);
        out.number(deadlineKind.ordinal());
        out.flag(napping);
        out.number(fastDeadline);
        arrivals.write(out);
        out.map(rounds.tailMap(round), RoundMachine::write);
        return out.toState();
    }

    /**
     * A player as it was saved.
     *
     * @param versions the rules of a version by its name, or null
     * @throws MalformedMessage if these are not the bytes of one
     */
    public static Player restore(
            byte[] state, Function<String, @Nullable AgreementRules> versions, Timing timing)
            throws MalformedMessage {
        var in = new StateReader(state, versions);
        var player = new Player(in.number(), null, timing);
        player.period = in.number();
        player.step = in.number();
        player.lastConcluding = in.number();
        player.deadline = in.number();
        long kind = in.number();
        player.deadlineKind = kind == 0 ? DeadlineKind.FILTER : DeadlineKind.TIMEOUT;
        player.napping = in.flag();
        player.fastDeadline = in.number();
        player.arrivals = ArrivalHistory.read(in);
        in.map(player.rounds, RoundMachine::read);
        in.requireEnd();
        if (player.step < Step.SOFT || player.napping && player.step < Step.NEXT || kind > 1) {
            throw in.malformed("no player is in step " + player.step);
        }
        return player;
    }

    /** What a restored player has to do again: verifications that were under way. */
    public List<Action> resume() {
        actions = new ArrayList<>();
        for (ProposalStore.Held held : machine(round).store().unverified(period)) {
            verify(held, Source.NEUTRAL);
        }
        return actions;
    }
}
