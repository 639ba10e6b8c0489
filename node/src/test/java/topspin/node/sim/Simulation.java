package topspin.node.sim;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.Vote;
import topspin.ledger.LedgerView;
import topspin.ledger.TestNetwork;
import topspin.node.RealSubstance;
import topspin.node.agreement.AgreementRules;
import topspin.node.agreement.Message;
import topspin.node.agreement.Player;
import topspin.node.agreement.Step;
import topspin.node.agreement.Timing;
import topspin.node.sim.Faults.Adversary;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;

/** A run of a network that a seed draws. */
public final class Simulation {
    private static final long SECOND = Faults.SECOND;
    static final ConsensusVersions VERSIONS = versions();

    /** When the network began, in seconds since 1970. */
    private static final long GENESIS = 1_700_000_000;

    /** Messages that may come again. */
    private static final int REMEMBERED = 200;

    /** What came of a run. */
    record Report(long height, long recoveryNanos, long traceHash, long events) {}

    private record Due(long at, long number, Runnable what) implements Comparable<Due> {
        @Override
        public int compareTo(Due that) {
            return at != that.at ? Long.compare(at, that.at) : Long.compare(number, that.number);
        }
    }

    private record Old(Message message, int from) {}

    /** A stretch of time in which something does not get through. */
    private record Trouble(long from, long until, int[] side, Kind kind, int victim) {}

    private enum Kind {
        PARTITION,
        NO_CERT,
        NO_SOFT,
        NO_NEXT,
        NO_PAYLOAD,
        STARVE,
        POCKET
    }

    private final Faults faults;
    private final AgreementRules rules;
    private final StubCrypto crypto;
    private final Checks checks = new Checks(this);
    private final Random random;
    private final RealSubstance.@Nullable Network network;
    private final Journey journey;
    private final Deque<Long> struck;
    private final List<SimNode> nodes = new ArrayList<>();
    private final PriorityQueue<Due> queue = new PriorityQueue<>();
    private final List<Trouble> troubles = new ArrayList<>();
    private final Map<Long, List<ProposalValue>> values = new HashMap<>();
    private final List<Old> remembered = new ArrayList<>();
    private long now;
    private long scheduled;
    private long proposals;
    private long traceHash;
    private long events;

    /**
     * How far a run goes.
     *
     * @param rounds that all nodes reach at least
     * @param struck when the first node has come to one of these, ascending, another goes down and
     *     the network falls apart, both for seconds
     */
    record Journey(long rounds, List<Long> struck) {
        /** As far as the faults last. */
        static final Journey SHORT = new Journey(0, List.of());
    }

    /**
     * @param network the real keys of a network whose blocks and ledgers are real, its nodes all
     *     keeping to the protocol; or null for stubs
     */
    private Simulation(Faults faults, RealSubstance.@Nullable Network network, Journey journey) {
        this.network = network;
        this.journey = journey;
        this.struck = new ArrayDeque<>(journey.struck);
        this.faults = faults;
        this.random = new Random(faults.seed() ^ 0x5eed);
        ConsensusParams params = requireNonNull(VERSIONS.get(faults.version()));
        this.rules = new AgreementRules(faults.version(), params, Timing.DEFAULT);
        this.crypto = new StubCrypto(faults, rules);
        for (int number = 0; number < faults.nodes(); number++) {
            boolean isBad = number == faults.nodes() - 1;
            int skew =
                    faults.skewPerMille() == 0
                            ? 0
                            : random.nextInt(faults.skewPerMille()) - faults.skewPerMille() / 2;
            Substance substance =
                    network == null
                            ? new StubSubstance(this, StubCrypto.account(number))
                            : new RealSubstance(number, network, () -> GENESIS + now / SECOND);
            nodes.add(
                    new SimNode(
                            this,
                            number,
                            substance,
                            isBad ? faults.adversary() : Adversary.NONE,
                            skew));
        }
        drawTroubles();
    }

    private static ConsensusVersions versions() {
        Path file = Path.of(System.getProperty("topspin.root", ".."), "config/consensus.json");
        try {
            return ConsensusVersions.builtIn().with(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void drawTroubles() {
        for (int i = 0; i < faults.partitions(); i++) {
            troubles.add(trouble(Kind.PARTITION));
        }
        Kind[] withheld = {Kind.NO_CERT, Kind.NO_SOFT, Kind.NO_NEXT, Kind.NO_PAYLOAD};
        for (int i = 0; i < faults.filters(); i++) {
            troubles.add(trouble(withheld[random.nextInt(withheld.length)]));
        }
        for (int i = 0; i < faults.pockets(); i++) {
            troubles.add(trouble(Kind.POCKET));
        }
        for (int i = 0; i < faults.starvations(); i++) {
            troubles.add(trouble(Kind.STARVE));
        }
    }

    private Trouble trouble(Kind kind) {
        long from = (long) (random.nextDouble() * faults.healAt());
        long until = Math.min(faults.healAt(), from + (1 + random.nextInt(30)) * SECOND);
        return trouble(kind, from, until);
    }

    private Trouble trouble(Kind kind, long from, long until) {
        int[] side = new int[faults.nodes()];
        for (int i = 0; i < side.length; i++) {
            side[i] = random.nextInt(2);
        }
        return new Trouble(from, until, side, kind, random.nextInt(faults.nodes()));
    }

    /**
     * Runs a seed.
     *
     * @return null, or what went wrong
     */
    public static @Nullable String fault(long seed) {
        try {
            run(Faults.drawnFrom(seed));
            return null;
        } catch (IllegalStateException | AssertionError broken) {
            return broken + " in " + Faults.drawnFrom(seed);
        }
    }

    /** Real nodes of the profile that the faults name. */
    static Report runReal(Faults faults) {
        var network =
                new RealSubstance.Network(
                        faults.nodes(), VERSIONS, faults.version(), faults.seed());
        return runReal(faults, network, Journey.SHORT).report;
    }

    /** A run of real nodes, and their chain. */
    record Travelled(Report report, LedgerView view) {}

    static Travelled runReal(Faults faults, RealSubstance.Network network, Journey journey) {
        var simulation = new Simulation(faults, network, journey);
        Report report = simulation.run();
        var first = (RealSubstance) simulation.nodes.getFirst().substance();
        return new Travelled(report, first.view());
    }

    static Report run(Faults faults) {
        return new Simulation(faults, null, Journey.SHORT).run();
    }

    private Report run() {
        for (SimNode node : nodes) {
            after(faults.isCalm() ? 0 : random(300) * 1_000_000, node::start);
        }
        for (int i = 0; i < faults.crashes(); i++) {
            SimNode victim = nodes.get(random.nextInt(nodes.size()));
            long at = (long) (random.nextDouble() * (faults.healAt() - 2 * SECOND));
            long down = Math.min(faults.healAt() - at, (1 + random.nextInt(15)) * SECOND / 2);
            at(at, () -> crash(victim, down));
        }
        long limit =
                faults.healAt()
                        + (1 + journey.struck.size()) * boundAfterHealing()
                        + 5 * SECOND * journey.rounds;
        boolean isHealed = false;
        long goal = Long.MAX_VALUE;
        while (true) {
            Due due = requireNonNull(queue.poll(), "nothing will ever happen again");
            now = due.at;
            events++;
            if (!isHealed && now >= faults.healAt()) {
                isHealed = true;
                goal = Math.max(maxHeight() + 2, journey.rounds);
            }
            due.what.run();
            if (!struck.isEmpty() && maxHeight() >= struck.getFirst()) {
                struck.removeFirst();
                strike();
            }
            if (isHealed && minHonestHeight() >= goal) {
                break;
            }
            if (now > limit) {
                throw new Violation(
                        "no progress: at " + minHonestHeight() + ", should be at " + goal);
            }
        }
        if (faults.isCalm() && journey.struck.isEmpty()) {
            checkCalm();
        }
        return new Report(minHonestHeight(), now - faults.healAt(), traceHash, events);
    }

    private void strike() {
        troubles.add(trouble(Kind.PARTITION, now, now + (1 + random.nextInt(5)) * SECOND));
        SimNode victim = nodes.get(random.nextInt(nodes.size()));
        after(random(SECOND), () -> crash(victim, (1 + random.nextInt(5)) * SECOND));
    }

    private void crash(SimNode node, long down) {
        if (node.isUp()) {
            node.crash();
            after(down, node::start);
        }
    }

    /**
     * Fast recovery, the windows of next votes that may have been reached, and something to spare.
     */
    private long boundAfterHealing() {
        return 4 * rules.params().fastRecoveryLambda() + 200 * SECOND;
    }

    /** One round for each filter timeout and two hops, all in period 0. */
    private void checkCalm() {
        long perRound = rules.filterTimeout(0) + 2 * faults.delayMax() + SECOND / 5;
        long height = minHonestHeight();
        if (height < (now - SECOND) / perRound) {
            throw new Violation("only " + height + " rounds in " + now + " ns without a fault");
        }
        for (long round = 1; round <= height; round++) {
            Bundle certificate = nodes.getFirst().block(round).certificate();
            if (certificate.period() != 0) {
                throw new Violation("without a fault round " + round + " took a period more");
            }
        }
    }

    private long maxHeight() {
        return nodes.stream().mapToLong(SimNode::height).max().orElseThrow();
    }

    long minHonestHeight() {
        long min = Long.MAX_VALUE;
        for (SimNode node : nodes) {
            if (node.isHonest()) {
                min = Math.min(min, node.height());
            }
        }
        return min;
    }

    // For nodes.

    Faults faults() {
        return faults;
    }

    AgreementRules rules() {
        return rules;
    }

    /**
     * Those that votes of a round are counted by, the block's two rounds before it (agreement.md
     * 1.2), which at least one node has.
     */
    AgreementRules rules(long round) {
        return nodes.stream()
                .map(node -> node.substance().rules(Math.max(0, round - 2)))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
    }

    StubCrypto crypto() {
        return crypto;
    }

    Checks checks() {
        return checks;
    }

    /** Accounts of nodes that do not keep to the protocol. */
    List<Address> badAccounts() {
        return faults.adversary() == Adversary.NONE
                ? List.of()
                : List.of(StubCrypto.account(faults.nodes() - 1));
    }

    Address account(int number) {
        return network != null ? TestNetwork.address(number) : StubCrypto.account(number);
    }

    SimNode node(int number) {
        return nodes.get(number);
    }

    long now() {
        return now;
    }

    long random(long bound) {
        return random.nextLong(bound);
    }

    boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    long entropy() {
        return random.nextLong();
    }

    void at(long time, Runnable what) {
        queue.add(new Due(Math.max(time, now), scheduled++, what));
    }

    void after(long nanos, Runnable what) {
        at(now + nanos, what);
    }

    /** Where a node stands after something happened to it. */
    void trace(int number, Player player) {
        traceHash = StubCrypto.mix(traceHash, now);
        traceHash = StubCrypto.mix(traceHash, number);
        traceHash = StubCrypto.mix(traceHash, player.round() << 20 | player.period() << 10);
        traceHash = StubCrypto.mix(traceHash, player.step() ^ player.deadline());
    }

    ProposalValue newValue(long round, long period, Address proposer) {
        var digest = StubCrypto.digest(StubCrypto.mix(faults.seed(), ++proposals) >>> 1 | 1);
        var value = new ProposalValue(period, proposer, digest, digest);
        values.computeIfAbsent(round, absent -> new ArrayList<>()).add(value);
        return value;
    }

    /** Another value that was proposed in the round, or null. */
    @Nullable ProposalValue anotherValue(long round, ProposalValue not) {
        List<ProposalValue> known = new ArrayList<>(values.getOrDefault(round, List.of()));
        known.remove(not);
        return known.isEmpty() ? null : known.get(random.nextInt(known.size()));
    }

    /** Some other node that is up and can be reached both ways, or null. */
    @Nullable SimNode reachablePeer(SimNode node) {
        SimNode peer = nodes.get(random.nextInt(nodes.size()));
        boolean isReachable =
                peer != node
                        && peer.isUp()
                        && !isCutOff(peer.number)
                        && !isCutOff(node.number)
                        && !isParted(node.number, peer.number);
        return isReachable ? peer : null;
    }

    // The network.

    void tellAll(SimNode from, Message message, int except) {
        for (SimNode to : nodes) {
            if (to != from && to.number != except) {
                send(from, to, message);
            }
        }
        remember(from, message);
    }

    /** Tells one. */
    void tell(SimNode from, Message message, int to) {
        send(from, nodes.get(to), message);
    }

    /**
     * A node has started: it and those that are up connect, and tell each other where they are.
     * With odd seeds they do not, as nodes of other makers.
     */
    void met(SimNode started) {
        if (faults.seed() % 2 != 0) {
            return;
        }
        for (SimNode other : nodes) {
            if (other != started && other.isUp() && started.isUp()) {
                other.meets(started);
                started.meets(other);
            }
        }
    }

    /** Tells some this and the others that, and later some of each the other as well. */
    void tellHalf(SimNode from, Message one, Message other) {
        for (SimNode to : nodes) {
            if (to != from) {
                boolean isFirst = random.nextBoolean();
                send(from, to, isFirst ? one : other);
                if (chance(3)) {
                    send(from, to, isFirst ? other : one);
                }
            }
        }
    }

    private void remember(SimNode from, Message message) {
        if (faults.floodPercent() == 0) {
            return;
        }
        if (remembered.size() < REMEMBERED) {
            remembered.add(new Old(message, from.number));
        } else {
            remembered.set(random.nextInt(REMEMBERED), new Old(message, from.number));
        }
        if (now < faults.healAt() && random.nextInt(100) < faults.floodPercent()) {
            Old old = remembered.get(random.nextInt(remembered.size()));
            SimNode to = nodes.get(random.nextInt(nodes.size()));
            if (to.number != old.from) {
                send(nodes.get(old.from), to, old.message);
            }
        }
    }

    private void send(SimNode from, SimNode to, Message message) {
        boolean isTroubled = now < faults.healAt();
        if (isTroubled && random.nextInt(100) < faults.lossPercent()
                || isStopped(from.number, to.number, message)) {
            return;
        }
        deliver(from, to, message, delay(isTroubled));
        if (isTroubled && random.nextInt(100) < faults.duplicatePercent()) {
            deliver(from, to, message, delay(true));
        }
    }

    private long delay(boolean isTroubled) {
        long longest = isTroubled ? faults.delayMax() : SECOND / 20;
        return 1_000_000 + random.nextLong(longest);
    }

    private void deliver(SimNode from, SimNode to, Message message, long delay) {
        after(delay, () -> to.receive(message, from.number));
    }

    private boolean isStopped(int from, int to, Message message) {
        for (Trouble trouble : troubles) {
            if (now >= trouble.from && now < trouble.until && stops(trouble, from, to, message)) {
                return true;
            }
        }
        return false;
    }

    private static boolean stops(Trouble trouble, int from, int to, Message message) {
        Vote vote = message instanceof Message.OfVote(var sent) ? sent : null;
        long step = vote == null ? -1 : vote.raw().step();
        return switch (trouble.kind) {
            case PARTITION -> trouble.side[from] != trouble.side[to];
            case NO_CERT -> step == Step.CERT && trouble.side[to] == 0;
            case NO_SOFT -> step == Step.SOFT && trouble.side[to] == 0;
            case NO_NEXT -> step >= Step.NEXT && trouble.side[to] == 0;
            case NO_PAYLOAD -> message instanceof Message.OfPayload && trouble.side[to] == 0;
            // Enough gets through to leave a period, and nothing to conclude it.
            case STARVE -> message instanceof Message.OfPayload || step >= 0 && step < Step.NEXT;
            // All cert votes go to the victim, which says nothing.
            case POCKET -> from == trouble.victim || step == Step.CERT && to != trouble.victim;
        };
    }

    private boolean isParted(int one, int other) {
        for (Trouble trouble : troubles) {
            if (trouble.kind == Kind.PARTITION
                    && now >= trouble.from
                    && now < trouble.until
                    && trouble.side[one] != trouble.side[other]) {
                return true;
            }
        }
        return false;
    }

    private boolean isCutOff(int node) {
        for (Trouble trouble : troubles) {
            if (trouble.kind == Kind.POCKET
                    && trouble.victim == node
                    && now >= trouble.from
                    && now < trouble.until) {
                return true;
            }
        }
        return false;
    }
}
