package topspin.node.rest;

import io.netty.handler.codec.http.HttpMethod;

import java.util.List;

/**
 * One method on one path, and what answers it.
 *
 * @param path segments, of which {@code {name}} stands for one parameter
 * @param bodyBytesMax 0 for the limit of its access; else beyond it 400 {@code http: request body
 *     too large}
 * @param worker whether the handler may block or take long, so that it must not run on a loop
 * @param pipelined whether the next request of a connection that is such a one may begin before
 *     this one is answered: one that only hands something on, in order, and is told what came of it
 * @param query names of the query parameters it reads, for the description of the API
 * @param summary one sentence, for the same
 */
public record Route(
        HttpMethod method,
        String path,
        Access access,
        int bodyBytesMax,
        boolean worker,
        boolean pipelined,
        List<String> query,
        String summary,
        Handler handler) {

    public Route {
        query = List.copyOf(query);
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("a path starts with a slash: " + path);
        }
    }

    /** A route answered on the event loop, for handlers that touch memory only. */
    public static Route of(
            HttpMethod method, String path, Access access, String summary, Handler handler) {
        return new Route(method, path, access, 0, false, false, List.of(), summary, handler);
    }

    /** The same for GET. */
    public static Route get(String path, Access access, String summary, Handler handler) {
        return of(HttpMethod.GET, path, access, summary, handler);
    }

    /** The same for POST. */
    public static Route post(String path, Access access, String summary, Handler handler) {
        return of(HttpMethod.POST, path, access, summary, handler);
    }

    /** Whether the path has parameters. */
    boolean hasParameters() {
        return path.indexOf('{') >= 0;
    }

    public Route onWorker() {
        return new Route(
                method, path, access, bodyBytesMax, true, pipelined, query, summary, handler);
    }

    public Route inPipeline() {
        return new Route(method, path, access, bodyBytesMax, worker, true, query, summary, handler);
    }

    public Route reads(String... parameters) {
        return new Route(
                method,
                path,
                access,
                bodyBytesMax,
                worker,
                pipelined,
                List.of(parameters),
                summary,
                handler);
    }

    public Route withBody(int bytesMax) {
        return new Route(
                method, path, access, bytesMax, worker, pipelined, query, summary, handler);
    }
}
