package topspin.node.agreement;

import topspin.codec.params.ConsensusParams;

/**
 * A protocol version as agreement sees it: committees, quorums, times (agreement.md 1).
 *
 * @param version name of the version
 */
public record AgreementRules(String version, ConsensusParams params, Timing timing) {
    /** Doublings of a window after which it grows no more: 2^32 λ are centuries. */
    private static final long DOUBLINGS_MAX = 31;

    /** Expected weight of a step's votes if everyone takes part. */
    public long committeeSize(long step) {
        if (step == Step.PROPOSE) {
            return params.numProposers();
        } else if (step == Step.SOFT) {
            return params.softCommitteeSize();
        } else if (step == Step.CERT) {
            return params.certCommitteeSize();
        } else if (step == Step.LATE) {
            return params.lateCommitteeSize();
        } else if (step == Step.REDO) {
            return params.redoCommitteeSize();
        } else if (step == Step.DOWN) {
            return params.downCommitteeSize();
        }
        return params.nextCommitteeSize();
    }

    /** Weight that makes a quorum; there is none of proposals. */
    public long threshold(long step) {
        if (step == Step.PROPOSE) {
            throw new IllegalArgumentException("proposals have no quorum");
        } else if (step == Step.SOFT) {
            return params.softCommitteeThreshold();
        } else if (step == Step.CERT) {
            return params.certCommitteeThreshold();
        } else if (step == Step.LATE) {
            return params.lateCommitteeThreshold();
        } else if (step == Step.REDO) {
            return params.redoCommitteeThreshold();
        } else if (step == Step.DOWN) {
            return params.downCommitteeThreshold();
        }
        return params.nextCommitteeThreshold();
    }

    /** Whether a weight is a quorum of the step. */
    public boolean reachesQuorum(long step, long weight) {
        return Long.compareUnsigned(weight, threshold(step)) >= 0;
    }

    /** When the soft vote is due, in nanoseconds from the start of the period. */
    public long filterTimeout(long period) {
        return period == 0
                ? params.agreementFilterTimeoutPeriod0()
                : params.agreementFilterTimeout();
    }

    /** When the first attempt to leave the period is due. */
    public long deadlineTimeout(long period) {
        return period == 0 ? params.agreementDeadlineTimeoutPeriod0() : timing.fallbackDeadline();
    }

    /** Start of the window in which the next vote of {@code step} is cast. */
    static long windowStart(long step, long deadline, Timing timing) {
        return deadline + timing.lambda() * ((1L << doublings(step)) - 1);
    }

    /** End of that window, and start of the following step's. */
    static long windowEnd(long step, long deadline, Timing timing) {
        return deadline + timing.lambda() * ((1L << (doublings(step) + 1)) - 1);
    }

    private static long doublings(long step) {
        return Math.min(step - Step.NEXT, DOUBLINGS_MAX - 1);
    }
}
