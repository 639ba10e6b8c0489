package topspin.node.catchup;

import org.jspecify.annotations.Nullable;

import topspin.codec.vote.Bundle;

/** Whether the votes of a certificate are those of accounts that were drawn, and enough. */
public interface CertificateCheck {
    /**
     * What is wrong with a certificate of the round after the ledger's latest, or null. That it is
     * the block's is checked before.
     */
    @Nullable String fault(long round, Bundle certificate);
}
