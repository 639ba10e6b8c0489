package topspin.net.gossipsub;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import topspin.net.Uvarint;
import topspin.net.Verdict;
import topspin.net.rpc.RpcReader;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Many routers, one thread, one clock that jumps from event to event, one seed. Links have a
 * latency and lose frames; they can be cut and joined again. Frames on a link keep their order.
 */
final class SimNetwork {
    static final long LATENCY_MIN = TimeUnit.MILLISECONDS.toNanos(20);
    static final long LATENCY_MAX = TimeUnit.MILLISECONDS.toNanos(80);

    /** What judging a message takes. */
    private static final long JUDGING = TimeUnit.MILLISECONDS.toNanos(2);

    private final SplittableRandom random;
    private final GossipSubConfig config;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final RpcReader reader = new RpcReader();
    private long nowNanos;
    private long sequence;

    /** Of a hundred frames, so many are lost. */
    int lossPercent;

    /** Which links carry nothing for now. */
    private Predicate<Wire> cut = wire -> false;

    final List<Node> nodes = new ArrayList<>();

    private record Event(long atNanos, long sequence, Runnable action)
            implements Comparable<Event> {
        @Override
        public int compareTo(Event that) {
            return atNanos != that.atNanos
                    ? Long.compare(atNanos, that.atNanos)
                    : Long.compare(sequence, that.sequence);
        }
    }

    SimNetwork(long seed, GossipSubConfig config) {
        this.random = new SplittableRandom(seed);
        this.config = config;
    }

    private void at(long nanos, Runnable action) {
        events.add(new Event(nanos, sequence++, action));
    }

    void run(long amount, TimeUnit unit) {
        long end = nowNanos + unit.toNanos(amount);
        while (!events.isEmpty() && events.peek().atNanos <= end) {
            Event next = events.remove();
            nowNanos = next.atNanos;
            next.action.run();
        }
        nowNanos = end;
    }

    /** A node that judges every message right whose first byte is not {@link Node#INVALID}. */
    Node addNode() {
        var node = new Node(nodes.size());
        nodes.add(node);
        node.router.subscribe();
        at(nowNanos + random.nextLong(GossipSub.HEARTBEAT_NANOS), node::beat);
        return node;
    }

    /** Node after node, each dialling so many of those before it. */
    void addNodes(int count, int dials) {
        for (int index = 0; index < count; index++) {
            Node node = addNode();
            List<Node> others = new ArrayList<>(nodes.subList(0, nodes.size() - 1));
            Mesh.shuffle(others, 0, random);
            others.subList(0, Math.min(dials, others.size())).forEach(node::dial);
        }
    }

    /** Parts these from all others. */
    void part(List<Node> some) {
        cut = wire -> some.contains(wire.from) != some.contains(wire.to);
    }

    /** Connections over the cut time out. */
    void closeWhatIsCut() {
        for (Node node : nodes) {
            List.copyOf(node.wires.values()).stream().filter(cut).forEach(Wire::close);
        }
    }

    void heal() {
        cut = wire -> false;
        nodes.forEach(node -> node.wires.values().forEach(Wire::release));
    }

    /** One node's end of a connection. */
    final class Wire implements GossipLink {
        final Node from;
        final Node to;
        private final long latency;
        private final List<byte[]> held = new ArrayList<>();
        private GossipPeer peer;
        private @Nullable Wire back;
        private long lastArrival;
        private boolean closed;

        private Wire(Node from, Node to, boolean outbound, long latency) {
            this.from = from;
            this.to = to;
            this.latency = latency;
            this.peer = from.router.connected(to.id, outbound, GossipVersion.V1_2, this);
        }

        @Override
        public boolean send(ByteBuf frame) {
            byte[] bytes = new byte[frame.readableBytes()];
            frame.readBytes(bytes);
            frame.release();
            from.framesSent++;
            from.bytesSent += bytes.length;
            if (cut.test(this)) {
                held.add(bytes);
            } else if (random.nextInt(100) >= lossPercent) {
                carry(bytes);
            } // Else lost: nobody is told.
            return true;
        }

        private void carry(byte[] frame) {
            lastArrival = Math.max(nowNanos + latency, lastArrival);
            at(lastArrival, () -> arrive(frame));
        }

        private void release() {
            held.forEach(this::carry);
            held.clear();
        }

        private void arrive(byte[] frame) {
            Wire there = back;
            if (there == null || there.closed || closed) {
                return;
            }
            int prefix = 1;
            while (frame[prefix - 1] < 0) {
                prefix++;
            }
            ByteBuf bytes = io.netty.buffer.Unpooled.wrappedBuffer(frame);
            if (reader.read(bytes, prefix, frame.length - prefix) != null
                    || prefix != Uvarint.size(frame.length - prefix)) {
                throw new AssertionError("a router wrote what none can read");
            }
            to.copies += reader.messages();
            to.router.receive(there.peer, reader);
            to.router.flush();
        }

        @Override
        public Verdict deliver(ByteBuf data) {
            byte[] bytes = new byte[data.readableBytes()];
            data.readBytes(bytes);
            return from.judge(bytes);
        }

        @Override
        public void disconnect(GossipDrop reason) {
            from.ended.merge(reason, 1, Integer::sum);
            at(nowNanos, this::close);
        }

        void close() {
            if (!closed) {
                closed = true;
                from.router.disconnected(peer);
                from.wires.remove(to);
                Wire there = back;
                if (there != null) {
                    there.close();
                }
            }
        }
    }

    /** A router and what it has seen. */
    final class Node {
        static final byte INVALID = 0x66;

        final byte[] id;
        final GossipCounters counters = new GossipCounters();
        final GossipSub router;
        final Map<Node, Wire> wires = new LinkedHashMap<>();

        /** When each message was first seen, by its number. */
        final Map<Integer, Long> seenAt = new HashMap<>();

        final Map<GossipDrop, Integer> ended = new HashMap<>();
        long copies;
        long framesSent;
        long bytesSent;

        /** Takes part in the mesh, and passes nothing on. */
        boolean silent;

        private Node(int number) {
            this.id = FakePeer.id(number);
            this.router =
                    new GossipSub(
                            config,
                            id,
                            random.split(),
                            () -> nowNanos,
                            FakePeer.UNTRACKED,
                            counters);
        }

        void dial(Node other) {
            if (wires.containsKey(other)) {
                return;
            }
            long latency = random.nextLong(LATENCY_MIN, LATENCY_MAX);
            Wire there = new Wire(this, other, true, latency);
            Wire back = new Wire(other, this, false, latency);
            there.back = back;
            back.back = there;
            wires.put(other, there);
            other.wires.put(this, back);
            router.flush();
            other.router.flush();
        }

        private void beat() {
            router.heartbeat();
            at(nowNanos + GossipSub.HEARTBEAT_NANOS, this::beat);
        }

        private Verdict judge(byte[] data) {
            if (silent) {
                return Verdict.IGNORE;
            }
            at(
                    nowNanos + JUDGING,
                    () -> {
                        boolean valid = data[0] != INVALID;
                        if (valid) {
                            seenAt.putIfAbsent(number(data), nowNanos);
                        }
                        Verdict verdict = valid ? Verdict.ACCEPT : Verdict.REJECT;
                        router.settle(data, 0, data.length, verdict);
                        router.flush();
                    });
            return Verdict.PENDING;
        }

        Published publish(int number) {
            byte[] data = message(number);
            seenAt.put(number, nowNanos);
            Published result = router.publish(data, 0, data.length);
            router.flush();
            return result;
        }

        /** As a peer that has not judged what it sends. */
        void publishInvalid(int number) {
            byte[] data = message(number);
            data[0] = INVALID;
            router.publish(data, 0, data.length);
            router.flush();
        }
    }

    static byte[] message(int number) {
        return java.nio.ByteBuffer.allocate(300).putInt(4, number).array();
    }

    private static int number(byte[] data) {
        return java.nio.ByteBuffer.wrap(data).getInt(4);
    }

    long nowNanos() {
        return nowNanos;
    }

    SplittableRandom random() {
        return random;
    }
}
