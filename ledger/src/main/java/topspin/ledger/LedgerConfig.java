package topspin.ledger;

import topspin.codec.params.ConsensusVersions;
import topspin.ledger.store.StoreConfig;

/**
 * How the ledger keeps what it keeps.
 *
 * @param keepRounds blocks and certificates kept, counted back from the latest round; {@link
 *     #ALL_ROUNDS}, or at least {@link #KEEP_ROUNDS_MIN}
 * @param keepDeltas rounds, counted back from the latest, whose changes can be read again after the
 *     ledger was closed ({@link Ledger#storedDelta}); 0 to {@link #KEEP_DELTAS_MAX}
 * @param cachedAccounts account records held in memory, of some 300 bytes each
 * @param store native memory and files
 * @param versions the protocol versions this node knows
 */
public record LedgerConfig(
        long keepRounds,
        int keepDeltas,
        int cachedAccounts,
        StoreConfig store,
        ConsensusVersions versions) {
    /** Nothing is ever pruned. */
    public static final long ALL_ROUNDS = 0;

    /** What transactions may refer back to: their longest life, and the latest round. */
    public static final long KEEP_ROUNDS_MIN = 1001;

    /** The changes of a full block take megabytes. */
    public static final int KEEP_DELTAS_MAX = 64;

    public static final LedgerConfig DEFAULT =
            new LedgerConfig(
                    ALL_ROUNDS, 0, 65_536, StoreConfig.DEFAULT, ConsensusVersions.builtIn());

    public LedgerConfig {
        if (keepRounds != ALL_ROUNDS && keepRounds < KEEP_ROUNDS_MIN) {
            throw new IllegalArgumentException(
                    "keep-rounds must be at least "
                            + KEEP_ROUNDS_MIN
                            + " (or 0 for all): "
                            + keepRounds);
        }
        if (keepDeltas < 0 || keepDeltas > KEEP_DELTAS_MAX) {
            throw new IllegalArgumentException(
                    "keepDeltas must be 0 to " + KEEP_DELTAS_MAX + ": " + keepDeltas);
        }
        if (cachedAccounts < 1) {
            throw new IllegalArgumentException(
                    "cachedAccounts must be positive: " + cachedAccounts);
        }
    }

    public LedgerConfig withKeepRounds(long rounds) {
        return new LedgerConfig(rounds, keepDeltas, cachedAccounts, store, versions);
    }

    public LedgerConfig withKeepDeltas(int rounds) {
        return new LedgerConfig(keepRounds, rounds, cachedAccounts, store, versions);
    }

    public LedgerConfig withVersions(ConsensusVersions known) {
        return new LedgerConfig(keepRounds, keepDeltas, cachedAccounts, store, known);
    }
}
