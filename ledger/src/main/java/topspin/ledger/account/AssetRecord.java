package topspin.ledger.account;

import topspin.codec.Address;
import topspin.codec.txn.AssetParams;

/** An asset that exists: who created it, and its parameters as last configured. */
public record AssetRecord(Address creator, AssetParams params) {}
