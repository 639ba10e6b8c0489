package topspin.node.pool;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Why transactions left the pool, for whoever asks later. Two generations, so at least the last
 * {@code generationMax} are kept and at most twice that. The pool thread adds, any thread reads;
 * the tables are keyed by digests, whose hashes are salted.
 */
final class Evictions {
    private final int generationMax;
    private volatile ConcurrentHashMap<Digest, PoolEntry.Evicted> young = new ConcurrentHashMap<>();
    private volatile ConcurrentHashMap<Digest, PoolEntry.Evicted> old = new ConcurrentHashMap<>();

    Evictions(int generationMax) {
        this.generationMax = generationMax;
    }

    void add(PoolEntry.Evicted evicted) {
        ConcurrentHashMap<Digest, PoolEntry.Evicted> current = young;
        if (current.size() >= generationMax) {
            old = current;
            current = new ConcurrentHashMap<>();
            young = current;
        }
        current.put(evicted.transaction().id(), evicted);
    }

    PoolEntry.@Nullable Evicted find(Digest id) {
        PoolEntry.Evicted found = young.get(id);
        return found != null ? found : old.get(id);
    }
}
