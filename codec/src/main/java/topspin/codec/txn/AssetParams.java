package topspin.codec.txn;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;

/**
 * What an asset is: the map {@code apar}. Names are bytes, as the wire does not insist on UTF-8.
 *
 * @param total number of base units
 * @param decimals digits after the point when shown; unsigned 32 bits
 * @param unitName at most {@link Limits#ASSET_UNIT_NAME_BYTES}
 * @param name at most {@link Limits#ASSET_NAME_BYTES}
 * @param url at most {@link Limits#ASSET_URL_BYTES}
 */
public record AssetParams(
        long total,
        long decimals,
        boolean defaultFrozen,
        Bytes unitName,
        Bytes name,
        Bytes url,
        Digest metadataHash,
        Address manager,
        Address reserve,
        Address freeze,
        Address clawback) {

    /** Nothing set: in a transaction, the wish to destroy. */
    public static final AssetParams ZERO =
            new AssetParams(
                    0,
                    0,
                    false,
                    Bytes.EMPTY,
                    Bytes.EMPTY,
                    Bytes.EMPTY,
                    Digest.ZERO,
                    Address.ZERO,
                    Address.ZERO,
                    Address.ZERO,
                    Address.ZERO);

    public boolean isZero() {
        return equals(ZERO);
    }
}
