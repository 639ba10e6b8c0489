package topspin.codec.lanes;

import static topspin.codec.lanes.LaneField.N;
import static topspin.codec.lanes.LaneField.SPECIES;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;

/**
 * Cached multiples 0, 1, 2, … of a point per lane, to be looked up by a different digit in each
 * lane. The entries of a lane lie together, coordinate by coordinate, so a look-up reads whole rows
 * and transposes them; picking single numbers, or masking through all entries, took longer when
 * measured. An instance owns scratch, for one thread.
 */
final class LaneTable {
    /** Array elements of an entry: twenty limbs, padded to whole vectors of eight. */
    static final int ENTRY = 24;

    /** Entries for digits from −8 to 8. */
    static final int ENTRIES = LaneMultiples.ENTRIES;

    /** Array elements of {@link #ENTRIES} of one lane. */
    static final int LANE = ENTRIES * ENTRY;

    /** Array elements of a table of {@link #ENTRIES} in every lane. */
    static final int TABLE = N * LANE;

    private static final int LIMBS = 20;

    // A transposition swaps ever larger squares across the diagonal. Two rows exchange halves by
    // one shuffle and one blend
    // each: what moves up, and what moves down.
    private static final VectorShuffle<Double> SWAP_1 = swap(1);
    private static final VectorShuffle<Double> SWAP_2 = swap(2);
    private static final VectorShuffle<Double> SWAP_4 = swap(4);
    private static final VectorMask<Double> ODD_1 = odd(1);
    private static final VectorMask<Double> ODD_2 = odd(2);
    private static final VectorMask<Double> ODD_4 = odd(4);

    private final LaneMultiples multiples = new LaneMultiples();
    private final double[] digits = new double[N];
    private final int[] entries = new int[N];

    private static VectorShuffle<Double> swap(int distance) {
        return VectorShuffle.fromOp(SPECIES, lane -> (lane ^ distance) % N);
    }

    private static VectorMask<Double> odd(int distance) {
        var mask = new boolean[N];
        for (int lane = 0; lane < N; lane++) {
            mask[lane] = (lane & distance) != 0;
        }
        return VectorMask.fromArray(SPECIES, mask, 0);
    }

    /** Fills a table with the multiples 0 to 8 of a point whose Z is 1. */
    void fill(double[] table, int t, double[] point, int p) {
        multiples.of(point, p);
        for (int entry = 0; entry < ENTRIES; entry++) {
            int cached = entry * LaneMultiples.MULTIPLE;
            int e = t + entry * ENTRY;
            // With eight lanes, what follows the limbs fills the padding.
            for (int limb = 0; limb < LIMBS; limb += N) {
                transpose(table, e + limb, LANE, multiples.cached, cached + limb * N, N);
            }
        }
    }

    /** N rows, {@code step} apart, become columns of rows {@code targetStep} apart. */
    static void transpose(
            double[] target, int t, int targetStep, double[] source, int s, int step) {
        if (N == 8) {
            transpose8(
                    target,
                    t,
                    targetStep,
                    source,
                    s,
                    s + step,
                    s + 2 * step,
                    s + 3 * step,
                    s + 4 * step,
                    s + 5 * step,
                    s + 6 * step,
                    s + 7 * step);
        } else {
            transpose4(target, t, targetStep, source, s, s + step, s + 2 * step, s + 3 * step);
        }
    }

    /** Four rows, wherever they stand, become columns of rows {@code targetStep} apart. */
    private static void transpose4(
            double[] target,
            int t,
            int targetStep,
            double[] source,
            int r0,
            int r1,
            int r2,
            int r3) {
        DoubleVector a0 = DoubleVector.fromArray(SPECIES, source, r0);
        DoubleVector a1 = DoubleVector.fromArray(SPECIES, source, r1);
        DoubleVector a2 = DoubleVector.fromArray(SPECIES, source, r2);
        DoubleVector a3 = DoubleVector.fromArray(SPECIES, source, r3);
        DoubleVector b0 = a0.blend(a1.rearrange(SWAP_1), ODD_1);
        DoubleVector b1 = a0.rearrange(SWAP_1).blend(a1, ODD_1);
        DoubleVector b2 = a2.blend(a3.rearrange(SWAP_1), ODD_1);
        DoubleVector b3 = a2.rearrange(SWAP_1).blend(a3, ODD_1);
        DoubleVector c0 = b0.blend(b2.rearrange(SWAP_2), ODD_2);
        DoubleVector c1 = b1.blend(b3.rearrange(SWAP_2), ODD_2);
        DoubleVector c2 = b0.rearrange(SWAP_2).blend(b2, ODD_2);
        DoubleVector c3 = b1.rearrange(SWAP_2).blend(b3, ODD_2);
        c0.intoArray(target, t);
        c1.intoArray(target, t + targetStep);
        c2.intoArray(target, t + 2 * targetStep);
        c3.intoArray(target, t + 3 * targetStep);
    }

    /** The same with eight. */
    private static void transpose8(
            double[] target,
            int t,
            int targetStep,
            double[] source,
            int r0,
            int r1,
            int r2,
            int r3,
            int r4,
            int r5,
            int r6,
            int r7) {
        DoubleVector a0 = DoubleVector.fromArray(SPECIES, source, r0);
        DoubleVector a1 = DoubleVector.fromArray(SPECIES, source, r1);
        DoubleVector a2 = DoubleVector.fromArray(SPECIES, source, r2);
        DoubleVector a3 = DoubleVector.fromArray(SPECIES, source, r3);
        DoubleVector a4 = DoubleVector.fromArray(SPECIES, source, r4);
        DoubleVector a5 = DoubleVector.fromArray(SPECIES, source, r5);
        DoubleVector a6 = DoubleVector.fromArray(SPECIES, source, r6);
        DoubleVector a7 = DoubleVector.fromArray(SPECIES, source, r7);
        DoubleVector b0 = a0.blend(a1.rearrange(SWAP_1), ODD_1);
        DoubleVector b1 = a0.rearrange(SWAP_1).blend(a1, ODD_1);
        DoubleVector b2 = a2.blend(a3.rearrange(SWAP_1), ODD_1);
        DoubleVector b3 = a2.rearrange(SWAP_1).blend(a3, ODD_1);
        DoubleVector b4 = a4.blend(a5.rearrange(SWAP_1), ODD_1);
        DoubleVector b5 = a4.rearrange(SWAP_1).blend(a5, ODD_1);
        DoubleVector b6 = a6.blend(a7.rearrange(SWAP_1), ODD_1);
        DoubleVector b7 = a6.rearrange(SWAP_1).blend(a7, ODD_1);
        DoubleVector c0 = b0.blend(b2.rearrange(SWAP_2), ODD_2);
        DoubleVector c1 = b1.blend(b3.rearrange(SWAP_2), ODD_2);
        DoubleVector c2 = b0.rearrange(SWAP_2).blend(b2, ODD_2);
        DoubleVector c3 = b1.rearrange(SWAP_2).blend(b3, ODD_2);
        DoubleVector c4 = b4.blend(b6.rearrange(SWAP_2), ODD_2);
        DoubleVector c5 = b5.blend(b7.rearrange(SWAP_2), ODD_2);
        DoubleVector c6 = b4.rearrange(SWAP_2).blend(b6, ODD_2);
        DoubleVector c7 = b5.rearrange(SWAP_2).blend(b7, ODD_2);
        DoubleVector d0 = c0.blend(c4.rearrange(SWAP_4), ODD_4);
        DoubleVector d1 = c1.blend(c5.rearrange(SWAP_4), ODD_4);
        DoubleVector d2 = c2.blend(c6.rearrange(SWAP_4), ODD_4);
        DoubleVector d3 = c3.blend(c7.rearrange(SWAP_4), ODD_4);
        DoubleVector d4 = c0.rearrange(SWAP_4).blend(c4, ODD_4);
        DoubleVector d5 = c1.rearrange(SWAP_4).blend(c5, ODD_4);
        DoubleVector d6 = c2.rearrange(SWAP_4).blend(c6, ODD_4);
        DoubleVector d7 = c3.rearrange(SWAP_4).blend(c7, ODD_4);
        d0.intoArray(target, t);
        d1.intoArray(target, t + targetStep);
        d2.intoArray(target, t + 2 * targetStep);
        d3.intoArray(target, t + 3 * targetStep);
        d4.intoArray(target, t + 4 * targetStep);
        d5.intoArray(target, t + 5 * targetStep);
        d6.intoArray(target, t + 6 * targetStep);
        d7.intoArray(target, t + 7 * targetStep);
    }

    /**
     * Looks up by four-bit digits that are 8 too large: nibble {@code nibble & 15} of each lane's
     * word; in one table that all lanes share, or each lane's own at {@code laneStride}.
     *
     * @param target a cached point, with room for {@link #ENTRY} rows
     */
    void lookupNibble(
            double[] target,
            double[] table,
            int t,
            int laneStride,
            long[] words,
            int w,
            int nibble) {
        int shift = 4 * (nibble & 15);
        for (int lane = 0; lane < N; lane++) {
            int digit = ((int) (words[w + lane] >>> shift) & 15) - 8;
            digits[lane] = digit;
            entries[lane] = t + lane * laneStride + Math.abs(digit) * ENTRY;
        }
        lookup(target, table);
    }

    /** Looks up by signed digits in one table that all lanes share. */
    void lookup(double[] target, double[] table, byte[] signedDigits, int d) {
        for (int lane = 0; lane < N; lane++) {
            int digit = signedDigits[d + lane];
            digits[lane] = digit;
            entries[lane] = Math.abs(digit) * ENTRY;
        }
        lookup(target, table);
    }

    private void lookup(double[] target, double[] table) {
        if (N == 8) {
            for (int block = 0; block < 3; block++) {
                gather8(target, 8 * N * block, table, entries, 8 * block);
            }
        } else {
            for (int block = 0; block < 5; block++) {
                gather4(target, 4 * N * block, table, entries, 4 * block);
            }
        }
        negateWhere(target, digits);
    }

    private static void gather4(double[] target, int t, double[] table, int[] rows, int from) {
        transpose4(
                target,
                t,
                N,
                table,
                rows[0] + from,
                rows[1] + from,
                rows[2] + from,
                rows[3] + from);
    }

    private static void gather8(double[] target, int t, double[] table, int[] rows, int from) {
        transpose8(
                target,
                t,
                N,
                table,
                rows[0] + from,
                rows[1] + from,
                rows[2] + from,
                rows[3] + from,
                rows[4] + from,
                rows[5] + from,
                rows[6] + from,
                rows[7] + from);
    }

    /**
     * Turns the looked-up multiple into its negative where the digit is: the sums change places,
     * 2dT its sign.
     */
    private static void negateWhere(double[] cached, double[] digits) {
        VectorMask<Double> negative =
                DoubleVector.fromArray(SPECIES, digits, 0).compare(VectorOperators.LT, 0.0);
        DoubleVector s0 = DoubleVector.fromArray(SPECIES, cached, 0);
        DoubleVector s1 = DoubleVector.fromArray(SPECIES, cached, N);
        DoubleVector s2 = DoubleVector.fromArray(SPECIES, cached, 2 * N);
        DoubleVector s3 = DoubleVector.fromArray(SPECIES, cached, 3 * N);
        DoubleVector s4 = DoubleVector.fromArray(SPECIES, cached, 4 * N);
        DoubleVector d0 = DoubleVector.fromArray(SPECIES, cached, LanePoint.DIFFERENCE);
        DoubleVector d1 = DoubleVector.fromArray(SPECIES, cached, LanePoint.DIFFERENCE + N);
        DoubleVector d2 = DoubleVector.fromArray(SPECIES, cached, LanePoint.DIFFERENCE + 2 * N);
        DoubleVector d3 = DoubleVector.fromArray(SPECIES, cached, LanePoint.DIFFERENCE + 3 * N);
        DoubleVector d4 = DoubleVector.fromArray(SPECIES, cached, LanePoint.DIFFERENCE + 4 * N);
        DoubleVector t0 = DoubleVector.fromArray(SPECIES, cached, LanePoint.TWO_D_T);
        DoubleVector t1 = DoubleVector.fromArray(SPECIES, cached, LanePoint.TWO_D_T + N);
        DoubleVector t2 = DoubleVector.fromArray(SPECIES, cached, LanePoint.TWO_D_T + 2 * N);
        DoubleVector t3 = DoubleVector.fromArray(SPECIES, cached, LanePoint.TWO_D_T + 3 * N);
        DoubleVector t4 = DoubleVector.fromArray(SPECIES, cached, LanePoint.TWO_D_T + 4 * N);
        s0.blend(d0, negative).intoArray(cached, 0);
        s1.blend(d1, negative).intoArray(cached, N);
        s2.blend(d2, negative).intoArray(cached, 2 * N);
        s3.blend(d3, negative).intoArray(cached, 3 * N);
        s4.blend(d4, negative).intoArray(cached, 4 * N);
        d0.blend(s0, negative).intoArray(cached, LanePoint.DIFFERENCE);
        d1.blend(s1, negative).intoArray(cached, LanePoint.DIFFERENCE + N);
        d2.blend(s2, negative).intoArray(cached, LanePoint.DIFFERENCE + 2 * N);
        d3.blend(s3, negative).intoArray(cached, LanePoint.DIFFERENCE + 3 * N);
        d4.blend(s4, negative).intoArray(cached, LanePoint.DIFFERENCE + 4 * N);
        t0.blend(t0.neg(), negative).intoArray(cached, LanePoint.TWO_D_T);
        t1.blend(t1.neg(), negative).intoArray(cached, LanePoint.TWO_D_T + N);
        t2.blend(t2.neg(), negative).intoArray(cached, LanePoint.TWO_D_T + 2 * N);
        t3.blend(t3.neg(), negative).intoArray(cached, LanePoint.TWO_D_T + 3 * N);
        t4.blend(t4.neg(), negative).intoArray(cached, LanePoint.TWO_D_T + 4 * N);
    }
}
