package topspin.loadgen;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Kinds of transactions and their weights, which add to 100. */
record Mix(Map<Kind, Integer> weights) {
    private static final int TOTAL = 100;

    Mix {
        weights = Map.copyOf(weights);
    }

    /**
     * From {@code pay=80,axfer=20}.
     *
     * @throws IllegalArgumentException naming what is wrong and what is allowed
     */
    static Mix parse(String text) {
        var weights = new EnumMap<Kind, Integer>(Kind.class);
        for (String part : text.split(",", -1)) {
            String[] pair = part.split("=", -1);
            Kind kind =
                    Arrays.stream(Kind.values())
                            .filter(k -> k.wireName().equals(pair[0]))
                            .findFirst()
                            .orElseThrow(() -> wrong(text, "no kind '" + pair[0] + "'"));
            if (pair.length != 2 || !pair[1].matches("\\d{1,3}") || "0".equals(pair[1])) {
                throw wrong(text, "'" + part + "' is not KIND=WEIGHT");
            }
            if (weights.put(kind, Integer.valueOf(pair[1])) != null) {
                throw wrong(text, "'" + kind.wireName() + "' comes twice");
            }
        }
        int total = weights.values().stream().mapToInt(Integer::intValue).sum();
        if (total != TOTAL) {
            throw wrong(text, "weights add to " + total + ", not " + TOTAL);
        }
        return new Mix(weights);
    }

    private static IllegalArgumentException wrong(String text, String why) {
        String kinds =
                Arrays.stream(Kind.values()).map(Kind::wireName).collect(Collectors.joining(", "));
        return new IllegalArgumentException("--mix " + text + ": " + why + "; kinds are " + kinds);
    }

    boolean has(Kind kind) {
        return weights.containsKey(kind);
    }

    /** Whether each account needs an asset that it has made itself. */
    boolean hasOwnAssets() {
        return has(Kind.ACFG) || has(Kind.AFRZ);
    }

    /**
     * The kind at a point of the scale.
     *
     * @param point 0 to 99
     */
    Kind at(int point) {
        int below = 0;
        for (Kind kind : Kind.values()) {
            below += weights.getOrDefault(kind, 0);
            if (point < below) {
                return kind;
            }
        }
        throw new IllegalArgumentException("no point " + point);
    }

    @Override
    public String toString() {
        return Arrays.stream(Kind.values())
                .filter(this::has)
                .map(kind -> kind.wireName() + "=" + weights.get(kind))
                .collect(Collectors.joining(","));
    }
}
