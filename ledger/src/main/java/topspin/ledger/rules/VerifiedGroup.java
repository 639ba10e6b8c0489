package topspin.ledger.rules;

import topspin.codec.txn.TransactionGroup;

/**
 * A group whose form, group id and signatures are right under one protocol version. Only {@link
 * Signatures} makes one, so that whoever holds one need not ask.
 */
public final class VerifiedGroup {
    private final TransactionGroup group;
    private final String protocol;

    VerifiedGroup(TransactionGroup group, String protocol) {
        this.group = group;
        this.protocol = protocol;
    }

    public TransactionGroup group() {
        return group;
    }

    /** The version whose rules it was checked by. */
    public String protocol() {
        return protocol;
    }
}
