package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Vectors;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.ledger.LedgerView;
import topspin.ledger.RecordedChain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Accounts of the recorded chain as REST tells them, in both forms, round by round. */
final class RecordedAccountsTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** The next round has a state proof, which is beyond us. */
    private static final long LAST = 642;

    /** Up to that round. */
    private static final int RECORDED = 259;

    @Test
    void eachAccountIsToldAsTheReferenceToldIt() throws IOException {
        Map<Long, List<JsonNode>> states = new TreeMap<>();
        for (String line :
                Files.readAllLines(Vectors.file("reference/ledger/chain/states.jsonl"))) {
            JsonNode row = JSON.readTree(line);
            states.computeIfAbsent(row.path("round").asLong(), round -> new ArrayList<>()).add(row);
        }
        int same = 0;
        int withApplications = 0;
        try (var chain = new RecordedChain("chain")) {
            while (chain.view().round() < LAST) {
                chain.addOrCarryNext();
                for (JsonNode row : states.getOrDefault(chain.view().round(), List.of())) {
                    if (hasApplications(row.path("json"))) {
                        withApplications++;
                    } else {
                        check(chain.view(), row);
                        same++;
                    }
                }
            }
        }
        assertThat(same).isGreaterThan(200);
        assertThat(same + withApplications).isEqualTo(RECORDED);
    }

    private static boolean hasApplications(JsonNode account) {
        return !account.path("created-apps").isEmpty()
                || !account.path("apps-local-state").isEmpty()
                || account.has("total-boxes");
    }

    private static void check(LedgerView view, JsonNode row) throws IOException {
        Address address = Address.parse(row.path("addr").asText());
        List<AccountForm.Held> held = AccountRoutes.held(view, address, 0, Integer.MAX_VALUE);
        var form =
                new AccountForm(
                        address,
                        view.account(address),
                        held,
                        view.round(),
                        view.header().rewardsLevel(),
                        view.params());
        String which = "round " + view.round() + " " + row.path("name").asText();

        var json = Unpooled.buffer();
        form.writeJson(true, new JsonWriter(json));
        assertThat(JSON.readTree(json.toString(StandardCharsets.UTF_8)))
                .as(which)
                .isEqualTo(row.path("json"));

        var msgpack = new CanonicalWriter();
        form.writeRecord(held, msgpack);
        byte[] theirs = HexFormat.of().parseHex(row.path("msgpack_hex").asText());
        assertThat(Bytes.of(msgpack.toByteArray())).as(which).isEqualTo(Bytes.of(theirs));
    }
}
