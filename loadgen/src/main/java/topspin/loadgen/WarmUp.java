package topspin.loadgen;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/**
 * How long a run warms up: a fixed time, or until the confirmed rate is level over three rounds.
 *
 * @param fixed null for automatic
 */
record WarmUp(@Nullable Duration fixed) {
    static final WarmUp AUTO = new WarmUp(null);

    /** Automatic warm-up lasts no longer, level or not. */
    static final Duration AUTO_MAX = Duration.ofSeconds(30);

    private static final int ROUNDS_LEVEL = 3;

    /** Rounds that pass before a level rate is believed: the first ones run cold code. */
    private static final int ROUNDS_MIN = 5;

    private static final double TOLERANCE = 0.1;

    /** The longest it can take. */
    Duration longest() {
        return fixed != null ? fixed : AUTO_MAX;
    }

    /**
     * Whether the window may open.
     *
     * @param rounds of the run so far
     */
    boolean over(List<Confirmations.Round> rounds, Duration elapsed) {
        if (fixed != null) {
            return elapsed.compareTo(fixed) >= 0;
        }
        return elapsed.compareTo(AUTO_MAX) >= 0 || level(rounds);
    }

    /** Whether the last three rounds confirmed at the same rate, within a tenth. */
    static boolean level(List<Confirmations.Round> rounds) {
        int size = rounds.size();
        if (size < ROUNDS_MIN + 1) {
            return false;
        }
        double least = Double.MAX_VALUE;
        double most = 0;
        for (int i = size - ROUNDS_LEVEL; i < size; i++) {
            Confirmations.Round round = rounds.get(i);
            double nanos = Math.max(1, round.atNanos() - rounds.get(i - 1).atNanos());
            double rate = round.ours() / nanos;
            least = Math.min(least, rate);
            most = Math.max(most, rate);
        }
        return least > 0 && most - least <= TOLERANCE * most;
    }
}
