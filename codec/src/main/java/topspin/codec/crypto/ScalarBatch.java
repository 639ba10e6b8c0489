package topspin.codec.crypto;

import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Verifies many signatures by one equation, without vectors: Σ z·(S·B − k·A − R) is zero, times
 * eight, for random factors z, if all hold, and with a chance of at most 2^−124 if any does not.
 * The terms share one chain of doublings (Straus). When the equation fails, each signature is
 * verified alone, from what is already worked out. For public data; one per thread.
 */
final class ScalarBatch implements BatchVerifier {
    /** More terms than these leave the second-level cache with their tables and gain nothing. */
    private static final int PART_MAX = 128;

    /** Below this many, one equation gains nothing over single verifications. */
    private static final int PART_MIN = 2;

    private static final int TABLE = ScalarVerifier.ENTRIES * Edwards25519.POINT;
    private static final int Z_DIGITS = 128;

    /** A factor has so many bits less, since the form of its digits may be longer by one. */
    private static final int Z_SPARE_BITS = 2;

    private final ScalarVerifier single = new ScalarVerifier();
    private final Coefficients coefficients;
    private final int part;
    private final int stride;

    /** Of each entry: odd multiples of A, then of R. */
    private final long[] tables;

    /** Points R, kept for the search. */
    private final long[] points;

    /** Challenges in Montgomery form. */
    private final long[] challenges;

    /** Digit-major: at each binary position the digits of all A's, then of all R's. */
    private final byte[] digits;

    private final byte[] baseDigits = new byte[ScalarVerifier.DIGITS];
    private final boolean[] candidate;
    private final long[] work = new long[Edwards25519.WORK];
    private final long[] point = new long[Edwards25519.POINT];
    private final long[] scalar = new long[Scalar25519.WORDS];
    private final long[] sum = new long[Scalar25519.WORDS];
    private final long[] z = new long[2];

    ScalarBatch(int capacity, SecureRandom random) {
        coefficients = new Coefficients(random);
        part = Math.min(capacity, PART_MAX);
        stride = 2 * part;
        tables = new long[2 * part * TABLE];
        points = new long[part * Edwards25519.POINT];
        challenges = new long[part * Scalar25519.WORDS];
        digits = new byte[ScalarVerifier.DIGITS * stride];
        candidate = new boolean[part];
    }

    @Override
    public void verify(Claims claims, boolean[] verdicts) {
        // Equal parts, rather than a full one and a remainder that shares its doublings among few.
        int parts = (claims.size() + part - 1) / part;
        for (int i = 0, from = 0; i < parts; i++) {
            int to = (int) ((long) claims.size() * (i + 1) / parts);
            if (to - from < PART_MIN) {
                verifySingly(claims, from, to, verdicts);
            } else {
                verifyTogether(claims, from, to, verdicts);
            }
            from = to;
        }
    }

    private void verifySingly(Claims claims, int from, int to, boolean[] verdicts) {
        for (int i = from; i < to; i++) {
            verdicts[i] =
                    single.verify(
                            claims.keys(),
                            claims.keyOffset(i),
                            claims.signatures(),
                            claims.signatureOffset(i),
                            claims.domain(i),
                            claims.message(i),
                            claims.offset(i),
                            claims.length(i));
        }
    }

    private void verifyTogether(Claims claims, int from, int to, boolean[] verdicts) {
        coefficients.restart();
        Arrays.fill(sum, 0);
        for (int i = from; i < to; i++) {
            candidate[i - from] = prepare(claims, i, i - from);
        }
        boolean holds = equationHolds(to - from);
        for (int i = from; i < to; i++) {
            verdicts[i] = candidate[i - from] && (holds || holdsAlone(claims, i, i - from));
        }
    }

    /**
     * Works out all that depends on one entry; false, with its digits zero, if it fails before the
     * equation.
     */
    private boolean prepare(Claims claims, int i, int entry) {
        byte[] keys = claims.keys();
        byte[] signatures = claims.signatures();
        int key = claims.keyOffset(i);
        int signature = claims.signatureOffset(i);
        int table = 2 * entry * TABLE;
        int r = entry * Edwards25519.POINT;
        int k = entry * Scalar25519.WORDS;
        if (!Ed25519.isWellFormed(keys, key, signatures, signature)
                || !Edwards25519.decompress(point, 0, keys, key, work)
                || !Edwards25519.decompress(points, r, signatures, signature, work)) {
            for (int d = 0; d < ScalarVerifier.DIGITS; d++) {
                digits[d * stride + entry] = 0;
                digits[d * stride + part + entry] = 0;
            }
            return false;
        }
        Edwards25519.oddMultiples(tables, table, ScalarVerifier.ENTRIES, point, 0, work);
        Edwards25519.oddMultiples(tables, table + TABLE, ScalarVerifier.ENTRIES, points, r, work);
        single.challenge(
                challenges,
                k,
                keys,
                key,
                signatures,
                signature,
                claims.domain(i),
                claims.message(i),
                claims.offset(i),
                claims.length(i));
        coefficients.next(z, 0);
        // Odd, and short enough for the digits.
        z[0] |= 1;
        z[1] >>>= Z_SPARE_BITS;
        Scalar25519.montgomery(
                scalar,
                0,
                challenges[k],
                challenges[k + 1],
                challenges[k + 2],
                challenges[k + 3],
                z[0],
                z[1],
                0,
                0);
        Scalar25519.nonAdjacentForm(
                digits,
                entry,
                stride,
                ScalarVerifier.WIDTH,
                scalar[0],
                scalar[1],
                scalar[2],
                scalar[3]);
        Scalar25519.nonAdjacentForm(
                digits, part + entry, stride, ScalarVerifier.WIDTH, z[0], z[1], 0, 0);
        // Divided by 2^256 like every such product; the sum is put right once.
        Scalar25519.montgomery(
                scalar,
                0,
                Scalar25519.word(signatures, signature + 32),
                Scalar25519.word(signatures, signature + 40),
                Scalar25519.word(signatures, signature + 48),
                Scalar25519.word(signatures, signature + 56),
                z[0],
                z[1],
                0,
                0);
        Scalar25519.add(sum, 0, sum, 0, scalar, 0);
        return true;
    }

    /** Whether [8](Σ z·k·A + Σ z·R − (Σ z·S)·B) = 0. */
    private boolean equationHolds(int count) {
        Scalar25519.toMontgomery(sum, 0);
        Scalar25519.negate(sum, 0);
        Scalar25519.nonAdjacentForm(
                baseDigits, 0, 1, ScalarVerifier.BASE_WIDTH, sum[0], sum[1], sum[2], sum[3]);
        Edwards25519.identity(point, 0);
        for (int d = ScalarVerifier.DIGITS - 1; d >= 0; d--) {
            Edwards25519.twice(point, 0, point, 0, true, work);
            addTerms(d * stride, 0, count);
            if (d <= Z_DIGITS) {
                addTerms(d * stride + part, TABLE, count);
            }
            ScalarVerifier.addMultiple(point, ScalarVerifier.BASE_TABLE, 0, baseDigits[d], work);
        }
        return Edwards25519.isIdentityTimesEight(point, 0, work);
    }

    private void addTerms(int firstDigit, int table, int count) {
        for (int entry = 0; entry < count; entry++) {
            int digit = digits[firstDigit + entry];
            if (digit != 0) {
                ScalarVerifier.addMultiple(point, tables, table + 2 * entry * TABLE, digit, work);
            }
        }
    }

    private boolean holdsAlone(Claims claims, int i, int entry) {
        return single.holds(
                tables,
                2 * entry * TABLE,
                points,
                entry * Edwards25519.POINT,
                challenges,
                entry * Scalar25519.WORDS,
                claims.signatures(),
                claims.signatureOffset(i));
    }
}
