package topspin.net.p2p;

import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.ScheduledFuture;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Closes a stream that is still there after a time, counted from when this was put on it. */
public final class StreamDeadline extends ChannelHandlerAdapter {
    private final Duration time;
    private final Runnable late;
    private @Nullable ScheduledFuture<?> deadline;

    /**
     * @param late what is to be done besides, on the stream's event loop
     */
    public StreamDeadline(Duration time, Runnable late) {
        this.time = time;
        this.late = late;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        deadline =
                context.executor()
                        .schedule(() -> end(context), time.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void end(ChannelHandlerContext context) {
        late.run();
        var unused = context.close();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }
}
