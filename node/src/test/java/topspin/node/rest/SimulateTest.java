package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;

import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.node.Funds;
import topspin.node.NodeConfig;
import topspin.node.devmode.BlockMode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** What a simulation finds, beyond what the recorded ones show. */
final class SimulateTest {
    private static final String PATH = "/v2/transactions/simulate";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Funds funds = new Funds(4);
    private final RestNode node;

    SimulateTest(@TempDir Path folder) throws Exception {
        node =
                new RestNode(
                        folder,
                        funds.genesis().json(),
                        NodeConfig.DEFAULT.withBlocks(new BlockMode.Instant()));
    }

    @AfterEach
    void stop() throws IOException {
        node.close();
    }

    private static byte[] request(List<byte[]> members, String... flags) throws IOException {
        try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
            out.packMapHeader(1 + flags.length);
            for (String flag : flags) {
                out.packString(flag).packBoolean(true);
            }
            out.packString("txn-groups").packArrayHeader(1).packMapHeader(1);
            out.packString("txns").packArrayHeader(members.size());
            for (byte[] member : members) {
                out.writePayload(member);
            }
            return out.toByteArray();
        }
    }

    private JsonNode simulate(byte[] request) throws IOException {
        RawClient.Answer answer = node.post(PATH, request);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return JSON.readTree(answer.body()).at("/txn-groups/0");
    }

    private static List<byte[]> members(TransactionGroup group) {
        List<byte[]> members = new ArrayList<>();
        group.forEach(member -> members.add(member.toBytes()));
        return members;
    }

    @Test
    void nothingComesOfIt() throws IOException {
        byte[] payment = funds.payment(0, 1, 5).toBytes();
        JsonNode group = simulate(request(List.of(payment)));
        assertThat(group.has("failure-message")).isFalse();
        assertThat(node.get("/v2/status").text()).contains("\"last-round\":0,");
        assertThat(node.get("/v2/transactions/pending").text()).contains("\"top-transactions\":[]");
        // And what was simulated may still be sent.
        assertThat(node.post("/v2/transactions", payment).status()).isEqualTo(200);
    }

    @Test
    void aForgedSignatureAnywhereSpoilsTheRequest() throws IOException {
        byte[] forged = Funds.forged(funds.payment(0, 1, 5)).toBytes();
        RawClient.Answer answer = node.post(PATH, request(List.of(forged)));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text())
                .isEqualTo("{\"message\":\"At least one signature didn't pass verification\"}\n");
        assertThat(node.post(PATH, request(List.of(forged), "allow-empty-signatures")).status())
                .isEqualTo(400);
    }

    @Test
    void theMemberToBlameIsNamed() throws IOException {
        List<byte[]> members = members(funds.group(0, 1, 2));
        assertThat(simulate(request(members)).has("failed-at")).isFalse();

        // Alone, a payment has no group: the third member is of another one than the first.
        members.set(2, funds.payment(2, 1, 5).toBytes());
        JsonNode strange = simulate(request(members));
        assertThat(strange.get("failed-at").get(0).intValue()).isEqualTo(2);
        assertThat(strange.get("failure-message").textValue())
                .startsWith("transactionGroup: inconsistent group values: ");
        assertThat(strange.get("txn-results")).hasSize(3);
    }

    @Test
    void aSignatureMayBeMissingWhenThatIsAsked() throws IOException {
        byte[] unsigned = SignedTransaction.unsigned(funds.unsigned(0, 1, 5)).toBytes();
        JsonNode refused = simulate(request(List.of(unsigned)));
        assertThat(refused.get("failure-message").textValue())
                .endsWith("invalid : signedtxn has no sig");
        assertThat(refused.get("failed-at").get(0).intValue()).isZero();
        assertThat(simulate(request(List.of(unsigned), "allow-empty-signatures")))
                .noneMatch(field -> field.isTextual());
    }

    /** {txn: {…, type: appl}} and {txn: …, lsig: {l: 01}}: what needs programs to run. */
    @ParameterizedTest
    @CsvSource({
        "appl, application calls are not supported by this node",
        "axfer, asset 7 missing from",
        "stpf, cannot simulate StateProof transactions"
    })
    void whatIsBeyondThisNodeIsNamed(String type, String text) throws IOException {
        try (MessageBufferPacker txn = MessagePack.newDefaultBufferPacker()) {
            boolean transfer = type.equals("axfer");
            txn.packMapHeader(1).packString("txn").packMapHeader(transfer ? 9 : 7);
            if (transfer) {
                txn.packString("aamt").packInt(1);
            } else if (type.equals("appl")) {
                txn.packString("apid").packInt(1);
            } else {
                txn.packString("sptype").packInt(0);
            }
            txn.packString("fee").packInt(1000);
            txn.packString("fv").packInt(1);
            byte[] hash = funds.genesis().hash().toBytes();
            txn.packString("gh").packBinaryHeader(hash.length).writePayload(hash);
            txn.packString("lv").packInt(100);
            byte[] sender = funds.address(0).toBytes();
            txn.packString("snd").packBinaryHeader(sender.length).writePayload(sender);
            txn.packString("type").packString(type);
            if (transfer) {
                txn.packString("xaid").packInt(7);
                txn.packString("arcv").packBinaryHeader(sender.length).writePayload(sender);
            }
            RawClient.Answer answer =
                    node.post(PATH, request(List.of(txn.toByteArray()), "allow-empty-signatures"));
            assertThat(answer.text()).contains(text);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"txn-groups\":[{\"txns\":[]}]} | empty txgroup",
                "{\"txn-groups\":[{}]} | empty txgroup",
                "{} | expected 1 transaction group, got 0",
                "{\"foo\":1} | no matching struct field found when decoding stream map with key"
                        + " foo",
                "{\"txn-groups\":[{\"txns\":[{\"foo\":1}]}]} | stream map with key foo",
                "{\"txn-groups\":[{\"txns\":[{\"txn\":{\"fee\":-1}}]}]} | assigning negative"
                        + " signed",
                "{\"txn-groups\":[{\"txns\":[{\"txn\":{\"fee\":18446744073709551616}}]}]} |"
                        + " overflow",
                "{\"txn-groups\":[{\"txns\":[{\"txn\":{\"rcv\":\"A\"}}]}]} | json decode error",
                "{\"txn-groups\":[{\"txns\":[{\"sig\":\"*\"}]}]} | json decode error",
                "{\"round\":1.5} | json decode error",
                "{\"round\":-1} | integer overflow: -1",
                "{\"round\":18446744073709551616} | integer overflow: 18446744073709551616",
                "[] | only encoded map or array can be decoded into a struct",
                "{\"round\": | failed to decode object: EOF",
                "{\"extra-opcode-budget\":1} | expected 1 transaction group, got 0"
            })
    void whatCannotBeReadIsRefused(String body, String text) throws IOException {
        RawClient.Answer answer = node.post(PATH, body.getBytes(StandardCharsets.UTF_8));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.text()).contains(text);
    }

    @Test
    void anyRoundMayBeAskedFor() throws IOException {
        String none = "ledger does not have entry 18446744073709551615 (latest 0, committed 0)";
        String json = "{\"txn-groups\":[{\"txns\":[{}]}],\"round\":18446744073709551615}";
        assertThat(node.post(PATH, json.getBytes(StandardCharsets.UTF_8)).text()).contains(none);
        HexFormat hex = HexFormat.of();
        String round = "82a5" + hex.formatHex("round".getBytes(StandardCharsets.US_ASCII));
        byte[] msgpack =
                hex.parseHex(
                        round
                                + "cfffffffffffffffff"
                                + hex.formatHex(request(List.of(funds.payment(0, 1, 1).toBytes())))
                                        .substring(2));
        assertThat(node.post(PATH, msgpack).text()).contains(none);
    }

    @Test
    void aGroupHasSixteenMembersAtMost() throws IOException {
        List<byte[]> members = new ArrayList<>();
        for (int i = 0; i < 17; i++) {
            members.add(funds.payment(0, 1, i + 1).toBytes());
        }
        assertThat(node.post(PATH, request(members)).text())
                .contains("transaction group size 17 exceeds protocol max 16");
    }

    @Test
    void moreIsAllowedAndSaid() throws IOException {
        byte[] payment = funds.payment(0, 1, 5).toBytes();
        String[] flags = {"allow-more-logging", "allow-unnamed-resources"};
        JsonNode overrides =
                JSON.readTree(node.post(PATH, request(List.of(payment), flags)).body())
                        .get("eval-overrides");
        assertThat(overrides.toString())
                .isEqualTo(
                        "{\"allow-unnamed-resources\":true,\"max-log-calls\":2048,"
                                + "\"max-log-size\":65536}");
        HexFormat hex = HexFormat.of();
        String budget =
                "82b3" + hex.formatHex("extra-opcode-budget".getBytes(StandardCharsets.US_ASCII));
        byte[] tooMuch =
                hex.parseHex(
                        budget
                                + "ce0004e201"
                                + hex.formatHex(request(List.of(payment))).substring(2));
        assertThat(node.post(PATH, tooMuch).text())
                .contains("extra budget 320001 \\u003e simulation extra budget limit 320000");
    }
}
