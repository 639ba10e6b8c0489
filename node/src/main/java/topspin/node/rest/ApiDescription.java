package topspin.node.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Describes a table of routes as an OpenAPI 3 document, so that the two cannot drift apart. */
final class ApiDescription {
    private ApiDescription() {}

    static void write(List<Route> routes, String version, JsonWriter json) {
        json.beginObject().name("openapi").string("3.0.3");
        json.name("info").beginObject();
        json.name("title").string("Topspin").name("version").string(version);
        json.name("description")
                .string("algod's REST API, and paths of our own below /topspin.")
                .endObject();
        json.name("paths").beginObject();
        for (Map.Entry<String, List<Route>> path : byPath(routes).entrySet()) {
            json.name(path.getKey()).beginObject();
            for (Route route : path.getValue()) {
                json.name(route.method().name().toLowerCase(Locale.ROOT));
                operation(route, json);
            }
            json.endObject();
        }
        json.endObject();
        json.name("components").beginObject().name("securitySchemes").beginObject();
        json.name("token").beginObject();
        json.name("type").string("apiKey").name("in").string("header");
        json.name("name").string("X-Algo-API-Token").endObject();
        json.endObject().endObject().endObject();
    }

    private static void operation(Route route, JsonWriter json) {
        json.beginObject().name("summary").string(route.summary());
        json.name("tags").beginArray().string(route.access().name().toLowerCase(Locale.ROOT));
        json.endArray();
        json.name("parameters").beginArray();
        for (String segment : route.path().split("/", -1)) {
            if (segment.startsWith("{")) {
                parameter(segment.substring(1, segment.length() - 1), "path", json);
            }
        }
        for (String name : route.query()) {
            parameter(name, "query", json);
        }
        json.endArray();
        json.name("security").beginArray();
        if (route.access() != Access.OPEN) {
            json.beginObject().name("token").beginArray().endArray().endObject();
        }
        json.endArray();
        json.name("responses").beginObject();
        json.name("default").beginObject().name("description").string(route.summary());
        json.endObject().endObject().endObject();
    }

    private static void parameter(String name, String in, JsonWriter json) {
        json.beginObject().name("name").string(name).name("in").string(in);
        json.name("required").bool(in.equals("path"));
        json.name("schema").beginObject().name("type").string("string").endObject();
        json.endObject();
    }

    private static Map<String, List<Route>> byPath(List<Route> routes) {
        Map<String, List<Route>> paths = new TreeMap<>();
        for (Route route : routes) {
            paths.computeIfAbsent(route.path(), path -> new ArrayList<>()).add(route);
        }
        return paths;
    }
}
