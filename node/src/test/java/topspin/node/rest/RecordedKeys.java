package topspin.node.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionHeader;
import topspin.ledger.Genesis;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;

/** The keys of the recorded network of two, by the names that its files give them. */
final class RecordedKeys {
    private static final long FEE = 1_000;

    private final Genesis genesis;
    private final Map<String, KeyPair> pairs = new HashMap<>();

    RecordedKeys(Genesis genesis) throws IOException {
        this.genesis = genesis;
        JsonNode all =
                JsonMapper.builder().build().readTree(Files.readString(Recorded.file("keys.json")));
        for (String group : new String[] {"scenario_accounts", "genesis_two"}) {
            all.path(group)
                    .properties()
                    .forEach(
                            each -> {
                                String seed = each.getValue().path("seed").textValue();
                                pairs.put(
                                        each.getKey(),
                                        KeyPair.fromSeed(HexFormat.of().parseHex(seed)));
                            });
        }
    }

    KeyPair pair(String name) {
        return Objects.requireNonNull(pairs.get(name));
    }

    Address address(String name) {
        return Address.fromBytes(pair(name).publicKey());
    }

    /** An unsigned payment, valid for a thousand rounds. */
    Payment payment(String from, Address to, long amount, long firstValid, byte[] note) {
        TransactionHeader header =
                new TransactionHeader(
                                address(from),
                                FEE,
                                firstValid,
                                firstValid + 999,
                                genesis.id(),
                                genesis.hash())
                        .withNote(Bytes.of(note));
        return new Payment(header, to, amount, Address.ZERO);
    }

    /** A signed payment. */
    SignedTransaction signed(String from, Address to, long amount, long firstValid) {
        return SignedTransaction.sign(
                payment(from, to, amount, firstValid, new byte[0]), pair(from));
    }

    /** A whole request that submits these bytes. */
    static byte[] submission(byte[] body) {
        var request = new ByteArrayOutputStream();
        request.writeBytes(
                ("POST /v2/transactions HTTP/1.1\r\nHost: node\r\nX-Algo-API-Token: "
                                + BareNode.TOKEN
                                + "\r\nContent-Length: "
                                + body.length
                                + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        request.writeBytes(body);
        return request.toByteArray();
    }
}
