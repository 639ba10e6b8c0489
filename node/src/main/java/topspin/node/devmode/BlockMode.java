package topspin.node.devmode;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How blocks come about: by agreement, or made by one node whenever its mode says. */
public sealed interface BlockMode {
    /** What {@link #parse} takes, for messages. */
    String ALLOWED = "agreement, instant, interval:DURATION (as 1s, 250ms, 2m) or manual";

    /** Nodes agree on each block; no one of them makes it. */
    record Agreement() implements BlockMode {
        @Override
        public String toString() {
            return "agreement";
        }
    }

    /** A block per group that somebody waits for; other groups share the next one. */
    record Instant() implements BlockMode {
        @Override
        public String toString() {
            return "instant";
        }
    }

    /** A block at each tick, with or without transactions. */
    record Interval(Duration period) implements BlockMode {
        private static final Duration SHORTEST = Duration.ofMillis(10);
        private static final Duration LONGEST = Duration.ofHours(1);

        public Interval {
            if (period.compareTo(SHORTEST) < 0 || period.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        "a block interval lies between 10ms and 1h, not "
                                + period.toMillis()
                                + "ms");
            }
        }

        @Override
        public String toString() {
            long millis = period.toMillis();
            return "interval:" + (millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms");
        }
    }

    /** A block when asked for. */
    record Manual() implements BlockMode {
        @Override
        public String toString() {
            return "manual";
        }
    }

    /**
     * Reads {@code agreement}, {@code instant}, {@code interval:250ms} or {@code manual}.
     *
     * @throws IllegalArgumentException if it is none of them, with a text that says what is allowed
     */
    static BlockMode parse(String text) {
        Matcher interval = Syntax.INTERVAL.matcher(text);
        if (interval.matches()) {
            long count = Long.parseLong(interval.group(1));
            return new Interval(
                    switch (interval.group(2)) {
                        case "ms" -> Duration.ofMillis(count);
                        case "s" -> Duration.ofSeconds(count);
                        default -> Duration.ofMinutes(count);
                    });
        }
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "agreement" -> new Agreement();
            case "instant" -> new Instant();
            case "manual" -> new Manual();
            default ->
                    throw new IllegalArgumentException(
                            "unknown block mode '" + text + "'; allowed: " + ALLOWED);
        };
    }

    /** Patterns live here, since a field of an interface is public. */
    final class Syntax {
        private static final Pattern INTERVAL = Pattern.compile("interval:([0-9]{1,9})(ms|s|m)");

        private Syntax() {}
    }
}
