package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.vote.Bundle;

/** The ledger as agreement drives it. Returns at once. */
public interface Chain {
    /** The round that follows the latest durable one. */
    long nextRound();

    /** The rules of the block of a round, or null if this node does not know them. */
    @Nullable AgreementRules rules(long round);

    /** Adds a certified block; what is there already is left alone. */
    void ensure(Payload payload, Bundle certificate);

    /** Looks for the block of a certificate among the peers. */
    void fetch(Bundle certificate);
}
