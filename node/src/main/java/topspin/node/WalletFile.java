package topspin.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import topspin.codec.Address;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.codec.crypto.Mnemonic;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@code wallet.json} of a local network: the keys of its funded accounts, and those that a
 * developer imports. Mode 0600. The funded keys follow from the network's and the wallet's name, so
 * they are the same each time: they protect play money only.
 */
public final class WalletFile {
    private static final int ACCOUNTS_MAX = 10_000;
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private final Path file;
    private final List<Entry> entries;

    /**
     * An account we can sign for.
     *
     * @param mnemonic its 25 words, separated by single spaces
     */
    public record Entry(String name, Address address, String mnemonic) {
        /** The key pair; the caller closes it. */
        public KeyPair keyPair() {
            return KeyPair.fromSeed(Mnemonic.toSeed(mnemonic));
        }

        /** An account by its seed of 32 bytes. */
        public static Entry ofSeed(String name, byte[] seed) {
            try (KeyPair keys = KeyPair.fromSeed(seed)) {
                return new Entry(name, Address.of(keys.publicKey(), 0), Mnemonic.fromSeed(seed));
            }
        }
    }

    private WalletFile(Path file, List<Entry> entries) {
        this.file = file;
        this.entries = entries;
    }

    /** The account that a wallet of a template gets. */
    static Entry derive(String networkName, String walletName) {
        try {
            byte[] seed =
                    MessageDigest.getInstance("SHA-256")
                            .digest(
                                    ("topspin wallet " + networkName + "/" + walletName)
                                            .getBytes(StandardCharsets.UTF_8));
            return Entry.ofSeed(walletName, seed);
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every JDK has SHA-256", impossible);
        }
    }

    /** A new file with these accounts; nothing is written before {@link #save}. */
    static WalletFile of(Path file, List<Entry> entries) {
        return new WalletFile(file, new ArrayList<>(entries));
    }

    /**
     * Reads the file.
     *
     * @throws NodeFault if it is missing, or not a wallet
     */
    public static WalletFile read(Path file) throws NodeFault {
        try {
            JsonNode accounts = JSON.readTree(Files.readString(file)).path("accounts");
            List<Entry> entries = new ArrayList<>();
            for (JsonNode account : accounts) {
                Entry entry =
                        Entry.ofSeed(
                                account.path("name").asText(""),
                                Mnemonic.toSeed(account.path("mnemonic").asText("")));
                if (!entry.address().toString().equals(account.path("address").asText(""))) {
                    throw new IllegalArgumentException(
                            "the mnemonic of "
                                    + account.path("address").asText("")
                                    + " is another account's");
                }
                entries.add(entry);
            }
            return new WalletFile(file, entries);
        } catch (IllegalArgumentException wrong) {
            throw NodeFault.configuration(file + ": " + wrong.getMessage(), wrong);
        } catch (IOException unreadable) {
            throw NodeFault.configuration(
                    file + ": cannot be read: " + DataFolder.reason(unreadable), unreadable);
        }
    }

    public List<Entry> entries() {
        return List.copyOf(entries);
    }

    /** An account by its address or name. */
    public Optional<Entry> find(String addressOrName) {
        return entries.stream()
                .filter(
                        entry ->
                                entry.address().toString().equals(addressOrName)
                                        || entry.name().equals(addressOrName))
                .findFirst();
    }

    /**
     * Adds an account and writes the file.
     *
     * @throws NodeFault if it is there already, the file is full, or the disk refuses
     */
    public void add(Entry entry) throws NodeFault {
        if (find(entry.address().toString()).isPresent()) {
            throw NodeFault.configuration(file + " already holds " + entry.address());
        }
        if (!entry.name().isEmpty() && find(entry.name()).isPresent()) {
            throw NodeFault.configuration(
                    file + " already has an account named '" + entry.name() + "'");
        }
        if (entries.size() >= ACCOUNTS_MAX) {
            throw NodeFault.configuration(
                    file + " is full: it holds at most " + ACCOUNTS_MAX + " accounts");
        }
        entries.add(entry);
        save();
    }

    /** Writes the whole file or nothing, readable by its owner only. */
    void save() throws NodeFault {
        ObjectNode root = JSON.createObjectNode();
        ArrayNode accounts = root.putArray("accounts");
        for (Entry entry : entries) {
            accounts.addObject()
                    .put("name", entry.name())
                    .put("address", entry.address().toString())
                    .put("mnemonic", entry.mnemonic());
        }
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.deleteIfExists(draft);
            Files.createFile(
                    draft,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            Files.writeString(draft, JSON.writeValueAsString(root) + "\n");
            Files.move(
                    draft,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException refused) {
            throw NodeFault.machine(file + " cannot be written: " + refused.getMessage(), refused);
        }
    }
}
