package topspin.node.pool;

import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;

import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The groups that waited at one moment, in order. Never changes: the array may grow behind {@code
 * groupCount} but what lies before stays.
 */
public final class Pending implements Iterable<SignedTransaction> {
    static final Pending NONE = new Pending(new Waiter[0], 0, 0);

    private final Waiter[] waiters;
    private final int groupCount;
    private final int transactionCount;

    Pending(Waiter[] waiters, int groupCount, int transactionCount) {
        this.waiters = waiters;
        this.groupCount = groupCount;
        this.transactionCount = transactionCount;
    }

    /** Transactions, all groups together. */
    public int transactionCount() {
        return transactionCount;
    }

    public int groupCount() {
        return groupCount;
    }

    /** The group at that place of the queue. */
    public TransactionGroup group(int index) {
        if (index >= groupCount) {
            throw new IndexOutOfBoundsException(index);
        }
        return waiters[index].group().group();
    }

    /** Every transaction, in order. */
    @Override
    public Iterator<SignedTransaction> iterator() {
        return new Iterator<>() {
            private int group;
            private int member;

            @Override
            public boolean hasNext() {
                return group < groupCount;
            }

            @Override
            public SignedTransaction next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                TransactionGroup current = group(group);
                SignedTransaction transaction = current.get(member++);
                if (member == current.size()) {
                    member = 0;
                    group++;
                }
                return transaction;
            }
        };
    }
}
