package topspin.node.junit;

import java.net.URI;

/**
 * Where a node serves REST.
 *
 * @param url as {@code http://127.0.0.1:4001}
 * @param token what {@code X-Algo-API-Token} wants
 */
public record Endpoint(URI url, String token) {}
