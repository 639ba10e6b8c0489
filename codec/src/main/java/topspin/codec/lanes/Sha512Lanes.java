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
    private static final int BLOCK = 128;
    private static final int BLOCK_WORDS = 16;
    private static final int ROUNDS = 80;

    /** The end mark and the length in bits, 128 of them. */
    private static final int PADDING_MIN = 1 + 16;

    private static final byte[] NOTHING = {};

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, BIG_ENDIAN);

    /**
     * The first 64 bits behind the point of the cube roots of the first 80 primes, in every lane.
     */
    private static final long[] ROUND_CONSTANTS = new long[ROUNDS * N];

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
            long constant = cubeRoot(prime.shiftLeft(192)).longValue();
            Arrays.fill(ROUND_CONSTANTS, i * N, (i + 1) * N, constant);
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

    private final byte[] heads = new byte[N * HEAD_MAX];

    /** The block being put together. */
    private final byte[] edge = new byte[BLOCK];

    private final int[] headLengths = new int[N];
    private final byte[][] messages = new byte[N][];
    private final int[] offsets = new int[N];
    private final int[] lengths = new int[N];
    private final long[] blocks = new long[N];

    // Word by word, the lanes of a word together.
    private final long[] chain = new long[DIGEST_WORDS * N];
    private final long[] state = new long[DIGEST_WORDS * N];
    private final long[] words = new long[ROUNDS * N];
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
        return lane * HEAD_MAX;
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
        // Where the block begins in the span; negative while the head reaches into it.
        long from = block * BLOCK - headLengths[lane];
        byte[] source = messages[lane];
        int at = (int) (offsets[lane] + from);
        if (from < 0 || from + BLOCK > lengths[lane]) {
            assemble(lane, from);
            source = edge;
            at = 0;
        }
        for (int i = 0; i < BLOCK_WORDS; i++) {
            words[i * N + lane] = (long) LONG.get(source, at + 8 * i);
        }
        if (block == blocks[lane] - 1) {
            words[(BLOCK_WORDS - 1) * N + lane] = 8L * (headLengths[lane] + (long) lengths[lane]);
        }
    }

    /** Puts together a block that the head, the end of the span or the padding reaches into. */
    private void assemble(int lane, long from) {
        int filled = 0;
        if (from < 0) {
            filled = (int) Math.min(BLOCK, -from);
            int head = headOffset(lane) + headLengths[lane] + (int) from;
            System.arraycopy(heads, head, edge, 0, filled);
        }
        long position = from + filled;
        int rest = (int) Math.min(BLOCK - filled, lengths[lane] - position);
        if (rest > 0) {
            int at = (int) (offsets[lane] + position);
            System.arraycopy(messages[lane], at, edge, filled, rest);
            filled += rest;
        }
        if (filled < BLOCK) {
            Arrays.fill(edge, filled, BLOCK, (byte) 0);
            // The mark, unless it was the last byte of the block before.
            if (from + filled == lengths[lane]) {
                edge[filled] = (byte) 0x80;
            }
        }
    }

    private void compress() {
        for (int t = BLOCK_WORDS * N; t < words.length; t += 8 * N) {
            schedule(words, t);
        }
        System.arraycopy(chain, 0, state, 0, chain.length);
        for (int t = 0; t < words.length; t += 4 * N) {
            rounds(state, words, t);
        }
        for (int i = 0; i < chain.length; i += N) {
            LongVector.fromArray(SPECIES, chain, i)
                    .add(LongVector.fromArray(SPECIES, state, i))
                    .intoArray(chain, i);
        }
    }

    /**
     * Four rounds with the words and constants from {@code t} on. Of eight in a kernel the compiler
     * kept too much alive at once for sixteen registers, and for two the state is loaded and stored
     * too often. The constants lie in memory lane by lane, as spreading one takes a register and
     * two instructions.
     */
    private static void rounds(long[] state, long[] words, int t) {
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
                h.add(LongVector.fromArray(SPECIES, words, t))
                        .add(LongVector.fromArray(SPECIES, ROUND_CONSTANTS, t))
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
                g.add(LongVector.fromArray(SPECIES, words, t + N))
                        .add(LongVector.fromArray(SPECIES, ROUND_CONSTANTS, t + N))
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
                f.add(LongVector.fromArray(SPECIES, words, t + 2 * N))
                        .add(LongVector.fromArray(SPECIES, ROUND_CONSTANTS, t + 2 * N))
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
                e.add(LongVector.fromArray(SPECIES, words, t + 3 * N))
                        .add(LongVector.fromArray(SPECIES, ROUND_CONSTANTS, t + 3 * N))
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
        e.intoArray(state, 0);
        f.intoArray(state, N);
        g.intoArray(state, 2 * N);
        h.intoArray(state, 3 * N);
        a.intoArray(state, 4 * N);
        b.intoArray(state, 5 * N);
        c.intoArray(state, 6 * N);
        d.intoArray(state, 7 * N);
    }

    /** Eight words from {@code t} on: w[t] = σ1(w[t−2]) + w[t−7] + σ0(w[t−15]) + w[t−16]. */
    private static void schedule(long[] words, int t) {
        LongVector p16 = LongVector.fromArray(SPECIES, words, t - 16 * N);
        LongVector p15 = LongVector.fromArray(SPECIES, words, t - 15 * N);
        LongVector p14 = LongVector.fromArray(SPECIES, words, t - 14 * N);
        LongVector p13 = LongVector.fromArray(SPECIES, words, t - 13 * N);
        LongVector p12 = LongVector.fromArray(SPECIES, words, t - 12 * N);
        LongVector p11 = LongVector.fromArray(SPECIES, words, t - 11 * N);
        LongVector p10 = LongVector.fromArray(SPECIES, words, t - 10 * N);
        LongVector p9 = LongVector.fromArray(SPECIES, words, t - 9 * N);
        LongVector p8 = LongVector.fromArray(SPECIES, words, t - 8 * N);
        LongVector p7 = LongVector.fromArray(SPECIES, words, t - 7 * N);
        LongVector p6 = LongVector.fromArray(SPECIES, words, t - 6 * N);
        LongVector p5 = LongVector.fromArray(SPECIES, words, t - 5 * N);
        LongVector p4 = LongVector.fromArray(SPECIES, words, t - 4 * N);
        LongVector p3 = LongVector.fromArray(SPECIES, words, t - 3 * N);
        LongVector p2 = LongVector.fromArray(SPECIES, words, t - 2 * N);
        LongVector p1 = LongVector.fromArray(SPECIES, words, t - N);
        LongVector w0 =
                p16.add(
                                p15.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p15.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p15.lanewise(VectorOperators.LSHR, 7)))
                        .add(p7)
                        .add(
                                p2.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p2.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p2.lanewise(VectorOperators.LSHR, 6)));
        LongVector w1 =
                p15.add(
                                p14.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p14.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p14.lanewise(VectorOperators.LSHR, 7)))
                        .add(p6)
                        .add(
                                p1.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p1.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p1.lanewise(VectorOperators.LSHR, 6)));
        LongVector w2 =
                p14.add(
                                p13.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p13.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p13.lanewise(VectorOperators.LSHR, 7)))
                        .add(p5)
                        .add(
                                w0.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w0.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w0.lanewise(VectorOperators.LSHR, 6)));
        LongVector w3 =
                p13.add(
                                p12.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p12.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p12.lanewise(VectorOperators.LSHR, 7)))
                        .add(p4)
                        .add(
                                w1.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w1.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w1.lanewise(VectorOperators.LSHR, 6)));
        LongVector w4 =
                p12.add(
                                p11.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p11.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p11.lanewise(VectorOperators.LSHR, 7)))
                        .add(p3)
                        .add(
                                w2.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w2.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w2.lanewise(VectorOperators.LSHR, 6)));
        LongVector w5 =
                p11.add(
                                p10.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p10.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p10.lanewise(VectorOperators.LSHR, 7)))
                        .add(p2)
                        .add(
                                w3.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w3.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w3.lanewise(VectorOperators.LSHR, 6)));
        LongVector w6 =
                p10.add(
                                p9.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p9.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p9.lanewise(VectorOperators.LSHR, 7)))
                        .add(p1)
                        .add(
                                w4.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w4.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w4.lanewise(VectorOperators.LSHR, 6)));
        LongVector w7 =
                p9.add(
                                p8.lanewise(VectorOperators.ROR, 1)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p8.lanewise(VectorOperators.ROR, 8))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                p8.lanewise(VectorOperators.LSHR, 7)))
                        .add(w0)
                        .add(
                                w5.lanewise(VectorOperators.ROR, 19)
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w5.lanewise(VectorOperators.ROR, 61))
                                        .lanewise(
                                                VectorOperators.XOR,
                                                w5.lanewise(VectorOperators.LSHR, 6)));
        w0.intoArray(words, t);
        w1.intoArray(words, t + N);
        w2.intoArray(words, t + 2 * N);
        w3.intoArray(words, t + 3 * N);
        w4.intoArray(words, t + 4 * N);
        w5.intoArray(words, t + 5 * N);
        w6.intoArray(words, t + 6 * N);
        w7.intoArray(words, t + 7 * N);
    }
}
