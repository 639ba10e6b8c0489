package topspin.ledger;

import topspin.codec.block.Block;

/** A block and all that it changes. */
public record EvaluatedBlock(Block block, StateDelta delta) {}
