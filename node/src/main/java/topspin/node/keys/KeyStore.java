package topspin.node.keys;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.Digest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The participation keys of a node: a folder of files, one for each set of keys, which only its
 * owner may read. Any thread; there are few keys, so all are held in memory.
 */
public final class KeyStore {
    private static final String SUFFIX = ".partkey";

    /** Most sets of keys that a node keeps: more than anybody has, and a bound. */
    public static final int KEYS_MAX = 1024;

    private record Held(ParticipationKeys keys, Path file) {}

    private final Path folder;
    private final Map<Digest, Held> held = new LinkedHashMap<>();

    private KeyStore(Path folder) {
        this.folder = folder;
    }

    /**
     * Opens a folder, and makes it when it is not there.
     *
     * @throws KeyFault naming a file in it that holds no keys
     * @throws IOException when the machine refuses
     */
    public static KeyStore open(Path folder) throws IOException, KeyFault {
        Files.createDirectories(
                folder,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        KeyStore store = new KeyStore(folder);
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(file -> file.toString().endsWith(SUFFIX)).sorted().toList();
        }
        for (Path file : files) {
            ParticipationKeys keys;
            try {
                keys = PartKeyFile.read(Files.readAllBytes(file));
            } catch (KeyFault wrong) {
                throw new KeyFault(
                        file + ": " + wrong.reason() + "; move it elsewhere to start without it");
            }
            store.held.putIfAbsent(keys.id(), new Held(keys, file));
        }
        return store;
    }

    /** All keys, by account, then first round. */
    public synchronized List<ParticipationKeys> list() {
        return held.values().stream()
                .map(Held::keys)
                .sorted(
                        Comparator.comparing(ParticipationKeys::account)
                                .thenComparing(ParticipationKeys::firstValid)
                                .thenComparing(ParticipationKeys::id))
                .toList();
    }

    /** The keys of an id, or null. */
    public synchronized @Nullable ParticipationKeys find(Digest id) {
        Held found = held.get(id);
        return found == null ? null : found.keys;
    }

    /**
     * Takes the content of a key file. Durable when this returns.
     *
     * @throws KeyFault when it holds no keys, or keys that are here already
     * @throws UncheckedIOException when the machine refuses
     */
    public ParticipationKeys install(byte[] file) throws KeyFault {
        return add(PartKeyFile.read(file), file);
    }

    /**
     * Takes new keys, as {@link #install} does.
     *
     * @throws KeyFault when there are too many
     */
    public ParticipationKeys install(ParticipationKeys keys) throws KeyFault {
        return add(keys, PartKeyFile.write(keys));
    }

    private synchronized ParticipationKeys add(ParticipationKeys keys, byte[] content)
            throws KeyFault {
        if (held.containsKey(keys.id())) {
            throw new KeyFault(
                    "ParticipationRegistry: cannot register duplicate participation key");
        }
        if (held.size() == KEYS_MAX) {
            throw new KeyFault("this node keeps at most " + KEYS_MAX + " participation keys");
        }
        Path file = folder.resolve(keys.id() + SUFFIX);
        try {
            write(file, content);
        } catch (IOException refused) {
            throw new UncheckedIOException("cannot write " + file, refused);
        }
        held.put(keys.id(), new Held(keys, file));
        return keys;
    }

    /**
     * Puts what is left of the secrets of one-time signatures in the place of those that are
     * stored; does nothing for keys that are gone. Durable when this returns. State-proof secrets
     * that a file may have come with are not kept.
     *
     * @param voting in the reference's msgpack
     * @throws UncheckedIOException when the machine refuses
     */
    public synchronized void replaceVoting(Digest id, Bytes voting) {
        Held before = held.get(id);
        if (before == null) {
            return;
        }
        ParticipationKeys left = before.keys.withVoting(voting);
        try {
            write(before.file, PartKeyFile.write(left));
        } catch (IOException refused) {
            throw new UncheckedIOException("cannot write " + before.file, refused);
        }
        held.put(id, new Held(left, before.file));
    }

    private void write(Path file, byte[] content) throws IOException {
        // The JDK makes temporary files with mode 0600.
        Path fresh = Files.createTempFile(folder, "new", "");
        try {
            try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                java.nio.ByteBuffer rest = java.nio.ByteBuffer.wrap(content);
                while (rest.hasRemaining()) {
                    channel.write(rest);
                }
                channel.force(true);
            }
            Files.move(
                    fresh,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
        try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
            directory.force(true);
        }
    }

    /**
     * Deletes keys, and their file.
     *
     * @return false when there are none of that id
     * @throws UncheckedIOException when the machine refuses
     */
    public synchronized boolean remove(Digest id) {
        Held found = held.get(id);
        if (found == null) {
            return false;
        }
        try {
            Files.deleteIfExists(found.file);
        } catch (IOException refused) {
            throw new UncheckedIOException("cannot delete " + found.file, refused);
        }
        held.remove(id);
        return true;
    }
}
