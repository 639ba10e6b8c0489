package topspin.loadgen;

/**
 * The slots that are measured: those due within the measured time, whenever their replies come. Set
 * once, before the first of them is due; any thread reads it.
 */
final class Window {
    private volatile long firstSlot = Long.MAX_VALUE;
    private volatile long endSlot = Long.MAX_VALUE;

    void open(long first, long end) {
        endSlot = end;
        firstSlot = first;
    }

    boolean contains(long slot) {
        return slot >= firstSlot && slot < endSlot;
    }

    long firstSlot() {
        return firstSlot;
    }

    long endSlot() {
        return endSlot;
    }
}
