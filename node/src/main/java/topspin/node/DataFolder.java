package topspin.node;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The folder of one running node (cli.md, section 3), locked against a second process for as long
 * as it is open. The files that existing tools read appear when the node serves and go when it
 * stops; tokens, genesis and settings stay.
 */
public final class DataFolder implements AutoCloseable {
    /** Where tools look for the files of the key daemon. */
    static final String KMD_FOLDER = "kmd-v0.5";

    private static final String CONSENSUS = "consensus.json";

    private static final Set<PosixFilePermission> PRIVATE =
            PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> PRIVATE_FOLDER =
            PosixFilePermissions.fromString("rwx------");
    private static final int GENESIS_BYTES_MAX = 64 << 20;
    private static final int TOKEN_FILE_BYTES_MAX = 4096;

    private final Path folder;
    private final FileChannel lockFile;
    private final FileLock lock;

    private DataFolder(Path folder, FileChannel lockFile, FileLock lock) {
        this.folder = folder;
        this.lockFile = lockFile;
        this.lock = lock;
    }

    /**
     * Opens and locks a folder that exists.
     *
     * @throws NodeFault if it is missing, not ours to write, or in use
     */
    public static DataFolder open(Path folder) throws NodeFault {
        if (!Files.isDirectory(folder)) {
            throw NodeFault.configuration(
                    folder + ": no such folder; make one with 'topspin node init --data DIR'");
        }
        FileChannel lockFile = null;
        try {
            lockFile = lockFile(folder.resolve("algod.lock"));
            FileLock lock = lockFile.tryLock();
            if (lock != null) {
                return new DataFolder(folder, lockFile, lock);
            }
            lockFile.close();
            throw inUse(folder, null);
        } catch (OverlappingFileLockException ours) {
            closeQuietly(lockFile);
            throw inUse(folder, ours);
        } catch (IOException refused) {
            closeQuietly(lockFile);
            throw refused(folder, "used", refused);
        }
    }

    private static FileChannel lockFile(Path file) throws IOException {
        return FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PRIVATE));
    }

    private static NodeFault inUse(Path folder, @Nullable Throwable why) {
        return NodeFault.machine(
                folder + ": in use by another node; stop that one or choose another --data", why);
    }

    private static void closeQuietly(@Nullable FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException alreadyFailing) {
                // What made us close it is told; this adds nothing.
            }
        }
    }

    public Path path() {
        return folder;
    }

    public Path ledger() {
        return folder.resolve("ledger");
    }

    /** Participation keys. */
    public Path keys() {
        return keys(folder);
    }

    /** Where a node's participation keys are. */
    public static Path keys(Path folder) {
        return folder.resolve("keys");
    }

    public Path configFile() {
        return folder.resolve("config.json");
    }

    public Path socket() {
        return folder.resolve("topspin.sock");
    }

    public Path log() {
        return folder.resolve("node.log");
    }

    /**
     * The text of {@code genesis.json}.
     *
     * @throws NodeFault if there is none
     */
    public String genesisText() throws NodeFault {
        Path file = folder.resolve("genesis.json");
        try {
            if (Files.size(file) > GENESIS_BYTES_MAX) {
                throw NodeFault.configuration(
                        file + ": larger than " + GENESIS_BYTES_MAX + " bytes");
            }
            return Files.readString(file);
        } catch (NoSuchFileException absent) {
            throw NodeFault.configuration(
                    file + ": missing; make one with 'topspin node init --data DIR'", absent);
        } catch (IOException unreadable) {
            throw NodeFault.machine(file + ": cannot be read: " + reason(unreadable), unreadable);
        }
    }

    /**
     * The text of {@code consensus.json}, which puts protocol versions over the built-in ones;
     * empty when there is none.
     *
     * @throws NodeFault if it cannot be read
     */
    public Optional<String> consensusText() throws NodeFault {
        Path file = folder.resolve(CONSENSUS);
        try {
            return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
        } catch (IOException unreadable) {
            throw NodeFault.machine(file + ": cannot be read: " + reason(unreadable), unreadable);
        }
    }

    /**
     * Reads the tokens, making those that are missing, as files only their owner may read.
     *
     * @param publicNeedsToken false leaves {@code algod.token} alone
     */
    public Tokens tokens(boolean publicNeedsToken, RandomGenerator random) throws NodeFault {
        Optional<String> api =
                publicNeedsToken ? Optional.of(token("algod.token", random)) : Optional.empty();
        return new Tokens(api, token("algod.admin.token", random));
    }

    private String token(String name, RandomGenerator random) throws NodeFault {
        Path file = folder.resolve(name);
        try {
            if (!Files.exists(file)) {
                write(file, Tokens.random(random));
            }
            if (Files.size(file) > TOKEN_FILE_BYTES_MAX) {
                throw new IllegalArgumentException(
                        "larger than " + TOKEN_FILE_BYTES_MAX + " bytes");
            }
            String text = Files.readString(file);
            int end = text.indexOf('\n');
            return Tokens.check(end < 0 ? text : text.substring(0, end));
        } catch (IllegalArgumentException wrong) {
            throw NodeFault.configuration(file + ": " + wrong.getMessage(), wrong);
        } catch (IOException refused) {
            throw refused(file, "used", refused);
        }
    }

    /**
     * Tells other programs where the node is: {@code algod.net}, {@code algod-listen.net}, {@code
     * algod.pid}.
     *
     * @param rest {@code HOST:PORT}
     * @param gossip a multiaddr
     */
    public void announce(String rest, String gossip, long pid) throws NodeFault {
        try {
            write(folder.resolve("algod.pid"), pid + "\n");
            write(folder.resolve("algod-listen.net"), gossip + "\n");
            write(
                    folder.resolve("algod.net"),
                    rest + "\n"); // Last: who waits for it finds the rest.
        } catch (IOException refused) {
            throw refused(folder, "written", refused);
        }
    }

    /**
     * Tells other programs where the key daemon is: {@code kmd.net} and {@code kmd.token}, in the
     * folder where they look for it.
     *
     * @param address {@code HOST:PORT}
     */
    void announceKmd(String address, String token) throws NodeFault {
        Path home = folder.resolve(KMD_FOLDER);
        try {
            Files.createDirectories(home, PosixFilePermissions.asFileAttribute(PRIVATE_FOLDER));
            write(home.resolve("kmd.token"), token);
            write(home.resolve("kmd.net"), address + "\n");
        } catch (IOException refused) {
            throw refused(home, "written", refused);
        }
    }

    /** Whole or not at all, and never readable by others in between. */
    private static void write(Path file, String text) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Path draft =
                Files.createTempFile(
                        folder, ".write", null, PosixFilePermissions.asFileAttribute(PRIVATE));
        try {
            Files.writeString(draft, text);
            Files.move(
                    draft,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    /**
     * Makes a folder and writes what a node needs to start: the genesis, and settings when they
     * differ from the default.
     *
     * @throws NodeFault if the folder already holds a genesis, or cannot be written
     */
    public static void create(Path folder, String genesisJson, NodeConfig config) throws NodeFault {
        if (Files.exists(folder.resolve("genesis.json"))) {
            throw NodeFault.configuration(folder + ": holds a node already");
        }
        try {
            Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(PRIVATE_FOLDER));
            write(folder.resolve("config.json"), config.toJson());
            write(folder.resolve("genesis.json"), genesisJson);
        } catch (IOException refused) {
            throw refused(folder, "written", refused);
        }
    }

    /** Puts protocol versions beside the built-in ones, into a folder whose node does not run. */
    public static void writeConsensus(Path folder, String json) throws NodeFault {
        try {
            write(folder.resolve(CONSENSUS), json);
        } catch (IOException refused) {
            throw refused(folder, "written", refused);
        }
    }

    /** Puts a token into a folder whose node does not run. */
    public static void writeTokens(Path folder, Tokens tokens) throws NodeFault {
        try {
            if (tokens.api().isPresent()) {
                write(folder.resolve("algod.token"), tokens.api().get());
            }
            write(folder.resolve("algod.admin.token"), tokens.admin());
        } catch (IOException refused) {
            throw refused(folder, "written", refused);
        }
    }

    /** A fault of the machine: what it refuses to do with a file or folder, and what to do. */
    private static NodeFault refused(Path path, String what, IOException refused) {
        return NodeFault.machine(
                path
                        + ": cannot be "
                        + what
                        + ": "
                        + reason(refused)
                        + "; check its permissions and its disk, then start again",
                refused);
    }

    /** Why a file was refused, for a line that names the file already. */
    public static String reason(IOException refused) {
        if (refused instanceof NoSuchFileException) {
            return "no such file";
        }
        if (refused instanceof AccessDeniedException) {
            return "access denied";
        }
        if (refused instanceof CharacterCodingException) {
            return "it is no UTF-8 text";
        }
        if (refused instanceof NotDirectoryException) {
            return "it is no folder";
        }
        if (refused instanceof FileAlreadyExistsException) {
            return "a file of that name is in the way";
        }
        // A file system's message without a reason is but the path, which the caller names.
        String message =
                refused instanceof FileSystemException file
                        ? file.getReason()
                        : refused.getMessage();
        return message == null ? refused.getClass().getSimpleName() : message;
    }

    /** Takes the announcements back and unlocks. */
    @Override
    public void close() {
        try (lockFile;
                lock) {
            for (String name :
                    new String[] {
                        "algod.net", "algod-listen.net", "algod.pid", KMD_FOLDER + "/kmd.net"
                    }) {
                Files.deleteIfExists(folder.resolve(name));
            }
        } catch (IOException refused) {
            System.getLogger(DataFolder.class.getName())
                    .log(System.Logger.Level.WARNING, "{0}: {1}", folder, reason(refused));
        }
    }
}
