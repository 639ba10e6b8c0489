package topspin.ledger;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.block.BlockHeader;
import topspin.ledger.account.Account;
import topspin.ledger.account.AccountTotals;
import topspin.ledger.account.StateReader;

import java.util.function.BiConsumer;

/**
 * What was true at the end of a round, as far as the next block depends on it. Never changes; any
 * thread may read it.
 */
public interface RoundState extends StateReader {
    /** What {@link #leaseUntil} says when nobody holds the lease: no round is that far away. */
    long NO_LEASE = -1;

    /** The round at whose end this was true. */
    long round();

    /** The header of that round. */
    BlockHeader header();

    /** The hash of that header, which the next block names as its predecessor. */
    Digest headerHash();

    /**
     * The header of a round up to this one.
     *
     * @throws IllegalArgumentException when the round is not kept any more or lies ahead; the last
     *     1,001 and those that agreement looks back to always are
     */
    BlockHeader header(long round);

    /** Sums over all accounts. */
    AccountTotals totals();

    /** Whether the transaction is in a block up to this round, given its own last valid round. */
    boolean isCommitted(Digest id, long lastValid);

    /**
     * The last round in which a committed transaction holds the lease, or {@link #NO_LEASE}. One
     * that ended with this round or before may be reported as ended or not at all.
     */
    long leaseUntil(Address sender, Digest lease);

    /**
     * The record that an account had at the end of a round, if it was online then; {@link
     * Account#EMPTY} if not. For rounds back to this one less agreement's look-back of 320.
     */
    Account online(Address address, long round);

    /** Shows each account that was online at the end of a round, in order of address. */
    void forEachOnline(long round, BiConsumer<Address, Account> action);

    /**
     * Stake online at the end of a round with rewards up to it, less that of accounts whose keys
     * end before {@code voteRound}; nothing is taken off for round 0 (agreement.md section 3).
     */
    long circulation(long round, long voteRound);
}
