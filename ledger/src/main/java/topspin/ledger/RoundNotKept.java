package topspin.ledger;

/**
 * Something was asked of a round that is pruned, or too far back for the history that is kept. Not
 * a fault of whoever's message caused the question: a vote that needs such a round is dropped, and
 * nobody is disconnected (agreement.md section 3).
 */
public final class RoundNotKept extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    RoundNotKept(long round, long first) {
        super("round " + round + " is not kept any more; the first is " + first);
    }
}
