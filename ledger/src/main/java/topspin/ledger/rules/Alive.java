package topspin.ledger.rules;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.codec.block.BlockHeader;
import topspin.codec.txn.TransactionHeader;
import topspin.ledger.account.Uint64;

/** Whether a transaction may stand in the block of a round (validation.md section 3). */
public final class Alive {
    private Alive() {}

    /**
     * @param round of the block
     * @param network any header of the network: names its genesis
     */
    public static @Nullable Refusal check(
            TransactionHeader header, long round, BlockHeader network) {
        long first = header.firstValid();
        long last = header.lastValid();
        if (Uint64.less(round, first) || Uint64.less(last, round)) {
            return Reason.DEAD.refusal(round, first, last);
        }
        String genesisId = header.genesisId();
        if (!genesisId.isEmpty() && !genesisId.equals(network.genesisId())) {
            return Reason.GENESIS_ID.refusal(genesisId, network.genesisId());
        }
        Digest genesisHash = header.genesisHash();
        if (genesisHash.isZero()) {
            return Reason.GENESIS_HASH_MISSING.refusal();
        }
        return genesisHash.equals(network.genesisHash())
                ? null
                : Reason.GENESIS_HASH.refusal(genesisHash, network.genesisHash());
    }
}
