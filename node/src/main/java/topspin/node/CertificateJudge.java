package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.codec.vote.Bundle;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerView;
import topspin.node.agreement.CredentialVerifier;
import topspin.node.agreement.Outcome;
import topspin.node.agreement.Timing;
import topspin.node.agreement.VerifiedVote;
import topspin.node.catchup.CertificateCheck;

import java.util.List;

/**
 * Judges certificates by what the ledger knows of stake, keys and seeds (agreement.md 10). Before
 * v42 the lot depends on a library's rounding, so that those of earlier versions are taken as they
 * come.
 */
final class CertificateJudge implements CertificateCheck {
    private final Ledger ledger;
    private final CredentialVerifier verifier;

    CertificateJudge(Ledger ledger) {
        this.ledger = ledger;
        this.verifier =
                new CredentialVerifier(
                        new LedgerStake(ledger::view, ledger.versions(), Timing.DEFAULT));
    }

    /** Whether certificates of the round after the latest can be judged here. */
    boolean judges() {
        LedgerView view = ledger.view();
        long governing = Math.max(0, view.round() - 1); // Two rounds before the next one.
        var params = ledger.versions().get(view.header(governing).protocol());
        return params != null && params.enableSelectF128();
    }

    @Override
    public @Nullable String fault(long round, Bundle certificate) {
        if (!judges()) {
            return null;
        }
        Outcome<List<VerifiedVote>> outcome =
                verifier.verifyCertificate(certificate, round, certificate.value().blockDigest());
        return switch (outcome) {
            case Outcome.Valid<List<VerifiedVote>> valid -> null;
            case Outcome.Invalid<List<VerifiedVote>>(var reason) -> reason;
            case Outcome.Cancelled<List<VerifiedVote>> cancelled ->
                    "this node does not have the history to judge it";
        };
    }
}
