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
 * @param leases whether each transaction takes a lease of its own
 * @param rekeys whether members of a group go in pairs: the first hands its sender to another key,
 *     the second, signed by that key, hands it back
 */
record Shape(
        long seed,
        Mix mix,
        int groupSize,
        int noteBytes,
        long amountMin,
        long amountMax,
        long fee,
        boolean leases,
        boolean rekeys) {
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
        require(
                !rekeys || groupSize % 2 == 0,
                "--rekey: needs an even --group-size, for pairs, not " + groupSize);
        require(fee >= 0 && fee <= 1_000_000_000L, "--fee " + fee + ": min, or up to 10^9");
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
