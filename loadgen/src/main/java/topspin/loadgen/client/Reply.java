package topspin.loadgen.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import java.io.IOException;

/**
 * A whole reply. Owned by whoever asked.
 *
 * @param status 200 to 599
 * @param body its bytes, which may lie in an array that the next request with the same {@link Body}
 *     overwrites
 * @param atNanos when its last byte arrived, by the run's clock
 */
public record Reply(int status, Body body, long atNanos) {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    public boolean ok() {
        return status == 200;
    }

    public String text() {
        return new String(body.bytes(), 0, body.length(), UTF_8);
    }

    /**
     * The body as JSON.
     *
     * @throws IOException if it is none
     */
    public JsonNode json() throws IOException {
        return MAPPER.readTree(body.bytes(), 0, body.length());
    }

    /** What the node says of a refusal: the {@code message} of its error body, or all of it. */
    public String message() {
        return message(text());
    }

    /** The {@code message} of an error body, or all of it if it holds none. */
    public static String message(String text) {
        try {
            JsonNode message = MAPPER.readTree(text).path("message");
            return message.isTextual() ? message.textValue() : text.strip();
        } catch (JsonProcessingException e) {
            return text.strip();
        }
    }
}
