package topspin.net.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class AllowanceTest {
    private static final long SECOND = 1_000_000_000;

    private long now = Long.MAX_VALUE - SECOND / 2; // The clock may wrap.
    private final Allowance allowance = new Allowance(100, 10, () -> now);

    @Test
    void whatIsThereAtOnceCanBeTakenAtOnce() {
        assertThat(allowance.take(60)).isTrue();
        assertThat(allowance.take(41)).isFalse();
        assertThat(allowance.take(40)).isTrue();
        assertThat(allowance.take(1)).isFalse();
    }

    @Test
    void itComesBackWithTimeAndNoMoreThanThereWas() {
        assertThat(allowance.take(100)).isTrue();
        now += SECOND;
        assertThat(allowance.take(11)).isFalse();
        assertThat(allowance.take(10)).isTrue();
        now += 1_000_000_000_000L * SECOND / 1_000;
        assertThat(allowance.take(101)).isFalse();
        assertThat(allowance.take(100)).isTrue();
    }
}
