package topspin.net;

import java.util.concurrent.atomic.LongAdder;

/**
 * Bytes that went over one connection since it was made, all protocols and encryption included, as
 * the socket has them. Counted by its event loop, read by any thread.
 */
public final class Traffic {
    private final LongAdder in = new LongAdder();
    private final LongAdder out = new LongAdder();

    /** Bytes that came. */
    public void received(int bytes) {
        in.add(bytes);
    }

    /** Bytes that were handed to the socket. */
    public void sent(int bytes) {
        out.add(bytes);
    }

    public long bytesIn() {
        return in.sum();
    }

    public long bytesOut() {
        return out.sum();
    }
}
