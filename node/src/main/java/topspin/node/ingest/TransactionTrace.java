package topspin.node.ingest;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.StateDelta.CommittedId;
import topspin.ledger.rules.Reason;
import topspin.net.Peer;

import java.lang.ref.WeakReference;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * What became of the transactions that this node met lately: from whom, each step on the way with
 * its time, the block, or why it was dropped. Any thread writes, any thread asks.
 *
 * <p>A table of primitives made once: {@value #TRANSACTIONS_MAX} places of 80 bytes in rows of
 * {@value #WAYS}. The salted hash of the id, which peers cannot foresee, chooses the row; in a full
 * row the oldest gives way. A step takes one of {@value #LOCKS} locks for the length of a row and
 * allocates nothing. Texts of drops are kept apart, the last {@value #TEXTS_MAX}.
 */
public final class TransactionTrace {
    static final int TRANSACTIONS_MAX = 1 << 17;
    static final int TEXTS_MAX = 4096;
    static final int SOURCES_MAX = 1024;
    private static final int WAYS = 8;
    private static final int LOCKS = 64;

    /** From REST, and from peers beyond those that have a number. */
    private static final int FROM_REST = 0;

    private static final int FROM_OTHERS = 1;
    private static final List<String> UNNAMED_SOURCES = List.of("rest", "another peer");

    /** Peers whose number is at hand without asking for their name. */
    private static final int PEERS_AT_HAND = 64;

    // The longs of a place. Times after the first are in microseconds since that, and one: 0 is
    // never.
    private static final int RECEIVED = 0;
    private static final int DECODED_VERIFIED = 1;
    private static final int POOLED_RELAYED = 2;
    private static final int ENDED_COMMITTED = 3;
    private static final int ROUND = 4;

    /** Bits from the lowest: 1 taken, 15 copies, 8 where, 24 reason, 16 source. */
    private static final int FACTS = 5;

    private static final int LONGS = 6;
    private static final int COPIES_MAX = 0x7fff;
    private static final int WHERE_EVICTED = 0xff;

    private final LongSupplier nanoTime;
    private final InstantSource clock;
    private final byte[] ids;
    private final long[] places;
    private final int rowMask;
    private final Object[] locks = new Object[LOCKS];

    /** The texts by place, each valid as long as the place it was made for still names it. */
    private final String[] texts = new String[TEXTS_MAX];

    private final Digest[] textIds = new Digest[TEXTS_MAX];
    private int textCount;

    private final List<String> sources = new ArrayList<>(UNNAMED_SOURCES);

    // The ingest thread's.
    private final List<WeakReference<Peer>> atHand = new ArrayList<>(PEERS_AT_HAND);
    private final int[] atHandSource = new int[PEERS_AT_HAND];
    private int atHandNext;

    /** A step on the way. */
    public enum Step {
        RECEIVED,
        DECODED,
        VERIFIED,
        POOLED,
        /** Handed to gossip, for whichever neighbours have not sent it. */
        RELAYED,
        DROPPED,
        /** In a block that is durable here. */
        IN_BLOCK;

        /** As it is written: {@code in-block}. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * When a step was taken.
     *
     * @param epochMicros microseconds since 1970, as this machine's clock tells it now
     * @param afterMicros microseconds since it was received
     */
    public record Moment(Step step, long epochMicros, long afterMicros) {}

    /**
     * Why a transaction went no further.
     *
     * @param label the rule or the place: {@code overspend}, {@code ring_full}
     * @param text as a client would be told; empty where it has been forgotten or there is none
     */
    public record End(String label, String text) {}

    /**
     * What is known of one transaction.
     *
     * @param source the peer's id, or {@code rest}
     * @param copies how often it came again, at most {@value #COPIES_MAX}
     * @param round of its block, 0 if it is in none
     * @param end why it was dropped; null if it was not
     * @param moments in the order of time
     */
    public record Story(
            String source, int copies, long round, @Nullable End end, List<Moment> moments) {}

    /**
     * An empty trace.
     *
     * @param nanoTime a clock that only runs forward
     * @param clock tells whoever asks what time that was
     */
    TransactionTrace(LongSupplier nanoTime, InstantSource clock) {
        this(TRANSACTIONS_MAX, nanoTime, clock);
    }

    /**
     * @param transactions places, a power of two
     */
    TransactionTrace(int transactions, LongSupplier nanoTime, InstantSource clock) {
        this.nanoTime = nanoTime;
        this.clock = clock;
        this.ids = new byte[transactions * Digest.BYTES];
        this.places = new long[transactions * LONGS];
        this.rowMask = transactions / WAYS - 1;
        Arrays.setAll(locks, i -> new Object());
    }

    /** This trace's clock, now: for {@link #decoded}. */
    long now() {
        return nanoTime.getAsLong();
    }

    /** The number of a peer. The ingest thread only. */
    int source(Peer peer) {
        for (int i = 0; i < atHand.size(); i++) {
            if (atHand.get(i).refersTo(peer)) {
                return atHandSource[i];
            }
        }
        int source = number(peer.id());
        if (atHand.size() < PEERS_AT_HAND) {
            atHandSource[atHand.size()] = source;
            atHand.add(new WeakReference<>(peer));
        } else {
            atHandSource[atHandNext] = source;
            atHand.set(atHandNext, new WeakReference<>(peer));
            atHandNext = (atHandNext + 1) % PEERS_AT_HAND;
        }
        return source;
    }

    private int number(String name) {
        synchronized (sources) {
            int known = sources.indexOf(name);
            if (known < 0 && sources.size() < SOURCES_MAX) {
                known = sources.size();
                sources.add(name);
            }
            return known < 0 ? FROM_OTHERS : known;
        }
    }

    /** A group from a peer has its ids; a second copy of what goes its way is only counted. */
    void decoded(TransactionGroup group, int source, long receivedNanos) {
        long now = nanoTime.getAsLong();
        for (int i = 0; i < group.size(); i++) {
            begin(group.get(i).id(), source, receivedNanos, now);
        }
    }

    /** The same for one that was submitted here. */
    void submitted(TransactionGroup group, long receivedNanos) {
        decoded(group, FROM_REST, receivedNanos);
    }

    void verified(TransactionGroup group) {
        step(group, DECODED_VERIFIED, true);
    }

    void pooled(TransactionGroup group) {
        step(group, POOLED_RELAYED, false);
    }

    void relayed(TransactionGroup group) {
        step(group, POOLED_RELAYED, true);
    }

    /** It ended on the way in. What is in the pool or in a block already is not touched. */
    void dropped(TransactionGroup group, Drop where, @Nullable Reason reason, String text) {
        end(group, where.ordinal() + 1, reason, text);
    }

    /** A block made it inapplicable. */
    void evicted(TransactionGroup group, Reason reason, String text) {
        end(group, WHERE_EVICTED, reason, text);
    }

    /** A block is durable. What this node did not meet before is not noted: the ledger knows. */
    public void inBlock(long round, List<CommittedId> committed) {
        long now = nanoTime.getAsLong();
        for (int i = 0; i < committed.size(); i++) {
            Digest id = committed.get(i).id();
            synchronized (lock(id)) {
                int at = find(id);
                if (at >= 0) {
                    stamp(at, ENDED_COMMITTED, true, now);
                    places[at + ROUND] = round;
                }
            }
        }
    }

    /** Forgets everything, since the chain has been taken back. */
    public void clear() {
        for (int row = 0; row <= rowMask; row++) {
            synchronized (locks[row % LOCKS]) {
                int first = row * WAYS * LONGS;
                Arrays.fill(places, first, first + WAYS * LONGS, 0);
            }
        }
    }

    /** What became of a transaction; null when this node never met it, or too long ago. */
    public @Nullable Story story(Digest id) {
        long received;
        long decodedVerified;
        long pooledRelayed;
        long endedCommitted;
        long round;
        long facts;
        synchronized (lock(id)) {
            int at = find(id);
            if (at < 0) {
                return null;
            }
            received = places[at + RECEIVED];
            decodedVerified = places[at + DECODED_VERIFIED];
            pooledRelayed = places[at + POOLED_RELAYED];
            endedCommitted = places[at + ENDED_COMMITTED];
            round = places[at + ROUND];
            facts = places[at + FACTS];
        }
        long receivedMicros = epochMicros(received);
        List<Moment> moments = new ArrayList<>();
        moments.add(new Moment(Step.RECEIVED, receivedMicros, 0));
        add(moments, Step.DECODED, receivedMicros, low(decodedVerified));
        add(moments, Step.VERIFIED, receivedMicros, high(decodedVerified));
        add(moments, Step.POOLED, receivedMicros, low(pooledRelayed));
        add(moments, Step.RELAYED, receivedMicros, high(pooledRelayed));
        add(moments, Step.DROPPED, receivedMicros, low(endedCommitted));
        add(moments, Step.IN_BLOCK, receivedMicros, high(endedCommitted));
        moments.sort(Comparator.comparingLong(Moment::afterMicros)); // Stable: ties keep the way.
        return new Story(
                source((int) (facts >>> 48)), copies(facts), round, end(id, facts), moments);
    }

    private long epochMicros(long nanos) {
        Instant then = clock.instant().minusNanos(nanoTime.getAsLong() - nanos);
        return ChronoUnit.MICROS.between(Instant.EPOCH, then);
    }

    private static void add(List<Moment> moments, Step step, long receivedMicros, long after) {
        if (after != 0) {
            moments.add(new Moment(step, receivedMicros + after - 1, after - 1));
        }
    }

    private String source(int number) {
        synchronized (sources) {
            return sources.get(number);
        }
    }

    private @Nullable End end(Digest id, long facts) {
        int where = where(facts);
        int reason = (int) (facts >>> 24) & 0xffffff;
        if (where == 0) {
            return null;
        }
        String label =
                reason != 0
                        ? Reason.values()[reason - 1].name()
                        : where == WHERE_EVICTED ? "evicted" : Drop.values()[where - 1].name();
        return new End(label.toLowerCase(Locale.ROOT), text(id));
    }

    // The table.

    private void begin(Digest id, int source, long receivedNanos, long now) {
        synchronized (lock(id)) {
            int at = find(id);
            boolean goesOn =
                    at >= 0
                            && (where(places[at + FACTS]) == 0
                                    || high(places[at + ENDED_COMMITTED]) != 0);
            if (goesOn) {
                long facts = places[at + FACTS];
                if (copies(facts) < COPIES_MAX) {
                    places[at + FACTS] = facts + 2;
                }
                return;
            }
            if (at < 0) {
                at = oldest(id);
                id.writeTo(ids, at / LONGS * Digest.BYTES);
            }
            Arrays.fill(places, at, at + LONGS, 0);
            places[at + RECEIVED] = receivedNanos;
            places[at + FACTS] = 1 | (long) source << 48;
            stamp(at, DECODED_VERIFIED, false, now);
        }
    }

    private void step(TransactionGroup group, int field, boolean upper) {
        long now = nanoTime.getAsLong();
        for (int i = 0; i < group.size(); i++) {
            Digest id = group.get(i).id();
            synchronized (lock(id)) {
                int at = find(id);
                if (at >= 0) {
                    stamp(at, field, upper, now);
                }
            }
        }
    }

    private void end(TransactionGroup group, int where, @Nullable Reason reason, String text) {
        long now = nanoTime.getAsLong();
        int reasonNumber = reason == null ? 0 : reason.ordinal() + 1;
        for (SignedTransaction member : group) {
            Digest id = member.id();
            boolean noted = false;
            synchronized (lock(id)) {
                int at = find(id);
                if (at >= 0 && (where == WHERE_EVICTED || !isSettled(at))) {
                    stamp(at, ENDED_COMMITTED, false, now);
                    places[at + FACTS] =
                            places[at + FACTS] & ~(0xffffffffL << 16)
                                    | (long) where << 16
                                    | (long) reasonNumber << 24;
                    noted = true;
                }
            }
            if (noted && !text.isEmpty()) {
                keepText(id, text);
            }
        }
    }

    private boolean isSettled(int at) {
        return low(places[at + POOLED_RELAYED]) != 0 || high(places[at + ENDED_COMMITTED]) != 0;
    }

    /** Sets a time unless it is set; the last microsecond that fits stands for all later ones. */
    private void stamp(int at, int field, boolean upper, long now) {
        long word = places[at + field];
        if ((upper ? high(word) : low(word)) == 0) {
            long micros = Math.clamp((now - places[at + RECEIVED]) / 1000 + 1, 1, 0xffffffffL);
            places[at + field] = upper ? word | micros << 32 : word | micros;
        }
    }

    private Object lock(Digest id) {
        return locks[row(id) % LOCKS];
    }

    private int row(Digest id) {
        int hash = id.hashCode();
        return (hash ^ hash >>> 16) & rowMask;
    }

    /** Where its longs begin, or -1. */
    private int find(Digest id) {
        int first = row(id) * WAYS;
        for (int place = first; place < first + WAYS; place++) {
            if (places[place * LONGS + FACTS] != 0 && id.isAt(ids, place * Digest.BYTES)) {
                return place * LONGS;
            }
        }
        return -1;
    }

    /** The place in its row that is free, or else whose transaction came first. */
    private int oldest(Digest id) {
        int first = row(id) * WAYS;
        int oldest = first * LONGS;
        for (int place = first; place < first + WAYS; place++) {
            int at = place * LONGS;
            if (places[at + FACTS] == 0) {
                return at;
            }
            if (places[at + RECEIVED] - places[oldest + RECEIVED] < 0) {
                oldest = at;
            }
        }
        return oldest;
    }

    private static long low(long word) {
        return word & 0xffffffffL;
    }

    private static long high(long word) {
        return word >>> 32;
    }

    private static int copies(long facts) {
        return (int) (facts >>> 1) & COPIES_MAX;
    }

    private static int where(long facts) {
        return (int) (facts >>> 16) & 0xff;
    }

    // Texts.

    private void keepText(Digest id, String text) {
        synchronized (texts) {
            int at = textCount++ & (TEXTS_MAX - 1);
            texts[at] = text;
            textIds[at] = id;
        }
    }

    /** The latest text for an id. */
    private String text(Digest id) {
        synchronized (texts) {
            for (int back = 1; back <= TEXTS_MAX; back++) {
                int at = (textCount - back) & (TEXTS_MAX - 1);
                if (id.equals(textIds[at])) {
                    return texts[at];
                }
            }
            return "";
        }
    }
}
