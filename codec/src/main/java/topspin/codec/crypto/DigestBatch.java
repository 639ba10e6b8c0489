package topspin.codec.crypto;

import java.util.Objects;

/**
 * Messages to be hashed together: add up to {@link #capacity}, digest, clear, use again. Messages
 * are only pointed to. For one thread at a time. Leaves no garbage.
 *
 * <p>Whether messages are hashed one after another or in lanes is not a batch's own affair but the
 * machine's, so all batches of the process follow what {@link SignatureEngine#calibrate} found.
 */
public final class DigestBatch {
    /** The largest capacity. */
    public static final int CAPACITY_MAX = 4096;

    private static volatile SignatureEngine.Mode fastest = SignatureEngine.Mode.SCALAR;

    private final HashFunction function;
    private final int capacity;
    private final Messages messages;
    private BatchHasher hasher;
    private SignatureEngine.Mode mode;

    /**
     * An empty batch.
     *
     * @param capacity entries, 1 to {@link #CAPACITY_MAX}
     */
    public DigestBatch(HashFunction function, int capacity) {
        if (capacity < 1 || capacity > CAPACITY_MAX) {
            throw new IllegalArgumentException("a batch holds 1 to 4096 entries, not " + capacity);
        }
        this.function = function;
        this.capacity = capacity;
        messages = new Messages(capacity);
        mode = fastest;
        hasher = SignatureEngine.newHasher(mode, function);
    }

    /** From now on all batches hash in this way, each from its next use. */
    static void use(SignatureEngine.Mode mode) {
        fastest = mode;
    }

    /**
     * Adds the domain's prefix and a span.
     *
     * @return the entry's index, counted from 0
     * @throws IllegalStateException if the batch is full
     * @throws IndexOutOfBoundsException if the span does not fit its array
     */
    public int add(Domain domain, byte[] message, int offset, int length) {
        if (messages.size() == capacity) {
            throw new IllegalStateException("the batch is full: it holds " + capacity);
        }
        return messages.add(domain, message, offset, length);
    }

    /**
     * Writes the digests one after another, in the order of adding.
     *
     * @throws IndexOutOfBoundsException if they do not fit the array; nothing is written then
     */
    public void digest(byte[] target, int targetOffset) {
        Objects.checkFromIndexSize(targetOffset, messages.size() * function.bytes(), target.length);
        SignatureEngine.Mode current = fastest;
        if (mode != current) {
            hasher = SignatureEngine.newHasher(current, function);
            mode = current;
        }
        hasher.digest(messages, target, targetOffset);
    }

    /** Entries added since the last {@link #clear}. */
    public int size() {
        return messages.size();
    }

    /** Entries that fit. */
    public int capacity() {
        return capacity;
    }

    /** Empties the batch and lets go of the messages. */
    public void clear() {
        messages.clear();
    }
}
