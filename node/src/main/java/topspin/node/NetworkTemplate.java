package topspin.node;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the genesis of a local network is made from: the part {@code Genesis} of the templates that
 * this ecosystem's tools use (pingpong.md, section 7). Keys we do not serve are refused by name.
 *
 * @param networkName at most 63 characters, letters, digits and {@code _}: it ends up in the
 *     genesis id
 * @param protocol {@code v42}, or the full text of a known version
 * @param wallets 1 to 1,000, names distinct, stakes adding to 100
 * @param comment for the genesis; may be empty
 */
public record NetworkTemplate(
        String networkName, String protocol, List<Wallet> wallets, String comment) {
    private static final int WALLETS_MAX = 1000;
    private static final int FILE_BYTES_MAX = 1 << 20;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /**
     * One funded account.
     *
     * @param stake percent of all money in wallets
     * @param online whether it takes part, by the keys of one of the nodes; where no wallet does,
     *     each node gets an account that does
     */
    public record Wallet(String name, BigDecimal stake, boolean online) {}

    public NetworkTemplate {
        wallets = List.copyOf(wallets);
        if (!networkName.matches("[A-Za-z0-9_]{1,63}")) {
            throw new IllegalArgumentException(
                    "NetworkName: 1 to 63 letters, digits or _, not '" + networkName + "'");
        }
        if (wallets.isEmpty() || wallets.size() > WALLETS_MAX) {
            throw new IllegalArgumentException(
                    "Wallets: 1 to " + WALLETS_MAX + " of them, not " + wallets.size());
        }
        Set<String> names = new HashSet<>();
        BigDecimal sum = BigDecimal.ZERO;
        for (Wallet wallet : wallets) {
            if (!names.add(wallet.name())) {
                throw new IllegalArgumentException(
                        "Wallets: the name '" + wallet.name() + "' stands twice");
            }
            if (wallet.stake().signum() < 0) {
                throw new IllegalArgumentException(
                        "Wallets: the stake of '" + wallet.name() + "' is negative");
            }
            sum = sum.add(wallet.stake());
        }
        if (sum.compareTo(BigDecimal.valueOf(100)) != 0) {
            throw new IllegalArgumentException(
                    "Wallets: the stakes add to 100, not " + sum.toPlainString());
        }
    }

    /**
     * Reads a template.
     *
     * @throws NodeFault naming the file, the key and what is allowed
     */
    public static NetworkTemplate read(Path file) throws NodeFault {
        try {
            if (Files.size(file) > FILE_BYTES_MAX) {
                throw NodeFault.configuration(file + ": larger than " + FILE_BYTES_MAX + " bytes");
            }
            return parse(JSON.readTree(Files.readString(file)));
        } catch (JsonProcessingException malformed) {
            throw NodeFault.configuration(
                    file + ": not JSON: " + malformed.getOriginalMessage(), malformed);
        } catch (IllegalArgumentException wrong) {
            throw NodeFault.configuration(file + ": " + wrong.getMessage(), wrong);
        } catch (IOException unreadable) {
            throw NodeFault.configuration(
                    file + ": cannot be read: " + DataFolder.reason(unreadable), unreadable);
        }
    }

    private static NetworkTemplate parse(JsonNode root) {
        allow(root, "the template", Set.of("Genesis"));
        JsonNode genesis = root.path("Genesis");
        allow(genesis, "Genesis", Set.of("NetworkName", "ConsensusProtocol", "Wallets", "Comment"));
        List<Wallet> wallets = new ArrayList<>();
        for (JsonNode wallet : genesis.path("Wallets")) {
            allow(wallet, "a wallet", Set.of("Name", "Stake", "Online"));
            if (!wallet.path("Name").isTextual() || !wallet.path("Stake").isNumber()) {
                throw new IllegalArgumentException("a wallet has a Name and a Stake in percent");
            }
            wallets.add(
                    new Wallet(
                            wallet.path("Name").textValue(),
                            wallet.path("Stake").decimalValue(),
                            wallet.path("Online").asBoolean(false)));
        }
        return new NetworkTemplate(
                genesis.path("NetworkName").asText("topspin"),
                genesis.path("ConsensusProtocol").asText("v42"),
                wallets,
                genesis.path("Comment").asText(""));
    }

    private static void allow(JsonNode object, String where, Set<String> keys) {
        if (!object.isObject()) {
            throw new IllegalArgumentException(where + " is a JSON object");
        }
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            if (!keys.contains(entry.getKey())) {
                throw new IllegalArgumentException(
                        "unknown key '"
                                + entry.getKey()
                                + "' in "
                                + where
                                + "; allowed: "
                                + String.join(", ", keys.stream().sorted().toList()));
            }
        }
    }
}
