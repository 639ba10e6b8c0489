package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.params.ConsensusVersions;
import topspin.node.Funds;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** What status tells while the network votes on other rules, and goes over to them. */
@Timeout(60)
final class UpgradeStatusTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String V42 = ConsensusVersions.V42;

    /** Proposes "next" as soon as it may: three rounds of voting, then two until the switch. */
    private static final String NOW =
            ConsensusVersions.builtIn()
                    .write(List.of(V42))
                    .replace(V42, "now")
                    .replace("\"UpgradeVoteRounds\": 10000", "\"UpgradeVoteRounds\": 3")
                    .replace("\"UpgradeThreshold\": 9000", "\"UpgradeThreshold\": 2")
                    .replace("\"MinUpgradeWaitRounds\": 10000", "\"MinUpgradeWaitRounds\": 1")
                    .replace("\"ApprovedUpgrades\": {}", "\"ApprovedUpgrades\": {\"next\": 2}");

    private static final ConsensusVersions OLD = ConsensusVersions.builtIn().with(NOW);
    private static final ConsensusVersions BOTH =
            OLD.with(ConsensusVersions.builtIn().write(List.of(V42)).replace(V42, "next"));

    private static BareNode start(Path folder, ConsensusVersions known) throws Exception {
        return new BareNode(
                folder, new Funds(2, "now").genesis(), BareNode.Switches.DEVELOPER, BOTH, known);
    }

    private static RawClient.Answer get(BareNode node, String path) throws IOException {
        return node.answer(
                "GET %s HTTP/1.1\r\nHost: x\r\nX-Algo-API-Token: %s\r\n\r\n"
                        .formatted(path, BareNode.TOKEN)
                        .getBytes(StandardCharsets.US_ASCII));
    }

    private static JsonNode status(BareNode node) throws IOException {
        return JSON.readTree(get(node, "/v2/status").body());
    }

    @Test
    void theVoteIsCountedAsItGoes(@TempDir Path folder) throws Exception {
        try (BareNode node = start(folder, BOTH)) {
            assertThat(status(node).has("upgrade-votes")).isFalse();
            for (int round = 1; round <= 3; round++) {
                node.reach(round);
                JsonNode status = status(node);
                assertThat(status.path("upgrade-votes").longValue()).isEqualTo(round);
                assertThat(status.path("upgrade-yes-votes").longValue()).isEqualTo(round);
                assertThat(status.path("upgrade-no-votes").longValue()).isZero();
                assertThat(status.path("upgrade-node-vote").booleanValue()).isTrue();
                assertThat(status.path("upgrade-delay").longValue()).isEqualTo(round == 1 ? 2 : 0);
                assertThat(status.path("upgrade-vote-rounds").longValue()).isEqualTo(3);
                assertThat(status.path("upgrade-votes-required").longValue()).isEqualTo(2);
                assertThat(status.path("upgrade-next-protocol-vote-before").longValue())
                        .isEqualTo(4);
                assertNext(status, "now", round + 1, true);
            }
            node.reach(5);
            assertThat(status(node).path("upgrade-votes").longValue()).isEqualTo(3);
            assertNext(status(node), "next", 6, true);
            node.reach(6);
            assertThat(status(node).has("upgrade-votes")).isFalse();
            assertThat(status(node).path("last-version").textValue()).isEqualTo("next");
        }
    }

    @Test
    void rulesThatAreNotKnownEndIt(@TempDir Path folder) throws Exception {
        try (BareNode node = start(folder, OLD)) {
            node.reach(4);
            assertNext(status(node), "next", 6, false);
            assertThat(status(node).path("stopped-at-unsupported-round").booleanValue()).isFalse();
            assertThat(get(node, "/v2/status/wait-for-block-after/3").status()).isEqualTo(200);
            assertThat(get(node, "/v2/status/wait-for-block-after/5").text())
                    .isEqualTo(
                            "{\"message\":\"requested round would reach only after the protocol"
                                    + " upgrade which isn't supported\"}\n");
            node.reach(5);
            assertThat(status(node).path("stopped-at-unsupported-round").booleanValue()).isTrue();
            assertThat(get(node, "/v2/status/wait-for-block-after/5").status()).isEqualTo(400);
        }
    }

    private static void assertNext(JsonNode status, String version, long round, boolean known) {
        assertThat(status.path("next-version").textValue()).isEqualTo(version);
        assertThat(status.path("next-version-round").longValue()).isEqualTo(round);
        assertThat(status.path("next-version-supported").booleanValue()).isEqualTo(known);
    }
}
