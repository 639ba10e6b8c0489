package topspin.node.devmode;

import org.jspecify.annotations.Nullable;

import topspin.codec.txn.TransactionGroup;
import topspin.ledger.Ledger;
import topspin.node.pool.Pending;
import topspin.node.pool.TransactionPool;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Keeps how a node of a dev-mode network is, and sends it back there. Going back ends the node;
 * whoever runs it starts the next one on the snapshot, which is held: it serves REST, makes no
 * block and meets no peer until it is told to go on, so that no node of a network meets another's
 * future. Any thread.
 */
public final class Snapshots {
    private final SnapshotFolder folder;
    private final Ledger ledger;
    private final TransactionPool pool;
    private final @Nullable BlockPacer pacer;
    private final Control control;
    private final long reverts;
    private final AtomicBoolean held;

    /** What is done to the node as a whole. */
    public interface Control {
        /** Ends the node, for the next one to start at the snapshot. Returns at once. */
        void goBack(String name);

        /** Lets a held node meet its peers, fills its pool and sets its blocks going. */
        void goOn() throws IOException;
    }

    /**
     * Where a node comes from that has gone back.
     *
     * @param number how often it was done in this process
     */
    public record Return(Snapshot snapshot, List<byte[]> groups, long number) {}

    /**
     * @param pacer null where another node makes the blocks
     * @param from null for a node that goes on where it stopped
     */
    public Snapshots(
            SnapshotFolder folder,
            Ledger ledger,
            TransactionPool pool,
            @Nullable BlockPacer pacer,
            @Nullable Return from,
            Control control) {
        this.folder = folder;
        this.ledger = ledger;
        this.pool = pool;
        this.pacer = pacer;
        this.control = control;
        this.reverts = from == null ? 0 : from.number();
        this.held = new AtomicBoolean(from != null);
    }

    /** All there are, by name. */
    public synchronized List<Snapshot> all() throws IOException {
        return folder.all();
    }

    /** How often this process has gone back. */
    public long reverts() {
        return reverts;
    }

    /** Whether the node has gone back and waits to be told to go on. */
    public boolean isHeld() {
        return held.get();
    }

    /**
     * Keeps ledger, pool and the time of blocks as they are between two blocks; the node goes on.
     * Of a network the node that makes the blocks is the last to be asked, so that none knows more
     * of them than it does.
     *
     * @throws IllegalArgumentException for a bad name, or when there are too many
     * @throws IllegalStateException when the node is held
     */
    public synchronized Snapshot take(String name) throws IOException {
        if (held.get()) {
            throw new IllegalStateException(
                    "the node has gone back to a snapshot and waits to be told to go on");
        }
        BlockPacer made = pacer;
        return made == null
                ? keep(name, BlockPacer.Time.REAL)
                : made.betweenBlocks(() -> keep(name, made.time()));
    }

    /** The pool first: what comes into a block meanwhile is in both, and known when it returns. */
    private Snapshot keep(String name, BlockPacer.Time time) throws IOException {
        List<byte[]> groups = new ArrayList<>();
        Pending pending = pool.pending();
        for (int i = 0; i < pending.groupCount(); i++) {
            TransactionGroup group = pending.group(i);
            int from = group.offset();
            groups.add(Arrays.copyOfRange(group.bytes(), from, from + group.signedLength()));
        }
        return folder.keep(name, groups, time, copy -> ledger.copyTo(copy).header());
    }

    /**
     * Sends the node back, which ends it.
     *
     * @return what {@link #reverts} says once it is there
     * @throws IllegalArgumentException for a bad name
     * @throws NoSuchElementException if there is none of that name
     */
    public synchronized long revert(String name) throws IOException {
        var unused = folder.find(name);
        control.goBack(name);
        return reverts + 1;
    }

    /**
     * Lets a node go on that has gone back; returns when its pool is as it was.
     *
     * @throws IllegalStateException when it is not held
     */
    public void resume() throws IOException {
        if (!held.compareAndSet(true, false)) {
            throw new IllegalStateException("the node is not held");
        }
        control.goOn();
    }
}
