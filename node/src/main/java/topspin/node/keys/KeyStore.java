package topspin.node.keys;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.OneTimeSecrets;
import topspin.codec.crypto.OneTimeSecrets.Position;
import topspin.codec.msgpack.MalformedMessage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The participation keys of a node: a folder of files, one for each set of keys, which only its
 * owner may read. Beside each that is at work lies one with the keys of single rounds, in which
 * those of rounds that are over are erased in their place, and one that tells what they were used
 * for. Any thread; there are few keys, so all are held in memory.
 */
public final class KeyStore {
    private static final String SUFFIX = ".partkey";
    private static final String ROUNDS_SUFFIX = ".rounds";
    private static final String USE_SUFFIX = ".use";
    private static final byte[] ERASED = new byte[OneTimeSecrets.ROUND_BYTES];

    /** Most sets of keys that a node keeps: more than anybody has, and a bound. */
    public static final int KEYS_MAX = 1024;

    /**
     * Keys and where they are.
     *
     * @param first what the file of rounds began with, or null if this store has written none
     * @param erased how many of those are erased by now
     */
    private record Held(ParticipationKeys keys, Path file, @Nullable Position first, int erased) {
        Held(ParticipationKeys keys, Path file) {
            this(keys, file, null, 0);
        }

        Path rounds() {
            return beside(ROUNDS_SUFFIX);
        }

        Path use() {
            return beside(USE_SUFFIX);
        }

        private Path beside(String suffix) {
            String name = file.getFileName().toString();
            String stem = name.substring(0, name.length() - SUFFIX.length());
            return file.resolveSibling(stem + suffix);
        }
    }

    private final Path folder;
    private final Map<Digest, Held> held = new LinkedHashMap<>();
    private final KeyUses uses = new KeyUses();

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
            Held found = new Held(keys, file);
            if (Files.exists(found.rounds())) {
                found = new Held(withRounds(keys, found.rounds()), file);
            }
            if (store.held.putIfAbsent(keys.id(), found) == null) {
                store.uses.add(keys, found.use());
            }
        }
        return store;
    }

    /** The keys with what the file of rounds has left of the batch under way. */
    private static ParticipationKeys withRounds(ParticipationKeys keys, Path rounds)
            throws IOException, KeyFault {
        byte[] stored = Files.readAllBytes(rounds);
        try (OneTimeSecrets secrets = secrets(keys.voting())) {
            secrets.takeRounds(stored);
            return keys.withVoting(Bytes.of(secrets.encode()));
        } catch (MalformedMessage none) {
            throw new KeyFault(
                    rounds + ": " + none.getMessage() + "; move it elsewhere to start without it");
        } finally {
            Arrays.fill(stored, (byte) 0);
        }
    }

    private static OneTimeSecrets secrets(Bytes voting) throws MalformedMessage {
        return OneTimeSecrets.decode(
                voting.array(), voting.offset(), voting.length(), new SecureRandom());
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
        Held added = new Held(keys, folder.resolve(keys.id() + SUFFIX));
        try {
            write(added.file, content);
            uses.add(keys, added.use());
        } catch (IOException refused) {
            throw new UncheckedIOException("cannot write " + added.file, refused);
        }
        held.put(keys.id(), added);
        return keys;
    }

    /**
     * Erases what may not sign any more from the batch under way; does nothing for keys that are
     * gone. Durable when this returns.
     *
     * @return false if another batch is under way than the stored one: {@link #replaceVoting}
     * @throws UncheckedIOException when the machine refuses
     */
    public synchronized boolean erase(Digest id, Position left) {
        Held before = held.get(id);
        if (before == null) {
            return true;
        }
        Position first = before.first;
        if (first == null || first.firstBatch() != left.firstBatch()) {
            return false;
        }
        int over = first.rounds() - left.rounds();
        if (over > before.erased) {
            try (FileChannel file = FileChannel.open(before.rounds(), StandardOpenOption.WRITE)) {
                for (int round = before.erased; round < over; round++) {
                    ByteBuffer nothing = ByteBuffer.wrap(ERASED);
                    long at = (1L + round) * ERASED.length;
                    while (nothing.hasRemaining()) {
                        file.write(nothing, at + nothing.position());
                    }
                }
                file.force(false);
            } catch (IOException refused) {
                throw new UncheckedIOException("cannot write " + before.rounds(), refused);
            }
            held.put(id, new Held(before.keys, before.file, first, over));
        }
        return true;
    }

    /**
     * Puts what is left of the secrets of one-time signatures in the place of those that are
     * stored; does nothing for keys that are gone. Durable when this returns; from then on this
     * store does not know the secrets of single rounds any more. State-proof secrets that a file
     * may have come with are not kept.
     *
     * @param voting in the reference's msgpack
     * @throws UncheckedIOException when the machine refuses
     */
    public synchronized void replaceVoting(Digest id, Bytes voting) {
        Held before = held.get(id);
        if (before == null) {
            return;
        }
        try (OneTimeSecrets secrets = secrets(voting)) {
            // In this order: the batch is in either, or in both, where the rounds prevail.
            byte[] rounds = secrets.encodeRounds();
            write(before.rounds(), rounds);
            Arrays.fill(rounds, (byte) 0);
            ParticipationKeys left = before.keys.withVoting(Bytes.of(secrets.encodeBatches()));
            write(before.file, PartKeyFile.write(left));
            held.put(id, new Held(left, before.file, secrets.position(), 0));
        } catch (MalformedMessage none) {
            throw new IllegalArgumentException("no secrets of " + id, none);
        } catch (IOException refused) {
            throw new UncheckedIOException("cannot write " + before.file, refused);
        }
    }

    /** What the keys were used for, as far as this node knows. */
    public KeyUses uses() {
        return uses;
    }

    /**
     * Writes down what the keys were used for, so that it is known after a restart.
     *
     * @throws UncheckedIOException when the machine refuses
     */
    public synchronized void storeUses() {
        try {
            uses.store();
        } catch (IOException refused) {
            throw new UncheckedIOException("cannot write to " + folder, refused);
        }
    }

    private void write(Path file, byte[] content) throws IOException {
        // The JDK makes temporary files with mode 0600.
        Path fresh = Files.createTempFile(folder, "new", "");
        try {
            try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                ByteBuffer rest = ByteBuffer.wrap(content);
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
            Files.deleteIfExists(found.rounds());
            Files.deleteIfExists(found.use());
        } catch (IOException refused) {
            throw new UncheckedIOException("cannot delete " + found.file, refused);
        }
        held.remove(id);
        uses.remove(id);
        return true;
    }
}
