package topspin.loadgen;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Refusals counted by reason, which is the node's text without what differs from one to the next.
 */
final class Reasons {
    /** Reasons told apart; what comes after is "other". */
    static final int REASONS_MAX = 64;

    private static final int TEXT_CHARACTERS_MAX = 160;
    private static final String OTHER = "other";
    private static final Pattern STRUCTURES = Pattern.compile("\\{.*}");
    private static final Pattern IDS = Pattern.compile("\\b[A-Z2-7]{52,58}\\b");
    private static final Pattern NUMBERS = Pattern.compile("\\b\\d+\\b");
    private static final String POOL_PREFIX = "TransactionPool.Remember: ";

    private final TreeMap<String, Long> counts = new TreeMap<>();

    void add(String reason, long count) {
        boolean room = counts.size() < REASONS_MAX || counts.containsKey(reason);
        counts.merge(room ? reason : OTHER, count, Long::sum);
    }

    /** A copy, by reason. */
    Map<String, Long> counts() {
        return new TreeMap<>(counts);
    }

    /** The reason behind an error reply. */
    static String of(int status, String message) {
        String text =
                message.startsWith(POOL_PREFIX) ? message.substring(POOL_PREFIX.length()) : message;
        text = STRUCTURES.matcher(text).replaceAll("{…}");
        text = IDS.matcher(text).replaceAll("…");
        text = NUMBERS.matcher(text).replaceAll("N").strip();
        if (text.length() > TEXT_CHARACTERS_MAX) {
            text = text.substring(0, TEXT_CHARACTERS_MAX) + "…";
        }
        return status == 400 && !text.isEmpty() ? text : ("HTTP " + status + " " + text).strip();
    }
}
