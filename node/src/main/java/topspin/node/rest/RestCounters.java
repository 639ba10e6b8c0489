package topspin.node.rest;

import java.util.concurrent.atomic.LongAdder;

/** What happened at the door, since the start. Read by {@link MetricsPage}. */
public final class RestCounters {
    /** Heads read, malformed ones too. */
    public final LongAdder requests = new LongAdder();

    /** Requests that were no HTTP/1 or had too large a head. */
    public final LongAdder malformed = new LongAdder();

    public final LongAdder wrongTokens = new LongAdder();

    /** Requests refused because too many, or too many bytes, were under way. */
    public final LongAdder refusedBusy = new LongAdder();

    /** Connections closed at once because too many were open. */
    public final LongAdder refusedConnections = new LongAdder();

    /** Connections closed, or requests ended, because input was too slow in coming. */
    public final LongAdder slowSenders = new LongAdder();

    /** Connections closed because a client did not take its answer. */
    public final LongAdder slowTakers = new LongAdder();
}
