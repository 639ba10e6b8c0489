package topspin.net.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.ImmediateEventExecutor;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

final class ConnectionKeeperTest {
    @Test
    void pausesDoubleUpToABoundAndAreCutByChance() {
        var keeper =
                new ConnectionKeeper(
                        List.of(),
                        address -> new CompletableFuture<>(),
                        Duration.ofMillis(100),
                        Duration.ofSeconds(2),
                        ImmediateEventExecutor.INSTANCE,
                        new SplittableRandom(1),
                        () -> 0);
        long[] longest = {100, 200, 400, 800, 1_600, 2_000, 2_000};
        for (int failures = 0; failures < longest.length; failures++) {
            assertPauses(keeper, failures, longest[failures]);
        }
        assertPauses(keeper, 1_000_000, 2_000);
    }

    private static void assertPauses(ConnectionKeeper keeper, int failures, long longestMillis) {
        Set<Long> drawn = new HashSet<>();
        for (int draw = 0; draw < 100; draw++) {
            long nanos = keeper.pauseNanos(failures);
            assertThat(nanos).isBetween(longestMillis * 500_000, longestMillis * 1_000_000);
            drawn.add(nanos);
        }
        assertThat(drawn).hasSizeGreaterThan(50);
    }
}
