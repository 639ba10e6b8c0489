package topspin.node.rest;

import io.netty.handler.codec.http.HttpMethod;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the routes of a path. Immutable, any thread.
 *
 * <p>Fixed segments match byte for byte: letter case counts, and {@code //}, {@code /./} or an
 * escape in them match nothing. A fixed segment wins over a parameter. One trailing slash is
 * dropped (goal sends it). A parameter is one segment that is not empty, escapes and all.
 */
public final class RouteTable {
    /** Most parameters a path has. */
    static final int PARAMETERS_MAX = 2;

    /** The order in which algod lists methods in Allow. */
    private static final List<HttpMethod> ALLOW_ORDER =
            List.of(HttpMethod.DELETE, HttpMethod.GET, HttpMethod.POST, HttpMethod.PUT);

    private final Node root = new Node("");
    private final List<Route> routes;

    public RouteTable(List<Route> routes) {
        this.routes = List.copyOf(routes);
        for (Route route : routes) {
            Node node = root;
            int parameters = 0;
            if (!route.path().equals("/")) {
                for (String segment : route.path().substring(1).split("/", -1)) {
                    boolean parameter = segment.startsWith("{");
                    parameters += parameter ? 1 : 0;
                    node = parameter ? node.parameterChild() : node.child(segment);
                }
            }
            if (parameters > PARAMETERS_MAX) {
                throw new IllegalArgumentException("too many parameters in " + route.path());
            }
            node.add(route);
        }
        root.seal();
    }

    /** All routes, in the order of the table. */
    public List<Route> routes() {
        return routes;
    }

    /**
     * The node of a path, or null.
     *
     * @param path undecoded, without the query
     * @param spans takes start and end of each parameter within {@code path}, in order
     */
    @Nullable Node find(String path, int[] spans) {
        int end = path.length();
        if (end > 1 && path.charAt(end - 1) == '/') {
            end--;
        }
        if (end == 0 || path.charAt(0) != '/') {
            return null;
        }
        if (end == 1) {
            return root; // It exists even without a route: then any method is a wrong one.
        }
        Node found = root.find(path, 1, end, spans, 0);
        return found == null || found.routes.isEmpty() ? null : found;
    }

    /** One place in the tree of segments. */
    static final class Node {
        private final String segment;
        private final List<Node> children = new ArrayList<>();
        private final List<Route> routes = new ArrayList<>();
        private @Nullable Node parameter;
        private String allow = "";

        private Node(String segment) {
            this.segment = segment;
        }

        /** The route for a method, or null. */
        @Nullable Route route(HttpMethod method) {
            for (int i = 0; i < routes.size(); i++) {
                if (routes.get(i).method().equals(method)) {
                    return routes.get(i);
                }
            }
            return null;
        }

        /** Value of the Allow header. */
        String allow() {
            return allow;
        }

        private @Nullable Node find(String path, int from, int end, int[] spans, int depth) {
            int slash = path.indexOf('/', from);
            int to = slash < 0 || slash > end ? end : slash;
            for (int i = 0; i < children.size(); i++) {
                Node child = children.get(i);
                if (child.segment.length() == to - from && path.startsWith(child.segment, from)) {
                    Node found = to == end ? child : child.find(path, to + 1, end, spans, depth);
                    if (found != null && (to != end || !found.routes.isEmpty())) {
                        return found;
                    }
                }
            }
            if (parameter == null || from == to) {
                return null;
            }
            spans[2 * depth] = from;
            spans[2 * depth + 1] = to;
            return to == end ? parameter : parameter.find(path, to + 1, end, spans, depth + 1);
        }

        private Node child(String text) {
            for (Node child : children) {
                if (child.segment.equals(text)) {
                    return child;
                }
            }
            Node child = new Node(text);
            children.add(child);
            return child;
        }

        private Node parameterChild() {
            Node child = parameter;
            if (child == null) {
                child = new Node("{}");
                parameter = child;
            }
            return child;
        }

        private void add(Route route) {
            if (route(route.method()) != null) {
                throw new IllegalArgumentException("twice: " + route.method() + " " + route.path());
            }
            routes.add(route);
        }

        private void seal() {
            StringBuilder text = new StringBuilder("OPTIONS");
            for (HttpMethod method : ALLOW_ORDER) {
                if (route(method) != null) {
                    text.append(", ").append(method);
                }
            }
            allow = text.toString();
            children.forEach(Node::seal);
            if (parameter != null) {
                parameter.seal();
            }
        }
    }
}
