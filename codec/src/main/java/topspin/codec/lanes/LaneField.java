package topspin.codec.lanes;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Arithmetic modulo p = 2^255 − 19 on as many independent elements at once as a vector has lanes.
 * An element is five limbs of 51 bits per lane, held in doubles: {@link #ELEMENT} array elements at
 * an offset, limb by limb, the lanes of a limb together. Targets may be operands.
 *
 * <p>Limbs are signed integers. "Reduced" means within ±(2^50 + 4864), which every product and
 * carry leaves. A product takes one reduced operand and one that is a sum of two reduced ones,
 * since 2·(2^50 + 4864)^2 < 2^102; a sum times a sum is <em>wrong</em>. A square takes a reduced
 * operand.
 *
 * <p>Doubles, because the vector API reaches the fused multiply-add but no widening integer
 * product. With H = 1.5·2^103, whose unit in the last place is 2^51, h = fma(a, b, H) holds
 * round(a·b/2^51) in its low bits, and l = fma(a, b, H + 1.5·2^52 − h) the signed remainder in its
 * own: both exact. As longs they are added to their columns as they are, the exponents' bits with
 * them.
 *
 * <p>The kernels are straight lines that load, compute and store, because of how the compiler
 * treats vectors: one that is passed to a method which is not inlined goes to the heap, and a
 * kernel over about 1500 bytecodes is not compiled well, or at all. A product is two kernels for
 * want of registers.
 */
final class LaneField {
    /** The widest vectors that the machine has. */
    static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;

    /** Lanes: 4 or 8, or nobody should have loaded this class. */
    static final int N = SPECIES.length();

    /** Array elements of an element. */
    static final int ELEMENT = 5 * N;

    private static final double H = 0x1.8p103;
    private static final double L = 0x1.8p52;
    private static final DoubleVector HIGH = DoubleVector.broadcast(SPECIES, H);
    private static final DoubleVector LOW = DoubleVector.broadcast(SPECIES, H + L);

    /** Added and taken off again, rounds to a multiple of 2^51. */
    private static final double ROUND = H;

    private static final DoubleVector FOLD = DoubleVector.broadcast(SPECIES, 0x1p-51);
    private static final DoubleVector FOLD_19 = DoubleVector.broadcast(SPECIES, 19 * 0x1p-51);

    private static final long MASK = (1L << 51) - 1;
    private static final long BITS_OF_2_52 = Double.doubleToRawLongBits(0x1p52);

    // Half a limb in a column makes its carry round to the nearest. Some products bring it along
    // for the next column: each of two a half of it, or the square of a limb, being smaller, the
    // whole. H is then so much larger, and the last place of h still 2^51.
    private static final double HALF_OF_ROUNDING = 0x1p100;
    private static final double ROUNDING = 0x1p101;
    private static final DoubleVector HIGH_HALF =
            DoubleVector.broadcast(SPECIES, H + HALF_OF_ROUNDING);
    private static final DoubleVector LOW_HALF =
            DoubleVector.broadcast(SPECIES, H + HALF_OF_ROUNDING + L);
    private static final DoubleVector HIGH_WHOLE = DoubleVector.broadcast(SPECIES, H + ROUNDING);
    private static final DoubleVector LOW_WHOLE = DoubleVector.broadcast(SPECIES, H + ROUNDING + L);

    // All that the exponents add to a column are multiples of 2^51, which come out in its carry and
    // are taken off there. A column's sum is below 2^58 either way, so a carry stays within 2^7 of
    // them; past 2^13 it would wrap. That of one column of a product would, so it is moved.
    private static final int CARRY_MAX = 1 << 7;
    private static final int CARRY_END = 1 << 13;
    private static final double WITH_BITS = 0x1p52;
    private static final double OFFSET = 0x1p52 + 0x1p50;
    private static final long PRODUCT_2_MOVED = (long) CARRY_MAX << 52;
    private static final double PRODUCT_0 = carry(0, false, 0);
    private static final double PRODUCT_1 = carry(1, false, 0);
    private static final double PRODUCT_2 = carry(2, false, PRODUCT_2_MOVED);
    private static final double PRODUCT_3 = carry(3, false, 0);
    private static final double PRODUCT_4 = carry(4, false, 0);
    private static final double SQUARE_0 = carry(0, true, 0);
    private static final double SQUARE_1 = carry(1, true, 0);
    private static final double SQUARE_2 = carry(2, true, 0);
    private static final double SQUARE_3 = carry(3, true, 0);
    private static final double SQUARE_4 = carry(4, true, 0);

    /**
     * Nineteen times is one operation or, with AVX2, which has no product of longs and takes seven
     * instructions for one, 1 + 2 + 16 times.
     */
    private static final boolean HAS_LONG_PRODUCTS = N == 8;

    private static final DoubleVector NINETEEN = DoubleVector.broadcast(SPECIES, 19);

    private LaneField() {}

    /** The carry of a column whose sum, the one folded into it included, is zero. */
    private static int carry(int column, boolean square, long moved) {
        long bits = exponents(column, square) + 19 * exponents(column + 5, square) + moved;
        int carry = (int) (bits >>> 51);
        if (carry < CARRY_MAX || carry >= CARRY_END - CARRY_MAX) {
            throw new AssertionError("the carry of column " + column + " wraps");
        }
        return carry;
    }

    private static long exponents(int column, boolean square) {
        return products(column, square) * Double.doubleToRawLongBits(L)
                + products(column - 1, square) * Double.doubleToRawLongBits(H)
                + rounding(column - 1, square);
    }

    /** What a column's products bring along to round the next one. */
    private static long rounding(int column, boolean square) {
        boolean brings = square ? column % 2 == 0 : column >= 3 && column <= 7;
        return brings ? 1L << 50 : 0;
    }

    /**
     * How many products a column of a five by five multiplication has; half of them, rounded up, in
     * a square.
     */
    private static long products(int column, boolean square) {
        int all = Math.max(0, Math.min(column, 8 - column) + 1);
        return square ? (all + 1) / 2 : all;
    }

    /** Multiplies; {@code upper} is an element of scratch, apart from the operands. */
    static void multiply(
            double[] target, int t, double[] left, int l, double[] right, int r, double[] upper) {
        upperColumns(upper, left, l, right, r);
        lowerColumns(target, t, left, l, right, r, upper);
    }

    /**
     * The upper half of a product: columns 5, then 6 to 9 times 19, as bits of longs, into {@code
     * upper}.
     */
    private static void upperColumns(double[] upper, double[] left, int l, double[] right, int r) {
        DoubleVector a1 = DoubleVector.fromArray(SPECIES, left, l + N);
        DoubleVector a2 = DoubleVector.fromArray(SPECIES, left, l + 2 * N);
        DoubleVector a3 = DoubleVector.fromArray(SPECIES, left, l + 3 * N);
        DoubleVector a4 = DoubleVector.fromArray(SPECIES, left, l + 4 * N);
        DoubleVector b1 = DoubleVector.fromArray(SPECIES, right, r + N);
        DoubleVector b2 = DoubleVector.fromArray(SPECIES, right, r + 2 * N);
        DoubleVector b3 = DoubleVector.fromArray(SPECIES, right, r + 3 * N);
        DoubleVector b4 = DoubleVector.fromArray(SPECIES, right, r + 4 * N);
        DoubleVector high;
        DoubleVector low;
        high = a1.fma(b4, HIGH_HALF);
        low = a1.fma(b4, LOW_HALF.sub(high));
        LongVector t5 = low.viewAsIntegralLanes();
        LongVector t6 = high.viewAsIntegralLanes();
        high = a2.fma(b3, HIGH_HALF);
        low = a2.fma(b3, LOW_HALF.sub(high));
        t5 = t5.add(low.viewAsIntegralLanes());
        t6 = t6.add(high.viewAsIntegralLanes());
        high = a3.fma(b2, HIGH);
        low = a3.fma(b2, LOW.sub(high));
        t5 = t5.add(low.viewAsIntegralLanes());
        t6 = t6.add(high.viewAsIntegralLanes());
        high = a4.fma(b1, HIGH);
        low = a4.fma(b1, LOW.sub(high));
        t5 = t5.add(low.viewAsIntegralLanes());
        t6 = t6.add(high.viewAsIntegralLanes());
        high = a2.fma(b4, HIGH_HALF);
        low = a2.fma(b4, LOW_HALF.sub(high));
        t6 = t6.add(low.viewAsIntegralLanes());
        LongVector t7 = high.viewAsIntegralLanes();
        high = a3.fma(b3, HIGH_HALF);
        low = a3.fma(b3, LOW_HALF.sub(high));
        t6 = t6.add(low.viewAsIntegralLanes());
        t7 = t7.add(high.viewAsIntegralLanes());
        high = a4.fma(b2, HIGH);
        low = a4.fma(b2, LOW.sub(high));
        t6 = t6.add(low.viewAsIntegralLanes());
        t7 = t7.add(high.viewAsIntegralLanes());
        high = a3.fma(b4, HIGH_HALF);
        low = a3.fma(b4, LOW_HALF.sub(high));
        t7 = t7.add(low.viewAsIntegralLanes());
        LongVector t8 = high.viewAsIntegralLanes();
        high = a4.fma(b3, HIGH_HALF);
        low = a4.fma(b3, LOW_HALF.sub(high));
        t7 = t7.add(low.viewAsIntegralLanes());
        t8 = t8.add(high.viewAsIntegralLanes());
        high = a4.fma(b4, HIGH);
        low = a4.fma(b4, LOW.sub(high));
        t8 = t8.add(low.viewAsIntegralLanes());
        LongVector t9 = high.viewAsIntegralLanes();
        t5.viewAsFloatingLanes().intoArray(upper, 0);
        LongVector s6 =
                HAS_LONG_PRODUCTS
                        ? t6.mul(19L)
                        : t6.add(t6.add(t6)).add(t6.lanewise(VectorOperators.LSHL, 4));
        s6.viewAsFloatingLanes().intoArray(upper, N);
        LongVector s7 =
                HAS_LONG_PRODUCTS
                        ? t7.mul(19L)
                        : t7.add(t7.add(t7)).add(t7.lanewise(VectorOperators.LSHL, 4));
        s7.viewAsFloatingLanes().intoArray(upper, 2 * N);
        LongVector s8 =
                HAS_LONG_PRODUCTS
                        ? t8.mul(19L)
                        : t8.add(t8.add(t8)).add(t8.lanewise(VectorOperators.LSHL, 4));
        s8.viewAsFloatingLanes().intoArray(upper, 3 * N);
        LongVector s9 =
                HAS_LONG_PRODUCTS
                        ? t9.mul(19L)
                        : t9.add(t9.add(t9)).add(t9.lanewise(VectorOperators.LSHL, 4));
        s9.viewAsFloatingLanes().intoArray(upper, 4 * N);
    }

    /** The lower half of a product, the upper half folded in, and one carry. */
    private static void lowerColumns(
            double[] target, int t, double[] left, int l, double[] right, int r, double[] upper) {
        DoubleVector a0 = DoubleVector.fromArray(SPECIES, left, l);
        DoubleVector a1 = DoubleVector.fromArray(SPECIES, left, l + N);
        DoubleVector a2 = DoubleVector.fromArray(SPECIES, left, l + 2 * N);
        DoubleVector a3 = DoubleVector.fromArray(SPECIES, left, l + 3 * N);
        DoubleVector a4 = DoubleVector.fromArray(SPECIES, left, l + 4 * N);
        DoubleVector b0 = DoubleVector.fromArray(SPECIES, right, r);
        DoubleVector b1 = DoubleVector.fromArray(SPECIES, right, r + N);
        DoubleVector b2 = DoubleVector.fromArray(SPECIES, right, r + 2 * N);
        DoubleVector b3 = DoubleVector.fromArray(SPECIES, right, r + 3 * N);
        DoubleVector b4 = DoubleVector.fromArray(SPECIES, right, r + 4 * N);
        DoubleVector high;
        DoubleVector low;
        high = a0.fma(b0, HIGH);
        low = a0.fma(b0, LOW.sub(high));
        LongVector t0 = low.viewAsIntegralLanes();
        LongVector t1 = high.viewAsIntegralLanes();
        high = a0.fma(b1, HIGH);
        low = a0.fma(b1, LOW.sub(high));
        t1 = t1.add(low.viewAsIntegralLanes());
        LongVector t2 = high.viewAsIntegralLanes();
        high = a1.fma(b0, HIGH);
        low = a1.fma(b0, LOW.sub(high));
        t1 = t1.add(low.viewAsIntegralLanes());
        t2 = t2.add(high.viewAsIntegralLanes());
        high = a0.fma(b2, HIGH);
        low = a0.fma(b2, LOW.sub(high));
        t2 = t2.add(low.viewAsIntegralLanes());
        LongVector t3 = high.viewAsIntegralLanes();
        high = a1.fma(b1, HIGH);
        low = a1.fma(b1, LOW.sub(high));
        t2 = t2.add(low.viewAsIntegralLanes());
        t3 = t3.add(high.viewAsIntegralLanes());
        high = a2.fma(b0, HIGH);
        low = a2.fma(b0, LOW.sub(high));
        t2 = t2.add(low.viewAsIntegralLanes());
        t3 = t3.add(high.viewAsIntegralLanes());
        high = a0.fma(b3, HIGH_HALF);
        low = a0.fma(b3, LOW_HALF.sub(high));
        t3 = t3.add(low.viewAsIntegralLanes());
        LongVector t4 = high.viewAsIntegralLanes();
        high = a1.fma(b2, HIGH_HALF);
        low = a1.fma(b2, LOW_HALF.sub(high));
        t3 = t3.add(low.viewAsIntegralLanes());
        t4 = t4.add(high.viewAsIntegralLanes());
        high = a2.fma(b1, HIGH);
        low = a2.fma(b1, LOW.sub(high));
        t3 = t3.add(low.viewAsIntegralLanes());
        t4 = t4.add(high.viewAsIntegralLanes());
        high = a3.fma(b0, HIGH);
        low = a3.fma(b0, LOW.sub(high));
        t3 = t3.add(low.viewAsIntegralLanes());
        t4 = t4.add(high.viewAsIntegralLanes());
        high = a0.fma(b4, HIGH_HALF);
        low = a0.fma(b4, LOW_HALF.sub(high));
        t4 = t4.add(low.viewAsIntegralLanes());
        LongVector t5 = high.viewAsIntegralLanes();
        high = a1.fma(b3, HIGH_HALF);
        low = a1.fma(b3, LOW_HALF.sub(high));
        t4 = t4.add(low.viewAsIntegralLanes());
        t5 = t5.add(high.viewAsIntegralLanes());
        high = a2.fma(b2, HIGH);
        low = a2.fma(b2, LOW.sub(high));
        t4 = t4.add(low.viewAsIntegralLanes());
        t5 = t5.add(high.viewAsIntegralLanes());
        high = a3.fma(b1, HIGH);
        low = a3.fma(b1, LOW.sub(high));
        t4 = t4.add(low.viewAsIntegralLanes());
        t5 = t5.add(high.viewAsIntegralLanes());
        high = a4.fma(b0, HIGH);
        low = a4.fma(b0, LOW.sub(high));
        t4 = t4.add(low.viewAsIntegralLanes());
        t5 = t5.add(high.viewAsIntegralLanes());
        t5 = t5.add(DoubleVector.fromArray(SPECIES, upper, 0).viewAsIntegralLanes());
        LongVector s5 =
                HAS_LONG_PRODUCTS
                        ? t5.mul(19L)
                        : t5.add(t5.add(t5)).add(t5.lanewise(VectorOperators.LSHL, 4));
        LongVector u0 = t0.add(s5);
        LongVector u1 = t1.add(DoubleVector.fromArray(SPECIES, upper, N).viewAsIntegralLanes());
        LongVector u2 =
                t2.add(DoubleVector.fromArray(SPECIES, upper, 2 * N).viewAsIntegralLanes())
                        .add(PRODUCT_2_MOVED);
        LongVector u3 = t3.add(DoubleVector.fromArray(SPECIES, upper, 3 * N).viewAsIntegralLanes());
        LongVector u4 = t4.add(DoubleVector.fromArray(SPECIES, upper, 4 * N).viewAsIntegralLanes());
        LongVector c0 = u0.lanewise(VectorOperators.LSHR, 51);
        LongVector c1 = u1.lanewise(VectorOperators.LSHR, 51);
        LongVector c2 = u2.lanewise(VectorOperators.LSHR, 51);
        LongVector c3 = u3.lanewise(VectorOperators.LSHR, 51);
        LongVector c4 = u4.lanewise(VectorOperators.LSHR, 51);
        c4.or(BITS_OF_2_52)
                .viewAsFloatingLanes()
                .sub(WITH_BITS + PRODUCT_4)
                .fma(NINETEEN, u0.and(MASK).or(BITS_OF_2_52).viewAsFloatingLanes().sub(OFFSET))
                .intoArray(target, t);
        u1.and(MASK)
                .or(BITS_OF_2_52)
                .add(c0)
                .viewAsFloatingLanes()
                .sub(OFFSET + PRODUCT_0)
                .intoArray(target, t + N);
        u2.and(MASK)
                .or(BITS_OF_2_52)
                .add(c1)
                .viewAsFloatingLanes()
                .sub(OFFSET + PRODUCT_1)
                .intoArray(target, t + 2 * N);
        u3.and(MASK)
                .or(BITS_OF_2_52)
                .add(c2)
                .viewAsFloatingLanes()
                .sub(OFFSET + PRODUCT_2)
                .intoArray(target, t + 3 * N);
        u4.and(MASK)
                .or(BITS_OF_2_52)
                .add(c3)
                .viewAsFloatingLanes()
                .sub(OFFSET + PRODUCT_3)
                .intoArray(target, t + 4 * N);
    }

    /** Squares a reduced element. */
    static void square(double[] target, int t, double[] source, int s) {
        DoubleVector a0 = DoubleVector.fromArray(SPECIES, source, s);
        DoubleVector a1 = DoubleVector.fromArray(SPECIES, source, s + N);
        DoubleVector a2 = DoubleVector.fromArray(SPECIES, source, s + 2 * N);
        DoubleVector a3 = DoubleVector.fromArray(SPECIES, source, s + 3 * N);
        DoubleVector a4 = DoubleVector.fromArray(SPECIES, source, s + 4 * N);
        DoubleVector d1 = a1.add(a1);
        DoubleVector d2 = a2.add(a2);
        DoubleVector d3 = a3.add(a3);
        DoubleVector d4 = a4.add(a4);
        DoubleVector high;
        DoubleVector low;
        high = a0.fma(a0, HIGH_WHOLE);
        low = a0.fma(a0, LOW_WHOLE.sub(high));
        LongVector t0 = low.viewAsIntegralLanes();
        LongVector t1 = high.viewAsIntegralLanes();
        high = a0.fma(d1, HIGH);
        low = a0.fma(d1, LOW.sub(high));
        t1 = t1.add(low.viewAsIntegralLanes());
        LongVector t2 = high.viewAsIntegralLanes();
        high = a0.fma(d2, HIGH);
        low = a0.fma(d2, LOW.sub(high));
        t2 = t2.add(low.viewAsIntegralLanes());
        LongVector t3 = high.viewAsIntegralLanes();
        high = a1.fma(a1, HIGH_WHOLE);
        low = a1.fma(a1, LOW_WHOLE.sub(high));
        t2 = t2.add(low.viewAsIntegralLanes());
        t3 = t3.add(high.viewAsIntegralLanes());
        high = a0.fma(d3, HIGH);
        low = a0.fma(d3, LOW.sub(high));
        t3 = t3.add(low.viewAsIntegralLanes());
        LongVector t4 = high.viewAsIntegralLanes();
        high = a1.fma(d2, HIGH);
        low = a1.fma(d2, LOW.sub(high));
        t3 = t3.add(low.viewAsIntegralLanes());
        t4 = t4.add(high.viewAsIntegralLanes());
        high = a0.fma(d4, HIGH);
        low = a0.fma(d4, LOW.sub(high));
        t4 = t4.add(low.viewAsIntegralLanes());
        LongVector t5 = high.viewAsIntegralLanes();
        high = a1.fma(d3, HIGH);
        low = a1.fma(d3, LOW.sub(high));
        t4 = t4.add(low.viewAsIntegralLanes());
        t5 = t5.add(high.viewAsIntegralLanes());
        high = a2.fma(a2, HIGH_WHOLE);
        low = a2.fma(a2, LOW_WHOLE.sub(high));
        t4 = t4.add(low.viewAsIntegralLanes());
        t5 = t5.add(high.viewAsIntegralLanes());
        high = a1.fma(d4, HIGH);
        low = a1.fma(d4, LOW.sub(high));
        t5 = t5.add(low.viewAsIntegralLanes());
        LongVector t6 = high.viewAsIntegralLanes();
        high = a2.fma(d3, HIGH);
        low = a2.fma(d3, LOW.sub(high));
        t5 = t5.add(low.viewAsIntegralLanes());
        t6 = t6.add(high.viewAsIntegralLanes());
        high = a2.fma(d4, HIGH);
        low = a2.fma(d4, LOW.sub(high));
        t6 = t6.add(low.viewAsIntegralLanes());
        LongVector t7 = high.viewAsIntegralLanes();
        high = a3.fma(a3, HIGH_WHOLE);
        low = a3.fma(a3, LOW_WHOLE.sub(high));
        t6 = t6.add(low.viewAsIntegralLanes());
        t7 = t7.add(high.viewAsIntegralLanes());
        high = a3.fma(d4, HIGH);
        low = a3.fma(d4, LOW.sub(high));
        t7 = t7.add(low.viewAsIntegralLanes());
        LongVector t8 = high.viewAsIntegralLanes();
        high = a4.fma(a4, HIGH_WHOLE);
        low = a4.fma(a4, LOW_WHOLE.sub(high));
        t8 = t8.add(low.viewAsIntegralLanes());
        LongVector t9 = high.viewAsIntegralLanes();
        LongVector s5 =
                HAS_LONG_PRODUCTS
                        ? t5.mul(19L)
                        : t5.add(t5.add(t5)).add(t5.lanewise(VectorOperators.LSHL, 4));
        LongVector u0 = t0.add(s5);
        LongVector s6 =
                HAS_LONG_PRODUCTS
                        ? t6.mul(19L)
                        : t6.add(t6.add(t6)).add(t6.lanewise(VectorOperators.LSHL, 4));
        LongVector u1 = t1.add(s6);
        LongVector s7 =
                HAS_LONG_PRODUCTS
                        ? t7.mul(19L)
                        : t7.add(t7.add(t7)).add(t7.lanewise(VectorOperators.LSHL, 4));
        LongVector u2 = t2.add(s7);
        LongVector s8 =
                HAS_LONG_PRODUCTS
                        ? t8.mul(19L)
                        : t8.add(t8.add(t8)).add(t8.lanewise(VectorOperators.LSHL, 4));
        LongVector u3 = t3.add(s8);
        LongVector s9 =
                HAS_LONG_PRODUCTS
                        ? t9.mul(19L)
                        : t9.add(t9.add(t9)).add(t9.lanewise(VectorOperators.LSHL, 4));
        LongVector u4 = t4.add(s9);
        LongVector c0 = u0.lanewise(VectorOperators.LSHR, 51);
        LongVector c1 = u1.lanewise(VectorOperators.LSHR, 51);
        LongVector c2 = u2.lanewise(VectorOperators.LSHR, 51);
        LongVector c3 = u3.lanewise(VectorOperators.LSHR, 51);
        LongVector c4 = u4.lanewise(VectorOperators.LSHR, 51);
        c4.or(BITS_OF_2_52)
                .viewAsFloatingLanes()
                .sub(WITH_BITS + SQUARE_4)
                .fma(NINETEEN, u0.and(MASK).or(BITS_OF_2_52).viewAsFloatingLanes().sub(OFFSET))
                .intoArray(target, t);
        u1.and(MASK)
                .or(BITS_OF_2_52)
                .add(c0)
                .viewAsFloatingLanes()
                .sub(OFFSET + SQUARE_0)
                .intoArray(target, t + N);
        u2.and(MASK)
                .or(BITS_OF_2_52)
                .add(c1)
                .viewAsFloatingLanes()
                .sub(OFFSET + SQUARE_1)
                .intoArray(target, t + 2 * N);
        u3.and(MASK)
                .or(BITS_OF_2_52)
                .add(c2)
                .viewAsFloatingLanes()
                .sub(OFFSET + SQUARE_2)
                .intoArray(target, t + 3 * N);
        u4.and(MASK)
                .or(BITS_OF_2_52)
                .add(c3)
                .viewAsFloatingLanes()
                .sub(OFFSET + SQUARE_3)
                .intoArray(target, t + 4 * N);
    }

    /** Adds, without a carry. */
    static void add(double[] target, int t, double[] left, int l, double[] right, int r) {
        DoubleVector a0 = DoubleVector.fromArray(SPECIES, left, l);
        DoubleVector a1 = DoubleVector.fromArray(SPECIES, left, l + N);
        DoubleVector a2 = DoubleVector.fromArray(SPECIES, left, l + 2 * N);
        DoubleVector a3 = DoubleVector.fromArray(SPECIES, left, l + 3 * N);
        DoubleVector a4 = DoubleVector.fromArray(SPECIES, left, l + 4 * N);
        DoubleVector b0 = DoubleVector.fromArray(SPECIES, right, r);
        DoubleVector b1 = DoubleVector.fromArray(SPECIES, right, r + N);
        DoubleVector b2 = DoubleVector.fromArray(SPECIES, right, r + 2 * N);
        DoubleVector b3 = DoubleVector.fromArray(SPECIES, right, r + 3 * N);
        DoubleVector b4 = DoubleVector.fromArray(SPECIES, right, r + 4 * N);
        DoubleVector x0 = a0.add(b0);
        DoubleVector x1 = a1.add(b1);
        DoubleVector x2 = a2.add(b2);
        DoubleVector x3 = a3.add(b3);
        DoubleVector x4 = a4.add(b4);
        x0.intoArray(target, t);
        x1.intoArray(target, t + N);
        x2.intoArray(target, t + 2 * N);
        x3.intoArray(target, t + 3 * N);
        x4.intoArray(target, t + 4 * N);
    }

    /** Subtracts, without a carry. */
    static void subtract(double[] target, int t, double[] left, int l, double[] right, int r) {
        DoubleVector a0 = DoubleVector.fromArray(SPECIES, left, l);
        DoubleVector a1 = DoubleVector.fromArray(SPECIES, left, l + N);
        DoubleVector a2 = DoubleVector.fromArray(SPECIES, left, l + 2 * N);
        DoubleVector a3 = DoubleVector.fromArray(SPECIES, left, l + 3 * N);
        DoubleVector a4 = DoubleVector.fromArray(SPECIES, left, l + 4 * N);
        DoubleVector b0 = DoubleVector.fromArray(SPECIES, right, r);
        DoubleVector b1 = DoubleVector.fromArray(SPECIES, right, r + N);
        DoubleVector b2 = DoubleVector.fromArray(SPECIES, right, r + 2 * N);
        DoubleVector b3 = DoubleVector.fromArray(SPECIES, right, r + 3 * N);
        DoubleVector b4 = DoubleVector.fromArray(SPECIES, right, r + 4 * N);
        DoubleVector x0 = a0.sub(b0);
        DoubleVector x1 = a1.sub(b1);
        DoubleVector x2 = a2.sub(b2);
        DoubleVector x3 = a3.sub(b3);
        DoubleVector x4 = a4.sub(b4);
        x0.intoArray(target, t);
        x1.intoArray(target, t + N);
        x2.intoArray(target, t + 2 * N);
        x3.intoArray(target, t + 3 * N);
        x4.intoArray(target, t + 4 * N);
    }

    /** Adds two sums of, together, up to seven reduced elements and carries. */
    static void addCarried(double[] target, int t, double[] left, int l, double[] right, int r) {
        DoubleVector a0 = DoubleVector.fromArray(SPECIES, left, l);
        DoubleVector a1 = DoubleVector.fromArray(SPECIES, left, l + N);
        DoubleVector a2 = DoubleVector.fromArray(SPECIES, left, l + 2 * N);
        DoubleVector a3 = DoubleVector.fromArray(SPECIES, left, l + 3 * N);
        DoubleVector a4 = DoubleVector.fromArray(SPECIES, left, l + 4 * N);
        DoubleVector b0 = DoubleVector.fromArray(SPECIES, right, r);
        DoubleVector b1 = DoubleVector.fromArray(SPECIES, right, r + N);
        DoubleVector b2 = DoubleVector.fromArray(SPECIES, right, r + 2 * N);
        DoubleVector b3 = DoubleVector.fromArray(SPECIES, right, r + 3 * N);
        DoubleVector b4 = DoubleVector.fromArray(SPECIES, right, r + 4 * N);
        DoubleVector x0 = a0.add(b0);
        DoubleVector x1 = a1.add(b1);
        DoubleVector x2 = a2.add(b2);
        DoubleVector x3 = a3.add(b3);
        DoubleVector x4 = a4.add(b4);
        DoubleVector xc0 = x0.add(ROUND).sub(ROUND);
        DoubleVector xc1 = x1.add(ROUND).sub(ROUND);
        DoubleVector xc2 = x2.add(ROUND).sub(ROUND);
        DoubleVector xc3 = x3.add(ROUND).sub(ROUND);
        DoubleVector xc4 = x4.add(ROUND).sub(ROUND);
        xc4.fma(FOLD_19, x0.sub(xc0)).intoArray(target, t);
        xc0.fma(FOLD, x1.sub(xc1)).intoArray(target, t + N);
        xc1.fma(FOLD, x2.sub(xc2)).intoArray(target, t + 2 * N);
        xc2.fma(FOLD, x3.sub(xc3)).intoArray(target, t + 3 * N);
        xc3.fma(FOLD, x4.sub(xc4)).intoArray(target, t + 4 * N);
    }

    /** Subtracts, as {@link #addCarried}. */
    static void subtractCarried(
            double[] target, int t, double[] left, int l, double[] right, int r) {
        DoubleVector a0 = DoubleVector.fromArray(SPECIES, left, l);
        DoubleVector a1 = DoubleVector.fromArray(SPECIES, left, l + N);
        DoubleVector a2 = DoubleVector.fromArray(SPECIES, left, l + 2 * N);
        DoubleVector a3 = DoubleVector.fromArray(SPECIES, left, l + 3 * N);
        DoubleVector a4 = DoubleVector.fromArray(SPECIES, left, l + 4 * N);
        DoubleVector b0 = DoubleVector.fromArray(SPECIES, right, r);
        DoubleVector b1 = DoubleVector.fromArray(SPECIES, right, r + N);
        DoubleVector b2 = DoubleVector.fromArray(SPECIES, right, r + 2 * N);
        DoubleVector b3 = DoubleVector.fromArray(SPECIES, right, r + 3 * N);
        DoubleVector b4 = DoubleVector.fromArray(SPECIES, right, r + 4 * N);
        DoubleVector x0 = a0.sub(b0);
        DoubleVector x1 = a1.sub(b1);
        DoubleVector x2 = a2.sub(b2);
        DoubleVector x3 = a3.sub(b3);
        DoubleVector x4 = a4.sub(b4);
        DoubleVector xc0 = x0.add(ROUND).sub(ROUND);
        DoubleVector xc1 = x1.add(ROUND).sub(ROUND);
        DoubleVector xc2 = x2.add(ROUND).sub(ROUND);
        DoubleVector xc3 = x3.add(ROUND).sub(ROUND);
        DoubleVector xc4 = x4.add(ROUND).sub(ROUND);
        xc4.fma(FOLD_19, x0.sub(xc0)).intoArray(target, t);
        xc0.fma(FOLD, x1.sub(xc1)).intoArray(target, t + N);
        xc1.fma(FOLD, x2.sub(xc2)).intoArray(target, t + 2 * N);
        xc2.fma(FOLD, x3.sub(xc3)).intoArray(target, t + 3 * N);
        xc3.fma(FOLD, x4.sub(xc4)).intoArray(target, t + 4 * N);
    }

    /** left + right at {@code sum}, left − right at {@code difference}, without a carry. */
    static void sumAndDifference(
            double[] work, int sum, int difference, double[] operands, int l, int r) {
        DoubleVector a0 = DoubleVector.fromArray(SPECIES, operands, l);
        DoubleVector a1 = DoubleVector.fromArray(SPECIES, operands, l + N);
        DoubleVector a2 = DoubleVector.fromArray(SPECIES, operands, l + 2 * N);
        DoubleVector a3 = DoubleVector.fromArray(SPECIES, operands, l + 3 * N);
        DoubleVector a4 = DoubleVector.fromArray(SPECIES, operands, l + 4 * N);
        DoubleVector b0 = DoubleVector.fromArray(SPECIES, operands, r);
        DoubleVector b1 = DoubleVector.fromArray(SPECIES, operands, r + N);
        DoubleVector b2 = DoubleVector.fromArray(SPECIES, operands, r + 2 * N);
        DoubleVector b3 = DoubleVector.fromArray(SPECIES, operands, r + 3 * N);
        DoubleVector b4 = DoubleVector.fromArray(SPECIES, operands, r + 4 * N);
        DoubleVector s0 = a0.add(b0);
        DoubleVector d0 = a0.sub(b0);
        DoubleVector s1 = a1.add(b1);
        DoubleVector d1 = a1.sub(b1);
        DoubleVector s2 = a2.add(b2);
        DoubleVector d2 = a2.sub(b2);
        DoubleVector s3 = a3.add(b3);
        DoubleVector d3 = a3.sub(b3);
        DoubleVector s4 = a4.add(b4);
        DoubleVector d4 = a4.sub(b4);
        s0.intoArray(work, sum);
        s1.intoArray(work, sum + N);
        s2.intoArray(work, sum + 2 * N);
        s3.intoArray(work, sum + 3 * N);
        s4.intoArray(work, sum + 4 * N);
        d0.intoArray(work, difference);
        d1.intoArray(work, difference + N);
        d2.intoArray(work, difference + 2 * N);
        d3.intoArray(work, difference + 3 * N);
        d4.intoArray(work, difference + 4 * N);
    }

    /**
     * left + right at {@code sum}, left − right, carried, at {@code difference}; all in one array.
     */
    static void sumAndCarriedDifference(double[] work, int sum, int difference, int l, int r) {
        DoubleVector a0 = DoubleVector.fromArray(SPECIES, work, l);
        DoubleVector a1 = DoubleVector.fromArray(SPECIES, work, l + N);
        DoubleVector a2 = DoubleVector.fromArray(SPECIES, work, l + 2 * N);
        DoubleVector a3 = DoubleVector.fromArray(SPECIES, work, l + 3 * N);
        DoubleVector a4 = DoubleVector.fromArray(SPECIES, work, l + 4 * N);
        DoubleVector b0 = DoubleVector.fromArray(SPECIES, work, r);
        DoubleVector b1 = DoubleVector.fromArray(SPECIES, work, r + N);
        DoubleVector b2 = DoubleVector.fromArray(SPECIES, work, r + 2 * N);
        DoubleVector b3 = DoubleVector.fromArray(SPECIES, work, r + 3 * N);
        DoubleVector b4 = DoubleVector.fromArray(SPECIES, work, r + 4 * N);
        DoubleVector s0 = a0.add(b0);
        DoubleVector s1 = a1.add(b1);
        DoubleVector s2 = a2.add(b2);
        DoubleVector s3 = a3.add(b3);
        DoubleVector s4 = a4.add(b4);
        DoubleVector d0 = a0.sub(b0);
        DoubleVector d1 = a1.sub(b1);
        DoubleVector d2 = a2.sub(b2);
        DoubleVector d3 = a3.sub(b3);
        DoubleVector d4 = a4.sub(b4);
        s0.intoArray(work, sum);
        s1.intoArray(work, sum + N);
        s2.intoArray(work, sum + 2 * N);
        s3.intoArray(work, sum + 3 * N);
        s4.intoArray(work, sum + 4 * N);
        DoubleVector dc0 = d0.add(ROUND).sub(ROUND);
        DoubleVector dc1 = d1.add(ROUND).sub(ROUND);
        DoubleVector dc2 = d2.add(ROUND).sub(ROUND);
        DoubleVector dc3 = d3.add(ROUND).sub(ROUND);
        DoubleVector dc4 = d4.add(ROUND).sub(ROUND);
        dc4.fma(FOLD_19, d0.sub(dc0)).intoArray(work, difference);
        dc0.fma(FOLD, d1.sub(dc1)).intoArray(work, difference + N);
        dc1.fma(FOLD, d2.sub(dc2)).intoArray(work, difference + 2 * N);
        dc2.fma(FOLD, d3.sub(dc3)).intoArray(work, difference + 3 * N);
        dc3.fma(FOLD, d4.sub(dc4)).intoArray(work, difference + 4 * N);
    }

    /**
     * left + right, carried, at {@code sum}, left − right at {@code difference}; all in one array.
     */
    static void carriedSumAndDifference(double[] work, int sum, int difference, int l, int r) {
        DoubleVector a0 = DoubleVector.fromArray(SPECIES, work, l);
        DoubleVector a1 = DoubleVector.fromArray(SPECIES, work, l + N);
        DoubleVector a2 = DoubleVector.fromArray(SPECIES, work, l + 2 * N);
        DoubleVector a3 = DoubleVector.fromArray(SPECIES, work, l + 3 * N);
        DoubleVector a4 = DoubleVector.fromArray(SPECIES, work, l + 4 * N);
        DoubleVector b0 = DoubleVector.fromArray(SPECIES, work, r);
        DoubleVector b1 = DoubleVector.fromArray(SPECIES, work, r + N);
        DoubleVector b2 = DoubleVector.fromArray(SPECIES, work, r + 2 * N);
        DoubleVector b3 = DoubleVector.fromArray(SPECIES, work, r + 3 * N);
        DoubleVector b4 = DoubleVector.fromArray(SPECIES, work, r + 4 * N);
        DoubleVector s0 = a0.add(b0);
        DoubleVector s1 = a1.add(b1);
        DoubleVector s2 = a2.add(b2);
        DoubleVector s3 = a3.add(b3);
        DoubleVector s4 = a4.add(b4);
        DoubleVector d0 = a0.sub(b0);
        DoubleVector d1 = a1.sub(b1);
        DoubleVector d2 = a2.sub(b2);
        DoubleVector d3 = a3.sub(b3);
        DoubleVector d4 = a4.sub(b4);
        DoubleVector sc0 = s0.add(ROUND).sub(ROUND);
        DoubleVector sc1 = s1.add(ROUND).sub(ROUND);
        DoubleVector sc2 = s2.add(ROUND).sub(ROUND);
        DoubleVector sc3 = s3.add(ROUND).sub(ROUND);
        DoubleVector sc4 = s4.add(ROUND).sub(ROUND);
        sc4.fma(FOLD_19, s0.sub(sc0)).intoArray(work, sum);
        sc0.fma(FOLD, s1.sub(sc1)).intoArray(work, sum + N);
        sc1.fma(FOLD, s2.sub(sc2)).intoArray(work, sum + 2 * N);
        sc2.fma(FOLD, s3.sub(sc3)).intoArray(work, sum + 3 * N);
        sc3.fma(FOLD, s4.sub(sc4)).intoArray(work, sum + 4 * N);
        d0.intoArray(work, difference);
        d1.intoArray(work, difference + N);
        d2.intoArray(work, difference + 2 * N);
        d3.intoArray(work, difference + 3 * N);
        d4.intoArray(work, difference + 4 * N);
    }

    /** left + 2·right, carried; all in one array. */
    static void addTwiceCarried(double[] work, int t, int l, int r) {
        DoubleVector a0 = DoubleVector.fromArray(SPECIES, work, l);
        DoubleVector a1 = DoubleVector.fromArray(SPECIES, work, l + N);
        DoubleVector a2 = DoubleVector.fromArray(SPECIES, work, l + 2 * N);
        DoubleVector a3 = DoubleVector.fromArray(SPECIES, work, l + 3 * N);
        DoubleVector a4 = DoubleVector.fromArray(SPECIES, work, l + 4 * N);
        DoubleVector b0 = DoubleVector.fromArray(SPECIES, work, r);
        DoubleVector b1 = DoubleVector.fromArray(SPECIES, work, r + N);
        DoubleVector b2 = DoubleVector.fromArray(SPECIES, work, r + 2 * N);
        DoubleVector b3 = DoubleVector.fromArray(SPECIES, work, r + 3 * N);
        DoubleVector b4 = DoubleVector.fromArray(SPECIES, work, r + 4 * N);
        DoubleVector x0 = a0.add(b0.add(b0));
        DoubleVector x1 = a1.add(b1.add(b1));
        DoubleVector x2 = a2.add(b2.add(b2));
        DoubleVector x3 = a3.add(b3.add(b3));
        DoubleVector x4 = a4.add(b4.add(b4));
        DoubleVector xc0 = x0.add(ROUND).sub(ROUND);
        DoubleVector xc1 = x1.add(ROUND).sub(ROUND);
        DoubleVector xc2 = x2.add(ROUND).sub(ROUND);
        DoubleVector xc3 = x3.add(ROUND).sub(ROUND);
        DoubleVector xc4 = x4.add(ROUND).sub(ROUND);
        xc4.fma(FOLD_19, x0.sub(xc0)).intoArray(work, t);
        xc0.fma(FOLD, x1.sub(xc1)).intoArray(work, t + N);
        xc1.fma(FOLD, x2.sub(xc2)).intoArray(work, t + 2 * N);
        xc2.fma(FOLD, x3.sub(xc3)).intoArray(work, t + 3 * N);
        xc3.fma(FOLD, x4.sub(xc4)).intoArray(work, t + 4 * N);
    }
}
