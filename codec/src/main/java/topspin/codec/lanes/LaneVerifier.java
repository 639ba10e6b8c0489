package topspin.codec.lanes;

import static topspin.codec.lanes.LaneField.ELEMENT;
import static topspin.codec.lanes.LaneField.N;

import topspin.codec.crypto.BatchVerifier;
import topspin.codec.crypto.Claims;
import topspin.codec.crypto.Scalar25519;
import topspin.codec.crypto.ShortFactors;

import java.util.Arrays;

/**
 * Verifies as many signatures at once as there are lanes, each by itself: [8](S·B − k·A − R) = 0 in
 * every lane. The equation is multiplied by a v, not zero modulo L, for which u = v·k is short as v
 * is ({@link ShortFactors}): [8](v·S·B − u·A − v·R) = 0 holds for the same signatures, since what 8
 * multiplies away is all that has not order L, and takes half the doublings, v·S being cut in two.
 * No randomness, an exact verdict for each. For public data; one per thread.
 */
final class LaneVerifier implements BatchVerifier {
    /** Four-bit digits of u and of v. */
    private static final int NIBBLES = 32;

    /** Eight-bit digits of v·S, and of each half. */
    private static final int BASE_DIGITS = 32;

    private static final int HALF = BASE_DIGITS / 2;

    /** 0 to 128 times the base point, and 2^128 times it, which all lanes share. */
    private static final double[] BASE_TABLE = BaseTables.multiples(129, 0);

    private static final double[] UPPER_BASE_TABLE = BaseTables.multiples(129, 8 * HALF);

    private final LaneClaims lanes = new LaneClaims();
    private final LanePoint points = new LanePoint();
    private final LaneTable tables = new LaneTable();
    private final double[] tableA = new double[LaneTable.TABLE];
    private final double[] tableR = new double[LaneTable.TABLE];
    private final double[] found = new double[N * LaneTable.ENTRY];
    private final double[] sum = new double[LanePoint.POINT];
    private final double[] difference = new double[ELEMENT];
    private final long[] scalar = new long[Scalar25519.WORDS];
    private final ShortFactors factors = new ShortFactors();
    private final boolean[] isNegative = new boolean[N];

    /** A lane's u, then v, two words each. */
    private final long[] pair = new long[4];

    /** u, and v, + 0x88…8 per lane, word by word: nibble minus 8 is then a signed digit. */
    private final long[] nibblesU = new long[Scalar25519.WORDS * N];

    private final long[] nibblesV = new long[Scalar25519.WORDS * N];

    /** Signed digits of v·S, digit by digit. */
    private final byte[] baseDigits = new byte[BASE_DIGITS * N];

    @Override
    public void verify(Claims claims, boolean[] verdicts) {
        verify(claims, 0, claims.size(), verdicts);
    }

    /** The same for a range of claims. */
    void verify(Claims claims, int from, int to, boolean[] verdicts) {
        for (int first = from; first < to; first += N) {
            verifyVector(claims, first, Math.min(N, to - first), verdicts);
        }
    }

    private void verifyVector(Claims claims, int from, int count, boolean[] verdicts) {
        lanes.load(claims, from, count);
        for (int lane = 0; lane < N; lane++) {
            Arrays.fill(pair, 0);
            Arrays.fill(scalar, 0);
            if (lanes.isCandidate(lane)) {
                lanes.challenge(lane, scalar, 0);
                Scalar25519.fromMontgomery(scalar, 0);
                isNegative[lane] = factors.find(pair, 0, scalar, 0);
                multiplyByV(claims.signatures(), claims.signatureOffset(from + lane) + 32);
            }
            Scalar25519.signedNibbles(nibblesU, lane, N, pair[0], pair[1], 0, 0);
            Scalar25519.signedNibbles(nibblesV, lane, N, pair[2], pair[3], 0, 0);
            setBaseDigits(lane);
        }
        lanes.decompress();
        negate(lanes.pointR);
        negateA();
        tables.fill(tableA, 0, lanes.pointA, 0);
        tables.fill(tableR, 0, lanes.pointR, 0);
        sumUp();
        for (int i = 0; i < 3; i++) {
            points.twice(sum, 0, sum, 0, false);
        }
        // The identity: x = 0 and y = 1, that is, Y = Z.
        LaneField.subtract(difference, 0, sum, LanePoint.Y, sum, LanePoint.Z);
        for (int lane = 0; lane < count; lane++) {
            verdicts[from + lane] =
                    lanes.isCandidate(lane)
                            && lanes.isZero(sum, LanePoint.X + lane)
                            && lanes.isZero(difference, lane);
        }
    }

    /** Makes v·S, modulo L, out of v without its sign and the encoding of S. */
    private void multiplyByV(byte[] signatures, int s) {
        Scalar25519.montgomery(scalar, 0, signatures, s, pair[2], pair[3], 0, 0);
        Scalar25519.toMontgomery(scalar, 0);
    }

    /** Writes the digits, −128 to 127, of v·S. */
    private void setBaseDigits(int lane) {
        int carry = 0;
        for (int digit = 0; digit < BASE_DIGITS; digit++) {
            int value = ((int) (scalar[digit >> 3] >>> (8 * (digit & 7))) & 0xff) + carry;
            carry = value >> 7 == 0 ? 0 : 1;
            baseDigits[digit * N + lane] = (byte) value;
        }
    }

    private static void negate(double[] point) {
        for (int i = 0; i < ELEMENT; i++) {
            point[LanePoint.X + i] = -point[LanePoint.X + i];
            point[LanePoint.T + i] = -point[LanePoint.T + i];
        }
    }

    /** A's sign is that of −u where v is positive; of u where the equation is multiplied by −v. */
    private void negateA() {
        double[] a = lanes.pointA;
        for (int lane = 0; lane < N; lane++) {
            double sign = isNegative[lane] ? 1 : -1;
            for (int i = lane; i < ELEMENT; i += N) {
                a[LanePoint.X + i] *= sign;
                a[LanePoint.T + i] *= sign;
            }
        }
    }

    private void sumUp() {
        LanePoint.identity(sum, 0);
        for (int nibble = NIBBLES - 1; nibble >= 0; nibble--) {
            if (nibble < NIBBLES - 1) {
                points.twice(sum, 0, sum, 0, false);
                points.twice(sum, 0, sum, 0, false);
                points.twice(sum, 0, sum, 0, false);
                points.twice(sum, 0, sum, 0, true);
            }
            int word = (nibble >> 4) * N;
            tables.lookupNibble(found, tableA, 0, LaneTable.LANE, nibblesU, word, nibble);
            points.add(sum, 0, sum, 0, found, 0);
            tables.lookupNibble(found, tableR, 0, LaneTable.LANE, nibblesV, word, nibble);
            points.add(sum, 0, sum, 0, found, 0);
            if ((nibble & 1) == 0) {
                int digit = nibble >> 1;
                tables.lookup(found, BASE_TABLE, baseDigits, digit * N);
                points.add(sum, 0, sum, 0, found, 0);
                tables.lookup(found, UPPER_BASE_TABLE, baseDigits, (HALF + digit) * N);
                points.add(sum, 0, sum, 0, found, 0);
            }
        }
    }
}
