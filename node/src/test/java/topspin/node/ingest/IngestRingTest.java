package topspin.node.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

@Timeout(20)
final class IngestRingTest {
    private record Parcel(int producer, int number, int length) implements IngestRing.Sized {}

    private final IngestRing<Parcel> ring = new IngestRing<>(8, 100);

    @Test
    void whatGoesInComesOutInOrder() {
        for (int i = 0; i < 20; i++) {
            assertThat(ring.offer(parcel(i, 10))).isTrue();
            assertThat(ring.offer(parcel(-i, 10))).isTrue();
            assertThat(ring.poll()).isEqualTo(parcel(i, 10));
            assertThat(ring.poll()).isEqualTo(parcel(-i, 10));
        }
        assertThat(ring.poll()).isNull();
    }

    @Test
    void moreThanItsSlotsIsRefused() {
        for (int i = 0; i < 8; i++) {
            assertThat(ring.offer(parcel(i, 1))).isTrue();
        }
        assertThat(ring.offer(parcel(8, 1))).isFalse();
        assertThat(ring.size()).isEqualTo(8);

        ring.poll();

        assertThat(ring.offer(parcel(8, 1))).isTrue();
    }

    @Test
    void moreThanItsBytesIsRefusedAndLeavesNoTrace() {
        assertThat(ring.offer(parcel(0, 60))).isTrue();
        assertThat(ring.offer(parcel(1, 41))).isFalse();
        assertThat(ring.bytes()).isEqualTo(60);
        assertThat(ring.offer(parcel(2, 40))).isTrue();

        ring.poll();
        ring.poll();

        assertThat(ring.bytes()).isZero();
    }

    @Test
    void aSleepingConsumerIsWoken() throws InterruptedException {
        var received = new CountDownLatch(1);
        Thread consumer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (ring.poll() == null) {
                                        ring.await(TimeUnit.SECONDS.toNanos(10));
                                    }
                                    received.countDown();
                                });
        ring.offer(parcel(1, 1));

        assertThat(received.await(5, TimeUnit.SECONDS)).isTrue();
        consumer.join();
    }

    @Test
    void eachProducersParcelsArriveOnceAndInItsOrder() throws InterruptedException {
        int producers = 3;
        int parcels = 20_000;
        var refused = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < producers; p++) {
            int producer = p;
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < parcels; i++) {
                                            while (!ring.offer(new Parcel(producer, i, 5))) {
                                                refused.incrementAndGet();
                                                Thread.onSpinWait();
                                            }
                                        }
                                    }));
        }
        int[] next = new int[producers];
        for (int received = 0; received < producers * parcels; ) {
            Parcel parcel = ring.poll();
            if (parcel == null) {
                ring.await(1_000_000);
            } else {
                assertThat(parcel.number).isEqualTo(next[parcel.producer]++);
                received++;
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(ring.poll()).isNull();
        assertThat(ring.bytes()).isZero();
        assertThat(ring.size()).isZero();
    }

    private static Parcel parcel(int number, int length) {
        return new Parcel(0, number, length);
    }
}
