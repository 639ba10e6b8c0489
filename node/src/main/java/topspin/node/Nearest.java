package topspin.node;

import java.util.Collection;
import java.util.Locale;

/** The word somebody may have meant. */
public final class Nearest {
    private Nearest() {}

    /**
     * The candidate fewest edits away from a word, letter case ignored; empty when none is closer
     * than a third of its length.
     */
    public static String of(String word, Collection<String> candidates) {
        String best = "";
        int bestEdits = Math.max(2, word.length() / 3) + 1;
        for (String candidate : candidates) {
            int edits = edits(word.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (edits < bestEdits) {
                best = candidate;
                bestEdits = edits;
            }
        }
        return best;
    }

    /** Levenshtein's distance, one row at a time. */
    private static int edits(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substitution = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substitution, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
