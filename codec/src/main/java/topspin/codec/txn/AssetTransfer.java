package topspin.codec.txn;

import topspin.codec.Address;

/**
 * Moves units of an asset; to oneself with amount 0, opts in.
 *
 * @param assetSender whose units move, when the clawback address moves them; else zero
 * @param closeTo who gets all units left, the holding being closed; zero to keep it
 */
public record AssetTransfer(
        TransactionHeader header,
        long asset,
        long amount,
        Address assetSender,
        Address receiver,
        Address closeTo)
        implements Transaction {

    @Override
    public String typeText() {
        return TransactionType.ASSET_TRANSFER.wireName();
    }

    @Override
    public AssetTransfer withHeader(TransactionHeader newHeader) {
        return new AssetTransfer(newHeader, asset, amount, assetSender, receiver, closeTo);
    }
}
