package topspin.codec.lanes;

import static topspin.codec.lanes.LaneField.ELEMENT;
import static topspin.codec.lanes.LaneField.N;
import static topspin.codec.lanes.LaneField.SPECIES;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Cached multiples of a vector of points, to be looked up in one of them at a time by a four-bit
 * digit for each lane. Eight lanes have the multiples −8 to 7 side by side, sixteen of a limb
 * together, of which one instruction picks eight by their digits; neither signs nor zero need any
 * care. Four lanes would take seven instructions for that, so theirs are the entries of {@link
 * LaneTable}. An instance owns scratch, for one thread.
 */
final class TermTable {
    private static final int LIMBS = 20;
    private static final int COLUMNS = 16;
    private static final boolean HAS_COLUMNS = 2 * N == COLUMNS;

    /** Array elements of one point's multiples. */
    static final int TERM = HAS_COLUMNS ? LIMBS * COLUMNS : LaneTable.LANE;

    /** Array elements of the multiples of a vector of points. */
    static final int TABLE = N * TERM;

    private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_PREFERRED;

    private final LaneMultiples multiples = new LaneMultiples();
    private final LaneTable rows = new LaneTable();

    /** The multiples of the base point. */
    static double[] base() {
        double[] entries = BaseTables.multiples(LaneTable.ENTRIES, 0);
        if (!HAS_COLUMNS) {
            return entries;
        }
        var table = new double[TERM];
        for (int column = 0; column < COLUMNS; column++) {
            int digit = column - N;
            for (int limb = 0; limb < LIMBS; limb++) {
                // The sums in each other's place, and −2dT.
                boolean isSum = limb < LIMBS / 2;
                int of = digit < 0 && isSum ? (limb + LIMBS / 4) % (LIMBS / 2) : limb;
                double value = entries[Math.abs(digit) * LaneTable.ENTRY + of];
                boolean isTwoDT = limb >= LIMBS / 4 * 3;
                table[limb * COLUMNS + column] = digit < 0 && isTwoDT ? -value : value;
            }
        }
        return table;
    }

    /** Fills a table for points whose Z is 1. */
    void fill(double[] table, int t, double[] point, int p) {
        if (!HAS_COLUMNS) {
            rows.fill(table, t, point, p);
            return;
        }
        multiples.of(point, p);
        // Digits −8 to −1 are the multiples 8 to 1 with the sums in each other's place.
        int step = LaneMultiples.MULTIPLE;
        int last = step * (LaneMultiples.ENTRIES - 1);
        for (int limb = 0; limb < ELEMENT; limb += N) {
            int column = t + limb / N * COLUMNS;
            int coordinate = ELEMENT / N * COLUMNS;
            columns(table, column, last + LanePoint.DIFFERENCE + limb, -step);
            columns(table, column + coordinate, last + LanePoint.SUM + limb, -step);
            columns(table, column + 2 * coordinate, last + LanePoint.TWO_Z + limb, -step);
            columns(
                    table,
                    column + 3 * coordinate,
                    last + LaneMultiples.MINUS_TWO_D_T + limb,
                    -step);
            columns(table, column + N, LanePoint.SUM + limb, step);
            columns(table, column + coordinate + N, LanePoint.DIFFERENCE + limb, step);
            columns(table, column + 2 * coordinate + N, LanePoint.TWO_Z + limb, step);
            columns(table, column + 3 * coordinate + N, LanePoint.TWO_D_T + limb, step);
        }
    }

    private void columns(double[] table, int t, int from, int step) {
        LaneTable.transpose(table, t, TERM, multiples.cached, from, step);
    }

    /**
     * Looks up multiples of one point, whose own begin at {@code t}: by digit {@code digit} of each
     * lane's word, a nibble that is 8 too large.
     *
     * @param target a cached point, with room for {@link LaneTable#ENTRY} rows
     */
    void lookup(double[] target, double[] table, int t, long[] words, int w, int digit) {
        if (HAS_COLUMNS) {
            select(target, 0, table, t, words, w, 4 * digit);
            select(target, LIMBS / 2 * N, table, t + LIMBS / 2 * COLUMNS, words, w, 4 * digit);
        } else {
            rows.lookupNibble(target, table, t, 0, words, w, digit);
        }
    }

    /** Ten limbs; of an index the low four bits count. */
    private static void select(
            double[] target, int to, double[] table, int t, long[] words, int w, int shift) {
        LongVector index =
                LongVector.fromArray(LONGS, words, w).lanewise(VectorOperators.LSHR, shift);
        LongVector a0 = DoubleVector.fromArray(SPECIES, table, t + 0 * N).viewAsIntegralLanes();
        LongVector b0 = DoubleVector.fromArray(SPECIES, table, t + 1 * N).viewAsIntegralLanes();
        LongVector a1 = DoubleVector.fromArray(SPECIES, table, t + 2 * N).viewAsIntegralLanes();
        LongVector b1 = DoubleVector.fromArray(SPECIES, table, t + 3 * N).viewAsIntegralLanes();
        LongVector a2 = DoubleVector.fromArray(SPECIES, table, t + 4 * N).viewAsIntegralLanes();
        LongVector b2 = DoubleVector.fromArray(SPECIES, table, t + 5 * N).viewAsIntegralLanes();
        LongVector a3 = DoubleVector.fromArray(SPECIES, table, t + 6 * N).viewAsIntegralLanes();
        LongVector b3 = DoubleVector.fromArray(SPECIES, table, t + 7 * N).viewAsIntegralLanes();
        LongVector a4 = DoubleVector.fromArray(SPECIES, table, t + 8 * N).viewAsIntegralLanes();
        LongVector b4 = DoubleVector.fromArray(SPECIES, table, t + 9 * N).viewAsIntegralLanes();
        LongVector a5 = DoubleVector.fromArray(SPECIES, table, t + 10 * N).viewAsIntegralLanes();
        LongVector b5 = DoubleVector.fromArray(SPECIES, table, t + 11 * N).viewAsIntegralLanes();
        LongVector a6 = DoubleVector.fromArray(SPECIES, table, t + 12 * N).viewAsIntegralLanes();
        LongVector b6 = DoubleVector.fromArray(SPECIES, table, t + 13 * N).viewAsIntegralLanes();
        LongVector a7 = DoubleVector.fromArray(SPECIES, table, t + 14 * N).viewAsIntegralLanes();
        LongVector b7 = DoubleVector.fromArray(SPECIES, table, t + 15 * N).viewAsIntegralLanes();
        LongVector a8 = DoubleVector.fromArray(SPECIES, table, t + 16 * N).viewAsIntegralLanes();
        LongVector b8 = DoubleVector.fromArray(SPECIES, table, t + 17 * N).viewAsIntegralLanes();
        LongVector a9 = DoubleVector.fromArray(SPECIES, table, t + 18 * N).viewAsIntegralLanes();
        LongVector b9 = DoubleVector.fromArray(SPECIES, table, t + 19 * N).viewAsIntegralLanes();
        index.selectFrom(a0, b0).viewAsFloatingLanes().intoArray(target, to + 0 * N);
        index.selectFrom(a1, b1).viewAsFloatingLanes().intoArray(target, to + 1 * N);
        index.selectFrom(a2, b2).viewAsFloatingLanes().intoArray(target, to + 2 * N);
        index.selectFrom(a3, b3).viewAsFloatingLanes().intoArray(target, to + 3 * N);
        index.selectFrom(a4, b4).viewAsFloatingLanes().intoArray(target, to + 4 * N);
        index.selectFrom(a5, b5).viewAsFloatingLanes().intoArray(target, to + 5 * N);
        index.selectFrom(a6, b6).viewAsFloatingLanes().intoArray(target, to + 6 * N);
        index.selectFrom(a7, b7).viewAsFloatingLanes().intoArray(target, to + 7 * N);
        index.selectFrom(a8, b8).viewAsFloatingLanes().intoArray(target, to + 8 * N);
        index.selectFrom(a9, b9).viewAsFloatingLanes().intoArray(target, to + 9 * N);
    }
}
