package topspin.ledger.rules;

import topspin.codec.txn.TransactionGroup;

import java.util.List;

/** Verifies groups that have nothing to do with each other: on one thread, or on several. */
public interface GroupVerifier {
    /**
     * Form, group rules and signatures of each; a bad group spoils no other.
     *
     * @return an outcome per group, in their order
     */
    List<Signatures.Outcome> verify(List<TransactionGroup> groups, Rules rules);
}
