package topspin.codec.txn;

/** Creates an asset ({@code asset} 0), destroys it (no parameters), or changes who controls it. */
public record AssetConfig(TransactionHeader header, long asset, AssetParams params)
        implements Transaction {

    @Override
    public String typeText() {
        return TransactionType.ASSET_CONFIG.wireName();
    }

    @Override
    public AssetConfig withHeader(TransactionHeader newHeader) {
        return new AssetConfig(newHeader, asset, params);
    }
}
