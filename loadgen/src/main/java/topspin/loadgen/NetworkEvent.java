package topspin.loadgen;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What somebody did to a node of a local network while a load ran: paused it, killed it.
 *
 * @param seconds from the beginning of the measured window
 * @param event what was done
 * @param node to whom
 */
record NetworkEvent(double seconds, String event, String node) {
    /** Where {@code topspin network} notes them, in the network's folder: a JSON object a line. */
    static final String FILE = "events.jsonl";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /**
     * Those of a network that fall into a time, by the machine's clock.
     *
     * @param folder of the network; what cannot be read in it is no event
     */
    static List<NetworkEvent> within(Path folder, long startMillis, long endMillis) {
        var events = new ArrayList<NetworkEvent>();
        for (String line : lines(folder.resolve(FILE))) {
            try {
                JsonNode noted = JSON.readTree(line);
                long at = noted.path("at_ms").asLong();
                if (at >= startMillis && at <= endMillis) {
                    events.add(
                            new NetworkEvent(
                                    (at - startMillis) / 1e3,
                                    noted.path("event").asText(),
                                    noted.path("node").asText()));
                }
            } catch (JsonProcessingException torn) {
                continue; // Its writer was ended in the middle.
            }
        }
        return events;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (NoSuchFileException none) {
            return List.of();
        } catch (IOException unreadable) {
            System.getLogger(NetworkEvent.class.getName())
                    .log(System.Logger.Level.WARNING, file + ": " + unreadable.getMessage());
            return List.of();
        }
    }
}
