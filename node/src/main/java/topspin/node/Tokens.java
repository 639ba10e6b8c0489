package topspin.node;

import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The secrets of REST as their files hold them; {@code topspin.node.rest} compares them.
 *
 * @param api for public routes; empty when they need none ({@code DisableAPIAuth})
 * @param admin for private ones, and good for public ones too
 */
public record Tokens(Optional<String> api, String admin) {
    /** The fewest and most characters of a token (rest.md, section 1). */
    public static final int CHARACTERS_MIN = 64;

    public static final int CHARACTERS_MAX = 256;

    /** What local networks and their tools agree on; refused on anything but loopback. */
    public static final String WELL_KNOWN = "a".repeat(CHARACTERS_MIN);

    private static final int RANDOM_BYTES = 32;

    public Tokens {
        api.ifPresent(Tokens::check);
        check(admin);
    }

    /** Whether anybody could guess one. */
    boolean wellKnown() {
        return admin.equals(WELL_KNOWN) || api.filter(WELL_KNOWN::equals).isPresent();
    }

    /** A new token of 64 hex digits. */
    static String random(RandomGenerator random) {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /**
     * Passes a token on.
     *
     * @throws IllegalArgumentException with algod's text if it is too short or too long
     */
    static String check(String token) {
        if (token.length() < CHARACTERS_MIN) {
            throw new IllegalArgumentException(
                    "provided APIToken too short. Must be >= " + CHARACTERS_MIN + " characters");
        }
        if (token.length() > CHARACTERS_MAX) {
            throw new IllegalArgumentException(
                    "provided APIToken too long. Must be <= " + CHARACTERS_MAX + " characters");
        }
        return token;
    }

    @Override
    public String toString() {
        return "Tokens[kept to itself]"; // So that no log holds one.
    }
}
