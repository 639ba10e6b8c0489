package topspin.ledger.apply;

import topspin.codec.txn.ApplyData;

/**
 * What applying one transaction did beyond what the transaction says; becomes its {@link
 * ApplyData}. Reused from one transaction to the next.
 */
public final class Effects {
    long closingAmount;
    long assetClosingAmount;
    long senderRewards;
    long receiverRewards;
    long closeRewards;
    long createdAsset;

    /** Forgets the previous transaction. */
    public void clear() {
        closingAmount = 0;
        assetClosingAmount = 0;
        senderRewards = 0;
        receiverRewards = 0;
        closeRewards = 0;
        createdAsset = 0;
    }

    /** The record of it: one shared value when there is nothing to say, as for most payments. */
    public ApplyData toApplyData() {
        return ApplyData.of(
                closingAmount,
                assetClosingAmount,
                senderRewards,
                receiverRewards,
                closeRewards,
                createdAsset,
                0,
                null);
    }
}
