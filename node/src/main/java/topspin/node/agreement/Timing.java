package topspin.node.agreement;

/**
 * What no protocol version says about time (agreement.md 1.2, 1.3). Nodes of one network may differ
 * in it: it decides when a node acts, not what is valid. Nanoseconds.
 *
 * @param lambda the time a vote takes to reach everyone, λ
 * @param bigLambda the time a block takes, Λ
 * @param filterFloor the shortest filter timeout that arrivals may lead to
 * @param filterGrace what is added to the arrival that decides
 */
public record Timing(long lambda, long bigLambda, long filterFloor, long filterGrace) {
    private static final long SECOND = 1_000_000_000L;

    /** Rounds for which late proposals are awaited at least. */
    private static final long LAG_MIN = 8;

    /** The network's own. */
    public static final Timing DEFAULT =
            new Timing(2 * SECOND, 15 * SECOND, 2_500_000_000L, 50_000_000L);

    public Timing {
        if (lambda <= 0 || bigLambda <= 0 || filterFloor <= 0 || filterGrace < 0) {
            throw new IllegalArgumentException("times are positive");
        }
    }

    /** Rounds after which the best proposal of a round is taken as known. */
    public long lagRounds() {
        long lag = Math.max(2 * lambda / filterFloor, LAG_MIN);
        return lag * filterFloor < 2 * lambda ? lag + 1 : lag;
    }

    /** How long a period lasts where no version's rules are known. */
    public long fallbackDeadline() {
        return lambda + bigLambda;
    }
}
