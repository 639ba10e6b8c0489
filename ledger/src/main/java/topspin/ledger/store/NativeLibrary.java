package topspin.ledger.store;

import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.util.Environment;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Loads RocksDB's native code, once a process.
 *
 * <p>The binding's own loader leaves its unpacked copy (15 MB) in the temporary folder for the
 * process to delete when it ends, which a killed process does not. Ours is deleted as soon as it is
 * mapped.
 */
final class NativeLibrary {
    private static boolean loaded;

    private NativeLibrary() {}

    /**
     * @throws StoreFault when this machine has no library or cannot load it
     */
    static synchronized void load() {
        if (loaded) {
            return;
        }
        String name = Environment.getJniLibraryFileName("rocksdb");
        Path dir = null;
        Path file = null;
        try (InputStream packed = RocksDB.class.getResourceAsStream("/" + name)) {
            if (packed == null) {
                throw unsupported(name, null);
            }
            dir = Files.createTempDirectory("topspin-");
            // The binding appends its "jni" to a name that has one already.
            file = dir.resolve(Environment.getJniLibraryFileName("rocksdbjni"));
            Files.copy(packed, file);
            RocksDB.loadLibrary(List.of(dir.toString()));
            loaded = true;
        } catch (IOException refused) {
            throw new StoreFault(
                    StoreFault.Kind.IO,
                    "cannot unpack RocksDB's library into the temporary folder (java.io.tmpdir): "
                            + refused
                            + "; make room there or name another folder",
                    refused);
        } catch (UnsatisfiedLinkError refused) {
            throw unsupported(name, refused);
        } finally {
            delete(file);
            delete(dir);
        }
    }

    private static StoreFault unsupported(String name, @Nullable Throwable cause) {
        return new StoreFault(
                StoreFault.Kind.PLATFORM,
                "RocksDB has no library "
                        + name
                        + " for "
                        + System.getProperty("os.name")
                        + " on "
                        + System.getProperty("os.arch")
                        + (cause == null ? "" : ": " + cause.getMessage())
                        + "; run on Linux (x64, arm64) or macOS (arm64)",
                cause);
    }

    private static void delete(@Nullable Path path) {
        try {
            if (path != null) {
                Files.deleteIfExists(path);
            }
        } catch (IOException stays) {
            path.toFile().deleteOnExit(); // Where a mapped file cannot be unlinked.
        }
    }
}
