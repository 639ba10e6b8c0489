package topspin.codec.lanes;

import static topspin.codec.lanes.LaneField.ELEMENT;
import static topspin.codec.lanes.LaneField.N;

import topspin.codec.crypto.BatchVerifier;
import topspin.codec.crypto.Claims;
import topspin.codec.crypto.Scalar25519;

import java.util.Arrays;

/**
 * Verifies as many signatures at once as there are lanes, each by itself: [8](S·B − k·A − R) = 0 in
 * every lane. No randomness, an exact verdict for each. For public data; one per thread.
 */
final class LaneVerifier implements BatchVerifier {
    /** Four-bit digits of a scalar. */
    private static final int NIBBLES = 64;

    /** Eight-bit digits of S. */
    private static final int BASE_DIGITS = 32;

    /** 0 to 128 times the base point, which all lanes share. */
    private static final double[] BASE_TABLE = BaseTables.multiples(129);

    private final LaneClaims lanes = new LaneClaims();
    private final LanePoint points = new LanePoint();
    private final LaneTable tables = new LaneTable();
    private final double[] table = new double[LaneTable.TABLE];
    private final double[] found = new double[N * LaneTable.ENTRY];
    private final double[] sum = new double[LanePoint.POINT];
    private final double[] difference = new double[ELEMENT];
    private final long[] challenge = new long[Scalar25519.WORDS];

    /** −k + 0x88…8 per lane, word by word: nibble minus 8 is then a signed digit. */
    private final long[] nibbles = new long[Scalar25519.WORDS * N];

    /** Signed digits of S, digit by digit. */
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
            if (lanes.isCandidate(lane)) {
                lanes.challenge(lane, challenge, 0);
                Scalar25519.fromMontgomery(challenge, 0);
                Scalar25519.negate(challenge, 0);
                byte[] signatures = claims.signatures();
                setBaseDigits(lane, signatures, claims.signatureOffset(from + lane) + 32);
            } else {
                Arrays.fill(challenge, 0);
                for (int digit = 0; digit < BASE_DIGITS; digit++) {
                    baseDigits[digit * N + lane] = 0;
                }
            }
            Scalar25519.signedNibbles(
                    nibbles, lane, N, challenge[0], challenge[1], challenge[2], challenge[3]);
        }
        lanes.decompress();
        tables.fill(table, 0, lanes.pointA, 0);
        sumUp();
        subtractR();
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

    /** Writes the digits, −128 to 127, of a scalar below L. */
    private void setBaseDigits(int lane, byte[] scalar, int offset) {
        int carry = 0;
        for (int digit = 0; digit < BASE_DIGITS; digit++) {
            int value = (scalar[offset + digit] & 0xff) + carry;
            carry = value >> 7 == 0 ? 0 : 1;
            baseDigits[digit * N + lane] = (byte) value;
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
            tables.lookupNibble(found, table, 0, nibbles, (nibble >> 4) * N, nibble);
            points.add(sum, 0, sum, 0, found, 0);
            if ((nibble & 1) == 0) {
                tables.lookup(found, BASE_TABLE, 0, baseDigits, (nibble >> 1) * N);
                points.add(sum, 0, sum, 0, found, 0);
            }
        }
    }

    private void subtractR() {
        double[] r = lanes.pointR;
        for (int i = 0; i < ELEMENT; i++) {
            r[LanePoint.X + i] = -r[LanePoint.X + i];
            r[LanePoint.T + i] = -r[LanePoint.T + i];
        }
        points.cache(found, 0, r, 0);
        points.add(sum, 0, sum, 0, found, 0);
    }
}
