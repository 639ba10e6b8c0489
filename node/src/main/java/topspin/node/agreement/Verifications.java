package topspin.node.agreement;

/**
 * Verification, elsewhere. Each request is answered once, by {@link AgreementLoop#onVerified} of
 * its kind, at the latest when it is cancelled.
 */
public interface Verifications {
    void verify(Action.VerifyVote request);

    void verify(Action.VerifyPayload request);

    void verify(Action.VerifyBundle request);
}
