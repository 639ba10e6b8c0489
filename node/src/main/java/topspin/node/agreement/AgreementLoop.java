package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.Vote;
import topspin.node.agreement.Action.Attest;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Runs a {@link Player}: gives it events one by one and does what it asks for, in order
 * (agreement.md 8). Has no thread; whoever owns it calls, also when {@link #nextDeadline} has come.
 * What it starts elsewhere comes back by an {@code on…} method.
 *
 * <p>The crash rule: a vote leaves only after the state that would make it again is durable.
 *
 * <pre>
 *   Attest ─► votes made, held ─► Journal.write ─► onWritten ─► Checkpoint ─► ReleaseVotes ─► VoteVerified ─► peers
 * </pre>
 */
public final class AgreementLoop {
    /** Layout of the saved state. */
    private static final long FORMAT = 1;

    /** Attests whose state is being written; more are dropped, as votes can be. */
    private static final int HELD_MAX = 32;

    /** Votes that wait for their state to be durable. */
    private record Held(Attest attest, List<VerifiedVote> votes, long number) {}

    /** A block of our own and the vote that proposes it. */
    public record Proposal(VerifiedVote vote, Payload payload) {}

    /** Everything outside. */
    public record Ports(
            Clock clock,
            LongSupplier entropy,
            Chain chain,
            Outbox outbox,
            Verifications verifications,
            Voters voters,
            BlockSource blocks,
            Journal journal) {}

    private final Ports ports;
    private final Timing timing;
    private final Function<String, @Nullable AgreementRules> versions;
    private final Player player;

    private final Deque<Event> own = new ArrayDeque<>();
    private final Deque<Held> held = new ArrayDeque<>();
    private long writes;
    private boolean isRunning;

    /** What the saved state was about to vote. */
    private @Nullable Attest again;

    // The clock: when the period began, and period 0 of the latest rounds.
    private long zero;
    private final TreeMap<Long, Long> roundZeros = new TreeMap<>();
    private long spentDeadline = -1;
    private long spentFastDeadline = -1;

    /** How often what was dropped, by {@link Action.Drop#ordinal}. */
    private final AtomicLongArray drops = new AtomicLongArray(Action.Drop.values().length);

    private long filteredRound = -1;
    private long filteredAt;
    private final LongAdder certified = new LongAdder();
    private final LongAdder certifyNanos = new LongAdder();

    /**
     * A loop that goes on where the journal left off, or starts at the ledger's next round. Nothing
     * happens before {@link #start}.
     *
     * @param versions the rules of a version by its name, or null
     */
    public AgreementLoop(
            Ports ports, Timing timing, Function<String, @Nullable AgreementRules> versions) {
        this.ports = ports;
        this.timing = timing;
        this.versions = versions;
        this.zero = ports.clock.nanos();
        Restored restored = restore();
        long next = ports.chain.nextRound();
        if (restored != null && restored.player.round() >= next) {
            player = restored.player;
            zero -= ports.clock.wallNanos() - restored.wallZero;
            // What is attested again goes out only once it is durable again.
            again = new Attest(player.round(), player.period(), restored.step, restored.value);
        } else {
            player = new Player(next, ports.chain.rules(Lookback.paramsRound(next)), timing);
        }
    }

    private record Restored(Player player, long wallZero, long step, ProposalValue value) {}

    private @Nullable Restored restore() {
        byte[] state = ports.journal.load();
        if (state == null) {
            return null;
        }
        try {
            var in = new StateReader(state, versions);
            if (in.number() != FORMAT) {
                throw in.malformed("another format");
            }
            long wallZero = in.number();
            long step = in.number();
            ProposalValue value = in.value();
            byte[] saved = in.block();
            in.requireEnd();
            return new Restored(Player.restore(saved, versions, timing), wallZero, step, value);
        } catch (MalformedMessage unreadable) {
            return null;
        }
    }

    /** Starts, once. */
    public void start() {
        Attest attest = again;
        if (attest == null) {
            run(player.start());
        } else {
            roundZeros.put(player.round(), zero);
            perform(attest);
            run(player.resume());
        }
        drain();
    }

    public Player player() {
        return player;
    }

    /** Messages dropped so far, for a reason. Any thread. */
    public long drops(Action.Drop reason) {
        return drops.get(reason.ordinal());
    }

    /** Rounds whose certificate came after the filter timeout of period 0 here. Any thread. */
    public long certified() {
        return certified.sum();
    }

    /** Time from filter timeout to certificate, over all {@link #certified} rounds. Any thread. */
    public long certifyNanos() {
        return certifyNanos.sum();
    }

    // What comes in.

    /** A vote arrived. */
    public void onVote(Vote vote, Source source) {
        take(new Event.VotePresent(vote, source, null, rules(vote.raw().round())));
    }

    /** A proposed block arrived, perhaps with a vote for it. */
    public void onPayload(Payload payload, @Nullable Vote vote, Source source) {
        var present = new Event.PayloadPresent(payload, source, rules(payload.round()));
        take(
                vote == null
                        ? present
                        : new Event.VotePresent(vote, source, present, rules(vote.raw().round())));
    }

    /** A bundle arrived. */
    public void onBundle(Bundle bundle, Source source) {
        take(new Event.BundlePresent(bundle, source, rules(bundle.round())));
    }

    /** A vote was verified. */
    public void onVerified(Action.VerifyVote request, Outcome<VerifiedVote> outcome) {
        take(verified(request.vote(), outcome, request.ticket(), request.source()));
    }

    private Event verified(Vote vote, Outcome<VerifiedVote> outcome, long ticket, Source source) {
        long round = vote.raw().round();
        long validatedAt = vote.raw().step() == Step.PROPOSE ? sinceStart(round) : 0;
        return new Event.VoteVerified(vote, outcome, ticket, validatedAt, source, rules(round));
    }

    /** Nanoseconds since a round began here. */
    private long sinceStart(long round) {
        if (round > player.round()) {
            return 1;
        }
        Long start = round == player.round() ? (Long) zero : roundZeros.get(round);
        return start == null ? 0 : ports.clock.nanos() - start;
    }

    /** A payload was verified. */
    public void onVerified(Action.VerifyPayload request, Outcome<Payload> outcome) {
        Payload payload = request.payload();
        take(new Event.PayloadVerified(payload, outcome, request.source(), rules(payload.round())));
    }

    /** A bundle was verified. */
    public void onVerified(Action.VerifyBundle request, Outcome<List<VerifiedVote>> outcome) {
        Bundle bundle = request.bundle();
        take(new Event.BundleVerified(bundle, outcome, request.source(), rules(bundle.round())));
    }

    /** Blocks of our own are made. */
    public void onAssembled(List<Proposal> proposals) {
        for (Proposal proposal : proposals) {
            addOwn(proposal.vote(), true);
        }
        for (Proposal proposal : proposals) {
            Payload payload = proposal.payload();
            own.add(
                    new Event.PayloadVerified(
                            payload,
                            new Outcome.Valid<>(payload),
                            Source.OWN,
                            rules(payload.round())));
        }
        drain();
    }

    private void addOwn(VerifiedVote vote, boolean withBlock) {
        own.add(verified(vote.vote(), new Outcome.Valid<>(vote), 0, Source.OWN));
        ports.voters.sent(vote.vote().raw(), withBlock);
    }

    /** The ledger holds another round durably. */
    public void onRound() {
        long next = ports.chain.nextRound();
        if (next > player.round()) {
            take(new Event.RoundInterruption(next, rules(next)));
        }
    }

    /** A peer has come: it is told what it may have missed. */
    public void onPeer(Source peer) {
        for (Message message : player.news()) {
            ports.outbox.tell(message, peer);
        }
    }

    /**
     * A write of the journal ended.
     *
     * @param fault what stood in the way, or null
     */
    public void onWritten(long number, @Nullable String fault) {
        for (Held next : held) {
            if (next.number == number) {
                Attest attest = next.attest;
                take(new Event.Checkpoint(attest.round(), attest.period(), attest.step(), fault));
                return;
            }
        }
        throw new IllegalStateException("nobody asked for write " + number);
    }

    /** When {@link #onTime} has something to do next, as {@link Clock#nanos} tells it. */
    public long nextDeadline() {
        long deadline = player.deadline() == spentDeadline ? Long.MAX_VALUE : player.deadline();
        long fast =
                player.fastDeadline() == spentFastDeadline ? Long.MAX_VALUE : player.fastDeadline();
        long first = Math.min(deadline, fast);
        return first == Long.MAX_VALUE ? Long.MAX_VALUE : zero + first;
    }

    /** Does what is due. */
    public void onTime() {
        long elapsed = ports.clock.nanos() - zero;
        AgreementRules rules = rules(player.round());
        if (player.deadline() <= elapsed && player.deadline() != spentDeadline) {
            spentDeadline = player.deadline();
            if (player.period() == 0 && player.step() == Step.SOFT) {
                filteredRound = player.round();
                filteredAt = ports.clock.nanos();
            }
            take(new Event.Timeout(ports.entropy.getAsLong(), rules));
        } else if (player.fastDeadline() <= elapsed && player.fastDeadline() != spentFastDeadline) {
            spentFastDeadline = player.fastDeadline();
            take(new Event.FastTimeout(ports.entropy.getAsLong(), rules));
        }
    }

    private @Nullable AgreementRules rules(long round) {
        return ports.chain.rules(Lookback.paramsRound(round));
    }

    // What goes out.

    private void take(Event event) {
        own.addFirst(event);
        drain();
    }

    /** What we caused ourselves comes before all else. */
    private void drain() {
        if (isRunning) {
            return; // A port called back at once: its event waits for its turn.
        }
        isRunning = true;
        try {
            for (Event next = own.poll(); next != null; next = own.poll()) {
                run(player.handle(next));
            }
        } finally {
            isRunning = false;
        }
    }

    private void run(List<Action> actions) {
        for (Action action : actions) {
            perform(action);
        }
    }

    private void perform(Action action) {
        switch (action) {
            case Action.Ignore(var reason) -> drops.incrementAndGet(reason.ordinal());
            case Action.Disconnect(var source) -> {
                if (source.isPeer()) {
                    ports.outbox.disconnect(source);
                }
            }
            case Action.Relay(var message, var source) -> ports.outbox.relay(message, source);
            case Action.Broadcast(var message) -> ports.outbox.broadcast(message);
            case Action.VerifyVote request -> ports.verifications.verify(request);
            case Action.VerifyPayload request -> ports.verifications.verify(request);
            case Action.VerifyBundle request -> ports.verifications.verify(request);
            case Attest attest -> attest(attest);
            case Action.Assemble(var round, var period) -> ports.blocks.assemble(round, period);
            case Action.Repropose(var round, var period, var value) ->
                    ports.voters
                            .vote(round, period, Step.PROPOSE, value)
                            .forEach(vote -> addOwn(vote, false));
            case Action.Ensure(var payload, var certificate) -> {
                if (certificate.round() == filteredRound) {
                    filteredRound = -1;
                    certified.increment();
                    certifyNanos.add(ports.clock.nanos() - filteredAt);
                }
                ports.chain.ensure(payload, certificate);
            }
            case Action.StageDigest(var certificate) -> ports.chain.fetch(certificate);
            case Action.Rezero(var round) -> rezero(round);
            case Action.ReleaseVotes release -> release(release.fault());
        }
    }

    private void attest(Attest attest) {
        if (!ports.voters.hasKeys(attest.round())) {
            return;
        }
        if (held.size() >= HELD_MAX) {
            drops.incrementAndGet(Action.Drop.UNWRITTEN.ordinal());
            return;
        }
        List<VerifiedVote> votes =
                ports.voters.vote(attest.round(), attest.period(), attest.step(), attest.value());
        held.add(new Held(attest, votes, ++writes));
        ports.journal.write(attest.round(), save(attest), writes);
    }

    private SavedState save(Attest attest) {
        var out = new StateWriter();
        out.number(FORMAT);
        out.number(ports.clock.wallNanos() - (ports.clock.nanos() - zero));
        out.number(attest.step());
        out.value(attest.value());
        out.block(player.save());
        return out.toState();
    }

    private void release(@Nullable String fault) {
        Held first = held.remove();
        if (fault == null) {
            first.votes.forEach(vote -> addOwn(vote, false));
        }
    }

    private void rezero(long round) {
        zero = ports.clock.nanos();
        roundZeros.putIfAbsent(round, zero);
        roundZeros.headMap(round - timing.lagRounds()).clear();
        spentDeadline = -1;
        spentFastDeadline = -1;
    }
}
