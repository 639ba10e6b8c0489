package topspin.codec.txn;

import topspin.codec.Address;

/** Freezes or thaws an account's holding of an asset. */
public record AssetFreeze(TransactionHeader header, Address account, long asset, boolean frozen)
        implements Transaction {

    @Override
    public String typeText() {
        return TransactionType.ASSET_FREEZE.wireName();
    }

    @Override
    public AssetFreeze withHeader(TransactionHeader newHeader) {
        return new AssetFreeze(newHeader, account, asset, frozen);
    }
}
