package topspin.ledger.account;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;

/** Accounts, holdings and assets as of one moment: a round, or a block under construction. */
public interface StateReader {
    /** The record of an address; {@link Account#EMPTY} when there is none. */
    Account account(Address address);

    /** What the account holds of the asset; null when it is not opted in. */
    @Nullable Holding holding(Address address, long asset);

    /** The asset of that number; null when it never existed or was destroyed. */
    @Nullable AssetRecord asset(long asset);
}
