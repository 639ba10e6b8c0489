package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;

/**
 * A quorum of one step.
 *
 * @param bundle the votes that make it
 * @param rules of its round
 */
record Threshold(Bundle bundle, AgreementRules rules) {
    long round() {
        return bundle.round();
    }

    long period() {
        return bundle.period();
    }

    ProposalValue value() {
        return bundle.value();
    }

    boolean isCert() {
        return bundle.step() == Step.CERT;
    }

    /** Whether it ends the period: next, late, redo or down. */
    boolean endsPeriod() {
        return Step.endsPeriod(bundle.step());
    }

    /**
     * Whether it tells more than another of the same round. A certificate tells all; then the later
     * period; then the end of it; then that it ended with nothing.
     */
    boolean isFresherThan(@Nullable Threshold that) {
        if (that == null) {
            return true;
        } else if (that.isCert() || isCert()) {
            return !that.isCert();
        } else if (period() != that.period()) {
            return Long.compareUnsigned(period(), that.period()) > 0;
        } else if (endsPeriod() != that.endsPeriod()) {
            return endsPeriod();
        }
        return endsPeriod() && value().isBottom() && !that.value().isBottom();
    }
}
