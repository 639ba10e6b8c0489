package topspin.loadgen;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.Mnemonic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where the money of a run comes from. */
final class Wallet {
    /** The mnemonic of an account with money, as {@code network up} prints it for exporting. */
    static final String ENVIRONMENT = "DISPENSER_MNEMONIC";

    private Wallet() {}

    /**
     * The accounts of a local network's {@code wallet.json}.
     *
     * @throws LoadFault naming the file and what is wrong with it
     */
    static List<Ed25519.KeyPair> ofNetwork(Path folder) {
        Path file = folder.resolve("wallet.json");
        try {
            JsonNode accounts =
                    JsonMapper.builder().build().readTree(file.toFile()).path("accounts");
            var keys = new ArrayList<Ed25519.KeyPair>();
            for (JsonNode account : accounts) {
                keys.add(ofMnemonic(file.toString(), account.path("mnemonic").asText()));
            }
            if (keys.isEmpty()) {
                throw new LoadFault(LoadFault.BAD_ARGUMENT, file + " holds no account");
            }
            return keys;
        } catch (IOException e) {
            throw new LoadFault(
                    LoadFault.BAD_ARGUMENT, file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * The account whose mnemonic a file holds.
     *
     * @throws LoadFault naming the file and what is wrong with it
     */
    static List<Ed25519.KeyPair> ofFile(Path file) {
        try {
            return List.of(ofMnemonic(file.toString(), Files.readString(file).strip()));
        } catch (IOException e) {
            throw new LoadFault(
                    LoadFault.BAD_ARGUMENT, file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * The account whose mnemonic is given.
     *
     * @param where it comes from, for the complaint; the words are never shown
     */
    static Ed25519.KeyPair ofMnemonic(String where, String mnemonic) {
        try {
            return Ed25519.KeyPair.fromSeed(Mnemonic.toSeed(mnemonic));
        } catch (IllegalArgumentException e) {
            throw new LoadFault(
                    LoadFault.BAD_ARGUMENT, where + ": not 25 words: " + e.getMessage(), e);
        }
    }
}
