package topspin.ledger;

import topspin.codec.Address;
import topspin.codec.Digest;

import java.util.function.Predicate;

/**
 * What the maker of a block decides when its transactions stand: agreement.md sections 6 and 12.
 *
 * @param seed of sortition, derived by agreement
 * @param proposer who proposes the block and is paid for it; {@link Address#ZERO} in dev mode
 * @param payoutEligible whether the proposer met the conditions of payouts when it was chosen
 * @param ownAccount accounts that the maker will not report as expired or absent
 */
public record BlockMaker(
        Digest seed, Address proposer, boolean payoutEligible, Predicate<Address> ownAccount) {

    /** Dev mode: nobody proposes, and the seed is the hash of the previous header. */
    public static BlockMaker devMode(RoundState base) {
        return new BlockMaker(base.headerHash(), Address.ZERO, false, address -> false);
    }
}
