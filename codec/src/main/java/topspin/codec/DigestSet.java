package topspin.codec;

import java.util.function.Consumer;

/** A set of digests, as {@link DigestMap} is a map. Not for several threads. */
public final class DigestSet {
    private final DigestMap<Digest> map;

    public DigestSet() {
        this(0);
    }

    /** A set that takes {@code expected} members before it grows. */
    public DigestSet(int expected) {
        map = new DigestMap<>(expected);
    }

    public int size() {
        return map.size();
    }

    public boolean isEmpty() {
        return map.isEmpty();
    }

    public boolean contains(Digest digest) {
        return map.containsKey(digest);
    }

    /** Whether {@code digest} was not there before. */
    public boolean add(Digest digest) {
        return map.put(digest, digest) == null;
    }

    /** Whether {@code digest} was there. */
    public boolean remove(Digest digest) {
        return map.remove(digest) != null;
    }

    /** Forgets all members and keeps the room. */
    public void clear() {
        map.clear();
    }

    /** Shows every member, in no order that anything may depend on. */
    public void forEach(Consumer<? super Digest> action) {
        map.forEach((digest, same) -> action.accept(digest));
    }
}
