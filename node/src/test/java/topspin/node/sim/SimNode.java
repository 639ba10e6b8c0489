package topspin.node.sim;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;
import topspin.codec.vote.Vote;
import topspin.node.agreement.Action;
import topspin.node.agreement.AgreementLoop;
import topspin.node.agreement.AgreementRules;
import topspin.node.agreement.BlockSource;
import topspin.node.agreement.Chain;
import topspin.node.agreement.Clock;
import topspin.node.agreement.Journal;
import topspin.node.agreement.Message;
import topspin.node.agreement.Outbox;
import topspin.node.agreement.Outcome;
import topspin.node.agreement.Payload;
import topspin.node.agreement.SavedState;
import topspin.node.agreement.Source;
import topspin.node.agreement.Step;
import topspin.node.agreement.Timing;
import topspin.node.agreement.Verifications;
import topspin.node.agreement.VerifiedVote;
import topspin.node.agreement.Voters;
import topspin.node.sim.Faults.Adversary;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One node: a real loop, and all its surroundings simulated. What it holds durably outlives a
 * crash.
 */
final class SimNode implements Chain, Outbox, Verifications, Voters, BlockSource, Journal, Clock {
    /** A block as the ledger holds it. */
    record Stored(Payload payload, Bundle certificate) {}

    private record Write(long round, byte[] state, long number, Attested attested) {}

    /** A vote that this node made. */
    record Attested(long round, long period, long step, ProposalValue value) {}

    private static final long MILLI = 1_000_000L;
    private static final ProposalValue NOTHING = ProposalValue.BOTTOM;

    final int number;
    private final Simulation sim;
    private final Substance substance;
    private final Address account;
    private final Adversary adversary;
    private final long skewPerMille;

    // On disk.
    private byte @Nullable [] journal;
    private final Set<Attested> durable = new HashSet<>();
    private final List<Stored> blocks = new ArrayList<>();

    // Gone with a crash.
    private @Nullable AgreementLoop loop;
    private int life;
    private long wallOffset;
    private long wakeAt = Long.MAX_VALUE;
    private final Deque<Write> writes = new ArrayDeque<>();
    private final Map<Long, Stored> beingAdded = new HashMap<>();
    private @Nullable Attested latest;
    private boolean isFetching;

    SimNode(
            Simulation sim,
            int number,
            Substance substance,
            Adversary adversary,
            long skewPerMille) {
        this.sim = sim;
        this.number = number;
        this.substance = substance;
        this.account = sim.account(number);
        this.adversary = adversary;
        this.skewPerMille = skewPerMille;
    }

    Substance substance() {
        return substance;
    }

    boolean isHonest() {
        return adversary == Adversary.NONE;
    }

    boolean isUp() {
        return loop != null;
    }

    /** The latest durable round. */
    long height() {
        return blocks.size();
    }

    Stored block(long round) {
        return blocks.get((int) round - 1);
    }

    // Life.

    void start() {
        life++;
        wakeAt = Long.MAX_VALUE;
        wallOffset = sim.chance(3) ? sim.random(4_000) * MILLI : 0;
        loop =
                new AgreementLoop(
                        new AgreementLoop.Ports(
                                this, sim::entropy, this, this, this, this, this, this),
                        Timing.DEFAULT,
                        substance::rules);
        withLoop(AgreementLoop::start);
        sim.met(this);
        soon(sim.random(500), this::catchUp);
    }

    /**
     * Goes down at once. Writes under way are lost, or came through, or were torn and are
     * discarded.
     */
    void crash() {
        loop = null;
        life++;
        substance.crash();
        while (!writes.isEmpty() && sim.chance(3)) {
            Write write = writes.remove();
            if (write.round <= nextRound()) {
                store(write);
            }
        }
        writes.clear();
        beingAdded.clear();
        latest = null;
        isFetching = false;
    }

    private interface Use {
        void with(AgreementLoop loop);
    }

    private void withLoop(Use use) {
        AgreementLoop running = loop;
        if (running == null) {
            return;
        }
        long round = running.player().round();
        long period = running.player().period();
        use.with(running);
        if (isHonest()) {
            sim.checks().moved(this, round, period, running.player());
        }
        sim.trace(number, running.player());
        arm();
    }

    /** Does something later, unless the node has gone down by then. */
    private void soon(long millis, Runnable what) {
        int current = life;
        sim.after(
                millis * MILLI,
                () -> {
                    if (current == life && loop != null) {
                        what.run();
                    }
                });
    }

    private void arm() {
        AgreementLoop running = loop;
        long deadline = running == null ? Long.MAX_VALUE : running.nextDeadline();
        if (deadline == Long.MAX_VALUE) {
            return;
        }
        long at = Math.max(sim.now(), unskewed(deadline));
        if (at >= wakeAt) {
            return;
        }
        wakeAt = at;
        int current = life;
        sim.at(
                at,
                () -> {
                    if (current == life && at == wakeAt) {
                        wakeAt = Long.MAX_VALUE;
                        withLoop(AgreementLoop::onTime);
                        arm();
                    }
                });
    }

    private long unskewed(long local) {
        return Math.ceilDiv(local * 1000, 1000 + skewPerMille);
    }

    @Override
    public long nanos() {
        return sim.now() / 1000 * (1000 + skewPerMille)
                + sim.now() % 1000 * (1000 + skewPerMille) / 1000;
    }

    @Override
    public long wallNanos() {
        return sim.now() + wallOffset + 1_000_000 * 1000 * MILLI;
    }

    // Messages in.

    void receive(Message message, int from) {
        var source = new Source(from + 1);
        switch (message) {
            case Message.OfVote(var vote) -> withLoop(l -> l.onVote(vote, source));
            case Message.OfPayload(var payload, var vote) ->
                    withLoop(l -> l.onPayload(payload, vote, source));
            case Message.OfBundle(var bundle) -> withLoop(l -> l.onBundle(bundle, source));
        }
    }

    // Messages out.

    @Override
    public void relay(Message message, Source source) {
        if (!source.equals(Source.OWN)) {
            if (sim.faults().relaysForeign()) {
                sim.tellAll(this, message, (int) source.peer() - 1);
            }
            return;
        }
        if (isHonest()) {
            leaves(message);
            sim.tellAll(this, message, number);
        } else {
            tellCunningly(message);
        }
    }

    @Override
    public void broadcast(Message message) {
        if (isHonest()) {
            leaves(message);
        }
        sim.tellAll(this, message, number);
    }

    @Override
    public void tell(Message message, Source peer) {
        if (isHonest()) {
            leaves(message);
        }
        sim.tell(this, message, (int) peer.peer() - 1);
    }

    /** Another node is back: as if it had connected again. */
    void meets(SimNode other) {
        if (isUp()) {
            withLoop(agreement -> agreement.onPeer(new Source(other.number + 1)));
        }
    }

    private void leaves(Message message) {
        if (message instanceof Message.OfVote(var vote)
                && vote.raw().sender().equals(account)
                && vote.raw().step() != Step.PROPOSE) {
            RawVote raw = vote.raw();
            var attested = new Attested(raw.round(), raw.period(), raw.step(), raw.value());
            if (!durable.contains(attested)) {
                throw new Violation(number + " sent before it was durable: " + raw);
            }
            long weight =
                    verify(vote) instanceof Outcome.Valid<VerifiedVote>(var valid)
                            ? valid.weight()
                            : 0;
            if (weight == 0) {
                throw new Violation(number + " sent a vote that does not hold: " + raw);
            }
            sim.checks().voteLeft(this, vote, weight);
        }
    }

    @Override
    public void disconnect(Source source) {
        if (isHonest() && sim.node((int) source.peer() - 1).isHonest()) {
            throw new Violation(number + " took what the honest " + source + " sent as a fault");
        }
    }

    private void tellCunningly(Message message) {
        if (message instanceof Message.OfVote(var vote)) {
            Vote other = otherVote(vote.raw());
            if (other != null) {
                sim.tellHalf(this, message, new Message.OfVote(other));
                return;
            }
        } else if (message instanceof Message.OfPayload(var payload, var vote)
                && adversary == Adversary.DOUBLE_PROPOSER) {
            long period = payload.value().originalPeriod();
            Payload other = payload(payload.round(), period);
            Vote pv = proposal(payload.round(), period, other.value());
            sim.tellHalf(this, message, new Message.OfPayload(other, pv));
            return;
        }
        sim.tellAll(this, message, number);
    }

    private @Nullable Vote otherVote(RawVote raw) {
        if (adversary != Adversary.DOUBLE_VOTER || raw.step() == Step.PROPOSE) {
            return null;
        }
        ProposalValue other =
                raw.step() >= Step.NEXT && !raw.value().isBottom() && sim.chance(2)
                        ? ProposalValue.BOTTOM
                        : sim.anotherValue(raw.round(), raw.value());
        return other == null
                ? null
                : sim.crypto()
                        .sign(new RawVote(account, raw.round(), raw.period(), raw.step(), other));
    }

    // Verification.

    private Outcome<VerifiedVote> verify(Vote vote) {
        return substance.verify(vote);
    }

    /** By what this node knows. */
    Outcome<List<VerifiedVote>> verify(Bundle bundle) {
        return substance.verify(bundle);
    }

    private long verifyMillis() {
        return sim.now() < sim.faults().healAt() && sim.random(100) < sim.faults().slowPercent()
                ? sim.random(4_000)
                : 1 + sim.random(5);
    }

    @Override
    public void verify(Action.VerifyVote request) {
        soon(
                verifyMillis(),
                () -> {
                    Outcome<VerifiedVote> outcome = substance.verify(request.vote());
                    withLoop(l -> l.onVerified(request, outcome));
                });
    }

    @Override
    public void verify(Action.VerifyPayload request) {
        soon(verifyMillis() + sim.random(20), () -> judge(request));
    }

    private void judge(Action.VerifyPayload request) {
        if (request.round() > nextRound() && isBeingAdded(request.round() - 1)) {
            soon(3, () -> judge(request)); // On top of the block before it, which is on its way.
            return;
        }
        Outcome<Payload> outcome = substance.verify(request.payload(), request.round());
        withLoop(l -> l.onVerified(request, outcome));
    }

    private boolean isBeingAdded(long round) {
        return beingAdded.containsKey(round);
    }

    @Override
    public void verify(Action.VerifyBundle request) {
        soon(
                verifyMillis(),
                () -> {
                    Outcome<List<VerifiedVote>> outcome = substance.verify(request.bundle());
                    withLoop(l -> l.onVerified(request, outcome));
                });
    }

    // Votes and blocks of our own.

    @Override
    public boolean hasKeys(long round) {
        return true;
    }

    @Override
    public void sent(RawVote vote, boolean withBlock) {
        // What these keys were used for is asked of whole nodes.
    }

    @Override
    public List<VerifiedVote> vote(long round, long period, long step, ProposalValue value) {
        if (step == Step.PROPOSE && !isHonest() && proposesBadly(round, period, value)) {
            return List.of();
        }
        if (step != Step.PROPOSE) {
            latest = new Attested(round, period, step, value);
        }
        return substance.vote(round, period, step, value);
    }

    /** Proposes something else than it should, and says whether it has. */
    private boolean proposesBadly(long round, long period, ProposalValue value) {
        if (period == 0) {
            return false;
        }
        if (adversary == Adversary.FRESH_PROPOSER) {
            Payload payload = payload(round, period);
            Vote vote = proposal(round, period, payload.value());
            sim.tellAll(this, new Message.OfPayload(payload, vote), number);
            return true;
        }
        ProposalValue stale = sim.anotherValue(round, value);
        if (adversary == Adversary.STALE_PROPOSER
                && stale != null
                && stale.originalPeriod() < period) {
            sim.tellAll(this, new Message.OfVote(proposal(round, period, stale)), number);
            return true;
        }
        return false;
    }

    private Vote proposal(long round, long period, ProposalValue value) {
        return sim.crypto().sign(new RawVote(account, round, period, Step.PROPOSE, value));
    }

    private Payload payload(long round, long period) {
        var value = sim.newValue(round, period, account);
        return new Payload(round, value, Bytes.EMPTY);
    }

    @Override
    public void assemble(long round, long period) {
        soon(
                20 + sim.random(200),
                () -> {
                    if (nextRound() > round) {
                        return;
                    }
                    List<AgreementLoop.Proposal> proposals =
                            isHonest() || period == 0 || !proposesBadly(round, period, NOTHING)
                                    ? substance.propose(round, period)
                                    : List.of();
                    withLoop(l -> l.onAssembled(proposals));
                });
    }

    // Disk.

    @Override
    public byte @Nullable [] load() {
        return journal;
    }

    @Override
    public void write(long round, SavedState state, long writeNumber) {
        writes.add(new Write(round, state.toByteArray(), writeNumber, requireNonNull(latest)));
        if (writes.size() == 1) {
            soon(1 + sim.random(8), this::writeNext);
        }
    }

    private void writeNext() {
        Write write = writes.peek();
        if (write == null) {
            return;
        }
        if (write.round > nextRound()) {
            soon(2, this::writeNext); // Not before the round before is durable.
            return;
        }
        writes.remove();
        store(write);
        withLoop(l -> l.onWritten(write.number, null));
        if (!writes.isEmpty()) {
            soon(1 + sim.random(8), this::writeNext);
        }
    }

    private void store(Write write) {
        journal = write.state;
        durable.add(write.attested);
    }

    // Ledger.

    @Override
    public long nextRound() {
        return height() + 1;
    }

    @Override
    public @Nullable AgreementRules rules(long round) {
        return substance.rules(round);
    }

    @Override
    public void ensure(Payload payload, Bundle certificate) {
        if (payload.round() >= nextRound()) {
            sim.checks().certified(this, payload, certificate);
            beingAdded.putIfAbsent(payload.round(), new Stored(payload, certificate));
            soon(2 + sim.random(15), this::addNext);
        }
    }

    private void addNext() {
        Stored next = beingAdded.remove(nextRound());
        if (next != null) {
            substance.add(next.payload, next.certificate);
            blocks.add(next);
            withLoop(AgreementLoop::onRound);
            addNext();
        }
    }

    @Override
    public void fetch(Bundle certificate) {
        if (!isFetching) {
            isFetching = true;
            fetchLater(certificate);
        }
    }

    private void fetchLater(Bundle certificate) {
        soon(
                200 + sim.random(800),
                () -> {
                    isFetching = false;
                    long round = certificate.round();
                    if (round < nextRound() || beingAdded.containsKey(round)) {
                        return;
                    }
                    SimNode peer = sim.reachablePeer(this);
                    if (peer != null
                            && peer.height() >= round
                            && peer.block(round).payload.value().equals(certificate.value())) {
                        ensure(peer.block(round).payload, certificate);
                    }
                    if (round >= nextRound()) {
                        fetch(certificate);
                    }
                });
    }

    /** Asks a peer for what is missing, again and again. */
    private void catchUp() {
        SimNode peer = sim.reachablePeer(this);
        if (peer != null && peer.height() > height()) {
            Stored next = peer.block(nextRound());
            ensure(next.payload, next.certificate);
            soon(30, this::catchUp);
        } else {
            soon(4_000 + sim.random(2_000), this::catchUp);
        }
    }
}
