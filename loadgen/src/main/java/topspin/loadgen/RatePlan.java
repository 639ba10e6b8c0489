package topspin.loadgen;

import java.util.List;
import java.util.stream.LongStream;

/**
 * Rates of the measured time, each for an equal share of it.
 *
 * @param steps transactions a second, in order; at least one
 */
record RatePlan(List<Long> steps) {
    /** Steps of a ramp, at most. */
    static final int STEPS_MAX = 1_000;

    RatePlan {
        steps = List.copyOf(steps);
        if (steps.isEmpty() || steps.size() > STEPS_MAX) {
            throw new IllegalArgumentException("a ramp has 1 to " + STEPS_MAX + " steps");
        }
    }

    static RatePlan steady(long tps) {
        return new RatePlan(List.of(tps));
    }

    /** From one rate to another by steps; the last step is the rate to reach or just below it. */
    static RatePlan ramp(long from, long to, long step) {
        if (from < 1 || to < from || step < 1 || (to - from) / step >= STEPS_MAX) {
            throw new IllegalArgumentException("a ramp goes up, by 1 to " + STEPS_MAX + " steps");
        }
        return new RatePlan(
                LongStream.rangeClosed(0, (to - from) / step)
                        .mapToObj(i -> from + i * step)
                        .toList());
    }

    long first() {
        return steps.getFirst();
    }

    long highest() {
        return steps.stream().mapToLong(Long::longValue).max().orElseThrow();
    }
}
