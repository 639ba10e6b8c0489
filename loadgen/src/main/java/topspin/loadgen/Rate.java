package topspin.loadgen;

/** What {@code --tps} asks for. */
sealed interface Rate {
    /** Transactions a second, at most: more than any machine of these days sends. */
    long TPS_MAX = 1_000_000;

    /** The same rate throughout, or rising. */
    record Planned(RatePlan plan) implements Rate {}

    /** The highest that holds. */
    record Highest() implements Rate {}

    /**
     * From {@code N}, {@code max} or {@code ramp:FROM:TO:STEP}.
     *
     * @throws IllegalArgumentException naming what is allowed
     */
    static Rate parse(String text) {
        if ("max".equals(text)) {
            return new Highest();
        }
        String[] parts = text.split(":", -1);
        try {
            if (parts.length == 4 && "ramp".equals(parts[0])) {
                return new Planned(
                        RatePlan.ramp(
                                Long.parseLong(parts[1]), tps(parts[2]), Long.parseLong(parts[3])));
            }
            return new Planned(RatePlan.steady(tps(text)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "--tps " + text + ": expected 1 to " + TPS_MAX + ", max, or ramp:FROM:TO:STEP",
                    e);
        }
    }

    private static long tps(String text) {
        long tps = Long.parseLong(text);
        if (tps < 1 || tps > TPS_MAX) {
            throw new IllegalArgumentException("out of range");
        }
        return tps;
    }
}
