package topspin.ledger.rules;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.block.BlockHeader;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;

/**
 * The rules in force at a round, and the two accounts they single out.
 *
 * @param protocol name of the protocol version
 * @param params its parameters
 * @param feeSink where fees go
 * @param rewardsPool where rewards come from
 */
public record Rules(String protocol, ConsensusParams params, Address feeSink, Address rewardsPool) {

    /** The rules that a header says are in force; null when this node does not know them. */
    public static @Nullable Rules of(BlockHeader header, ConsensusVersions versions) {
        ConsensusParams params = versions.get(header.protocol());
        return params == null
                ? null
                : new Rules(header.protocol(), params, header.feeSink(), header.rewardsPool());
    }
}
