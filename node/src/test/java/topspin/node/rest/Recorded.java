package topspin.node.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;

/**
 * One request to the reference node and what it answered, as the shared vectors have it (README
 * there), and whether another answer says the same.
 */
record Recorded(JsonNode row) {
    /** Where a simulation tells why it failed. */
    private static final String FAILURE = "/txn-groups/0/failure-message";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Headers whose value a client may depend on. */
    private static final List<String> HEADERS =
            List.of(
                    "Content-Type",
                    "Content-Encoding",
                    "Allow",
                    "Access-Control-Allow-Origin",
                    "Access-Control-Allow-Methods",
                    "Access-Control-Allow-Headers",
                    "Access-Control-Allow-Private-Network",
                    "X-Algorand-Struct",
                    "Vary");

    /** A file of the recorded data; where it is absent, the calling test is skipped. */
    static Path file(String name) {
        Path path =
                Path.of(
                        System.getProperty("topspin.vectors", "../shared/vectors"),
                        "reference/rest",
                        name);
        Assumptions.assumeTrue(Files.exists(path), () -> "no recorded exchanges at " + path);
        return path;
    }

    /** The exchanges of one net in one file, in order. */
    static List<Recorded> of(String name, String net) {
        try {
            List<Recorded> rows = new ArrayList<>();
            for (String line : Files.readAllLines(file(name))) {
                JsonNode row = JSON.readTree(line);
                if (row.get("net").textValue().equals(net)) {
                    rows.add(new Recorded(row));
                }
            }
            return rows;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String name() {
        return row.get("name").textValue();
    }

    /** Net, number and name. */
    String step() {
        return row.get("net").textValue() + " " + row.get("step") + " " + name();
    }

    String method() {
        return row.get("request").get("method").textValue();
    }

    boolean isHead() {
        return row.get("request").get("method").textValue().equals("HEAD");
    }

    /** False where the reference closed the connection instead. */
    boolean isAnswered() {
        return !row.get("response").get("status").isNull();
    }

    String path() {
        return row.get("request").get("path").textValue();
    }

    /** The request as bytes. */
    byte[] request(String apiToken, String adminToken) {
        JsonNode request = row.get("request");
        StringBuilder head = new StringBuilder();
        head.append(request.get("method").textValue()).append(' ').append(path());
        head.append(" HTTP/1.1\r\nHost: node\r\n");
        request.get("headers")
                .properties()
                .forEach(
                        each ->
                                head.append(each.getKey())
                                        .append(": ")
                                        .append(each.getValue().textValue())
                                        .append("\r\n"));
        byte[] body = bodyBytes();
        if (body.length > 0 || !request.get("method").textValue().equals("GET")) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        String filled =
                head.append("\r\n")
                        .toString()
                        .replace("<api token>", apiToken)
                        .replace("<admin token>", adminToken)
                        .replace("<host>", "node");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(filled.getBytes(StandardCharsets.ISO_8859_1));
        out.writeBytes(body);
        return out.toByteArray();
    }

    /** The body of the request. */
    byte[] bodyBytes() {
        JsonNode request = row.get("request");
        if (request.has("body_hex")) {
            return HexFormat.of().parseHex(request.get("body_hex").textValue());
        }
        if (request.has("body_file")) {
            try {
                return Files.readAllBytes(file(request.get("body_file").textValue()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        if (request.has("body_len")) {
            byte[] body = new byte[request.get("body_len").intValue()];
            String content = row.get("depends").textValue();
            if (content.equals("body: newlines")) {
                Arrays.fill(body, (byte) '\n');
            } else if (content.equals("body: the byte 05 repeated")) {
                Arrays.fill(body, (byte) 5);
            } else {
                return largeNote(content);
            }
            return body;
        }
        return new byte[0];
    }

    /** {sig: 64 x 01, txn: {note: 200000 x n, type: pay}} in msgpack. */
    private static byte[] largeNote(String content) {
        if (!content.startsWith("body: {sig: 64 x 01, txn: {note: 200000 x n, type: pay}}")) {
            throw new IllegalArgumentException(content);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(HexFormat.of().parseHex("82a3736967c440" + "01".repeat(64)));
        out.writeBytes(HexFormat.of().parseHex("a374786e82a46e6f7465c600030d40"));
        out.writeBytes("n".repeat(200_000).getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(HexFormat.of().parseHex("a474797065a3706179"));
        return out.toByteArray();
    }

    /** What we want submitted where we refuse what the reference took; or null. */
    @Nullable Recorded instead() {
        JsonNode hex = row.get("request").get("instead_hex");
        if (hex == null) {
            return null;
        }
        ObjectNode copy = row.deepCopy();
        ObjectNode request = (ObjectNode) copy.get("request");
        request.set("body_hex", hex);
        request.remove("instead_hex");
        return new Recorded(copy);
    }

    /** How an answer differs from the recorded one; empty if it does not. */
    String difference(RawClient.Answer answer) {
        JsonNode expected = row.get("response");
        if (row.has("deviation")) {
            // What we want otherwise: the whole body is refused, and told where it ends.
            return answer.status() == 400 && answer.text().contains("msgpack decode error [pos ")
                    ? ""
                    : "not refused: " + answer.status() + " " + answer.text();
        }
        int status = expected.get("status").intValue();
        if (status != answer.status()) {
            return "status " + answer.status() + " not " + status + ": " + answer.text();
        }
        for (String name : HEADERS) {
            TreeSet<String> want = new TreeSet<>();
            for (JsonNode header : expected.get("headers")) {
                if (header.get(0).textValue().equalsIgnoreCase(name)) {
                    want.add(header.get(1).textValue());
                }
            }
            TreeSet<String> have = new TreeSet<>(answer.all(name));
            if (!want.equals(have)) {
                return name + " " + have + " not " + want;
            }
        }
        return bodyDifference(expected, answer);
    }

    private String bodyDifference(JsonNode expected, RawClient.Answer answer) {
        List<String> open = new ArrayList<>();
        row.path("volatile").forEach(pointer -> open.add(pointer.textValue()));
        byte[] body = answer.body();
        byte[] want =
                expected.has("body_hex")
                        ? HexFormat.of().parseHex(expected.get("body_hex").textValue())
                        : expected.get("body").textValue().getBytes(StandardCharsets.UTF_8);
        if (open.contains("") && !answer.header("Content-Type").equals("application/json")) {
            return "";
        }
        if (answer.header("Content-Encoding").equals("gzip")) {
            body = unzip(body);
            want = unzip(want);
        }
        String type = answer.header("Content-Type");
        if (type.equals("application/json")) {
            return jsonDifference(parse(want), parse(body), open);
        }
        if (Arrays.equals(want, body)) {
            return "";
        }
        HexFormat hex = HexFormat.of();
        return type.startsWith("text/")
                ? new String(body, StandardCharsets.UTF_8)
                        + "\n   not "
                        + new String(want, StandardCharsets.UTF_8)
                : hex.formatHex(body) + "\n   not " + hex.formatHex(want);
    }

    private String jsonDifference(JsonNode want, JsonNode have, List<String> open) {
        if (row.get("response").has("body_end")) {
            // A dump too long to be kept, of which the reason at its end is what counts.
            String end = row.get("response").get("body_end").textValue();
            String reason = end.substring(end.lastIndexOf("} invalid : "), end.lastIndexOf('"'));
            String text = have.path("message").asText();
            return text.endsWith(reason) ? "" : text + "\n   does not end with " + reason;
        }
        if (row.has("message_tail") && want.has("message")) {
            String tail = row.get("message_tail").textValue();
            String text = have.path("message").asText();
            return text.endsWith(tail) ? "" : text + "\n   does not end with " + tail;
        }
        if (row.has("message_tail") && !want.at(FAILURE).isMissingNode()) {
            String tail = row.get("message_tail").textValue();
            String text = have.at(FAILURE).asText();
            if (!text.endsWith(tail)) {
                return text + "\n   does not end with " + tail;
            }
            remove(want, FAILURE);
            remove(have, FAILURE);
        }
        if (open.contains("")) {
            return want.getNodeType() == have.getNodeType()
                            && (!want.isObject() || names(want).equals(names(have)))
                    ? ""
                    : "another shape: " + have + "\n   not " + want;
        }
        for (String pointer : open) {
            if (want.at(pointer).isMissingNode() != have.at(pointer).isMissingNode()) {
                return "of " + pointer + " one has none: " + have + "\n   not " + want;
            }
            remove(want, pointer);
            remove(have, pointer);
        }
        if (path().equals("/v2/participation") && want.isArray() && have.isArray()) {
            // In any order, as the reference's answers are.
            Set<JsonNode> wanted = new HashSet<>();
            want.forEach(wanted::add);
            Set<JsonNode> had = new HashSet<>();
            have.forEach(had::add);
            return wanted.equals(had) ? "" : have + "\n   not " + want;
        }
        return want.equals(have) ? "" : have + "\n   not " + want;
    }

    private static TreeSet<String> names(JsonNode object) {
        TreeSet<String> names = new TreeSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static void remove(JsonNode root, String pointer) {
        int slash = pointer.lastIndexOf('/');
        JsonNode parent = root.at(pointer.substring(0, slash));
        String last = pointer.substring(slash + 1);
        switch (parent) {
            case ObjectNode object -> object.remove(last);
            case ArrayNode array -> array.remove(Integer.parseInt(last));
            default -> throw new IllegalArgumentException(pointer + " of " + root);
        }
    }

    private static JsonNode parse(byte[] text) {
        try {
            return Objects.requireNonNull(JSON.readTree(text));
        } catch (IOException e) {
            String shown = new String(text, StandardCharsets.UTF_8);
            return JSON.getNodeFactory().textNode("no JSON: " + shown);
        }
    }

    private static byte[] unzip(byte[] zipped) {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(zipped))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
