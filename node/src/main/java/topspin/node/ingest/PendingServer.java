package topspin.node.ingest;

import org.jspecify.annotations.Nullable;

import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.net.PendingSource;
import topspin.net.stream.KnownIds;
import topspin.node.pool.Pending;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Answers peers that ask for the transactions they lack, with what waits here: whole groups in the
 * order in which they came, as many as {@value #BYTES_MAX} bytes hold. Any thread asks; a thread of
 * its own, which is there while somebody does, looks.
 */
public final class PendingServer implements PendingSource, AutoCloseable {
    /** What algod takes, the array's header not counted. */
    static final int BYTES_MAX = 1_000_000;

    /** Peers that may wait for the one who is answered; of each one request only. */
    static final int WAITING_MAX = 8;

    private static final int IDLE_SECONDS = 5;
    private static final int HEADER_BYTES_MAX = 5;

    private final Supplier<Pending> pending;
    private final Set<Object> askers = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(
                    1,
                    1,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(WAITING_MAX),
                    Thread.ofPlatform().name("pending-server").daemon().factory());

    /**
     * @param pending what waits now
     */
    public PendingServer(Supplier<Pending> pending) {
        this.pending = pending;
        thread.allowCoreThreadTimeOut(true);
    }

    @Override
    public void missing(Object asker, KnownIds known, Consumer<byte @Nullable []> answer) {
        if (!askers.add(asker)) {
            answer.accept(null);
            return;
        }
        try {
            thread.execute(
                    () -> {
                        byte[] found;
                        try {
                            found = encode(missing(pending.get(), known));
                        } finally {
                            askers.remove(asker); // Who has the answer may ask again.
                        }
                        answer.accept(found);
                    });
        } catch (RejectedExecutionException full) {
            askers.remove(asker);
            answer.accept(null);
        }
    }

    private static List<TransactionGroup> missing(Pending waiting, KnownIds known) {
        List<TransactionGroup> missing = new ArrayList<>();
        int bytes = 0;
        for (int i = 0; i < waiting.groupCount(); i++) {
            TransactionGroup group = waiting.group(i);
            if (!isKnown(group, known)) {
                bytes += group.signedLength();
                if (bytes > BYTES_MAX) {
                    break;
                }
                missing.add(group);
            }
        }
        return missing;
    }

    private static boolean isKnown(TransactionGroup group, KnownIds known) {
        for (SignedTransaction member : group) {
            if (!known.mayHold(member.id().toBytes())) {
                return false;
            }
        }
        return true;
    }

    private static byte[] encode(List<TransactionGroup> groups) {
        int transactions = 0;
        int bytes = HEADER_BYTES_MAX;
        for (TransactionGroup group : groups) {
            transactions += group.size();
            bytes += group.signedLength();
        }
        var out = new CanonicalWriter(bytes);
        out.writeArrayHeader(transactions);
        for (TransactionGroup group : groups) {
            out.raw(group.bytes(), group.offset(), group.signedLength());
        }
        return out.toByteArray();
    }

    /** Answers nobody any more. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
