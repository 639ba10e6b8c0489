package topspin.loadgen;

import static topspin.loadgen.Workload.NOTE_BYTES_MAX;
import static topspin.loadgen.Workload.NOTE_BYTES_MIN;

/**
 * What the load looks like, rate and length apart.
 *
 * @param seed of accounts, amounts, kinds and receivers
 * @param groupSize transactions of a slot, 1 to 16
 * @param noteBytes of each note, whose first eight are the transaction's number
 * @param amountMin in microalgos, or units of the asset
 * @param amountMax likewise
 * @param fee of each transaction, in microalgos
 */
record Shape(
        long seed,
        Mix mix,
        int groupSize,
        int noteBytes,
        long amountMin,
        long amountMax,
        long fee) {
    static final int GROUP_SIZE_MAX = 16;

    Shape {
        require(
                groupSize >= 1 && groupSize <= GROUP_SIZE_MAX,
                "--group-size " + groupSize + ": 1 to " + GROUP_SIZE_MAX);
        require(
                noteBytes >= NOTE_BYTES_MIN && noteBytes <= NOTE_BYTES_MAX,
                "--note " + noteBytes + ": counter, or 8 to 1024 bytes");
        require(
                amountMin >= 0 && amountMin <= amountMax && amountMax <= 1_000_000_000_000L,
                "--amount " + amountMin + ".." + amountMax + ": N or FROM..TO, up to 10^12");
        require(fee >= 0 && fee <= 1_000_000_000L, "--fee " + fee + ": min, or up to 10^9");
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
