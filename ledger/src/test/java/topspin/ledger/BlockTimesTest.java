package topspin.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.ledger.BlockTimes.Span;

final class BlockTimesTest {
    private long now = 1_000;
    private final BlockTimes times = new BlockTimes(() -> now);

    private void work(long nanos) {
        long begun = times.begin();
        now += nanos;
        times.end(begun);
    }

    @Test
    void workIsToldByHowLongAgoItWas() {
        assertThat(times.spans()).isEmpty();
        work(10);
        now += 5;
        work(20);
        now += 1;
        assertThat(times.spans()).containsExactly(new Span(36, 26), new Span(21, 1));
    }

    @Test
    void theOldestGoFirst() {
        for (int count = 0; count < BlockTimes.SPANS_MAX; count++) {
            work(1);
        }
        work(7);
        assertThat(times.spans()).hasSize(BlockTimes.SPANS_MAX).last().isEqualTo(new Span(7, 0));
    }
}
