package topspin.ledger.store;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A second, independent note of the last durable round, in a small file beside the store.
 *
 * <p>RocksDB ends its log at the first record that fails a check. That is right for the last one,
 * which a crash has torn and nobody was told of; if the log is damaged further back it silently
 * drops rounds that were reported durable. The note is written after each commit, so it never runs
 * ahead of the store: when the store is behind it, something is missing.
 */
public final class Witness implements AutoCloseable {
    /** What {@link #round} says when there is no note. */
    public static final long NOTHING = -1;

    private static final String FILE = "LAST_ROUND";
    private static final int DIGITS = 19;
    private static final int BYTES = DIGITS + 1;

    private final FileChannel file;
    private final long round;

    private Witness(FileChannel file, long round) {
        this.file = file;
        this.round = round;
    }

    /**
     * Reads what the folder's note says, and keeps the file open for more.
     *
     * @throws StoreFault when the file cannot be opened or read
     */
    public static Witness open(Path dir) {
        Path path = dir.resolve(FILE);
        FileChannel file = null;
        try {
            file =
                    FileChannel.open(
                            path,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE);
            var text = ByteBuffer.allocate(BYTES);
            while (text.hasRemaining() && file.read(text, text.position()) > 0) {
                // The file is twenty bytes; one read is usual.
            }
            return new Witness(file, parse(text.flip()));
        } catch (IOException refused) {
            closeQuietly(file);
            throw cannotWrite(path, refused);
        }
    }

    /** The last round noted when the file was opened, or {@link #NOTHING}. */
    public long round() {
        return round;
    }

    /** Notes a round that is durable. Not synced: it outlives the process, not the machine. */
    public void note(long durable) {
        byte[] text = "%019d%n".formatted(durable).getBytes(StandardCharsets.US_ASCII);
        try {
            file.write(ByteBuffer.wrap(text), 0);
        } catch (IOException refused) {
            throw cannotWrite(Path.of(FILE), refused);
        }
    }

    @Override
    public void close() {
        closeQuietly(file);
    }

    /** After a power cut the file may hold anything; what is no number says nothing. */
    private static long parse(ByteBuffer bytes) {
        String text = StandardCharsets.US_ASCII.decode(bytes).toString();
        if (!text.matches("[0-9]{" + DIGITS + "}\\n")) {
            return NOTHING;
        }
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException tooLarge) {
            return NOTHING;
        }
    }

    private static StoreFault cannotWrite(Path path, IOException refused) {
        return new StoreFault(
                StoreFault.Kind.IO,
                "cannot write "
                        + path
                        + " in the ledger folder: "
                        + refused
                        + "; check its permissions and its disk, then start again",
                refused);
    }

    private static void closeQuietly(@Nullable FileChannel file) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException ignored) {
            // Nothing hangs on it: each note went to the kernel when it was made.
        }
    }
}
