package topspin.loadgen;

/** Transactions by what became of their submission. The event loop adds, any thread reads. */
final class Tally {
    /** Handed to a socket. */
    final Count offered = new Count();

    /** Answered 200. */
    final Count accepted = new Count();

    /** Answered otherwise. */
    final Count refused = new Count();

    /** Sent, and the connection was lost before the answer. */
    final Count unanswered = new Count();

    /** Due, and not sent at all, for a reason on our side. */
    final Count unsent = new Count();

    /** Slots, not transactions, sent more than {@link Sender#LATE_NANOS} after they were due. */
    final Count lateSlots = new Count();

    /** Transactions that await their answer. */
    long inFlight() {
        // Answers are read first: what is offered meanwhile can only make it look busier.
        long answered = accepted.get() + refused.get() + unanswered.get();
        return Math.max(0, offered.get() - answered);
    }
}
