package topspin.node.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

final class DuplicateFilterTest {
    private static final int GROUPS = 1024;

    private final DuplicateFilter filter = new DuplicateFilter(GROUPS, new SplittableRandom(1));

    @Test
    void theSecondCopyIsKnown() {
        long key = key(7);

        assertThat(filter.add(key)).isTrue();
        assertThat(filter.add(key)).isFalse();
    }

    @Test
    void whatIsForgottenMayComeAgain() {
        long key = key(7);
        filter.add(key);

        filter.forget(key);

        assertThat(filter.add(key)).isTrue();
    }

    @Test
    void forgettingWhatNeverCameDoesNothing() {
        filter.add(key(1));

        filter.forget(key(2));

        assertThat(filter.add(key(1))).isFalse();
    }

    @Test
    void nearlyAllOfTheLastGenerationAreStillKnown() {
        for (int i = 0; i < GROUPS; i++) {
            filter.add(key(i));
        }
        int known = 0;
        for (int i = 0; i < GROUPS; i++) {
            known += filter.add(key(i)) ? 0 : 1;
        }
        // A crowded bucket may have forgotten one; half-full buckets of eight seldom are crowded.
        assertThat(known).isGreaterThan(GROUPS * 98 / 100);
    }

    @Test
    void whatIsTwoGenerationsOldIsForgotten() {
        long first = key(-1);
        filter.add(first);
        for (int i = 0; i < 2 * GROUPS; i++) {
            filter.add(key(i));
        }
        assertThat(filter.add(first)).isTrue();
    }

    @Test
    void forgettingReachesTheOlderGeneration() {
        long old = key(-1);
        filter.add(old);
        for (int i = 0; i < GROUPS; i++) {
            filter.add(key(i));
        }
        assertThat(filter.add(old)).isFalse();

        filter.forget(old);

        assertThat(filter.add(old)).isTrue();
    }

    @Test
    void filtersDoNotShareTheirSalt() {
        DuplicateFilter other = new DuplicateFilter(GROUPS, new SplittableRandom(2));
        byte[] message = {1, 2, 3};

        assertThat(filter.key(message, 0, 3)).isNotEqualTo(other.key(message, 0, 3));
    }

    @Property(tries = 200)
    void aMessageThatDiffersInAnyBitIsAnother(@ForAll @Size(min = 1, max = 300) byte[] message) {
        long key = filter.key(message, 0, message.length);
        int bit = (int) Math.floorMod(key, 8L * message.length);
        message[bit / 8] ^= (byte) (1 << (bit % 8));

        assertThat(filter.key(message, 0, message.length)).isNotEqualTo(key);
    }

    private long key(int number) {
        byte[] message = {
            (byte) (number >>> 24), (byte) (number >>> 16), (byte) (number >>> 8), (byte) number
        };
        return filter.key(message, 0, message.length);
    }
}
