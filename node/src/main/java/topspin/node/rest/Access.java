package topspin.node.rest;

/** Who may call a route (rest.md section 1, token header). */
public enum Access {
    /** Anyone: no token is looked at. */
    OPEN,
    /** Whoever has the API token or the admin token. */
    PUBLIC,
    /** Whoever has the admin token. */
    ADMIN
}
