package topspin.node.commands;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import picocli.CommandLine.Option;

import java.io.PrintStream;

/**
 * Where a command says what: results on stdout (text, or with {@code --json} one object), progress
 * on a terminal's stderr.
 */
public final class Output {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    @Option(
            names = "--json",
            description = "Print one JSON object on stdout and nothing else there.")
    private boolean json;

    private final PrintStream results = System.out;
    private final PrintStream remarks = System.err;

    public boolean isJson() {
        return json;
    }

    /** A line of the result, as text. Says nothing with {@code --json}. */
    public void line(String text) {
        if (!json) {
            results.println(text);
            results.flush();
        }
    }

    /** The result as JSON. Says nothing without {@code --json}. */
    public void object(JsonNode object) {
        if (json) {
            try {
                results.println(JSON.writeValueAsString(object));
            } catch (JsonProcessingException impossible) {
                throw new AssertionError("a tree is always writable", impossible);
            }
            results.flush();
        }
    }

    /** What goes on, for one who waits: only on a terminal. */
    public void progress(String text) {
        if (isTerminal()) {
            remarks.println(text);
        }
    }

    /** What an operator must know though the command goes on. */
    public void remark(String text) {
        remarks.println("topspin: " + text);
    }

    public static ObjectNode newObject() {
        return JSON.createObjectNode();
    }

    /** Whether stderr is a terminal: the launcher knows, since it stands between. */
    public static boolean isTerminal() {
        return Boolean.getBoolean("topspin.terminal");
    }
}
