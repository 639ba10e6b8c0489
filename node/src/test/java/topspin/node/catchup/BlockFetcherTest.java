package topspin.node.catchup;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.net.stream.BlockAnswer.Found;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

final class BlockFetcherTest {
    private final List<Long> asked = new ArrayList<>();
    private final BlockFetcher fetcher =
            new BlockFetcher(
                    round -> {
                        asked.add(round);
                        return new CompletableFuture<>();
                    },
                    10);

    private static Found block(int bytes) {
        return new Found(new byte[bytes], new byte[0]);
    }

    @Test
    void oneRequestIsOpenWhileThePeerHasNothingFurther() {
        assertThat(fetcher.answer()).isNotDone();
        assertThat(fetcher.answer()).isNotDone();
        assertThat(asked).containsExactly(10L);
        fetcher.advance(block(100), true);
        fetcher.advance(block(100), true);
        assertThat(fetcher.round()).isEqualTo(12);
        assertThat(asked).containsExactly(10L, 11L, 12L);
    }

    @Test
    void requestsDoubleWhileAnswersAreThereBeforeTheyAreWanted() {
        assertThat(fetcher.answer()).isNotDone();
        fetcher.advance(block(100), false);
        assertThat(asked).containsExactly(10L, 11L, 12L);
        fetcher.advance(block(100), false);
        fetcher.advance(block(100), false);
        fetcher.advance(block(100), false);
        assertThat(asked).hasSize(4 + BlockFetcher.WIDTH_MAX);
        assertThat(asked.getLast()).isEqualTo(13 + BlockFetcher.WIDTH_MAX);
        fetcher.advance(block(100), true);
        assertThat(asked).hasSize(4 + BlockFetcher.WIDTH_MAX);
    }

    @Test
    void largeBlocksAreAskedForFewAtATimeAndNeverNone() {
        assertThat(fetcher.answer()).isNotDone();
        fetcher.advance(block(3 << 20), false);
        fetcher.advance(block(3 << 20), false);
        assertThat(asked).containsExactly(10L, 11L, 12L, 13L);
        fetcher.advance(block(9 << 20), false);
        fetcher.advance(block(9 << 20), false);
        assertThat(asked).containsExactly(10L, 11L, 12L, 13L, 14L);
    }

    @Test
    void withoutABlockItBeginsAgainWithTheSameRound() {
        assertThat(fetcher.answer()).isNotDone();
        fetcher.advance(block(100), false);
        fetcher.again();
        assertThat(fetcher.answer()).isNotDone();
        assertThat(asked).containsExactly(10L, 11L, 12L, 11L);
        assertThat(fetcher.round()).isEqualTo(11);
    }
}
