package topspin.net.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import topspin.net.Impairment;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

final class LateReadsTest {
    private final Impairment impairment = new Impairment();
    private final EmbeddedChannel channel = new EmbeddedChannel(new LateReads(impairment));

    @BeforeEach
    void freezeTime() {
        channel.freezeTime();
    }

    @Test
    void whatArrivesIsHandedOnAtOnceWhileNothingHinders() {
        channel.writeInbound(bytes(1));
        assertThat(received()).isEqualTo(1);
    }

    @Test
    void whatArrivesIsHandedOnSoMuchLaterAndInOrder() {
        impairment.slow(Duration.ofMillis(200));
        channel.writeInbound(bytes(1));
        pass(100);
        channel.writeInbound(bytes(2));
        impairment.end();
        channel.writeInbound(bytes(3)); // Not before those that came before it.
        pass(99);
        assertThat(received()).isZero();
        pass(1);
        assertThat(received()).isEqualTo(1);
        assertThat(received()).isZero();
        pass(100);
        assertThat(received()).isEqualTo(2);
        assertThat(received()).isEqualTo(3);
        channel.writeInbound(bytes(4));
        assertThat(received()).isEqualTo(4);
    }

    @Test
    void nothingMoreIsReadWhileMuchIsHeld() {
        impairment.slow(Duration.ofMillis(200));
        ByteBuf much = Unpooled.wrappedBuffer(new byte[LateReads.HELD_BYTES_MAX]);
        channel.writeInbound(much);
        assertThat(channel.config().isAutoRead()).isFalse();
        pass(200);
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(channel.<ByteBuf>readInbound().readableBytes())
                .isEqualTo(LateReads.HELD_BYTES_MAX);
    }

    @Test
    void whatIsUnderWayWhenTheLineEndsIsLostAndFreed() {
        impairment.slow(Duration.ofMillis(200));
        ByteBuf lost = bytes(1);
        channel.writeInbound(lost);
        var unused = channel.close();
        assertThat(lost.refCnt()).isZero();
        pass(200);
        assertThat(received()).isZero();
    }

    @Test
    void aDelayHasABound() {
        assertThatThrownBy(() -> impairment.slow(Duration.ofMillis(5001)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a delay is 0 to 5000 ms, not 5001");
        assertThatThrownBy(() -> impairment.slow(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(impairment.delayNanos()).isZero();
    }

    private static ByteBuf bytes(int value) {
        return Unpooled.buffer().writeByte(value);
    }

    private void pass(long millis) {
        channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        channel.runPendingTasks();
        var unused = channel.runScheduledPendingTasks();
    }

    /** The next one, or 0. */
    private int received() {
        ByteBuf next = channel.readInbound();
        if (next == null) {
            return 0;
        }
        try {
            return next.readByte();
        } finally {
            next.release();
        }
    }
}
