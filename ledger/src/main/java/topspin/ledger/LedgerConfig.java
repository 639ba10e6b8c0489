package topspin.ledger;

import topspin.codec.params.ConsensusVersions;
import topspin.ledger.store.StoreConfig;

/**
 * How the ledger keeps what it keeps.
 *
 * @param keepRounds blocks and certificates kept, counted back from the latest round; {@link
 *     #ALL_ROUNDS}, or at least {@link #KEEP_ROUNDS_MIN}
 * @param cachedAccounts account records held in memory, of some 300 bytes each
 * @param store native memory and files
 * @param versions the protocol versions this node knows
 */
public record LedgerConfig(
        long keepRounds, int cachedAccounts, StoreConfig store, ConsensusVersions versions) {
    /** Nothing is ever pruned. */
    public static final long ALL_ROUNDS = 0;

    /** What transactions may refer back to: their longest life, and the latest round. */
    public static final long KEEP_ROUNDS_MIN = 1001;

    public static final LedgerConfig DEFAULT =
            new LedgerConfig(ALL_ROUNDS, 65_536, StoreConfig.DEFAULT, ConsensusVersions.builtIn());

    public LedgerConfig {
        if (keepRounds != ALL_ROUNDS && keepRounds < KEEP_ROUNDS_MIN) {
            throw new IllegalArgumentException(
                    "keep-rounds must be at least "
                            + KEEP_ROUNDS_MIN
                            + " (or 0 for all): "
                            + keepRounds);
        }
        if (cachedAccounts < 1) {
            throw new IllegalArgumentException(
                    "cachedAccounts must be positive: " + cachedAccounts);
        }
    }

    public LedgerConfig withKeepRounds(long rounds) {
        return new LedgerConfig(rounds, cachedAccounts, store, versions);
    }

    public LedgerConfig withVersions(ConsensusVersions known) {
        return new LedgerConfig(keepRounds, cachedAccounts, store, known);
    }
}
