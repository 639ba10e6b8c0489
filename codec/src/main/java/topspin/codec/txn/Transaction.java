package topspin.codec.txn;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;

/** What an account asks for: one record per type, over a common header. */
public sealed interface Transaction
        permits Payment,
                KeyRegistration,
                AssetConfig,
                AssetTransfer,
                AssetFreeze,
                ApplicationCall,
                StateProof,
                Heartbeat,
                Misfit {

    TransactionHeader header();

    /** The same with another header. A {@link Misfit} cannot have one: it is its bytes. */
    Transaction withHeader(TransactionHeader newHeader);

    /** The type's name on the wire; for a {@link Misfit} whatever stood there. */
    String typeText();

    default Address sender() {
        return header().sender();
    }

    default long fee() {
        return header().fee();
    }

    default long firstValid() {
        return header().firstValid();
    }

    default long lastValid() {
        return header().lastValid();
    }

    default Bytes note() {
        return header().note();
    }

    default String genesisId() {
        return header().genesisId();
    }

    default Digest genesisHash() {
        return header().genesisHash();
    }

    default Digest group() {
        return header().group();
    }

    default Digest lease() {
        return header().lease();
    }

    default Address rekeyTo() {
        return header().rekeyTo();
    }
}
