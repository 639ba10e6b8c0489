package topspin.codec.lanes;

import static topspin.codec.lanes.LaneField.N;

import static java.nio.ByteOrder.BIG_ENDIAN;

import topspin.codec.crypto.BatchHasher;
import topspin.codec.crypto.HashFunction;
import topspin.codec.crypto.Messages;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Digests of many messages, a vector of them at a time. One per thread. */
final class LaneHasher implements BatchHasher {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, BIG_ENDIAN);

    /**
     * A block in lanes takes as long as so many blocks without, which a vector of unequal messages
     * must save.
     */
    private static final int BLOCKS_PER_VECTOR = N == 8 ? 3 : 2;

    private final HashFunction function;
    private final Sha512Lanes hash = new Sha512Lanes();

    LaneHasher(HashFunction function) {
        if (function == HashFunction.SHA256) {
            throw new IllegalArgumentException("lanes hash by SHA-512 and SHA-512/256 only");
        }
        this.function = function;
    }

    @Override
    public void digest(Messages messages, byte[] target, int targetOffset) {
        for (int from = 0; from < messages.size(); from += N) {
            int to = Math.min(messages.size(), from + N);
            if (isWorthwhile(messages, from, to)) {
                digestVector(messages, from, to, target, targetOffset);
            } else {
                messages.digest(function, from, to, target, targetOffset);
            }
        }
    }

    private static boolean isWorthwhile(Messages messages, int from, int to) {
        long longest = 0;
        long all = 0;
        for (int i = from; i < to; i++) {
            long blocks = Sha512Lanes.blocks(messages.domain(i).length(), messages.length(i));
            longest = Math.max(longest, blocks);
            all += blocks;
        }
        return longest * BLOCKS_PER_VECTOR < all;
    }

    private void digestVector(
            Messages messages, int from, int to, byte[] target, int targetOffset) {
        for (int i = from; i < to; i++) {
            int lane = i - from;
            int head = Sha512Lanes.headOffset(lane);
            int end = messages.domain(i).writeTo(hash.heads(), head);
            hash.set(lane, end - head, messages.message(i), messages.offset(i), messages.length(i));
        }
        if (function == HashFunction.SHA512) {
            hash.sha512();
        } else {
            hash.sha512Over256();
        }
        int words = function.bytes() / Long.BYTES;
        for (int i = from; i < to; i++) {
            int at = targetOffset + i * function.bytes();
            for (int word = 0; word < words; word++) {
                LONG.set(target, at + Long.BYTES * word, hash.digest(i - from, word));
            }
        }
    }
}
