package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.net.Peer;
import topspin.node.agreement.Source;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Numbers for peers, which is all that agreement knows of them. Any thread. */
final class AgreementPeers {
    /** Beyond so many, those that have left are looked for. */
    private static final int KEPT_MAX = 1024;

    private final Supplier<List<Peer>> connected;
    private final AtomicLong last = new AtomicLong();
    private final Map<Peer, Source> sources = new ConcurrentHashMap<>();
    private final Map<Source, Peer> peers = new ConcurrentHashMap<>();

    /**
     * @param connected those that are connected now, far fewer than {@link #KEPT_MAX}
     */
    AgreementPeers(Supplier<List<Peer>> connected) {
        this.connected = connected;
    }

    Source source(Peer peer) {
        Source known = sources.get(peer);
        if (known != null) {
            return known;
        }
        if (sources.size() >= KEPT_MAX) {
            sources.keySet().retainAll(connected.get());
            peers.keySet().retainAll(sources.values());
        }
        return sources.computeIfAbsent(
                peer,
                fresh -> {
                    var source = new Source(last.incrementAndGet());
                    peers.put(source, fresh);
                    return source;
                });
    }

    /** Who it was; null if nobody, or one who has left. */
    @Nullable Peer peer(Source source) {
        return peers.get(source);
    }
}
