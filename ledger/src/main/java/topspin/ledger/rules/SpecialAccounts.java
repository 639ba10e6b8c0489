package topspin.ledger.rules;

import topspin.codec.Address;
import topspin.codec.crypto.HashedAddress;

/** Accounts that the protocol names and that have no key. */
public final class SpecialAccounts {
    /** Where state proofs come from. */
    public static final Address STATE_PROOF_SENDER = HashedAddress.ofName("StateProofSender");

    private SpecialAccounts() {}
}
