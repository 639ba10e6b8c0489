package topspin.net.p2p;

import static java.nio.charset.StandardCharsets.US_ASCII;

import topspin.codec.crypto.Ed25519.KeyPair;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/**
 * The file in which a node keeps who it is: an Ed25519 private key as PKCS#8 in PEM, as the
 * reference node keeps its own (gossip.md A.4).
 */
public final class KeyFile {
    /** What the file is called in a node's folder. */
    public static final String NAME = "peerIDPrivKey.key";

    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String END = "-----END PRIVATE KEY-----";
    private static final int SEED_BYTES = 32;
    private static final int FILE_BYTES_MAX = 4_096;

    /** Everything of the PKCS#8 form in front of the seed. */
    private static final byte[] PREFIX =
            HexFormat.of().parseHex("302e020100300506032b657004220420");

    private KeyFile() {}

    /**
     * The key in the file; where there is none, a new one, which is kept there for the owner alone.
     *
     * @throws IOException if the file holds something else, or cannot be read or written
     */
    public static KeyPair open(Path file, SecureRandom random) throws IOException {
        try {
            return read(file);
        } catch (NoSuchFileException absent) {
            return create(file, random);
        }
    }

    private static KeyPair read(Path file) throws IOException {
        if (Files.size(file) > FILE_BYTES_MAX) {
            throw new IOException(file + ": too long for a private key");
        }
        String text = Files.readString(file, US_ASCII).strip();
        if (text.startsWith(BEGIN) && text.endsWith(END)) {
            String body = text.substring(BEGIN.length(), text.length() - END.length());
            byte[] key = decode(body.strip().replaceAll("\r?\n", ""));
            if (key.length == PREFIX.length + SEED_BYTES
                    && Arrays.equals(key, 0, PREFIX.length, PREFIX, 0, PREFIX.length)) {
                return KeyPair.fromSeed(Arrays.copyOfRange(key, PREFIX.length, key.length));
            }
        }
        throw new IOException(file + ": no Ed25519 private key in PEM");
    }

    private static byte[] decode(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException malformed) {
            return new byte[0];
        }
    }

    /**
     * Written whole beside it and then put in place: a key half written would be a lost identity.
     */
    private static KeyPair create(Path file, SecureRandom random) throws IOException {
        KeyPair pair = KeyPair.generate(random);
        byte[] key = Arrays.copyOf(PREFIX, PREFIX.length + SEED_BYTES);
        System.arraycopy(pair.seed(), 0, key, PREFIX.length, SEED_BYTES);
        String text = BEGIN + "\n" + Base64.getEncoder().encodeToString(key) + "\n" + END + "\n";
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(draft);
        Files.createFile(
                draft,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(draft, text, US_ASCII);
        if (Files.exists(file)) {
            throw new FileAlreadyExistsException(file.toString());
        }
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        return pair;
    }
}
