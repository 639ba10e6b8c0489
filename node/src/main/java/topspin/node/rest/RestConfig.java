package topspin.node.rest;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * Where the REST server listens, whom it lets in and which of algod's optional parts it offers.
 *
 * @param address TCP address; port 0 takes any free one ({@link RestServer#address} tells which)
 * @param socket path of the Unix socket, or null for none; what stands there is replaced
 * @param tokens the secrets of public and admin routes
 * @param tokenHeader the header that a token stands in, besides {@code Authorization}
 * @param corsOrigins origins whose pages may call: {@code *} for any, empty for none
 * @param privateNetworkHeader algod's EnablePrivateNetworkAccessHeader
 * @param developerApi algod's EnableDeveloperAPI
 * @param experimentalApi algod's EnableExperimentalAPI
 * @param followMode algod's EnableFollowMode
 */
public record RestConfig(
        InetSocketAddress address,
        @Nullable Path socket,
        TokenCheck tokens,
        String tokenHeader,
        List<String> corsOrigins,
        boolean privateNetworkHeader,
        boolean developerApi,
        boolean experimentalApi,
        boolean followMode,
        Limits limits) {

    /** Where algod's clients put their token. */
    public static final String TOKEN_HEADER = "X-Algo-API-Token";

    /** A header must fit into what answers leave room for. */
    private static final int ORIGIN_CHARS_MAX = 256;

    public RestConfig {
        corsOrigins = List.copyOf(corsOrigins);
        for (String origin : corsOrigins) {
            if (origin.length() > ORIGIN_CHARS_MAX) {
                throw new IllegalArgumentException(
                        "an origin has at most " + ORIGIN_CHARS_MAX + " characters: " + origin);
            }
        }
        if (address.isUnresolved()) {
            throw new IllegalArgumentException(
                    "EndpointAddress " + address.getHostString() + " is not an address of a host");
        }
    }

    /** What Access-Control-Allow-Origin says to a page of this origin, or null for nothing. */
    @Nullable String allowedOrigin(@Nullable String origin) {
        if (origin == null) {
            return null;
        }
        return corsOrigins.contains("*") ? "*" : corsOrigins.contains(origin) ? origin : null;
    }
}
