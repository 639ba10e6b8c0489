package topspin.node;

import com.fasterxml.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What somebody did to nodes of a local network, and when: a file in the network's folder, one JSON
 * object a line, for the report of a load that is under way. Bounded: full, it starts afresh.
 */
public final class NetworkEvents {
    /** In the folder of the network. */
    public static final String FILE = "events.jsonl";

    /** Some thousand events. */
    private static final long BYTES_MAX = 256 << 10;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path file;

    private NetworkEvents(Path file) {
        this.file = file;
    }

    /** Those of the network in a folder. */
    public static NetworkEvents of(Path network) {
        return new NetworkEvents(network.resolve(FILE));
    }

    /**
     * Notes one.
     *
     * @param epochMillis when it was done, by the machine's clock
     * @param event what was done
     * @param node to whom
     * @throws IOException if the disk refuses
     */
    public void add(long epochMillis, String event, String node) throws IOException {
        String line =
                JSON.createObjectNode()
                        .put("at_ms", epochMillis)
                        .put("event", event)
                        .put("node", node)
                        .toString();
        boolean isFull = Files.exists(file) && Files.size(file) > BYTES_MAX;
        // One write of one line: of two at once neither is torn.
        Files.writeString(
                file,
                line + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                isFull ? StandardOpenOption.TRUNCATE_EXISTING : StandardOpenOption.APPEND);
    }
}
