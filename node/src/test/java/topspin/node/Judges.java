package topspin.node;

import topspin.ledger.Ledger;
import topspin.node.catchup.CertificateCheck;

/** What tests of other packages judge certificates by. */
public final class Judges {
    private Judges() {}

    /** As a node does. */
    public static CertificateCheck of(Ledger ledger) {
        return new CertificateJudge(ledger);
    }
}
