package topspin.node.agreement;

import topspin.codec.vote.Bundle;
import topspin.codec.vote.RawVote;

/**
 * Which messages may still matter, given where the player is (agreement.md 7.3).
 *
 * @param lastConcluding step in which it left the period before
 */
record Freshness(long round, long period, long step, long lastConcluding) {

    boolean isFresh(RawVote raw) {
        return raw.step() == Step.PROPOSE ? isFreshProposal(raw) : isFreshVote(raw);
    }

    private boolean isFreshProposal(RawVote raw) {
        if (raw.round() == round + 1) {
            return raw.period() == 0;
        }
        return raw.round() == round
                && raw.period() >= Math.max(0, period - 1)
                && raw.period() <= period + 1;
    }

    private boolean isFreshVote(RawVote raw) {
        if (raw.round() == round + 1) {
            return raw.period() == 0 && isFreshStep(0, raw.step());
        } else if (raw.round() != round) {
            return false;
        } else if (raw.period() == period) {
            return isFreshStep(step, raw.step());
        } else if (raw.period() == period + 1) {
            return isFreshStep(Step.SOFT, raw.step());
        }
        return period != 0 && raw.period() == period - 1 && isFreshStep(lastConcluding, raw.step());
    }

    /** Votes that everyone needs, and those of the steps around a player's own. */
    private static boolean isFreshStep(long mine, long step) {
        if (step >= 0 && step <= Step.NEXT || step >= Step.LATE && step <= Step.DOWN) {
            return true;
        }
        // No honest node gets to a step without a name; counting them would cost memory.
        return step > Step.NEXT && step < Step.LATE && step >= mine - 1 && step <= mine + 1;
    }

    boolean isFresh(Bundle bundle) {
        return bundle.round() == round
                && (bundle.step() == Step.CERT
                        || period == 0
                        || Long.compareUnsigned(bundle.period(), period - 1) >= 0);
    }
}
