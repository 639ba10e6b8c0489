package topspin.ledger.rules;

import static java.nio.charset.StandardCharsets.US_ASCII;

import topspin.codec.Address;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Sha512_256;

/** Accounts that the protocol names and that have no key. */
public final class SpecialAccounts {
    /** Where state proofs come from. */
    public static final Address STATE_PROOF_SENDER = named("StateProofSender");

    private SpecialAccounts() {}

    private static Address named(String name) {
        return Address.fromBytes(Sha512_256.digest(Domain.SPECIAL_ADDR, name.getBytes(US_ASCII)));
    }
}
