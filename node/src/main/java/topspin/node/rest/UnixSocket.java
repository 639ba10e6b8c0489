package topspin.node.rest;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The file of a Unix socket. Nobody else may open it at any moment: it is bound in a folder of mode
 * 0700, given mode 0600, and only then moved to its place. Where the path is longer than the system
 * takes, the socket stays in that folder, below the runtime folder, and a link stands in its place.
 */
final class UnixSocket {
    /** The system's own limit is 104 to 108 bytes. */
    private static final int PATH_BYTES_MAX = 100;

    private static final String PREFIX = ".ts";

    private final Path path;
    private final Path folder;
    private final Path bound;
    private final boolean linked;
    private boolean published;

    private UnixSocket(Path path, Path folder, boolean linked) {
        this.path = path;
        this.folder = folder;
        this.bound = folder.resolve("s");
        this.linked = linked;
    }

    /** Prepares a place to bind to. */
    static UnixSocket at(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        Path parent = absolute.getParent();
        if (parent == null) {
            throw new IOException("no folder holds " + path);
        }
        // A temporary folder's name: the prefix and up to 20 digits.
        int longest = bytes(parent.resolve(PREFIX + "01234567890123456789")) + 2;
        boolean linked = Math.max(longest, bytes(absolute)) > PATH_BYTES_MAX;
        // The JDK makes temporary folders with mode 0700.
        Path folder =
                linked
                        ? Files.createTempDirectory(runtimeFolder(), PREFIX)
                        : Files.createTempDirectory(parent, PREFIX);
        return new UnixSocket(absolute, folder, linked);
    }

    UnixDomainSocketAddress bindAddress() {
        return UnixDomainSocketAddress.of(bound);
    }

    /** After binding: makes the socket reachable under its path, in place of what stood there. */
    void publish() throws IOException {
        Files.setPosixFilePermissions(bound, PosixFilePermissions.fromString("rw-------"));
        if (linked) {
            Files.deleteIfExists(path);
            Files.createSymbolicLink(path, bound);
        } else {
            Files.move(bound, path, StandardCopyOption.ATOMIC_MOVE);
            Files.delete(folder);
        }
        published = true;
    }

    /** Removes what {@link #at} and {@link #publish} left, as far as it is there. */
    void remove() throws IOException {
        if (published) {
            Files.deleteIfExists(path);
        }
        Files.deleteIfExists(bound);
        Files.deleteIfExists(folder);
    }

    private static Path runtimeFolder() {
        String runtime = System.getenv("XDG_RUNTIME_DIR");
        return Path.of(
                runtime != null && Files.isWritable(Path.of(runtime))
                        ? runtime
                        : System.getProperty("java.io.tmpdir"));
    }

    private static int bytes(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8).length;
    }
}
