package topspin.codec.txn;

import org.jspecify.annotations.Nullable;

/**
 * What a transaction did, as its block records it (transactions.md section 7). Amounts in
 * microalgos or base units.
 *
 * @param evalDelta what an application did; null unless there is something
 */
public record ApplyData(
        long closingAmount,
        long assetClosingAmount,
        long senderRewards,
        long receiverRewards,
        long closeRewards,
        long createdAsset,
        long createdApplication,
        @Nullable EvalDelta evalDelta) {
    public static final ApplyData ZERO = new ApplyData(0, 0, 0, 0, 0, 0, 0, null);

    /** As the constructor; what did nothing beside itself shares {@link #ZERO}. */
    public static ApplyData of(
            long closingAmount,
            long assetClosingAmount,
            long senderRewards,
            long receiverRewards,
            long closeRewards,
            long createdAsset,
            long createdApplication,
            @Nullable EvalDelta evalDelta) {
        long any =
                closingAmount
                        | assetClosingAmount
                        | senderRewards
                        | receiverRewards
                        | closeRewards
                        | createdAsset
                        | createdApplication;
        return any == 0 && evalDelta == null
                ? ZERO
                : new ApplyData(
                        closingAmount,
                        assetClosingAmount,
                        senderRewards,
                        receiverRewards,
                        closeRewards,
                        createdAsset,
                        createdApplication,
                        evalDelta);
    }
}
