package topspin.node.rest;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.txn.AssetTransfer;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.Payment;
import topspin.codec.txn.Transaction;
import topspin.ledger.LedgerView;
import topspin.ledger.RoundListener;
import topspin.ledger.StateDelta;

import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The last {@value #BLOCKS_MAX} blocks and some of their transactions, for the dashboard. The
 * ledger's thread adds, any thread reads.
 */
public final class RecentBlocks implements RoundListener {
    static final int BLOCKS_MAX = 120;

    /** So many of a block, its last ones, and so many of all. */
    static final int TRANSACTIONS_MAX = 12;

    private static final double NANOS = 1e9;

    private final LongSupplier nanoTime;
    private final long started;
    private final ArrayDeque<Seen> blocks = new ArrayDeque<>(BLOCKS_MAX);
    private final ArrayDeque<Shown> transactions = new ArrayDeque<>(TRANSACTIONS_MAX);
    private long sequence;
    private boolean moved;
    private long lastNanos;

    /**
     * A block.
     *
     * @param sequence which of the blocks since the start, from 1: a chain may be taken back
     * @param timestamp its own, in seconds since 1970
     * @param bytes of its transactions
     * @param seconds since the one before became durable; negative for the first
     */
    record Seen(
            long sequence,
            long round,
            long timestamp,
            int transactions,
            long bytes,
            double seconds) {}

    /**
     * A transaction.
     *
     * @param sequence that of its block
     * @param to who gets something; null where that is nobody
     * @param amount microAlgos, or units of the asset; meant only where somebody gets something
     * @param asset 0 for money
     */
    record Shown(
            long sequence,
            Digest id,
            String type,
            Address from,
            @Nullable Address to,
            long amount,
            long asset) {}

    /**
     * Nothing yet.
     *
     * @param clock when it starts tells one run of a node from another
     * @param nanoTime a clock that only runs forward
     */
    public RecentBlocks(InstantSource clock, LongSupplier nanoTime) {
        this.started = clock.millis();
        this.nanoTime = nanoTime;
    }

    @Override
    public void roundAdded(LedgerView view, Block block, StateDelta delta) {
        List<BlockTransaction> all = block.transactions();
        long bytes = 0;
        for (BlockTransaction each : all) {
            bytes += each.signed().length();
        }
        long now = nanoTime.getAsLong();
        synchronized (this) {
            sequence++;
            if (blocks.size() == BLOCKS_MAX) {
                blocks.removeFirst();
            }
            blocks.addLast(
                    new Seen(
                            sequence,
                            block.round(),
                            block.header().timestamp(),
                            all.size(),
                            bytes,
                            moved ? (now - lastNanos) / NANOS : -1));
            moved = true;
            lastNanos = now;
            for (BlockTransaction each :
                    all.subList(Math.max(0, all.size() - TRANSACTIONS_MAX), all.size())) {
                if (transactions.size() == TRANSACTIONS_MAX) {
                    transactions.removeFirst();
                }
                transactions.addLast(shown(sequence, each));
            }
        }
    }

    private static Shown shown(long sequence, BlockTransaction each) {
        Transaction txn = each.txn();
        Address to = null;
        long amount = 0;
        long asset = 0;
        if (txn instanceof Payment pay) {
            to = pay.receiver();
            amount = pay.amount();
        } else if (txn instanceof AssetTransfer transfer) {
            to = transfer.receiver();
            amount = transfer.amount();
            asset = transfer.asset();
        }
        return new Shown(
                sequence, each.signed().id(), txn.typeText(), txn.sender(), to, amount, asset);
    }

    /** Forgets all, since the chain has been taken back. */
    public synchronized void clear() {
        blocks.clear();
        transactions.clear();
        moved = false;
    }

    /** Milliseconds since 1970 at which this began. */
    long started() {
        return started;
    }

    /** How many blocks since then. */
    synchronized long sequence() {
        return sequence;
    }

    /** Those after a sequence number, oldest first. */
    synchronized List<Seen> blocksAfter(long known) {
        List<Seen> after = new ArrayList<>();
        for (Seen each : blocks) {
            if (each.sequence > known) {
                after.add(each);
            }
        }
        return after;
    }

    /** The same for transactions. */
    synchronized List<Shown> transactionsAfter(long known) {
        List<Shown> after = new ArrayList<>();
        for (Shown each : transactions) {
            if (each.sequence > known) {
                after.add(each);
            }
        }
        return after;
    }
}
