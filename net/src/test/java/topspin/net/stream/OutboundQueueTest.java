package topspin.net.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.Test;

import topspin.net.Tag;

final class OutboundQueueTest {
    private static final long BYTES_MAX = 1_000;

    private final QueueBudget budget = new QueueBudget(1_500);
    private final OutboundQueue queue = new OutboundQueue(200, BYTES_MAX, budget);

    private static ByteBuf frame(int length, int mark) {
        return Unpooled.buffer(length).writeByte(mark).writeZero(length - 1);
    }

    private int poll(OutboundQueue queue) {
        ByteBuf frame = queue.poll();
        if (frame == null) {
            return -1;
        }
        int mark = frame.readUnsignedByte();
        frame.release();
        return mark;
    }

    @Test
    void urgentFramesGoFirstAndEachLaneInOrder() {
        // More than the ring begins with, and taken out meanwhile: it grows while it is wrapped.
        for (int mark = 0; mark < 60; mark++) {
            assertThat(queue.offer(Tag.TRANSACTION, frame(1, mark), 0)).isTrue();
        }
        for (int mark = 0; mark < 30; mark++) {
            assertThat(poll(queue)).isEqualTo(mark);
        }
        for (int mark = 60; mark < 200; mark++) {
            assertThat(queue.offer(Tag.BUNDLE, frame(1, mark), 0)).isTrue();
        }
        assertThat(queue.offer(Tag.VOTE, frame(1, 201), 0)).isTrue();
        assertThat(queue.offer(Tag.PROPOSAL, frame(1, 202), 0)).isTrue();
        assertThat(poll(queue)).isEqualTo(201);
        assertThat(poll(queue)).isEqualTo(202);
        for (int mark = 30; mark < 200; mark++) {
            assertThat(poll(queue)).isEqualTo(mark);
        }
        assertThat(poll(queue)).isEqualTo(-1);
        assertThat(budget.bytes()).isZero();
    }

    @Test
    void aFrameThatDoesNotFitIsReleasedAndRefused() {
        for (int count = 0; count < 200; count++) {
            assertThat(queue.offer(Tag.TRANSACTION, frame(1, 0), 0)).isTrue();
        }
        ByteBuf one = frame(1, 0);
        assertThat(queue.offer(Tag.TRANSACTION, one, 0)).isFalse();
        assertThat(one.refCnt()).isZero();
        assertThat(queue.offer(Tag.VOTE, frame(999, 0), 0)).isTrue();
        assertThat(queue.offer(Tag.VOTE, frame(2, 0), 0)).isFalse();
        assertThat(queue.offer(Tag.VOTE, frame(1, 0), 0)).isTrue();
        assertThat(queue.bytes()).isEqualTo(1_200);
        queue.close();
        assertThat(budget.bytes()).isZero();
        assertThat(queue.offer(Tag.VOTE, frame(1, 0), 0)).isFalse();
    }

    @Test
    void allPeersTogetherHaveABoundToo() {
        var other = new OutboundQueue(200, BYTES_MAX, budget);
        assertThat(queue.offer(Tag.TRANSACTION, frame(1_000, 0), 0)).isTrue();
        assertThat(other.offer(Tag.TRANSACTION, frame(501, 0), 0)).isFalse();
        assertThat(other.offer(Tag.TRANSACTION, frame(500, 0), 0)).isTrue();
        queue.close();
        assertThat(other.offer(Tag.TRANSACTION, frame(500, 0), 0)).isTrue();
        other.close();
        assertThat(budget.bytes()).isZero();
    }

    @Test
    void knowsHowLongTheOldestHasWaited() {
        assertThat(queue.waitedNanos(100)).isZero();
        queue.offer(Tag.TRANSACTION, frame(1, 0), 10);
        queue.offer(Tag.VOTE, frame(1, 0), 30);
        queue.offer(Tag.TRANSACTION, frame(1, 0), 50);
        assertThat(queue.waitedNanos(100)).isEqualTo(90);
        poll(queue);
        assertThat(queue.waitedNanos(100)).isEqualTo(90);
        poll(queue);
        assertThat(queue.waitedNanos(100)).isEqualTo(50);
        queue.close();
    }
}
