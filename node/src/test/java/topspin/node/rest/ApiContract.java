package topspin.node.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The reference's definition of its API, as {@code algod-api.json} beside its description has it:
 * finds what in an answer is not as defined. Where the server itself differs from its definition
 * (the table at the head of that description), the server is right.
 */
final class ApiContract {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final BigInteger UINT64_MAX = BigInteger.ONE.shiftLeft(64);

    /** What the layer before any route answers. */
    private static final Set<Integer> OF_HTTP = Set.of(400, 401, 404, 405, 413, 429);

    /** Required by the definition, left out by the server when zero. */
    private static final Set<String> LEFT_OUT_WHEN_ZERO = Set.of("/genesis/timestamp");

    /** Not in the definition, but what the server answers. */
    private static final Set<String> ANSWERED =
            Set.of("POST /v2/shutdown 501", "POST /v2/node/shutdown 501");

    private final JsonNode definition;
    private final Set<String> met = new TreeSet<>();

    private ApiContract(JsonNode definition) {
        this.definition = definition;
    }

    /** Reads the definition; where it is absent, the calling test is skipped. */
    static ApiContract read() {
        Path path =
                Path.of(System.getProperty("topspin.vectors", "../shared/vectors"))
                        .resolveSibling("spec")
                        .resolve("algod-api.json");
        Assumptions.assumeTrue(Files.exists(path), () -> "no definition of the API at " + path);
        try {
            return new ApiContract(JSON.readTree(Files.readString(path)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The operations that answers were held against. */
    Set<String> met() {
        return met;
    }

    /** What is wrong with an answer; empty if nothing is. */
    List<String> violations(String method, String target, RawClient.Answer answer) {
        List<String> found = new ArrayList<>();
        String operation = operation(method, target);
        if (operation == null) {
            return found;
        }
        JsonNode responses = definition.get("operations").get(operation).get("responses");
        JsonNode response = responses.get(Integer.toString(answer.status()));
        if (response == null
                && !responses.has("default")
                && !OF_HTTP.contains(answer.status())
                && !ANSWERED.contains(operation + " " + answer.status())) {
            found.add(operation + " answers " + answer.status() + ", which is not defined");
        }
        boolean json =
                answer.header("Content-Type").equals("application/json")
                        && answer.header("Content-Encoding").isEmpty();
        if (!json || method.equals("HEAD")) {
            return found;
        }
        met.add(operation);
        try {
            JsonNode body = JSON.readTree(answer.body());
            if (answer.status() >= 400) {
                // Readiness is told by the status alone.
                if (!body.isNull()) {
                    check("ErrorResponse", body, operation, found);
                }
            } else if (response != null && response.has("response")) {
                named(response.get("response").textValue(), body, operation, found);
            }
        } catch (IOException malformed) {
            found.add(operation + ": no JSON: " + answer.text());
        }
        return found;
    }

    private @Nullable String operation(String method, String target) {
        String path = target.replaceFirst("\\?.*", "").replaceFirst("(.)/$", "$1");
        String best = null;
        for (var entry : definition.get("operations").properties()) {
            String[] words = entry.getKey().split(" ", 2);
            String pattern = words[1].replaceAll("\\{[^}]*}", "[^/]+");
            boolean more = best == null || best.contains("{") && !entry.getKey().contains("{");
            if (words[0].equals(method) && path.matches(pattern) && more) {
                best = entry.getKey();
            }
        }
        return best;
    }

    private void named(String name, JsonNode value, String at, List<String> found) {
        JsonNode response = definition.get("responses").get(name);
        if (response == null) {
            check(name, value, at, found);
        } else if (response.isTextual()) {
            boolean list = response.textValue().endsWith("[]");
            if (!(list && value.isNull())) { // As the server answers where there is none.
                check(response.textValue(), value, at, found);
            }
        } else {
            object(response, value, at, found);
        }
    }

    private void object(JsonNode fields, JsonNode value, String at, List<String> found) {
        if (!value.isObject()) {
            found.add(at + " is no object: " + value);
            return;
        }
        for (var field : fields.properties()) {
            String place = at.replaceFirst("^[A-Z]+ ", "") + "/" + field.getKey();
            JsonNode type = field.getValue();
            JsonNode content = value.get(field.getKey());
            boolean optional = type.isTextual() && type.textValue().endsWith("?");
            if (content == null) {
                if (!optional && !LEFT_OUT_WHEN_ZERO.contains(place)) {
                    found.add(place + " is missing");
                }
            } else if (type.isTextual()) {
                check(type.textValue().replaceFirst("\\?$", ""), content, place, found);
            } else if (type.isObject()) {
                object(type.has("object") ? type.get("object") : type, content, place, found);
            }
        }
        value.fieldNames()
                .forEachRemaining(
                        name -> {
                            if (!fields.has(name)) {
                                found.add(at + "/" + name + " is not defined");
                            }
                        });
    }

    private void check(String type, JsonNode value, String at, List<String> found) {
        if (type.endsWith("[]")) {
            if (!value.isArray()) {
                found.add(at + " is no list: " + value);
                return;
            }
            String element = type.substring(0, type.length() - 2);
            for (int i = 0; i < value.size(); i++) {
                check(element, value.get(i), at + "/" + i, found);
            }
            return;
        }
        int brace = type.indexOf('{');
        String plain = brace < 0 ? type : type.substring(0, brace);
        boolean right =
                switch (plain) {
                    case "string" -> value.isTextual() && isOneOf(type, brace, value.textValue());
                    case "boolean" -> value.isBoolean();
                    case "base64" -> value.isTextual() && isBase64(value.textValue());
                    case "integer", "uint64" ->
                            value.isIntegralNumber()
                                    && value.bigIntegerValue().signum() >= 0
                                    && value.bigIntegerValue().compareTo(UINT64_MAX) < 0;
                    case "map" -> value.isObject();
                    default -> {
                        schema(plain, value, at, found);
                        yield true;
                    }
                };
        if (!right) {
            found.add(at + " is no " + type + ": " + value);
        }
    }

    private void schema(String name, JsonNode value, String at, List<String> found) {
        JsonNode schema = definition.get("schemas").get(name);
        if (schema == null) {
            found.add(at + " has a type without definition: " + name);
        } else if (schema.isTextual()) {
            check(schema.textValue(), value, at, found);
        } else {
            object(schema, value, at, found);
        }
    }

    private static boolean isOneOf(String type, int brace, String value) {
        return brace < 0
                || List.of(type.substring(brace + 1, type.length() - 1).split("\\|", -1))
                        .contains(value);
    }

    private static boolean isBase64(String text) {
        try {
            Base64.getDecoder().decode(text);
            return true;
        } catch (IllegalArgumentException no) {
            return false;
        }
    }
}
