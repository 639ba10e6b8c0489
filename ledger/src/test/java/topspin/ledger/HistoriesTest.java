package topspin.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import topspin.codec.Bytes;
import topspin.codec.block.BlockEncoder;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.account.AssetRecord;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Random histories of transactions of every kind: the same seed gives the same bytes, another node
 * finds the same of each block, and neither money nor units of assets are made or lost.
 */
class HistoriesTest {
    private static final int ROUNDS = 200;
    private static final int ACCOUNTS = 8;

    /** Gives 10 microAlgos a round to each whole Algo at first. */
    private static final long REWARDS_POOL = 500_000L * 80_000 + 100_000;

    static LongStream some() {
        return LongStream.range(0, 4);
    }

    static LongStream many() {
        return LongStream.range(4, 50);
    }

    @ParameterizedTest
    @MethodSource("some")
    void areTheSameTwiceAndConserveWhatThereIs(long seed) {
        Run first = new Run(seed);
        Run second = new Run(seed);
        assertEquals(first.blocks, second.blocks, () -> "seed " + seed);
        assertTrue(first.accepted > ROUNDS, () -> "seed " + seed + ": " + first.accepted);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("many")
    void manyAreTheSameTwiceAndConserveWhatThereIs(long seed) {
        areTheSameTwiceAndConserveWhatThereIs(seed);
    }

    /** One history; {@link TestNetwork} has every block of it judged by a second evaluator. */
    private static final class Run {
        final List<Bytes> blocks = new ArrayList<>();
        final int accepted;

        Run(long seed) {
            boolean rewards = seed % 2 == 0;
            TestNetwork net =
                    new TestNetwork(
                            ACCOUNTS,
                            rewards ? REWARDS_POOL : 100_000,
                            ConsensusVersions.builtIn(),
                            ConsensusVersions.V42);
            RandomHistory history = new RandomHistory(net, ACCOUNTS, seed);
            long money = net.state().totals().money();
            Map<Long, Long> units = new HashMap<>();
            for (int round = 1; round <= ROUNDS; round++) {
                EvaluatedBlock made = history.nextBlock();
                blocks.add(Bytes.of(BlockEncoder.encodeBlock(made.block())));
                assertEquals(money, net.state().totals().money(), "seed " + seed);
                for (Map.Entry<Long, AssetRecord> asset : net.state().assets().entrySet()) {
                    long total = asset.getValue().params().total();
                    assertEquals(total, units.computeIfAbsent(asset.getKey(), id -> total));
                    assertEquals(total, net.state().units(asset.getKey()), "asset, seed " + seed);
                }
            }
            accepted = history.accepted();
            if (rewards) {
                assertTrue(net.state().header().rewardsLevel() > 0);
            }
        }
    }
}
