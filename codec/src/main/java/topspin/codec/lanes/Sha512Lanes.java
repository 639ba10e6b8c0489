package topspin.codec.lanes;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.charset.StandardCharsets.US_ASCII;

import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * SHA-512 and SHA-512/256 of as many messages at once as a vector has lanes. A message is a short
 * head, which is copied, and a span, which is read where it lies; lengths may differ, but the
 * longest decides the time. Set each lane, hash, read the digests; a lane that is not set hashes
 * the empty message. For one thread.
 */
final class Sha512Lanes {
    /** Bytes that a head may have: two points of a signature and the longest domain. */
    static final int HEAD_MAX = 32 + 32 + 32;

    /** Words of a full digest. */
    static final int DIGEST_WORDS = 8;

    private static final VectorSpecies<Long> SPECIES = LongVector.SPECIES_PREFERRED;
    private static final int N = LaneField.N;
    private static final int HEAD_ROOM = 8;
    private static final int BLOCK = 128;
    private static final int BLOCK_WORDS = 16;
    private static final int ROUNDS = 80;

    /** The end mark and the length in bits, 128 of them. */
    private static final int PADDING_MIN = 1 + 16;

    private static final byte[] NOTHING = {};

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, BIG_ENDIAN);

    /** The first 64 bits behind the point of the cube roots of the first 80 primes. */
    private static final long[] ROUND_CONSTANTS = new long[ROUNDS];

    /**
     * The first 64 bits behind the point of the square roots of the first 8 primes, in every lane.
     */
    private static final long[] SHA512 = new long[DIGEST_WORDS * N];

    /**
     * SHA-512/256's start: the digest of its name by SHA-512 from another start (FIPS 180-4,
     * 5.3.6).
     */
    private static final long[] SHA512_256 = new long[DIGEST_WORDS * N];

    static {
        BigInteger prime = BigInteger.TWO;
        for (int i = 0; i < ROUNDS; i++) {
            if (i < DIGEST_WORDS) {
                long word = prime.shiftLeft(128).sqrt().longValue();
                Arrays.fill(SHA512, i * N, (i + 1) * N, word);
            }
            ROUND_CONSTANTS[i] = cubeRoot(prime.shiftLeft(192)).longValue();
            prime = prime.nextProbablePrime();
        }
        var start = new long[DIGEST_WORDS * N];
        Arrays.setAll(start, i -> SHA512[i] ^ 0xa5a5a5a5a5a5a5a5L);
        var hash = new Sha512Lanes();
        byte[] name = "SHA-512/256".getBytes(US_ASCII);
        for (int lane = 0; lane < N; lane++) {
            hash.set(lane, 0, name, 0, name.length);
        }
        hash.hash(start);
        System.arraycopy(hash.digests, 0, SHA512_256, 0, SHA512_256.length);
    }

    /**
     * Each behind room for eight bytes, so that a whole word can be read up to the end of a short
     * one.
     */
    private final byte[] heads = new byte[N * (HEAD_ROOM + HEAD_MAX)];

    private final int[] headLengths = new int[N];
    private final byte[][] messages = new byte[N][];
    private final int[] offsets = new int[N];
    private final int[] lengths = new int[N];
    private final long[] blocks = new long[N];

    // Word by word, the lanes of a word together.
    private final long[] chain = new long[DIGEST_WORDS * N];
    private final long[] state = new long[DIGEST_WORDS * N];
    private final long[] words = new long[BLOCK_WORDS * N];
    private final long[] digests = new long[DIGEST_WORDS * N];

    Sha512Lanes() {
        clear();
    }

    private static BigInteger cubeRoot(BigInteger value) {
        BigInteger root = BigInteger.ZERO;
        for (int bit = value.bitLength() / 3; bit >= 0; bit--) {
            BigInteger candidate = root.setBit(bit);
            if (candidate.pow(3).compareTo(value) <= 0) {
                root = candidate;
            }
        }
        return root;
    }

    /** The array of all heads, to write a lane's at {@link #headOffset}. */
    byte[] heads() {
        return heads;
    }

    /** Where a lane's head begins. */
    static int headOffset(int lane) {
        return HEAD_ROOM + lane * (HEAD_ROOM + HEAD_MAX);
    }

    /** Sets a lane's message: so many bytes of its head, then the span. */
    void set(int lane, int headLength, byte[] message, int offset, int length) {
        headLengths[lane] = headLength;
        messages[lane] = message;
        offsets[lane] = offset;
        lengths[lane] = length;
        blocks[lane] = blocks(headLength, length);
    }

    /** Blocks that a message takes. */
    static long blocks(int headLength, int length) {
        return ((long) headLength + length + PADDING_MIN + BLOCK - 1) / BLOCK;
    }

    /** Hashes all lanes by SHA-512. */
    void sha512() {
        hash(SHA512);
    }

    /** Hashes all lanes by SHA-512/256, which fills the first four words. */
    void sha512Over256() {
        hash(SHA512_256);
    }

    /** A word of a lane's digest, in the order of the bytes' significance in memory: big-endian. */
    long digest(int lane, int word) {
        return digests[word * N + lane];
    }

    /**
     * Every lane back to the empty message, which one that is not set again keeps; nobody's message
     * is held on to.
     */
    private void clear() {
        for (int lane = 0; lane < N; lane++) {
            set(lane, 0, NOTHING, 0, 0);
        }
    }

    private void hash(long[] start) {
        System.arraycopy(start, 0, chain, 0, chain.length);
        long most = 0;
        for (int lane = 0; lane < N; lane++) {
            most = Math.max(most, blocks[lane]);
        }
        for (long block = 0; block < most; block++) {
            for (int lane = 0; lane < N; lane++) {
                load(lane, Math.min(block, blocks[lane] - 1));
            }
            compress();
            for (int lane = 0; lane < N; lane++) {
                if (block == blocks[lane] - 1) {
                    for (int i = 0; i < DIGEST_WORDS; i++) {
                        digests[i * N + lane] = chain[i * N + lane];
                    }
                }
            }
        }
        clear();
    }

    private void load(int lane, long block) {
        int length = lengths[lane];
        byte[] message = messages[lane];
        // Where the block begins in the span; negative while the head reaches into it.
        long from = block * BLOCK - headLengths[lane];
        int at = (int) (offsets[lane] + from);
        if (from >= 0 && from + BLOCK <= length) {
            for (int i = 0; i < BLOCK_WORDS; i++) {
                words[i * N + lane] = (long) LONG.get(message, at + 8 * i);
            }
            return;
        }
        for (int i = 0; i < BLOCK_WORDS; i++) {
            long position = from + 8L * i;
            words[i * N + lane] =
                    position >= 0 && position + 8 <= length
                            ? (long) LONG.get(message, at + 8 * i)
                            : edgeWord(lane, position);
        }
        if (block == blocks[lane] - 1) {
            words[(BLOCK_WORDS - 1) * N + lane] = 8L * (headLengths[lane] + (long) length);
        }
    }

    /**
     * A word that the head, the end of the span or the padding reaches into; the position is
     * relative to the span.
     */
    private long edgeWord(int lane, long position) {
        int length = lengths[lane];
        int endOfHead = headOffset(lane) + headLengths[lane];
        if (position > length) {
            return 0;
        }
        if (position + 8 <= 0) {
            return (long) LONG.get(heads, (int) (endOfHead + position));
        }
        if (position == length) {
            return 0x80L << 56;
        }
        if (length < 8) {
            return edgeWordOfShortSpan(lane, position);
        }
        if (position < 0) {
            // The last bytes of the head, then the first of the span.
            int bits = (int) (8 + position) << 3;
            long head = (long) LONG.get(heads, endOfHead - 8);
            return head << bits | (long) LONG.get(messages[lane], offsets[lane]) >>> (64 - bits);
        }
        // The last bytes of the span, then the mark.
        int bits = (int) (length - position) << 3;
        long end = (long) LONG.get(messages[lane], offsets[lane] + length - 8);
        return end << (64 - bits) | 0x80L << (56 - bits);
    }

    private long edgeWordOfShortSpan(int lane, long position) {
        int length = lengths[lane];
        int endOfHead = headOffset(lane) + headLengths[lane];
        long word = 0;
        for (long p = position; p < position + 8; p++) {
            int value = 0;
            if (p < 0) {
                value = heads[(int) (endOfHead + p)] & 0xff;
            } else if (p < length) {
                value = messages[lane][(int) (offsets[lane] + p)] & 0xff;
            } else if (p == length) {
                value = 0x80;
            }
            word = word << 8 | value;
        }
        return word;
    }

    private void compress() {
        System.arraycopy(chain, 0, state, 0, chain.length);
        for (int round = 0; round < ROUNDS; round += BLOCK_WORDS) {
            if (round > 0) {
                schedule(words);
            }
            rounds(state, words, 0, round);
            rounds(state, words, 8 * N, round + 8);
        }
        for (int i = 0; i < chain.length; i += N) {
            LongVector.fromArray(SPECIES, chain, i)
                    .add(LongVector.fromArray(SPECIES, state, i))
                    .intoArray(chain, i);
        }
    }

    /** Eight rounds with the words from {@code w} on and the constants from {@code k} on. */
    private static void rounds(long[] state, long[] words, int w, int k) {
        LongVector a = LongVector.fromArray(SPECIES, state, 0);
        LongVector b = LongVector.fromArray(SPECIES, state, N);
        LongVector c = LongVector.fromArray(SPECIES, state, 2 * N);
        LongVector d = LongVector.fromArray(SPECIES, state, 3 * N);
        LongVector e = LongVector.fromArray(SPECIES, state, 4 * N);
        LongVector f = LongVector.fromArray(SPECIES, state, 5 * N);
        LongVector g = LongVector.fromArray(SPECIES, state, 6 * N);
        LongVector h = LongVector.fromArray(SPECIES, state, 7 * N);
        LongVector x;
        // The majority of a, b, c is b ^ (a ^ b) & (b ^ c), and a ^ b is the next round's b ^ c.
        LongVector bc = b.lanewise(VectorOperators.XOR, c);
        LongVector ab;
        x =
                h.add(LongVector.fromArray(SPECIES, words, w))
                        .add(ROUND_CONSTANTS[k])
                        .add(
                                e.lanewise(VectorOperators.ROR, 14)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                e.lanewise(VectorOperators.ROR, 18))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                e.lanewise(VectorOperators.ROR, 41)))
                        .add(
                                e.and(f.lanewise(VectorOperators.XOR, g))
                                        .lanewise(VectorOperators.XOR, g));
        d = d.add(x);
        ab = a.lanewise(VectorOperators.XOR, b);
        h =
                x.add(
                                a.lanewise(VectorOperators.ROR, 28)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                a.lanewise(VectorOperators.ROR, 34))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                a.lanewise(VectorOperators.ROR, 39)))
                        .add(bc.and(ab).lanewise(VectorOperators.XOR, b));
        x =
                g.add(LongVector.fromArray(SPECIES, words, w + N))
                        .add(ROUND_CONSTANTS[k + 1])
                        .add(
                                d.lanewise(VectorOperators.ROR, 14)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                d.lanewise(VectorOperators.ROR, 18))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                d.lanewise(VectorOperators.ROR, 41)))
                        .add(
                                d.and(e.lanewise(VectorOperators.XOR, f))
                                        .lanewise(VectorOperators.XOR, f));
        c = c.add(x);
        bc = h.lanewise(VectorOperators.XOR, a);
        g =
                x.add(
                                h.lanewise(VectorOperators.ROR, 28)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                h.lanewise(VectorOperators.ROR, 34))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                h.lanewise(VectorOperators.ROR, 39)))
                        .add(ab.and(bc).lanewise(VectorOperators.XOR, a));
        x =
                f.add(LongVector.fromArray(SPECIES, words, w + 2 * N))
                        .add(ROUND_CONSTANTS[k + 2])
                        .add(
                                c.lanewise(VectorOperators.ROR, 14)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                c.lanewise(VectorOperators.ROR, 18))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                c.lanewise(VectorOperators.ROR, 41)))
                        .add(
                                c.and(d.lanewise(VectorOperators.XOR, e))
                                        .lanewise(VectorOperators.XOR, e));
        b = b.add(x);
        ab = g.lanewise(VectorOperators.XOR, h);
        f =
                x.add(
                                g.lanewise(VectorOperators.ROR, 28)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                g.lanewise(VectorOperators.ROR, 34))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                g.lanewise(VectorOperators.ROR, 39)))
                        .add(bc.and(ab).lanewise(VectorOperators.XOR, h));
        x =
                e.add(LongVector.fromArray(SPECIES, words, w + 3 * N))
                        .add(ROUND_CONSTANTS[k + 3])
                        .add(
                                b.lanewise(VectorOperators.ROR, 14)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                b.lanewise(VectorOperators.ROR, 18))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                b.lanewise(VectorOperators.ROR, 41)))
                        .add(
                                b.and(c.lanewise(VectorOperators.XOR, d))
                                        .lanewise(VectorOperators.XOR, d));
        a = a.add(x);
        bc = f.lanewise(VectorOperators.XOR, g);
        e =
                x.add(
                                f.lanewise(VectorOperators.ROR, 28)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                f.lanewise(VectorOperators.ROR, 34))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                f.lanewise(VectorOperators.ROR, 39)))
                        .add(ab.and(bc).lanewise(VectorOperators.XOR, g));
        x =
                d.add(LongVector.fromArray(SPECIES, words, w + 4 * N))
                        .add(ROUND_CONSTANTS[k + 4])
                        .add(
                                a.lanewise(VectorOperators.ROR, 14)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                a.lanewise(VectorOperators.ROR, 18))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                a.lanewise(VectorOperators.ROR, 41)))
                        .add(
                                a.and(b.lanewise(VectorOperators.XOR, c))
                                        .lanewise(VectorOperators.XOR, c));
        h = h.add(x);
        ab = e.lanewise(VectorOperators.XOR, f);
        d =
                x.add(
                                e.lanewise(VectorOperators.ROR, 28)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                e.lanewise(VectorOperators.ROR, 34))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                e.lanewise(VectorOperators.ROR, 39)))
                        .add(bc.and(ab).lanewise(VectorOperators.XOR, f));
        x =
                c.add(LongVector.fromArray(SPECIES, words, w + 5 * N))
                        .add(ROUND_CONSTANTS[k + 5])
                        .add(
                                h.lanewise(VectorOperators.ROR, 14)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                h.lanewise(VectorOperators.ROR, 18))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                h.lanewise(VectorOperators.ROR, 41)))
                        .add(
                                h.and(a.lanewise(VectorOperators.XOR, b))
                                        .lanewise(VectorOperators.XOR, b));
        g = g.add(x);
        bc = d.lanewise(VectorOperators.XOR, e);
        c =
                x.add(
                                d.lanewise(VectorOperators.ROR, 28)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                d.lanewise(VectorOperators.ROR, 34))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                d.lanewise(VectorOperators.ROR, 39)))
                        .add(ab.and(bc).lanewise(VectorOperators.XOR, e));
        x =
                b.add(LongVector.fromArray(SPECIES, words, w + 6 * N))
                        .add(ROUND_CONSTANTS[k + 6])
                        .add(
                                g.lanewise(VectorOperators.ROR, 14)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                g.lanewise(VectorOperators.ROR, 18))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                g.lanewise(VectorOperators.ROR, 41)))
                        .add(
                                g.and(h.lanewise(VectorOperators.XOR, a))
                                        .lanewise(VectorOperators.XOR, a));
        f = f.add(x);
        ab = c.lanewise(VectorOperators.XOR, d);
        b =
                x.add(
                                c.lanewise(VectorOperators.ROR, 28)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                c.lanewise(VectorOperators.ROR, 34))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                c.lanewise(VectorOperators.ROR, 39)))
                        .add(bc.and(ab).lanewise(VectorOperators.XOR, d));
        x =
                a.add(LongVector.fromArray(SPECIES, words, w + 7 * N))
                        .add(ROUND_CONSTANTS[k + 7])
                        .add(
                                f.lanewise(VectorOperators.ROR, 14)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                f.lanewise(VectorOperators.ROR, 18))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                f.lanewise(VectorOperators.ROR, 41)))
                        .add(
                                f.and(g.lanewise(VectorOperators.XOR, h))
                                        .lanewise(VectorOperators.XOR, h));
        e = e.add(x);
        bc = b.lanewise(VectorOperators.XOR, c);
        a =
                x.add(
                                b.lanewise(VectorOperators.ROR, 28)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                b.lanewise(VectorOperators.ROR, 34))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                b.lanewise(VectorOperators.ROR, 39)))
                        .add(ab.and(bc).lanewise(VectorOperators.XOR, c));
        a.intoArray(state, 0);
        b.intoArray(state, N);
        c.intoArray(state, 2 * N);
        d.intoArray(state, 3 * N);
        e.intoArray(state, 4 * N);
        f.intoArray(state, 5 * N);
        g.intoArray(state, 6 * N);
        h.intoArray(state, 7 * N);
    }

    /**
     * The next sixteen words, in place of the last: w[t] = σ1(w[t−2]) + w[t−7] + σ0(w[t−15]) +
     * w[t−16].
     */
    private static void schedule(long[] words) {
        LongVector w0 = LongVector.fromArray(SPECIES, words, 0);
        LongVector w1 = LongVector.fromArray(SPECIES, words, N);
        LongVector w2 = LongVector.fromArray(SPECIES, words, 2 * N);
        LongVector w3 = LongVector.fromArray(SPECIES, words, 3 * N);
        LongVector w4 = LongVector.fromArray(SPECIES, words, 4 * N);
        LongVector w5 = LongVector.fromArray(SPECIES, words, 5 * N);
        LongVector w6 = LongVector.fromArray(SPECIES, words, 6 * N);
        LongVector w7 = LongVector.fromArray(SPECIES, words, 7 * N);
        LongVector w8 = LongVector.fromArray(SPECIES, words, 8 * N);
        LongVector w9 = LongVector.fromArray(SPECIES, words, 9 * N);
        LongVector w10 = LongVector.fromArray(SPECIES, words, 10 * N);
        LongVector w11 = LongVector.fromArray(SPECIES, words, 11 * N);
        LongVector w12 = LongVector.fromArray(SPECIES, words, 12 * N);
        LongVector w13 = LongVector.fromArray(SPECIES, words, 13 * N);
        LongVector w14 = LongVector.fromArray(SPECIES, words, 14 * N);
        LongVector w15 = LongVector.fromArray(SPECIES, words, 15 * N);
        w0 =
                w0.add(
                                w1.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w1.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w1.lanewise(VectorOperators.LSHR, 7)))
                        .add(w9)
                        .add(
                                w14.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w14.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w14.lanewise(VectorOperators.LSHR, 6)));
        w1 =
                w1.add(
                                w2.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w2.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w2.lanewise(VectorOperators.LSHR, 7)))
                        .add(w10)
                        .add(
                                w15.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w15.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w15.lanewise(VectorOperators.LSHR, 6)));
        w2 =
                w2.add(
                                w3.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w3.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w3.lanewise(VectorOperators.LSHR, 7)))
                        .add(w11)
                        .add(
                                w0.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w0.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w0.lanewise(VectorOperators.LSHR, 6)));
        w3 =
                w3.add(
                                w4.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w4.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w4.lanewise(VectorOperators.LSHR, 7)))
                        .add(w12)
                        .add(
                                w1.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w1.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w1.lanewise(VectorOperators.LSHR, 6)));
        w4 =
                w4.add(
                                w5.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w5.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w5.lanewise(VectorOperators.LSHR, 7)))
                        .add(w13)
                        .add(
                                w2.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w2.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w2.lanewise(VectorOperators.LSHR, 6)));
        w5 =
                w5.add(
                                w6.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w6.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w6.lanewise(VectorOperators.LSHR, 7)))
                        .add(w14)
                        .add(
                                w3.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w3.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w3.lanewise(VectorOperators.LSHR, 6)));
        w6 =
                w6.add(
                                w7.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w7.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w7.lanewise(VectorOperators.LSHR, 7)))
                        .add(w15)
                        .add(
                                w4.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w4.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w4.lanewise(VectorOperators.LSHR, 6)));
        w7 =
                w7.add(
                                w8.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w8.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w8.lanewise(VectorOperators.LSHR, 7)))
                        .add(w0)
                        .add(
                                w5.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w5.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w5.lanewise(VectorOperators.LSHR, 6)));
        w8 =
                w8.add(
                                w9.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w9.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w9.lanewise(VectorOperators.LSHR, 7)))
                        .add(w1)
                        .add(
                                w6.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w6.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w6.lanewise(VectorOperators.LSHR, 6)));
        w9 =
                w9.add(
                                w10.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w10.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w10.lanewise(VectorOperators.LSHR, 7)))
                        .add(w2)
                        .add(
                                w7.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w7.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w7.lanewise(VectorOperators.LSHR, 6)));
        w10 =
                w10.add(
                                w11.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w11.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w11.lanewise(VectorOperators.LSHR, 7)))
                        .add(w3)
                        .add(
                                w8.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w8.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w8.lanewise(VectorOperators.LSHR, 6)));
        w11 =
                w11.add(
                                w12.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w12.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w12.lanewise(VectorOperators.LSHR, 7)))
                        .add(w4)
                        .add(
                                w9.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w9.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w9.lanewise(VectorOperators.LSHR, 6)));
        w12 =
                w12.add(
                                w13.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w13.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w13.lanewise(VectorOperators.LSHR, 7)))
                        .add(w5)
                        .add(
                                w10.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w10.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w10.lanewise(VectorOperators.LSHR, 6)));
        w13 =
                w13.add(
                                w14.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w14.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w14.lanewise(VectorOperators.LSHR, 7)))
                        .add(w6)
                        .add(
                                w11.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w11.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w11.lanewise(VectorOperators.LSHR, 6)));
        w14 =
                w14.add(
                                w15.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w15.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w15.lanewise(VectorOperators.LSHR, 7)))
                        .add(w7)
                        .add(
                                w12.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w12.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w12.lanewise(VectorOperators.LSHR, 6)));
        w15 =
                w15.add(
                                w0.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w0.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w0.lanewise(VectorOperators.LSHR, 7)))
                        .add(w8)
                        .add(
                                w13.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w13.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w13.lanewise(VectorOperators.LSHR, 6)));
        w0.intoArray(words, 0);
        w1.intoArray(words, N);
        w2.intoArray(words, 2 * N);
        w3.intoArray(words, 3 * N);
        w4.intoArray(words, 4 * N);
        w5.intoArray(words, 5 * N);
        w6.intoArray(words, 6 * N);
        w7.intoArray(words, 7 * N);
        w8.intoArray(words, 8 * N);
        w9.intoArray(words, 9 * N);
        w10.intoArray(words, 10 * N);
        w11.intoArray(words, 11 * N);
        w12.intoArray(words, 12 * N);
        w13.intoArray(words, 13 * N);
        w14.intoArray(words, 14 * N);
        w15.intoArray(words, 15 * N);
    }
}
