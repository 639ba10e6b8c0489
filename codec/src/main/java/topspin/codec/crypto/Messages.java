package topspin.codec.crypto;

import java.util.Arrays;
import java.util.Objects;

/**
 * Spans of bytes, each behind the prefix of a domain, pointed to where they lie. Read by the
 * engines.
 */
public final class Messages {
    private static final byte[] NOTHING = {};

    private final Domain[] domains;
    private final byte[][] messages;
    private final int[] offsets;
    private final int[] lengths;
    private int size;

    Messages(int capacity) {
        domains = new Domain[capacity];
        messages = new byte[capacity][];
        offsets = new int[capacity];
        lengths = new int[capacity];
        Arrays.fill(domains, Domain.NONE);
        Arrays.fill(messages, NOTHING);
    }

    int add(Domain domain, byte[] message, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, message.length);
        domains[size] = domain;
        messages[size] = message;
        offsets[size] = offset;
        lengths[size] = length;
        return size++;
    }

    void clear() {
        Arrays.fill(messages, 0, size, NOTHING);
        size = 0;
    }

    /** Entries. */
    public int size() {
        return size;
    }

    /** The prefix of an entry. */
    public Domain domain(int entry) {
        return domains[entry];
    }

    /** The array that holds an entry's span. */
    public byte[] message(int entry) {
        return messages[entry];
    }

    /** Where an entry's span begins. */
    public int offset(int entry) {
        return offsets[entry];
    }

    /** Bytes of an entry's span, without the prefix. */
    public int length(int entry) {
        return lengths[entry];
    }

    /**
     * Hashes a range of entries one after another, and writes each digest where it belongs among
     * all.
     */
    public void digest(HashFunction function, int from, int to, byte[] target, int targetOffset) {
        for (int i = from; i < to; i++) {
            function.digest(
                    domains[i],
                    messages[i],
                    offsets[i],
                    lengths[i],
                    target,
                    targetOffset + i * function.bytes());
        }
    }
}
