package topspin.ledger.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder with all that is in it, such as a ledger's. */
public final class FolderTree {
    private FolderTree() {}

    /**
     * Deletes it, if it is there; links are deleted, not followed. What somebody else deletes
     * meanwhile is no fault.
     *
     * @throws IOException when the machine refuses; then some of it stays
     */
    public static void delete(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
