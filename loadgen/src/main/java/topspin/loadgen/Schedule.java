package topspin.loadgen;

import java.util.Arrays;

/**
 * When each slot is due: an open loop's promise, made before anything is sent and never bent to
 * what happens. A slot is one request, a transaction or a group; rates count transactions. One
 * thread changes the schedule, any may read it.
 */
final class Schedule {
    private static final long SECOND = 1_000_000_000L;

    /**
     * A stretch at one rate: slot {@code firstSlot + k} is due {@code k * groupSize / tps} seconds
     * after {@code startNanos}, rounded up to a nanosecond, so that error never adds up.
     */
    private record Leg(long firstSlot, long startNanos, long tps, int groupSize) {
        long dueNanos(long slot) {
            long transactions = Math.multiplyExact(slot - firstSlot, groupSize);
            long seconds = transactions / tps;
            long rest = transactions % tps;
            return startNanos + seconds * SECOND + (rest * SECOND + tps - 1) / tps;
        }

        /** Slots with a lower number are due at the time given. */
        long slotsDue(long nowNanos) {
            long elapsed = nowNanos - startNanos;
            if (elapsed < 0) {
                return firstSlot;
            }
            long transactions = elapsed / SECOND * tps + elapsed % SECOND * tps / SECOND;
            return firstSlot + transactions / groupSize + 1;
        }
    }

    private final int groupSize;
    private volatile Leg[] legs;
    private volatile long endSlot = Long.MAX_VALUE;

    /**
     * @param tps transactions a second, 1 to 1,000,000
     * @param groupSize transactions of a slot
     */
    Schedule(long firstSlot, long startNanos, long tps, int groupSize) {
        this.groupSize = groupSize;
        this.legs = new Leg[] {new Leg(firstSlot, startNanos, checked(tps), groupSize)};
    }

    /** From {@code slot} on, which is due when it was before, at another rate. */
    void changeRate(long slot, long tps) {
        Leg[] before = legs;
        if (slot <= before[before.length - 1].firstSlot) {
            throw new IllegalArgumentException("rates change in order: slot " + slot);
        }
        Leg[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = new Leg(slot, dueNanos(slot), checked(tps), groupSize);
        legs = after;
    }

    /** No slot from {@code slot} on is ever due. */
    void endAt(long slot) {
        endSlot = slot;
    }

    long endSlot() {
        return endSlot;
    }

    /** When the slot is due. */
    long dueNanos(long slot) {
        Leg[] current = legs;
        for (int i = current.length - 1; i > 0; i--) {
            if (slot >= current[i].firstSlot) {
                return current[i].dueNanos(slot);
            }
        }
        return current[0].dueNanos(slot);
    }

    /** Slots with a lower number are due at the time given, others are not. */
    long slotsDue(long nowNanos) {
        Leg[] current = legs;
        int i = current.length - 1;
        while (i > 0 && current[i].startNanos > nowNanos) {
            i--;
        }
        long due = current[i].slotsDue(nowNanos);
        if (i + 1 < current.length) {
            due = Math.min(due, current[i + 1].firstSlot);
        }
        return Math.min(due, endSlot);
    }

    private static long checked(long tps) {
        if (tps < 1 || tps > 1_000_000) {
            throw new IllegalArgumentException("a rate is 1 to 1000000 a second: " + tps);
        }
        return tps;
    }
}
