package topspin.node.rest;

import org.jspecify.annotations.Nullable;

/**
 * Compares what a request carries with the two secrets of the API, in a time that does not tell
 * where a guess is wrong. Immutable.
 */
public final class TokenCheck {
    private final @Nullable String api;
    private final String admin;

    /**
     * @param api null when public routes need no token (algod's DisableAPIAuth)
     */
    public TokenCheck(@Nullable String api, String admin) {
        this.api = api;
        this.admin = admin;
    }

    /** Whether a request that carries this token (empty for none) may use routes of this access. */
    boolean opens(Access access, CharSequence token) {
        // Both are always compared, so that the time does not tell which one was nearly right.
        boolean asAdmin = equal(admin, token);
        boolean asAnyone = api == null || equal(api, token);
        return switch (access) {
            case OPEN -> true;
            case PUBLIC -> asAnyone || asAdmin;
            case ADMIN -> asAdmin;
        };
    }

    private static boolean equal(String secret, CharSequence guess) {
        int difference = secret.length() ^ guess.length();
        for (int i = 0; i < secret.length(); i++) {
            char other = i < guess.length() ? guess.charAt(i) : 0;
            difference |= secret.charAt(i) ^ other;
        }
        return difference == 0;
    }

    @Override
    public String toString() {
        return "TokenCheck[kept to itself]"; // So that no log holds a token.
    }
}
