package topspin.node.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What long tests measured, kept in {@code node/target/figures.txt}. */
final class Figures {
    private static final Path FILE =
            Path.of(System.getProperty("topspin.root", ".."), "node/target/figures.txt");

    private Figures() {}

    /** Adds a line. */
    static synchronized void keep(String line) throws IOException {
        Files.createDirectories(FILE.getParent());
        Files.writeString(FILE, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
