package topspin.net.gossipsub;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;

final class IdCacheTest {
    private final MessageId id = new MessageId();

    private MessageId id(long number) {
        id.set(number, 0, 0, number);
        return id;
    }

    private record Entry(long number, long expiry, byte state) {}

    /** Against a list that is searched from end to end. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 63, 64, 65, 1_000})
    void itDoesWhatAPlainListDoes(int capacity) {
        var random = new SplittableRandom(capacity);
        var cache = new IdCache(capacity, random);
        Deque<Entry> model = new ArrayDeque<>();
        long now = Long.MAX_VALUE - 500; // The clock wraps on the way.
        long evicted = 0;
        for (int step = 0; step < 30_000; step++) {
            now += random.nextInt(3);
            long number = random.nextInt(3 * capacity + 10);
            Entry known = model.stream().filter(e -> e.number == number).findFirst().orElse(null);
            int slot = cache.find(id(number));
            assertThat(slot != IdCache.NONE).isEqualTo(known != null);
            if (known == null) {
                if (model.size() == capacity) {
                    model.removeFirst();
                    evicted++;
                }
                byte state = (byte) random.nextInt(4);
                long expiry = now + 2L * capacity;
                slot = cache.add(id(number), expiry);
                cache.state(slot, state);
                model.addLast(new Entry(number, expiry, state));
                if (random.nextInt(10) == 0) {
                    cache.forgetNewest();
                    model.removeLast();
                }
            } else {
                assertThat(cache.state(slot)).isEqualTo(known.state);
            }
            if (random.nextInt(10) == 0) {
                cache.expire(now);
                while (!model.isEmpty() && model.getFirst().expiry - now <= 0) {
                    model.removeFirst();
                }
            }
            assertThat(cache.size()).isEqualTo(model.size());
        }
        assertThat(cache.takeEvicted()).isEqualTo(evicted);
        assertThat(cache.takeEvicted()).isZero();
    }

    @Test
    void idsThatDifferInOneWordAreTwo() {
        var cache = new IdCache(100, new SplittableRandom(1));
        for (int word = 0; word < 4; word++) {
            id.set(word == 0 ? 1 : 0, word == 1 ? 1 : 0, word == 2 ? 1 : 0, word == 3 ? 1 : 0);
            assertThat(cache.find(id)).isEqualTo(IdCache.NONE);
            cache.add(id, 1);
        }
        assertThat(cache.size()).isEqualTo(4);
    }
}
