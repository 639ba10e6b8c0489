package topspin.codec.bench;

import java.util.Arrays;
import java.util.Locale;

/**
 * The median of a sample with its interval: the narrowest pair of order statistics that holds the
 * true median with a chance of at least 95 %, whatever the distribution. With seven values that is
 * the smallest and the largest (98.4 %); with five or fewer these two stand for what was seen, and
 * hold it less often.
 */
record Median(double value, double low, double high) {
    private static final double CONFIDENCE = 0.95;

    static Median of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no values");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int n = sorted.length;
        double middle = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
        int from = from(n);
        return new Median(middle, sorted[from], sorted[n - 1 - from]);
    }

    /**
     * The pair is from the {@code k}-th smallest to the {@code k}-th largest; it misses when fewer
     * than {@code k + 1} of n tosses of a coin fall on either side.
     */
    private static int from(int n) {
        double term = Math.pow(0.5, n);
        double tail = 0;
        int from = 0;
        for (int k = 0; k < n / 2; k++) {
            tail += term;
            if (1 - 2 * tail < CONFIDENCE) {
                break;
            }
            from = k;
            term = term * (n - k) / (k + 1);
        }
        return from;
    }

    /** As {@code 1.08 [1.05, 1.11]}, with as many digits as help. */
    @Override
    public String toString() {
        return shown(value) + " [" + shown(low) + ", " + shown(high) + "]";
    }

    static String shown(double number) {
        int digits = number >= 1000 ? 0 : number >= 100 ? 1 : number >= 10 ? 2 : 3;
        return String.format(Locale.ROOT, "%,." + digits + "f", number);
    }
}
