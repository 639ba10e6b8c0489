package topspin.node.sim;

import topspin.codec.params.ConsensusVersions;

import java.util.Random;

/**
 * What a seed draws: how many nodes, under which rules, and what befalls them until {@link
 * #healAt}. Times in nanoseconds.
 *
 * @param isFast profile {@code fast}, or else v42
 * @param delayMax of a message while there are faults
 * @param lossPercent messages lost while there are faults
 * @param duplicatePercent messages that come twice
 * @param partitions how often the network falls apart
 * @param crashes how often a node goes down
 * @param filters how often votes of some steps are withheld
 * @param pockets how often all cert votes reach one node only, which is cut off
 * @param starvations how often blocks cannot be agreed on, though periods can be left
 * @param skewPerMille how far clocks run apart
 * @param slowPercent verifications that take seconds
 * @param relaysForeign whether nodes pass on what others made
 * @param floodPercent old messages that come again
 */
record Faults(
        long seed,
        int nodes,
        boolean isFast,
        Adversary adversary,
        long healAt,
        long delayMax,
        int lossPercent,
        int duplicatePercent,
        int partitions,
        int crashes,
        int filters,
        int pockets,
        int starvations,
        int skewPerMille,
        int slowPercent,
        boolean relaysForeign,
        int floodPercent) {
    static final long SECOND = 1_000_000_000L;

    /** What the last node is up to. */
    enum Adversary {
        NONE,
        /** Votes for two values, one for each half of the others. */
        DOUBLE_VOTER,
        /** Proposes two blocks, one for each half; and goes first. */
        DOUBLE_PROPOSER,
        /** In later periods proposes a block of its own, whatever the period starts with. */
        FRESH_PROPOSER,
        /** In later periods proposes again what nobody has settled on. */
        STALE_PROPOSER
    }

    static Faults drawnFrom(long seed) {
        var random = new Random(seed);
        int[] sizes = {2, 3, 4, 5, 5, 7};
        int nodes = sizes[random.nextInt(sizes.length)];
        boolean isFast = random.nextInt(3) > 0;
        boolean canBear = nodes >= 5;
        Adversary[] all = Adversary.values();
        Adversary adversary =
                canBear && random.nextInt(2) == 0
                        ? all[1 + random.nextInt(all.length - 1)]
                        : Adversary.NONE;
        if (random.nextInt(12) == 0) {
            return calm(seed, nodes, isFast);
        }
        long[] delays = {SECOND / 20, SECOND / 2, 2 * SECOND, 9 * SECOND};
        return new Faults(
                seed,
                nodes,
                isFast,
                adversary,
                (15 + random.nextInt(60)) * SECOND,
                delays[random.nextInt(delays.length)],
                random.nextInt(3) == 0 ? 5 + random.nextInt(30) : 0,
                random.nextInt(3) == 0 ? random.nextInt(30) : 0,
                random.nextInt(3),
                random.nextInt(2) == 0 ? random.nextInt(6) : 0,
                random.nextInt(4),
                random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0,
                random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0,
                random.nextInt(3) == 0 ? random.nextInt(60) : 0,
                random.nextInt(4) == 0 ? random.nextInt(20) : 0,
                random.nextInt(3) == 0,
                random.nextInt(4) == 0 ? random.nextInt(20) : 0);
    }

    /** A network that nothing befalls. */
    static Faults calm(long seed, int nodes, boolean isFast) {
        return new Faults(
                seed,
                nodes,
                isFast,
                Adversary.NONE,
                20 * SECOND,
                SECOND / 20,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                false,
                0);
    }

    /** The same without an adversary, and over sooner. */
    Faults amongHonest() {
        return new Faults(
                seed,
                nodes,
                isFast,
                Adversary.NONE,
                Math.min(healAt, 25 * SECOND),
                delayMax,
                lossPercent,
                duplicatePercent,
                partitions,
                crashes,
                filters,
                pockets,
                starvations,
                skewPerMille,
                slowPercent,
                relaysForeign,
                floodPercent);
    }

    boolean isCalm() {
        return equals(calm(seed, nodes, isFast));
    }

    String version() {
        return isFast ? "fast" : ConsensusVersions.V42;
    }
}
