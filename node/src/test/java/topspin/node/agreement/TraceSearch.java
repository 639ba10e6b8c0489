package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Vectors;
import topspin.codec.crypto.OneTimeSignature;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;
import topspin.codec.vote.Vote;
import topspin.codec.vote.VoteSignature;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Finds what was in the events of a recorded trace of two nodes with half the stake each, such that
 * two players of ours do what was recorded, step by step. Fails where there is no way.
 */
final class TraceSearch {
    private static final Source PEER = new Source(1);
    private static final Digest LOW = Digest.fromBytes(bytes(1));
    private static final Digest MIDDLE = Digest.fromBytes(bytes(2));
    private static final Digest HIGH = Digest.fromBytes(bytes(3));

    /** So many of the messages under way are looked at. */
    private static final int REACH = 12;

    private final AgreementRules rules;

    TraceSearch(AgreementRules rules) {
        this.rules = rules;
    }

    /** One node, and what is on its way to it. */
    private static final class Side {
        Player player;
        final int number;
        final Deque<Vote> own = new ArrayDeque<>();
        final Deque<Event> ownPayloads = new ArrayDeque<>();
        final Deque<Action.Attest> attests = new ArrayDeque<>();
        final List<Action> verifications = new ArrayList<>();

        Side(Player player, int number) {
            this.player = player;
            this.number = number;
        }
    }

    /** A guess at the whole: both nodes, and what names and priorities stand for. */
    private final class World {
        final Map<Integer, Side> sides = new HashMap<>();
        final List<List<Message>> inboxes = List.of(new ArrayList<>(), new ArrayList<>());
        final Map<String, ProposalValue> names = new HashMap<>();
        final Map<String, Digest> priorities = new HashMap<>();
        long proposals;

        World copy() {
            var copy = new World();
            copy.names.putAll(names);
            copy.priorities.putAll(priorities);
            copy.proposals = proposals;
            copy.inboxes.get(0).addAll(inboxes.get(0));
            copy.inboxes.get(1).addAll(inboxes.get(1));
            sides.forEach((number, side) -> copy.sides.put(number, copy(side)));
            return copy;
        }

        private Side copy(Side side) {
            Side copy = new Side(restored(side.player), side.number);
            copy.player.tails.putAll(side.player.tails);
            copy.player.ticket = side.player.ticket;
            copy.own.addAll(side.own);
            copy.ownPayloads.addAll(side.ownPayloads);
            copy.attests.addAll(side.attests);
            copy.verifications.addAll(side.verifications);
            return copy;
        }

        /** Whether a name of five letters can be the value's: each has one, for good. */
        boolean agrees(String name, ProposalValue value) {
            if (name.equals("AAAAA") || value.isBottom()) {
                return name.equals("AAAAA") && value.isBottom();
            }
            ProposalValue known = names.get(name);
            if (known == null && !names.containsValue(value)) {
                names.put(name, value);
                return true;
            }
            return value.equals(known);
        }
    }

    /** A point in the search: the world before a row, and what may have happened next. */
    private record Choice(int index, Iterator<Guess> guesses) {}

    private record Guess(World world, Event event) {}

    private Player restored(Player player) {
        try {
            return Player.restore(player.save().toByteArray(), name -> rules, Timing.DEFAULT);
        } catch (MalformedMessage malformed) {
            throw new AssertionError(malformed);
        }
    }

    void run(List<Vectors.Row> rows) {
        var open = new ArrayDeque<Choice>();
        open.push(choice(0, new World(), rows));
        int deepest = 0;
        long tried = 0;
        while (!open.isEmpty()) {
            Choice choice = open.element();
            if (!choice.guesses.hasNext()) {
                open.pop();
                continue;
            }
            if (tried++ > 200_000) {
                throw new AssertionError("gave up at " + rows.get(deepest));
            }
            Guess guess = choice.guesses.next();
            World next = guess.world.copy();
            Vectors.Row row = rows.get(choice.index);
            if (!step(next, side(next, row), guess.event, row)) {
                continue;
            }
            deepest = Math.max(deepest, choice.index + 1);
            if (choice.index + 1 == rows.size()) {
                return;
            }
            open.push(choice(choice.index + 1, next, rows));
        }
        throw new AssertionError("no way to row " + deepest + ": " + rows.get(deepest));
    }

    private static int number(Vectors.Row row) {
        return row.text("node").equals("Primary") ? 0 : 1;
    }

    private static Side side(World world, Vectors.Row row) {
        return Objects.requireNonNull(world.sides.get(number(row)));
    }

    private static long at(Vectors.Row row, String when, int index) {
        return ((Number) Objects.requireNonNull(row.list(when).get(index))).longValue();
    }

    private Choice choice(int index, World world, List<Vectors.Row> rows) {
        Vectors.Row row = rows.get(index);
        List<Guess> guesses = new ArrayList<>();
        for (World entered : enter(world, row)) {
            for (Event event : candidates(entered, side(entered, row), row)) {
                guesses.add(new Guess(entered, event));
            }
        }
        return new Choice(index, guesses.iterator());
    }

    /** Starts a node where the recording of it starts, or starts again. */
    private List<World> enter(World world, Vectors.Row row) {
        int number = number(row);
        long round = at(row, "before", 0);
        boolean isRestart =
                row.text("node").equals("Node restarted") && !world.names.containsKey("restarted");
        if (world.sides.containsKey(number) && !isRestart) {
            return List.of(world);
        }
        if (isRestart) {
            world.names.put("restarted", ProposalValue.BOTTOM);
        }
        if (isRestart || round == 1) {
            Side side = new Side(new Player(round, rules, Timing.DEFAULT), number);
            world.sides.put(number, side);
            act(world, side, side.player.start());
            return List.of(world);
        }
        // What came in the round before is not recorded: nothing, or what the other one had sent.
        List<World> worlds = new ArrayList<>();
        for (boolean isWithPayload : new boolean[] {true, false}) {
            for (Digest priority : List.of(LOW, HIGH)) {
                World early = world.copy();
                begin(early, number, round, early.inboxes.get(number), isWithPayload, priority);
                worlds.add(early);
            }
        }
        begin(world, number, round, List.of(), false, LOW);
        worlds.addFirst(world);
        return worlds;
    }

    private void begin(
            World world,
            int number,
            long round,
            List<Message> arrived,
            boolean isWithPayload,
            Digest priority) {
        var side = new Side(new Player(round - 1, rules, Timing.DEFAULT), number);
        for (long sample = 0; sample < Math.min(round - 9, ArrivalHistory.SAMPLES); sample++) {
            side.player.arrivals.store(1_000_000);
        }
        for (Message message : arrived) {
            Vote vote =
                    switch (message) {
                        case Message.OfVote(var sent) -> sent;
                        case Message.OfPayload(var payload, var sent) -> sent;
                        case Message.OfBundle bundle -> null;
                    };
            if (vote == null || vote.raw().step() != Step.PROPOSE) {
                continue;
            }
            if (number == 0) {
                world.priorities.putIfAbsent(lot(vote.raw()), priority);
            }
            var request = new Action.VerifyVote(vote, 0, PEER);
            side.player.handle(verified(request, priority(vote.raw(), world)));
            if (isWithPayload && message instanceof Message.OfPayload(var payload, var sent)) {
                side.player.handle(new Event.PayloadPresent(payload, PEER, rules));
            }
        }
        if (!arrived.isEmpty()) {
            arrived.clear();
        }
        List<Action> actions = side.player.handle(new Event.RoundInterruption(round, rules));
        side.player.arrivals.store(1_000_000);
        world.sides.put(number, side);
        act(world, side, actions);
    }

    /** What may have been in an event. */
    private List<Event> candidates(World world, Side side, Vectors.Row row) {
        List<Event> found = new ArrayList<>();
        switch (row.text("event")) {
            case "timeout" -> {
                long entropy = 0;
                if (row.flag("napping")) {
                    long end = rules.deadlineTimeout(side.player.period());
                    long step = side.player.step() + 1;
                    entropy =
                            row.number("deadline_ns")
                                    - AgreementRules.windowStart(step, end, rules.timing());
                }
                found.add(new Event.Timeout(entropy, rules));
            }
            case "fastTimeout" ->
                    found.add(
                            new Event.FastTimeout(
                                    row.number("fast_deadline_ns")
                                            % rules.params().fastRecoveryLambda(),
                                    rules));
            case "checkpointReached" -> {
                Action.Attest attest = side.attests.peek();
                if (attest != null) {
                    found.add(
                            new Event.Checkpoint(
                                    attest.round(), attest.period(), attest.step(), null));
                }
            }
            case "voteVerified" -> {
                if (!side.own.isEmpty()) {
                    Vote own = side.own.element();
                    addVerified(new Action.VerifyVote(own, 0, Source.OWN), world, found);
                }
                for (Action action : side.verifications) {
                    if (action instanceof Action.VerifyVote request) {
                        addVerified(request, world, found);
                    }
                }
            }
            case "payloadVerified" -> {
                if (!side.ownPayloads.isEmpty()) {
                    found.add(side.ownPayloads.element());
                }
                for (Action action : side.verifications) {
                    if (action instanceof Action.VerifyPayload request) {
                        found.add(
                                new Event.PayloadVerified(
                                        request.payload(),
                                        new Outcome.Valid<>(request.payload()),
                                        request.source(),
                                        rules));
                    }
                }
            }
            case "bundleVerified" -> {
                for (Action action : side.verifications) {
                    if (action instanceof Action.VerifyBundle request) {
                        found.add(verified(request, world));
                    }
                }
            }
            case "votePresent", "payloadPresent", "bundlePresent" ->
                    addInbox(world.inboxes.get(side.number), row, found);
            default -> throw new AssertionError(row);
        }
        return found;
    }

    private void addInbox(List<Message> inbox, Vectors.Row row, List<Event> found) {
        int looked = 0;
        for (Message message : inbox) {
            if (looked++ == REACH) {
                return;
            }
            Event event =
                    switch (message) {
                        case Message.OfVote(var vote) ->
                                new Event.VotePresent(vote, PEER, null, rules);
                        case Message.OfBundle(var bundle) ->
                                new Event.BundlePresent(bundle, PEER, rules);
                        case Message.OfPayload(var payload, var vote) -> {
                            var present = new Event.PayloadPresent(payload, PEER, rules);
                            yield vote == null
                                    ? present
                                    : new Event.VotePresent(vote, PEER, present, rules);
                        }
                    };
            if (kind(event).equals(row.text("event"))) {
                found.add(event);
            }
        }
    }

    private static String kind(Event event) {
        return switch (event) {
            case Event.VotePresent present -> "votePresent";
            case Event.PayloadPresent present -> "payloadPresent";
            case Event.BundlePresent present -> "bundlePresent";
            default -> "";
        };
    }

    private void addVerified(Action.VerifyVote request, World world, List<Event> found) {
        RawVote raw = request.vote().raw();
        boolean isOpen =
                raw.step() == Step.PROPOSE
                        && raw.sender().equals(account(1))
                        && !world.priorities.containsKey(lot(raw));
        if (!isOpen) {
            found.add(verified(request, priority(raw, world)));
            return;
        }
        // Who goes first in this period? That is found out too.
        found.add(verified(request, LOW));
        found.add(verified(request, HIGH));
    }

    private Event verified(Action.VerifyVote request, Digest priority) {
        var valid = new VerifiedVote(request.vote(), weight(request.vote().raw()), priority);
        return new Event.VoteVerified(
                request.vote(),
                new Outcome.Valid<>(valid),
                request.ticket(),
                1_000_000,
                request.source(),
                rules);
    }

    private Event verified(Action.VerifyBundle request, World world) {
        List<VerifiedVote> votes = new ArrayList<>();
        for (Bundle.Member member : request.bundle().votes()) {
            Vote vote = request.bundle().vote(member);
            votes.add(new VerifiedVote(vote, weight(vote.raw()), priority(vote.raw(), world)));
        }
        return new Event.BundleVerified(
                request.bundle(), new Outcome.Valid<>(votes), request.source(), rules);
    }

    /** Both nodes have half the stake: either alone makes no quorum. */
    private long weight(RawVote raw) {
        return rules.committeeSize(raw.step()) / 2;
    }

    private static String lot(RawVote raw) {
        return raw.round() + " " + raw.period();
    }

    /** The first node's proposals are in the middle; the second's are before or behind. */
    private static Digest priority(RawVote raw, World world) {
        return raw.sender().equals(account(0))
                ? MIDDLE
                : world.priorities.getOrDefault(lot(raw), HIGH);
    }

    /** Lets an event happen; whether what comes of it is what was recorded. */
    private boolean step(World world, Side side, Event event, Vectors.Row row) {
        consume(world, side, event);
        if (event instanceof Event.VoteVerified verified
                && verified.outcome() instanceof Outcome.Valid<VerifiedVote>(var vote)
                && vote.raw().step() == Step.PROPOSE
                && vote.raw().sender().equals(account(1))) {
            world.priorities.put(lot(vote.raw()), vote.priority());
        }
        Player player = side.player;
        if (player.round() != at(row, "before", 0)
                || player.period() != at(row, "before", 1)
                || player.step() != at(row, "before", 2)) {
            return false;
        }
        List<Action> actions = player.handle(event);
        if (player.round() != at(row, "after", 0)
                || player.period() != at(row, "after", 1)
                || player.step() != at(row, "after", 2)
                || row.has("napping") && player.isNapping() != row.flag("napping")
                || row.has("fast_deadline_ns")
                        && player.fastDeadline() != row.number("fast_deadline_ns")
                || player.deadline() != row.number("deadline_ns")) {
            return false;
        }
        if (!same(actions, row.list("actions"), world)) {
            return false;
        }
        act(world, side, actions);
        return true;
    }

    private static void consume(World world, Side side, Event event) {
        if (event instanceof Event.VoteVerified own && own.source().equals(Source.OWN)) {
            side.own.remove();
        } else if (side.ownPayloads.peek() == event) {
            side.ownPayloads.remove();
        } else if (event instanceof Event.Checkpoint) {
            return; // Its votes go when the player says so.
        } else if (event instanceof Event.VoteVerified verified) {
            side.verifications.removeIf(
                    action ->
                            action instanceof Action.VerifyVote request
                                    && request.vote().equals(verified.vote())
                                    && request.ticket() == verified.ticket());
        } else if (event instanceof Event.PayloadVerified verified) {
            side.verifications.removeIf(
                    action ->
                            action instanceof Action.VerifyPayload request
                                    && request.payload().equals(verified.payload()));
        } else if (event instanceof Event.BundleVerified verified) {
            side.verifications.removeIf(
                    action ->
                            action instanceof Action.VerifyBundle request
                                    && request.bundle().equals(verified.bundle()));
        } else {
            remove(world.inboxes.get(side.number), event);
        }
    }

    private static void remove(List<Message> inbox, Event event) {
        for (Message message : inbox) {
            if (carries(message, event)) {
                inbox.remove(message);
                return;
            }
        }
    }

    private static boolean carries(Message message, Event event) {
        return switch (message) {
            case Message.OfVote(var vote) ->
                    event instanceof Event.VotePresent present
                            && present.vote() == vote
                            && present.tail() == null;
            case Message.OfBundle(var bundle) ->
                    event instanceof Event.BundlePresent present && present.bundle() == bundle;
            case Message.OfPayload(var payload, var vote) -> {
                if (event instanceof Event.PayloadPresent present) {
                    yield vote == null && present.payload() == payload;
                }
                yield event instanceof Event.VotePresent present
                        && present.vote() == vote
                        && present.tail() != null
                        && present.tail().payload() == payload;
            }
        };
    }

    private boolean same(List<Action> ours, List<@Nullable Object> theirs, World world) {
        List<Action> told = new ArrayList<>(ours);
        told.removeIf(
                action ->
                        action instanceof Action.Broadcast(var message)
                                && message instanceof Message.OfVote);
        List<String> recorded = new ArrayList<>();
        for (Object their : theirs) {
            if (!"broadcastVotes:".equals(their)) {
                recorded.add(String.valueOf(their));
            }
        }
        if (told.size() != recorded.size()) {
            return false;
        }
        for (int i = 0; i < told.size(); i++) {
            if (!same(told.get(i), recorded.get(i), world)) {
                return false;
            }
        }
        return true;
    }

    private boolean same(Action ours, String theirs, World world) {
        return switch (ours) {
            case Action.Ignore ignore -> theirs.startsWith("ignore: ");
            case Action.Disconnect disconnect -> theirs.startsWith("disconnect");
            case Action.Relay(var message, var source) -> sent(message, theirs, "relay: ");
            case Action.Broadcast(var message) -> sent(message, theirs, "broadcast: ");
            case Action.VerifyVote verify -> theirs.equals("verifyVote");
            case Action.VerifyPayload verify -> theirs.equals("verifyPayload");
            case Action.VerifyBundle verify -> theirs.equals("verifyBundle");
            case Action.Attest(var round, var period, var step, var value) ->
                    named(theirs, "attest", round, period, step, value, world);
            case Action.Assemble(var round, var period) ->
                    named(theirs, "assemble", round, period, 0, ProposalValue.BOTTOM, world);
            case Action.Repropose(var round, var period, var value) ->
                    named(theirs, "repropose", round, period, 0, value, world);
            case Action.Ensure(var payload, var certificate) -> {
                String name = theirs.substring(theirs.length() - 5);
                String line =
                        "ensure: %s: %d, %d, %s"
                                .formatted(name, certificate.round(), certificate.period(), name);
                yield theirs.equals(line) && world.agrees(name, payload.value());
            }
            case Action.StageDigest stage -> theirs.startsWith("stageDigest");
            case Action.Rezero rezero -> theirs.equals("rezero");
            case Action.ReleaseVotes release -> theirs.equals("checkpoint");
        };
    }

    private static boolean sent(Message message, String theirs, String how) {
        return switch (message) {
            case Message.OfVote vote -> theirs.equals(how + "AV");
            case Message.OfBundle bundle -> theirs.equals(how + "VB");
            case Message.OfPayload(var payload, var vote) -> theirs.startsWith(how + "PP: ");
        };
    }

    private static boolean named(
            String theirs,
            String what,
            long round,
            long period,
            long step,
            ProposalValue value,
            World world) {
        String line = "%s %d-%2d-%2d: ".formatted(what, round, period, step);
        return theirs.startsWith(line) && world.agrees(theirs.substring(line.length()), value);
    }

    // What comes of actions.

    private void act(World world, Side side, List<Action> actions) {
        for (Action action : actions) {
            switch (action) {
                case Action.Attest attest -> side.attests.add(attest);
                case Action.ReleaseVotes release -> {
                    Action.Attest attest = side.attests.remove();
                    side.own.add(new Vote(raw(side, attest), Bytes.EMPTY, SIGNATURE));
                }
                case Action.Assemble(var round, var period) -> {
                    Address account = account(side.number);
                    Digest digest = Digest.fromBytes(bytes(++world.proposals));
                    var value = new ProposalValue(period, account, digest, digest);
                    var payload = new Payload(round, value, Bytes.EMPTY);
                    propose(side, round, period, value);
                    side.ownPayloads.add(
                            new Event.PayloadVerified(
                                    payload, new Outcome.Valid<>(payload), Source.OWN, rules));
                }
                case Action.Repropose(var round, var period, var value) ->
                        propose(side, round, period, value);
                case Action.Relay(var message, var source) -> {
                    if (source.equals(Source.OWN)) {
                        tell(world, side, message);
                    }
                }
                case Action.Broadcast(var message) -> tell(world, side, message);
                case Action.VerifyVote verify -> side.verifications.add(verify);
                case Action.VerifyPayload verify -> side.verifications.add(verify);
                case Action.VerifyBundle verify -> side.verifications.add(verify);
                case Action.Ignore ignore -> {}
                case Action.Disconnect disconnect -> {}
                case Action.Ensure ensure -> {}
                case Action.StageDigest stage -> {}
                case Action.Rezero rezero -> {}
            }
        }
    }

    private static void propose(Side side, long round, long period, ProposalValue value) {
        var attest = new Action.Attest(round, period, Step.PROPOSE, value);
        side.own.add(new Vote(raw(side, attest), Bytes.EMPTY, SIGNATURE));
    }

    private static RawVote raw(Side side, Action.Attest attest) {
        return new RawVote(
                account(side.number),
                attest.round(),
                attest.period(),
                attest.step(),
                attest.value());
    }

    private static void tell(World world, Side side, Message message) {
        world.inboxes.get(1 - side.number).add(message);
    }

    private static Address account(int number) {
        return Address.fromBytes(bytes(number + 1));
    }

    private static byte[] bytes(long number) {
        var bytes = new byte[Digest.BYTES];
        ByteBuffer.wrap(bytes).putLong(number);
        return bytes;
    }

    private static final VoteSignature SIGNATURE =
            new VoteSignature(
                    new OneTimeSignature(
                            filled(),
                            Digest.fromBytes(bytes(1)),
                            filled(),
                            Digest.fromBytes(bytes(1)),
                            filled()));

    private static Bytes filled() {
        var bytes = new byte[64];
        Arrays.fill(bytes, (byte) 1);
        return Bytes.of(bytes);
    }
}
