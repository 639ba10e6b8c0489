package topspin.net.stream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;

import org.jspecify.annotations.Nullable;

import topspin.net.Drop;
import topspin.net.GossipConfig.Limits;
import topspin.net.NetCounters;
import topspin.net.Peer;
import topspin.net.Tag;
import topspin.net.Traffic;
import topspin.net.Verdict;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * One peer: the queue towards it, what it was asked, what of its messages is not settled. What is
 * public may be called from any thread; the rest on its event loop.
 */
public final class PeerStream implements Peer {
    /** Requests open at one peer, those given up included. */
    public static final int REQUESTS_MAX = 16;

    /**
     * A frame may grow sixteenfold for nothing: proposals are full of signatures, which do not
     * shrink. What is beyond that is allowed by so many bytes at once, and so many a second.
     */
    private static final int FREE_GROWTH = 16;

    private static final long GROWTH_BYTES_MAX = 64L << 20;
    private static final long GROWTH_BYTES_PER_SECOND = 8L << 20;

    private static final Logger LOG = System.getLogger(PeerStream.class.getName());

    private final Channel channel;
    private final String id;
    private final String address;
    private final boolean outbound;
    private final Traffic traffic;
    private final Limits limits;
    private final NetCounters counters;
    private final Relay relay;
    private final Consumer<Drop> end;

    private final FrameSender sender;
    private final HalfFrames.Part half;

    /** Event loop only. */
    private final Allowance growth;

    /** Below zero for a moment when a message is settled before the inbox's answer is back. */
    private final AtomicInteger unsettled = new AtomicInteger();

    private volatile boolean paused;
    private final Runnable resume = this::resume;

    /** By request hash, oldest first; a null future was given up. Event loop only. */
    private final Map<Long, @Nullable CompletableFuture<BlockAnswer>> asked = new LinkedHashMap<>();

    private long nonce;

    /** What it wants unasked; replaced as a whole, by its event loop. */
    private volatile Set<Tag> interest = Interest.USUAL;

    /** Who passes on what was accepted. */
    @FunctionalInterface
    public interface Relay {
        /** Queues a message for all peers but {@code except}; the bytes are copied. */
        void relay(Tag tag, byte[] bytes, int offset, int length, @Nullable Peer except);
    }

    /**
     * @param end ends the connection, and counts why
     */
    public PeerStream(
            Channel channel,
            String id,
            String address,
            boolean outbound,
            Traffic traffic,
            Limits limits,
            QueueBudget budget,
            HalfFrames halves,
            NetCounters counters,
            LongSupplier nanoTime,
            Relay relay,
            Consumer<Drop> end) {
        this.channel = channel;
        this.id = id;
        this.address = address;
        this.outbound = outbound;
        this.traffic = traffic;
        this.limits = limits;
        this.counters = counters;
        this.relay = relay;
        this.end = end;
        this.growth = new Allowance(GROWTH_BYTES_MAX, GROWTH_BYTES_PER_SECOND, nanoTime);
        this.half = halves.part(end);
        this.sender = new FrameSender(channel, limits, budget, counters, nanoTime, end);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public boolean outbound() {
        return outbound;
    }

    /** Done when the connection is closed, by either side. */
    public ChannelFuture closed() {
        return channel.closeFuture();
    }

    @Override
    public boolean send(Tag tag, byte[] bytes, int offset, int length) {
        return enqueue(tag, TagEncoder.frame(channel.alloc(), tag, bytes, offset, length));
    }

    /** Takes over a frame that {@link TagEncoder} made; false, and counted, if it does not fit. */
    public boolean enqueue(Tag tag, ByteBuf frame) {
        return sender.send(tag, frame);
    }

    @Override
    public Traffic traffic() {
        return traffic;
    }

    @Override
    public long queuedBytes() {
        return sender.queuedBytes();
    }

    /** Whether messages with this tag are to be sent to it unasked. */
    public boolean wants(Tag tag) {
        return interest.contains(tag);
    }

    /** The peer says what it wants; false, and the connection ended, if that cannot be read. */
    boolean wants(ByteBuf body) {
        Set<Tag> wanted = Interest.decode(body);
        if (wanted == null) {
            fail(Drop.MALFORMED_INTEREST);
            return false;
        }
        interest = wanted;
        return true;
    }

    /** The socket has room again. */
    void drain() {
        sender.drain();
    }

    /** Cuts the peer off if it does not read, or does not end what it has begun to send. */
    public void checkProgress() {
        sender.checkProgress();
        half.check();
    }

    /** As {@link HalfFrames.Part#update}. */
    void holds(int left, boolean another) {
        half.update(left, another);
    }

    /** One more message of this peer is with somebody who owes a verdict. */
    void unsettled() {
        if (unsettled.incrementAndGet() >= limits.unsettledMax() && !paused) {
            paused = true;
            channel.config().setAutoRead(false);
            if (unsettled.get() <= limits.unsettledMax() / 2) {
                resume(); // All was settled between the two lines above.
            }
        }
    }

    @Override
    public void settle(Tag tag, byte[] bytes, int offset, int length, Verdict verdict) {
        switch (verdict) {
            case ACCEPT -> relay.relay(tag, bytes, offset, length, this);
            case IGNORE -> {}
            case REJECT -> fail(Drop.REJECTED);
            case PENDING -> throw new IllegalArgumentException("settled as pending");
        }
        int left = unsettled.decrementAndGet();
        if (paused && left <= limits.unsettledMax() / 2) {
            channel.eventLoop().execute(resume);
        }
    }

    private void resume() {
        if (paused && unsettled.get() <= limits.unsettledMax() / 2) {
            paused = false;
            channel.config().setAutoRead(true);
        }
    }

    /**
     * Asks for a block.
     *
     * @return the answer; fails with {@link TimeoutException} when none comes in time and with
     *     {@link IOException} when the peer leaves, is not reached or has too much to answer
     */
    public CompletableFuture<BlockAnswer> requestBlock(long round) {
        var answer = new CompletableFuture<BlockAnswer>();
        channel.eventLoop().execute(() -> ask(round, answer));
        return answer;
    }

    private void ask(long round, CompletableFuture<BlockAnswer> answer) {
        if (asked.size() == REQUESTS_MAX && !forgetGivenUp()) {
            answer.completeExceptionally(new IOException("too many requests open at " + address));
            return;
        }
        byte[] request = BlockRequest.encode(round, nonce++);
        if (!channel.isActive() || !send(Tag.BLOCK_REQUEST, request, 0, request.length)) {
            answer.completeExceptionally(new IOException("cannot send to " + address));
            return;
        }
        long hash = BlockRequest.hash(request);
        asked.put(hash, answer);
        var unused =
                channel.eventLoop()
                        .schedule(
                                () -> giveUp(hash, answer),
                                limits.answerTimeout().toNanos(),
                                TimeUnit.NANOSECONDS);
    }

    private boolean forgetGivenUp() {
        return asked.values().removeIf(answer -> answer == null);
    }

    private void giveUp(long hash, CompletableFuture<BlockAnswer> answer) {
        if (asked.replace(hash, answer, null)) {
            counters.count(Drop.NO_ANSWER);
            answer.completeExceptionally(new TimeoutException("no answer from " + address));
        }
    }

    /** Whether anything was asked that it may still answer. */
    boolean awaitsAnswer() {
        return !asked.isEmpty();
    }

    /**
     * Whether a frame of so many bytes may be unpacked to so many: few bytes must not cost much
     * work for ever.
     */
    boolean mayUnpack(int frameBytes, int plainBytes) {
        long excess = plainBytes - (long) FREE_GROWTH * frameBytes;
        return excess <= 0 || growth.take(excess);
    }

    /** Hands an answer to whoever asked; false, and the connection ended, if it answers nothing. */
    boolean answered(ByteBuf body) {
        Topics topics = Topics.decode(body);
        Long hash = topics == null ? null : Topics.number(topics.get(BlockAnswer.REQUEST_HASH));
        if (topics == null || hash == null) {
            fail(Drop.MALFORMED_ANSWER);
            return false;
        }
        if (!asked.containsKey(hash)) {
            fail(Drop.UNASKED_ANSWER);
            return false;
        }
        CompletableFuture<BlockAnswer> waiting = asked.remove(hash);
        BlockAnswer answer = BlockAnswer.of(topics);
        if (answer == null) {
            fail(Drop.MALFORMED_ANSWER);
        }
        if (waiting != null && answer != null) {
            waiting.complete(answer);
        } else if (waiting != null) {
            waiting.completeExceptionally(new IOException("malformed answer from " + address));
        }
        return answer != null;
    }

    /** Ends the connection. */
    public void fail(Drop reason) {
        end.accept(reason);
    }

    void broken(Throwable cause) {
        LOG.log(Level.DEBUG, () -> address + ": connection broken", cause);
        fail(Drop.BROKEN);
    }

    /** The connection is closed: drops what is queued and lets those who asked know. */
    public void close() {
        sender.close();
        half.close();
        for (CompletableFuture<BlockAnswer> waiting : asked.values()) {
            if (waiting != null) {
                waiting.completeExceptionally(new IOException(address + " left"));
            }
        }
        asked.clear();
    }

    @Override
    public String toString() {
        return (outbound ? "to " : "from ") + address;
    }
}
