package topspin.loadgen.client;

import java.util.concurrent.CompletableFuture;

/**
 * A request and the future of its reply.
 *
 * @param path with its query
 * @param privileged whether it needs the admin token
 * @param content the request's body; empty for none
 * @param body where the reply's body goes
 * @param millisMax from the moment it is handed to a connection to the last byte of the reply
 * @param attempt 1 for the first
 */
@SuppressWarnings("ArrayRecordComponent") // A carrier; nobody compares it.
record Exchange(
        String method,
        String path,
        boolean privileged,
        byte[] content,
        Body body,
        int millisMax,
        int attempt,
        CompletableFuture<Reply> future) {

    Exchange again() {
        return new Exchange(
                method, path, privileged, content, body, millisMax, attempt + 1, future);
    }

    @Override
    public String toString() {
        return method + " " + path;
    }
}
