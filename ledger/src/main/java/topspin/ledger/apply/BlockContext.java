package topspin.ledger.apply;

import topspin.codec.Address;
import topspin.codec.params.ConsensusParams;

/**
 * What all transactions of a block have in common.
 *
 * @param round the round of the block, not of the state below it
 * @param params the rules of the block's protocol version
 * @param feeSink where fees go
 * @param rewardsPool where rewards come from
 * @param rewardsLevel the block's cumulative rewards per unit, in microAlgos
 */
public record BlockContext(
        long round,
        ConsensusParams params,
        Address feeSink,
        Address rewardsPool,
        long rewardsLevel) {}
