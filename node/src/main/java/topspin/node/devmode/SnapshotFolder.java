package topspin.node.devmode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import topspin.codec.block.BlockHeader;
import topspin.ledger.store.FolderTree;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The snapshots of one node, each a folder: the ledger's files, the groups that waited, and what
 * there is to tell. Table files never change and are shared with the ledger by links, so that a
 * snapshot takes room only as the ledger moves on. One user at a time.
 */
public final class SnapshotFolder {
    /** Snapshots of one node; one of the same name takes the place of the old one. */
    public static final int SNAPSHOTS_MAX = 16;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String LEDGER = "ledger";
    private static final String POOL = "pool";
    private static final String FACTS = "snapshot.json";
    private static final String TABLE_FILE = ".sst";

    private final Path folder;

    /** Writes the ledger into a folder that is not there yet; returns its last header. */
    @FunctionalInterface
    interface LedgerCopy {
        BlockHeader into(Path folder) throws IOException;
    }

    /**
     * @param data the node's folder
     */
    public SnapshotFolder(Path data) {
        folder = data.resolve("snapshots");
    }

    /**
     * Refuses what is no name of a snapshot.
     *
     * @throws IllegalArgumentException with one line
     */
    public static void checkName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a snapshot's name has 1 to 64 letters, digits, _ or -, not '" + name + "'");
        }
    }

    /** All there are, by name. */
    public List<Snapshot> all() throws IOException {
        List<Snapshot> all = new ArrayList<>();
        for (String name : names()) {
            all.add(read(name));
        }
        return all;
    }

    private List<String> names() throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(path -> path.getFileName().toString())
                    .filter(name -> NAME.matcher(name).matches())
                    .sorted()
                    .toList();
        }
    }

    /**
     * The one of that name.
     *
     * @throws NoSuchElementException if there is none; the line names those there are
     */
    public Snapshot find(String name) throws IOException {
        checkName(name);
        List<String> names = names();
        if (!names.contains(name)) {
            throw new NoSuchElementException(
                    "no snapshot '"
                            + name
                            + "'; "
                            + (names.isEmpty()
                                    ? "there is none yet"
                                    : "there are: " + String.join(", ", names)));
        }
        return read(name);
    }

    /**
     * Keeps a snapshot, whole or not at all.
     *
     * @throws IllegalArgumentException for a bad name, or when there are too many
     */
    Snapshot keep(String name, List<byte[]> groups, BlockPacer.Time time, LedgerCopy copy)
            throws IOException {
        checkName(name);
        List<String> names = names();
        if (!names.contains(name) && names.size() >= SNAPSHOTS_MAX) {
            throw new IllegalArgumentException(
                    "there are "
                            + SNAPSHOTS_MAX
                            + " snapshots, as many as are kept; take a name again: "
                            + String.join(", ", names));
        }
        Files.createDirectories(
                folder,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path draft = folder.resolve(name + ".draft"); // Which is no name of a snapshot.
        FolderTree.delete(draft);
        Files.createDirectory(draft);
        BlockHeader last = copy.into(draft.resolve(LEDGER));
        writeGroups(draft.resolve(POOL), groups);
        Snapshot snapshot = new Snapshot(name, last.round(), last.timestamp(), groups.size(), time);
        JSON.writeValue(draft.resolve(FACTS).toFile(), facts(snapshot));
        FolderTree.delete(folder.resolve(name));
        Files.move(draft, folder.resolve(name));
        return snapshot;
    }

    /** The groups that waited, in order, each as the bytes it came in. */
    public List<byte[]> groups(String name) throws IOException {
        Path file = folder.resolve(name).resolve(POOL);
        List<byte[]> groups = new ArrayList<>();
        long left = Files.size(file);
        try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            while (left > 0) {
                int length = in.readInt();
                left -= Integer.BYTES + length;
                if (length < 0 || left < 0) {
                    throw new IOException(file + " is damaged");
                }
                groups.add(in.readNBytes(length));
            }
        }
        return groups;
    }

    private static void writeGroups(Path file, List<byte[]> groups) throws IOException {
        try (var out =
                new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            for (byte[] group : groups) {
                out.writeInt(group.length);
                out.write(group);
            }
        }
    }

    /** Puts a snapshot's ledger in the place of another, which nobody has open. */
    public void restore(String name, Path ledger) throws IOException {
        Path next = folder.resolve("ledger.next");
        FolderTree.delete(next);
        Files.createDirectories(next);
        try (Stream<Path> files = Files.list(folder.resolve(name).resolve(LEDGER))) {
            for (Path file : files.toList()) {
                share(file, next.resolve(file.getFileName()));
            }
        }
        FolderTree.delete(ledger);
        Files.move(next, ledger);
    }

    /** A table file never changes and may have two names; all others are written to. */
    private static void share(Path file, Path copy) throws IOException {
        if (file.toString().endsWith(TABLE_FILE)) {
            try {
                Files.createLink(copy, file);
                return;
            } catch (UnsupportedOperationException | FileSystemException noLinks) {
                // Then it is copied like the rest.
            }
        }
        Files.copy(file, copy);
    }

    private Snapshot read(String name) throws IOException {
        Path file = folder.resolve(name).resolve(FACTS);
        JsonNode facts = JSON.readTree(file.toFile());
        BlockPacer.Time time =
                new BlockPacer.Time(
                        optional(facts.path("offset")),
                        facts.path("shift").asLong(),
                        optional(facts.path("next")),
                        facts.path("jump").asLong());
        return new Snapshot(
                name,
                facts.path("round").asLong(),
                facts.path("timestamp").asLong(),
                facts.path("waiting").asInt(),
                time);
    }

    private static OptionalLong optional(JsonNode number) {
        return number.isIntegralNumber()
                ? OptionalLong.of(number.longValue())
                : OptionalLong.empty();
    }

    private static ObjectNode facts(Snapshot snapshot) {
        ObjectNode facts = JSON.createObjectNode();
        facts.put("round", snapshot.round());
        facts.put("timestamp", snapshot.timestamp());
        facts.put("waiting", snapshot.waiting());
        BlockPacer.Time time = snapshot.time();
        time.offset().ifPresent(offset -> facts.put("offset", offset));
        facts.put("shift", time.shift());
        time.next().ifPresent(next -> facts.put("next", next));
        facts.put("jump", time.jump());
        return facts;
    }
}
