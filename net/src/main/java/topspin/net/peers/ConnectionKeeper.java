package topspin.net.peers;

import io.netty.util.concurrent.EventExecutor;

import org.jspecify.annotations.Nullable;

import topspin.net.multiaddr.Multiaddr;
import topspin.net.p2p.Connection;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Stays connected to a fixed set of addresses: whoever is lost or not reached is dialled again,
 * after a pause that doubles with each failure up to a bound and is cut by chance, so that nodes
 * that failed together do not come back together. Lives on one executor.
 */
public final class ConnectionKeeper {
    private static final Logger LOG = System.getLogger(ConnectionKeeper.class.getName());

    private final Function<Multiaddr, CompletionStage<Connection>> dialer;
    private final Duration pauseMin;
    private final Duration pauseMax;
    private final EventExecutor executor;
    private final RandomGenerator random;
    private final LongSupplier nanoTime;
    private final Map<Multiaddr, Target> targets = new HashMap<>();
    private volatile boolean closed;

    /**
     * @param dialer connects to an address, or finds that who is there is connected already
     */
    public ConnectionKeeper(
            List<Multiaddr> addresses,
            Function<Multiaddr, CompletionStage<Connection>> dialer,
            Duration pauseMin,
            Duration pauseMax,
            EventExecutor executor,
            RandomGenerator random,
            LongSupplier nanoTime) {
        this.dialer = dialer;
        this.pauseMin = pauseMin;
        this.pauseMax = pauseMax;
        this.executor = executor;
        this.random = random;
        this.nanoTime = nanoTime;
        for (Multiaddr address : addresses) {
            targets.put(address, new Target(address));
        }
    }

    /** Begins to dial. */
    public void start() {
        executor.execute(() -> targets.values().forEach(Target::dial));
    }

    /** Dials no more. Connections stay. */
    public void close() {
        closed = true;
    }

    /**
     * The peer at one of the addresses, when it is connected: at once, or when it next is. Ask
     * again after it left.
     *
     * @throws IllegalArgumentException for an address that is not kept
     */
    public CompletableFuture<Connection> connected(Multiaddr address) {
        Target target = targets.get(address);
        if (target == null) {
            throw new IllegalArgumentException(address + " is not dialled");
        }
        return target.current.copy();
    }

    private final class Target {
        private final Multiaddr address;
        private volatile CompletableFuture<Connection> current = new CompletableFuture<>();
        private int failures;

        Target(Multiaddr address) {
            this.address = address;
        }

        void dial() {
            if (!closed) {
                dialer.apply(address).whenCompleteAsync(this::dialled, executor);
            }
        }

        private void dialled(@Nullable Connection connection, @Nullable Throwable failure) {
            if (connection == null) {
                if (failures == 0) {
                    LOG.log(Level.INFO, "{0}: not reached, will go on trying", address);
                }
                again();
                return;
            }
            LOG.log(Level.INFO, "{0}: connected", address);
            long sinceNanos = nanoTime.getAsLong();
            current.complete(connection);
            connection
                    .closed()
                    .addListener(
                            gone -> {
                                if (!closed) { // Else the executor may have ended.
                                    executor.execute(() -> lost(sinceNanos));
                                }
                            });
        }

        /** Only a connection that lasted clears the record: a peer may greet us and hang up. */
        private void lost(long sinceNanos) {
            current = new CompletableFuture<>();
            if (nanoTime.getAsLong() - sinceNanos > pauseMax.toNanos()) {
                failures = 0;
            }
            if (!closed) {
                LOG.log(Level.INFO, "{0}: connection lost", address);
            }
            again();
        }

        private void again() {
            if (!closed) {
                long pauseNanos = pauseNanos(failures++);
                var unused = executor.schedule(this::dial, pauseNanos, TimeUnit.NANOSECONDS);
            }
        }
    }

    /** Between half and all of the doubled pause. */
    long pauseNanos(int failures) {
        long doubled = pauseMin.toNanos() << Math.min(failures, 20);
        long longest = doubled <= 0 ? pauseMax.toNanos() : Math.min(doubled, pauseMax.toNanos());
        return longest / 2 + random.nextLong(longest / 2 + 1);
    }
}
