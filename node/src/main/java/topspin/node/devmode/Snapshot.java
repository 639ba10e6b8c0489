package topspin.node.devmode;

/**
 * What a node was at one moment, as far as it is told; {@link SnapshotFolder} holds the rest.
 *
 * @param round the last one of its ledger
 * @param timestamp of that round's block, seconds since 1970
 * @param waiting transaction groups in its pool
 * @param time what the time of blocks followed
 */
public record Snapshot(
        String name, long round, long timestamp, int waiting, BlockPacer.Time time) {}
