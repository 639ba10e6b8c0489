package topspin.node.catchup;

import io.netty.buffer.ByteBuf;

import topspin.ledger.Ledger;
import topspin.ledger.RoundListener;
import topspin.net.BlockSource;
import topspin.net.Inbox;
import topspin.net.Peer;
import topspin.net.Tag;
import topspin.net.Verdict;
import topspin.net.stream.BlockAnswer;
import topspin.net.stream.BlockRequest;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Answers peers that ask for blocks, with the bytes as they are stored. Whoever asks on the tagged
 * stream for the round after the latest is kept waiting until it is there, or for a while: so a
 * follower learns of a block as soon as it is durable, without asking again and again. Peers' event
 * loops hand over; one thread reads and answers.
 */
public final class BlockServer implements Inbox, BlockSource, AutoCloseable {
    /** How long a request for the next round waits. */
    public static final Duration HOLD = Duration.ofSeconds(5);

    /** Requests open, of all peers. */
    static final int REQUESTS_MAX = 256;

    /** Of one peer. */
    static final int PER_PEER_MAX = 16;

    /** A peer that has not read so much gets no further block meanwhile. */
    static final long UNREAD_BYTES_MAX = 8 << 20;

    private static final Logger LOG = System.getLogger(BlockServer.class.getName());

    private final Ledger ledger;
    private final Duration hold;
    private final LongSupplier nanoTime;
    private final Consumer<Throwable> fault;
    private final RoundListener listener = (view, block, delta) -> wake();
    private final Thread thread = Thread.ofPlatform().name("block-server").unstarted(this::run);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** In order of arrival. Guarded by the lock, as is what follows. */
    private final List<Request> requests = new ArrayList<>();

    private boolean open = true;
    private boolean roundAdded;

    /** Blocks handed out. */
    public final LongAdder served = new LongAdder();

    /** Requests turned away because too much was asked at once. */
    public final LongAdder turnedAway = new LongAdder();

    /**
     * @param asker of equal ones only so many are kept
     * @param answer takes the answer; whether it could be sent
     */
    private record Request(
            Object asker, long round, long deadlineNanos, Predicate<BlockAnswer> answer) {}

    /**
     * A server at rest; {@link #start} sets it going.
     *
     * @param hold how long a request for the next round waits
     * @param nanoTime as {@link System#nanoTime}
     * @param fault told once why nobody is answered any more: a fault of the ledger's store, or an
     *     error of ours
     */
    public BlockServer(
            Ledger ledger, Duration hold, LongSupplier nanoTime, Consumer<Throwable> fault) {
        this.ledger = ledger;
        this.hold = hold;
        this.nanoTime = nanoTime;
        this.fault = fault;
    }

    public void start() {
        ledger.addListener(listener);
        thread.start();
    }

    @Override
    public Verdict offer(Peer peer, Tag tag, ByteBuf body) {
        byte[] bytes = new byte[body.readableBytes()];
        body.readBytes(bytes);
        long hash = BlockRequest.hash(bytes);
        BlockRequest request = BlockRequest.decode(bytes);
        if (request == null) {
            answer(peer, hash, new BlockAnswer.Refused("request could not be read"));
        } else if (peer.queuedBytes() > UNREAD_BYTES_MAX
                || !accept(
                        new Request(
                                peer,
                                request.round(),
                                nanoTime.getAsLong() + hold.toNanos(),
                                found -> answer(peer, hash, found)))) {
            turnedAway.increment();
            answer(peer, hash, new BlockAnswer.Refused("too many requests"));
        }
        return Verdict.IGNORE;
    }

    @Override
    public void find(Object asker, long round, Consumer<BlockAnswer> answer) {
        Predicate<BlockAnswer> sent =
                found -> {
                    answer.accept(found);
                    return true;
                };
        if (!accept(new Request(asker, round, nanoTime.getAsLong(), sent))) {
            turnedAway.increment();
            answer.accept(new BlockAnswer.Refused("too many requests"));
        }
    }

    private boolean accept(Request request) {
        lock.lock();
        try {
            long ofSame =
                    requests.stream().filter(other -> other.asker.equals(request.asker)).count();
            if (!open || requests.size() >= REQUESTS_MAX || ofSame >= PER_PEER_MAX) {
                return false;
            }
            requests.add(request);
            changed.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void wake() {
        lock.lock();
        try {
            roundAdded = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            for (List<Request> due = awaitDue(); !due.isEmpty(); due = awaitDue()) {
                due.forEach(this::serve);
            }
        } catch (InterruptedException asked) {
            LOG.log(Level.DEBUG, "block server interrupted");
        } catch (RuntimeException | Error end) {
            fault.accept(end);
        }
    }

    /** Takes out the requests that can be answered now, waiting for some; none when closed. */
    private List<Request> awaitDue() throws InterruptedException {
        lock.lock();
        try {
            List<Request> due = new ArrayList<>();
            while (open) {
                roundAdded = false;
                long wait = takeDue(due);
                if (!due.isEmpty()) {
                    return due;
                }
                if (!roundAdded) {
                    long ignored = changed.awaitNanos(wait);
                }
            }
            return due;
        } finally {
            lock.unlock();
        }
    }

    /** Moves what is due; returns how long to wait for the next deadline. */
    private long takeDue(List<Request> due) {
        long next = ledger.view().round() + 1;
        long now = nanoTime.getAsLong();
        long wait = hold.toNanos();
        for (Iterator<Request> each = requests.iterator(); each.hasNext(); ) {
            Request request = each.next();
            long left = request.deadlineNanos - now;
            if (request.round != next || left <= 0) {
                due.add(request);
                each.remove();
            } else {
                wait = Math.min(wait, left);
            }
        }
        return wait;
    }

    private void serve(Request request) {
        // The latest round first: a block added meanwhile must not look as if it were pruned.
        long latest = ledger.view().round();
        byte[] block = ledger.blockBytes(request.round);
        byte[] certificate = ledger.certificateBytes(request.round);
        BlockAnswer answer =
                block == null || certificate == null
                        ? new BlockAnswer.Missing(latest)
                        : new BlockAnswer.Found(block, certificate);
        if (request.answer.test(answer) && answer instanceof BlockAnswer.Found) {
            served.increment();
        }
    }

    private static boolean answer(Peer peer, long hash, BlockAnswer answer) {
        byte[] body = answer.encode(hash);
        return peer.send(Tag.BLOCK_RESPONSE, body, 0, body.length);
    }

    /** Answers nothing more; returns when the thread has ended. */
    @Override
    public void close() {
        ledger.removeListener(listener);
        lock.lock();
        try {
            open = false;
            requests.clear();
            changed.signal();
        } finally {
            lock.unlock();
        }
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
