package topspin.codec.lanes;

import static topspin.codec.lanes.LaneField.N;

import topspin.codec.crypto.BatchVerifier;
import topspin.codec.crypto.Claims;
import topspin.codec.crypto.Coefficients;
import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.Edwards25519;
import topspin.codec.crypto.Scalar25519;

import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Verifies many signatures by one equation, the lanes sharing its terms: [8](Σ z·k·A + Σ z·R − (Σ
 * z·S)·B) = 0 for random factors z. When it fails, or a point cannot be decompressed, {@link
 * LaneVerifier} gives each its verdict. Small numbers go to whatever is fastest for them. For
 * public data; one per thread.
 */
public final class LaneBatch implements BatchVerifier {
    /** More terms than these leave the second-level cache with their tables and gain nothing. */
    private static final int PART_MAX = 128;

    /**
     * One vector is faster with a verdict in each lane, more are with the equation, as measured.
     */
    private static final int PART_MIN = N + 1;

    /** Four-bit digits of a scalar modulo L, and of a factor z. */
    private static final int NIBBLES = 64;

    private static final int Z_NIBBLES = 32;

    /**
     * The base point's digits are dealt out to the lanes in runs, so that a batch adds it 64/N
     * times and not 64.
     */
    private static final int BASE_NIBBLES = NIBBLES / N;

    private static final double[] BASE_TABLE = BaseTables.multiplesPerLane(BASE_NIBBLES);

    private final LaneVerifier single = new LaneVerifier();
    private final LaneClaims lanes = new LaneClaims();
    private final LanePoint points = new LanePoint();
    private final LaneTable tables = new LaneTable();
    private final Coefficients coefficients;
    private final int part;

    /** Of each vector of claims: multiples of its A's, then of its R's. */
    private final double[] multiples;

    /**
     * Factors of the A's, then those of the R's, per vector of claims, as {@link
     * Scalar25519#signedNibbles}.
     */
    private final long[] factorsOfA;

    private final long[] factorsOfR;
    private final long[] eights = new long[Scalar25519.WORDS * N];
    private final byte[] baseDigits = new byte[BASE_NIBBLES * N];
    private final double[] found = new double[N * LaneTable.ENTRY];
    private final double[] accumulator = new double[LanePoint.POINT];
    private final boolean[] candidate;
    private final long[] scalar = new long[Scalar25519.WORDS];
    private final long[] sum = new long[Scalar25519.WORDS];
    private final long[] z = new long[2];
    private final long[] laneSum = new long[Edwards25519.POINT];
    private final long[] total = new long[Edwards25519.POINT];
    private final long[] work = new long[Edwards25519.WORK];

    /**
     * A verifier for batches of up to {@code capacity}.
     *
     * @param random where the factors come from; it must be unforeseeable
     */
    public LaneBatch(int capacity, SecureRandom random) {
        coefficients = new Coefficients(random);
        part = Math.min(roundUp(capacity), PART_MAX);
        multiples = new double[2 * (part / N) * LaneTable.TABLE];
        factorsOfA = new long[part * Scalar25519.WORDS];
        factorsOfR = new long[part * Scalar25519.WORDS];
        candidate = new boolean[part];
    }

    private static int roundUp(int count) {
        return (count + N - 1) / N * N;
    }

    @Override
    public void verify(Claims claims, boolean[] verdicts) {
        int parts = (claims.size() + part - 1) / part;
        for (int i = 0, from = 0; i < parts; i++) {
            // Equal parts, but of whole vectors.
            int share = roundUp((claims.size() - from + parts - i - 1) / (parts - i));
            int to = Math.min(claims.size(), from + share);
            verify(claims, from, to, verdicts);
            from = to;
        }
    }

    private void verify(Claims claims, int from, int to, boolean[] verdicts) {
        if (to - from == 1) {
            verdicts[from] =
                    Ed25519.verify(
                            claims.keys(),
                            claims.keyOffset(from),
                            claims.signatures(),
                            claims.signatureOffset(from),
                            claims.domain(from),
                            claims.message(from),
                            claims.offset(from),
                            claims.length(from));
        } else if (to - from < PART_MIN || !holds(claims, from, to)) {
            single.verify(claims, from, to, verdicts);
        } else {
            System.arraycopy(candidate, 0, verdicts, from, to - from);
        }
    }

    /**
     * Whether the equation holds over the claims that pass the checks before it, which are the
     * candidates then.
     */
    private boolean holds(Claims claims, int from, int to) {
        coefficients.restart();
        Arrays.fill(sum, 0);
        int vectors = roundUp(to - from) / N;
        for (int vector = 0; vector < vectors; vector++) {
            if (!prepare(claims, from + vector * N, Math.min(N, to - from - vector * N), vector)) {
                return false;
            }
        }
        setBaseDigits();
        addUp(vectors);
        return isSumOfLanesZero();
    }

    /**
     * Works out all that depends on one vector of claims; false if one has no point, which leaves
     * them all to lanes.
     */
    private boolean prepare(Claims claims, int from, int count, int vector) {
        lanes.load(claims, from, count);
        for (int lane = 0; lane < N; lane++) {
            int factor = vector * Scalar25519.WORDS * N + lane;
            boolean isCandidate = lanes.isCandidate(lane);
            candidate[vector * N + lane] = isCandidate;
            if (!isCandidate) {
                Scalar25519.signedNibbles(factorsOfA, factor, N, 0, 0, 0, 0);
                Scalar25519.signedNibbles(factorsOfR, factor, N, 0, 0, 0, 0);
                continue;
            }
            coefficients.next(z, 0);
            lanes.challenge(lane, scalar, 0);
            Scalar25519.montgomery(
                    scalar, 0, scalar[0], scalar[1], scalar[2], scalar[3], z[0], z[1], 0, 0);
            Scalar25519.signedNibbles(
                    factorsOfA, factor, N, scalar[0], scalar[1], scalar[2], scalar[3]);
            Scalar25519.signedNibbles(factorsOfR, factor, N, z[0], z[1], 0, 0);
            // Divided by 2^256 like every such product; the sum is put right once.
            int s = claims.signatureOffset(from + lane) + 32;
            Scalar25519.montgomery(scalar, 0, claims.signatures(), s, z[0], z[1]);
            Scalar25519.add(sum, 0, sum, 0, scalar, 0);
        }
        lanes.decompress();
        for (int lane = 0; lane < N; lane++) {
            if (candidate[vector * N + lane] && !lanes.isCandidate(lane)) {
                return false;
            }
        }
        int table = 2 * vector * LaneTable.TABLE;
        tables.fill(multiples, table, lanes.pointA, 0);
        tables.fill(multiples, table + LaneTable.TABLE, lanes.pointR, 0);
        return true;
    }

    private void setBaseDigits() {
        Scalar25519.toMontgomery(sum, 0);
        Scalar25519.negate(sum, 0);
        // Dealt out: lane l takes the digits from l·BASE_NIBBLES on.
        Scalar25519.signedNibbles(eights, 0, N, sum[0], sum[1], sum[2], sum[3]);
        for (int nibble = 0; nibble < NIBBLES; nibble++) {
            int digit = ((int) (eights[(nibble >> 4) * N] >>> (4 * (nibble & 15))) & 15) - 8;
            baseDigits[(nibble % BASE_NIBBLES) * N + nibble / BASE_NIBBLES] = (byte) digit;
        }
    }

    private void addUp(int vectors) {
        LanePoint.identity(accumulator, 0);
        for (int nibble = NIBBLES - 1; nibble >= 0; nibble--) {
            if (nibble < NIBBLES - 1) {
                points.twice(accumulator, 0, accumulator, 0, false);
                points.twice(accumulator, 0, accumulator, 0, false);
                points.twice(accumulator, 0, accumulator, 0, false);
                points.twice(accumulator, 0, accumulator, 0, true);
            }
            for (int vector = 0; vector < vectors; vector++) {
                int table = 2 * vector * LaneTable.TABLE;
                int word = (vector * Scalar25519.WORDS + (nibble >> 4)) * N;
                tables.lookupNibble(found, multiples, table, factorsOfA, word, nibble);
                points.add(accumulator, 0, accumulator, 0, found, 0);
                if (nibble < Z_NIBBLES) {
                    tables.lookupNibble(
                            found, multiples, table + LaneTable.TABLE, factorsOfR, word, nibble);
                    points.add(accumulator, 0, accumulator, 0, found, 0);
                }
            }
            if (nibble < BASE_NIBBLES) {
                tables.lookup(
                        found,
                        BASE_TABLE,
                        LaneTable.ENTRIES * LaneTable.ENTRY,
                        baseDigits,
                        nibble * N);
                points.add(accumulator, 0, accumulator, 0, found, 0);
            }
        }
    }

    private boolean isSumOfLanesZero() {
        Edwards25519.identity(total, 0);
        for (int lane = 0; lane < N; lane++) {
            for (int limb = 0; limb < Edwards25519.POINT; limb++) {
                laneSum[limb] = (long) accumulator[limb * N + lane];
            }
            Edwards25519.cache(laneSum, 0, laneSum, 0);
            Edwards25519.add(total, 0, total, 0, laneSum, 0, work);
        }
        return Edwards25519.isIdentityTimesEight(total, 0, work);
    }
}
