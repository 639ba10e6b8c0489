package topspin.node.agreement;

/** The earlier rounds that decide about a round (agreement.md 1.2). Before round 0 there is 0. */
final class Lookback {
    /** Between the block that says which rules hold, and the round for which they do. */
    static final long PARAMS_ROUNDS = 2;

    private Lookback() {}

    /** The round whose version governs agreement on {@code round}. */
    static long paramsRound(long round) {
        return before(round, PARAMS_ROUNDS);
    }

    /** The round whose seed draws the committees of {@code round}. */
    static long seedRound(long round, AgreementRules rules) {
        return before(round, rules.params().seedLookback());
    }

    /** The round at whose end stake and keys count for {@code round}. */
    static long balanceRound(long round, AgreementRules rules) {
        return before(round, rules.params().balanceLookback());
    }

    /** The round {@code distance} rounds earlier. */
    static long before(long round, long distance) {
        return Math.max(0, round - distance);
    }
}
