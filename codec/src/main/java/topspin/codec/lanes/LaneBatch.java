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
 * Verifies many signatures by one equation: [8](Σ z·k·A + Σ z·R − (Σ z·S)·B) = 0 for random factors
 * z. When it fails, or a point cannot be decompressed, {@link LaneVerifier} gives each its verdict.
 * Small numbers go to whatever is fastest for them. For public data; one per thread.
 *
 * <p>Points are decompressed, and their multiples made, a vector at a time; but then the lanes
 * share each term. A lane has a run of a factor's digits, and every digit of the run has a sum of
 * its own, to which the multiple that the digit names is added. So nothing is doubled until all
 * terms are in, and a point's multiples are used up while they are still at hand. The sums of the
 * digits are joined by the few doublings within a run, the lanes by the many between runs, and
 * these without vectors: of one point alone they are faster so.
 */
public final class LaneBatch implements BatchVerifier {
    /** What fails is verified once more in lanes: no more than these. */
    private static final int PART_MAX = 128;

    /**
     * One vector is faster with a verdict in each lane, more are with the equation, as measured.
     */
    private static final int PART_MIN = N + 1;

    /** Bits of a factor that a lane has. */
    private static final int RUN_BITS = 256 / N;

    /** Four-bit digits of a run. */
    private static final int DIGITS = RUN_BITS / 4;

    /**
     * Digits of a run that may be other than zero in a factor z, which need not be a small number
     * but one of 2^128.
     */
    private static final int Z_DIGITS = DIGITS / 2;

    /**
     * A run of signed nibbles, see {@link Scalar25519#signedNibbles}, of which the upper half is
     * zero.
     */
    private static final long UPPER_ZEROS =
            0x8888888888888888L >>> (64 - RUN_BITS) & -1L << (4 * Z_DIGITS);

    private static final double[] BASE = TermTable.base();

    private final LaneVerifier single = new LaneVerifier();
    private final LaneClaims lanes = new LaneClaims();
    private final LanePoint points = new LanePoint();
    private final TermTable tables = new TermTable();
    private final Coefficients coefficients;
    private final int part;
    private final double[] multiples = new double[TermTable.TABLE];

    // Of each claim of a vector: the runs of its factors, as signed nibbles.
    private final long[] factorsOfA = new long[N * N];
    private final long[] factorsOfR = new long[N * N];
    private final long[] factorsOfB = new long[N];

    /** Of each digit of a run, the highest last. */
    private final double[] sums = new double[DIGITS * LanePoint.POINT];

    private final double[] found = new double[N * LaneTable.ENTRY];
    private final boolean[] candidate;
    private final long[] scalar = new long[Scalar25519.WORDS];
    private final long[] nibbles = new long[Scalar25519.WORDS];
    private final long[] sum = new long[Scalar25519.WORDS];
    private final long[] z = new long[Scalar25519.WORDS];
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
        for (int digit = 0; digit < DIGITS; digit++) {
            LanePoint.identity(sums, digit * LanePoint.POINT);
        }
        for (int first = from; first < to; first += N) {
            if (!addVector(claims, first, Math.min(N, to - first), first - from)) {
                return false;
            }
        }
        addBase();
        joinDigits();
        return isSumOfLanesZero();
    }

    /** Adds a vector of claims; false if one has no point, which leaves them all to lanes. */
    private boolean addVector(Claims claims, int from, int count, int entry) {
        lanes.load(claims, from, count);
        for (int lane = 0; lane < count; lane++) {
            candidate[entry + lane] = lanes.isCandidate(lane);
            if (candidate[entry + lane]) {
                setFactors(claims, from + lane, lane);
            }
        }
        lanes.decompress();
        for (int lane = 0; lane < count; lane++) {
            if (candidate[entry + lane] && !lanes.isCandidate(lane)) {
                return false;
            }
        }
        addTerms(lanes.pointA, factorsOfA, DIGITS, entry, count);
        addTerms(lanes.pointR, factorsOfR, Z_DIGITS, entry, count);
        return true;
    }

    private void setFactors(Claims claims, int claim, int lane) {
        drawFactor(lane);
        lanes.challenge(lane, scalar, 0);
        Scalar25519.montgomery(
                scalar, 0, scalar[0], scalar[1], scalar[2], scalar[3], z[0], z[1], z[2], z[3]);
        setRuns(factorsOfA, lane * N);
        // Divided by 2^256 like every such product; the sum is put right once.
        int s = claims.signatureOffset(claim) + 32;
        Scalar25519.montgomery(scalar, 0, claims.signatures(), s, z[0], z[1], z[2], z[3]);
        Scalar25519.add(sum, 0, sum, 0, scalar, 0);
    }

    /** Draws z, an equal share of its random bits for every run. */
    private void drawFactor(int lane) {
        coefficients.next(z, 0);
        Arrays.fill(nibbles, 0);
        for (int run = 0; run < N; run++) {
            int bit = run * (RUN_BITS / 2);
            long digits = z[bit >> 6] >>> bit & ~(-1L << (RUN_BITS / 2));
            factorsOfR[lane * N + run] = digits;
            bit = run * RUN_BITS;
            nibbles[bit >> 6] |= (digits | UPPER_ZEROS) << bit;
        }
        Scalar25519.ofSignedNibbles(z, 0, nibbles[0], nibbles[1], nibbles[2], nibbles[3]);
    }

    /** Deals out the signed nibbles of {@link #scalar}. */
    private void setRuns(long[] runs, int r) {
        Scalar25519.signedNibbles(nibbles, 0, 1, scalar[0], scalar[1], scalar[2], scalar[3]);
        for (int run = 0; run < N; run++) {
            int bit = run * RUN_BITS;
            runs[r + run] = nibbles[bit >> 6] >>> bit;
        }
    }

    private void addTerms(double[] point, long[] factors, int digits, int entry, int count) {
        tables.fill(multiples, 0, point, 0);
        for (int lane = 0; lane < count; lane++) {
            if (candidate[entry + lane]) {
                addTerm(multiples, lane * TermTable.TERM, factors, lane * N, digits);
            }
        }
    }

    private void addTerm(double[] table, int t, long[] factors, int f, int digits) {
        for (int digit = 0; digit < digits; digit++) {
            int target = digit * LanePoint.POINT;
            tables.lookup(found, table, t, factors, f, digit);
            points.add(sums, target, sums, target, found, 0);
        }
    }

    private void addBase() {
        System.arraycopy(sum, 0, scalar, 0, Scalar25519.WORDS);
        Scalar25519.toMontgomery(scalar, 0);
        Scalar25519.negate(scalar, 0);
        setRuns(factorsOfB, 0);
        addTerm(BASE, 0, factorsOfB, 0, DIGITS);
    }

    /** Sums up every lane's run in the place of its highest digit. */
    private void joinDigits() {
        int target = (DIGITS - 1) * LanePoint.POINT;
        for (int digit = DIGITS - 2; digit >= 0; digit--) {
            for (int i = 0; i < 4; i++) {
                points.twice(sums, target, sums, target, i == 3);
            }
            points.cache(found, 0, sums, digit * LanePoint.POINT);
            points.add(sums, target, sums, target, found, 0);
        }
    }

    private boolean isSumOfLanesZero() {
        int from = (DIGITS - 1) * LanePoint.POINT;
        Edwards25519.identity(total, 0);
        for (int lane = N - 1; lane >= 0; lane--) {
            for (int i = 0; i < RUN_BITS && lane < N - 1; i++) {
                Edwards25519.twice(total, 0, total, 0, i == RUN_BITS - 1, work);
            }
            for (int limb = 0; limb < Edwards25519.POINT; limb++) {
                laneSum[limb] = (long) sums[from + limb * N + lane];
            }
            Edwards25519.cache(laneSum, 0, laneSum, 0);
            Edwards25519.add(total, 0, total, 0, laneSum, 0, work);
        }
        return Edwards25519.isIdentityTimesEight(total, 0, work);
    }
}
