package topspin.node.rest;

/**
 * Answers the requests of one route, at once or later. Called on an event loop or, if its route
 * says so, on a worker thread; the body is complete. A {@link RequestFault} becomes the answer.
 */
@FunctionalInterface
public interface Handler {
    void handle(Exchange exchange);
}
