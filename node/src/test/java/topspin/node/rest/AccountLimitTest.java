package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.AssetParams;
import topspin.node.Funds;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

/** Accounts with more than one answer tells, by a server that tells less than usual. */
@Timeout(60)
final class AccountLimitTest {
    private final Funds funds = new Funds(2);

    private static RestServer server(RouteTable table) {
        return new RestServer(
                new RestConfig(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        null,
                        new TokenCheck(null, BareNode.ADMIN),
                        RestConfig.TOKEN_HEADER,
                        List.of(),
                        false,
                        false,
                        false,
                        false,
                        Limits.DEFAULT),
                table,
                new RoundWaits(0, System::nanoTime),
                System::nanoTime,
                InstantSource.system());
    }

    private static RawClient.Answer get(RestServer server, String path) throws IOException {
        try (RawClient client = RawClient.connect(server.address())) {
            String request = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
            return client.send(request.getBytes(StandardCharsets.US_ASCII)).read();
        }
    }

    @Test
    void whoHasTooMuchIsToldByItsParts(@TempDir Path folder) throws Exception {
        try (BareNode node = new BareNode(folder, funds.genesis(), BareNode.Switches.DEVELOPER);
                RestServer server =
                        server(new RouteTable(new AccountRoutes(node.ledger(), 3).routes()))) {
            server.start();
            String account = "/v2/accounts/" + funds.address(0);
            create(node);
            assertThat(get(server, account).status()).as("a holding and an asset").isEqualTo(200);
            create(node);

            RawClient.Answer refused = get(server, account);
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.text())
                    .isEqualTo(
                            "{\"data\":{\"max-results\":3,\"total-apps-opted-in\":0,"
                                    + "\"total-assets-opted-in\":2,\"total-created-apps\":0,"
                                    + "\"total-created-assets\":2},"
                                    + "\"message\":\"Result limit exceeded\"}\n");
            assertThat(get(server, account + "?format=msgpack").status()).isEqualTo(400);
            assertThat(get(server, account + "?exclude=all").text())
                    .contains("\"total-assets-opted-in\":2,");
            assertThat(get(server, account + "/assets").text())
                    .containsPattern("\"asset-id\":\\d+,.*\"asset-id\":\\d+,");
        }
    }

    private void create(BareNode node) {
        AssetParams params =
                new AssetParams(
                        7,
                        0,
                        false,
                        Bytes.EMPTY,
                        Bytes.EMPTY,
                        Bytes.EMPTY,
                        Digest.ZERO,
                        funds.address(0),
                        Address.ZERO,
                        Address.ZERO,
                        Address.ZERO);
        node.addBlock(funds.sign(0, new AssetConfig(funds.unsigned(0, 1, 1).header(), 0, params)));
    }
}
