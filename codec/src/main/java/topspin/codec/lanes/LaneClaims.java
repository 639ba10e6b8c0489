package topspin.codec.lanes;

import static topspin.codec.lanes.LaneField.N;

import topspin.codec.crypto.Claims;
import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.Scalar25519;

/**
 * One vector of claims, made ready: the checks that need the bytes only, the points, the
 * challenges. A lane that fails, or has no claim, stands in as the base point and drops out by
 * factors of zero, so that the lanes never part ways. An instance owns its results and scratch, for
 * one thread.
 */
final class LaneClaims {
    /** The y of the base point, 4/5. */
    private static final long BASE_Y0 = 0x6666666666666658L;

    private static final long BASE_Y = 0x6666666666666666L;

    /** Points A, one per lane, after {@link #decompress}. */
    final double[] pointA = new double[LanePoint.POINT];

    /** Points R. */
    final double[] pointR = new double[LanePoint.POINT];

    private final long[] encodings = new long[2 * LaneDecompress.WORDS];
    private final boolean[] isPoint = new boolean[2 * N];
    private final boolean[] isWellFormed = new boolean[N];
    private final long[] scratch = new long[Scalar25519.WORDS];
    private final Sha512Lanes hash = new Sha512Lanes();
    private final LaneDecompress decompress = new LaneDecompress();

    /** Takes up to N claims from one on: checks their bytes and hashes for their challenges. */
    void load(Claims claims, int from, int count) {
        for (int lane = 0; lane < N; lane++) {
            isWellFormed[lane] = lane < count && loadLane(claims, from + lane, lane);
            if (!isWellFormed[lane]) {
                standIn(lane);
            }
        }
        hash.sha512();
    }

    private boolean loadLane(Claims claims, int claim, int lane) {
        byte[] keys = claims.keys();
        byte[] signatures = claims.signatures();
        int key = claims.keyOffset(claim);
        int signature = claims.signatureOffset(claim);
        if (!Ed25519.isWellFormed(keys, key, signatures, signature)) {
            return false;
        }
        for (int i = 0; i < 4; i++) {
            encodings[i * N + lane] = Scalar25519.word(keys, key + 8 * i);
            encodings[LaneDecompress.WORDS + i * N + lane] =
                    Scalar25519.word(signatures, signature + 8 * i);
        }
        byte[] heads = hash.heads();
        int head = Sha512Lanes.headOffset(lane);
        System.arraycopy(signatures, signature, heads, head, 32);
        System.arraycopy(keys, key, heads, head + 32, 32);
        int end = claims.domain(claim).writeTo(heads, head + 64);
        hash.set(
                lane,
                end - head,
                claims.message(claim),
                claims.offset(claim),
                claims.length(claim));
        return true;
    }

    private void standIn(int lane) {
        for (int i = 0; i < 4; i++) {
            long word = i == 0 ? BASE_Y0 : BASE_Y;
            encodings[i * N + lane] = word;
            encodings[LaneDecompress.WORDS + i * N + lane] = word;
        }
    }

    /** Whether a lane holds a claim that has passed the checks so far. */
    boolean isCandidate(int lane) {
        return isWellFormed[lane];
    }

    /**
     * Finds the points; a lane without one is a candidate no more, and its coordinates mean
     * nothing.
     */
    void decompress() {
        decompress.decompress(pointA, pointR, encodings, isPoint);
        for (int lane = 0; lane < N; lane++) {
            isWellFormed[lane] &= isPoint[lane] && isPoint[N + lane];
        }
    }

    /** Writes a candidate's challenge modulo L, in Montgomery form. */
    void challenge(int lane, long[] target, int t) {
        Scalar25519.reduce(
                target,
                t,
                challengeWord(lane, 0),
                challengeWord(lane, 1),
                challengeWord(lane, 2),
                challengeWord(lane, 3),
                challengeWord(lane, 4),
                challengeWord(lane, 5),
                challengeWord(lane, 6),
                challengeWord(lane, 7),
                scratch,
                0);
    }

    private long challengeWord(int lane, int word) {
        return Long.reverseBytes(hash.digest(lane, word));
    }

    /** Whether the element of one lane is a multiple of p. */
    boolean isZero(double[] elements, int e) {
        return decompress.isZero(elements, e);
    }
}
