package topspin.node.kmd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.node.rest.Limits;
import topspin.node.rest.RestConfig;
import topspin.node.rest.RestServer;
import topspin.node.rest.RoundWaits;
import topspin.node.rest.TokenCheck;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;

/** What dispenser helpers ask, as they ask it. */
final class KmdRoutesTest {
    private static final String TOKEN = "a".repeat(64);
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final byte[] SEED = new byte[32];

    private final KeyPair pair = KeyPair.fromSeed(SEED);
    private final RestServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    KmdRoutesTest() throws IOException {
        RestConfig config =
                new RestConfig(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        null,
                        new TokenCheck(TOKEN, TOKEN),
                        KmdRoutes.TOKEN_HEADER,
                        List.of("*"),
                        false,
                        false,
                        false,
                        false,
                        Limits.DEFAULT);
        server =
                new RestServer(
                        config,
                        new KmdRoutes(new KmdWallet(List.of(pair)), new Random(1)).table(),
                        new RoundWaits(0, System::nanoTime),
                        System::nanoTime,
                        InstantSource.system());
        server.start();
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private HttpResponse<String> send(String path, String token, String body) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + server.address().getPort() + path))
                        .header(KmdRoutes.TOKEN_HEADER, token);
        if (!body.isEmpty()) {
            request.POST(HttpRequest.BodyPublishers.ofString(body));
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode ask(String path, String body) throws Exception {
        return JSON.readTree(send(path, TOKEN, body).body());
    }

    private String open(String password) throws Exception {
        String id = ask("/v1/wallets", "").at("/wallets/0/id").textValue();
        return ask(
                        "/v1/wallet/init",
                        "{\"wallet_id\":\"%s\",\"wallet_password\":\"%s\"}".formatted(id, password))
                .path("wallet_handle_token")
                .asText();
    }

    @Test
    void theKeyOfTheFundedAccountIsFound() throws Exception {
        assertThat(ask("/versions", "").at("/versions/0").textValue()).isEqualTo("v1");
        assertThat(ask("/v1/wallets", "").at("/wallets/0/name").textValue())
                .isEqualTo("unencrypted-default-wallet");
        String handle = open("");
        String address =
                ask("/v1/key/list", "{\"wallet_handle_token\":\"" + handle + "\"}")
                        .at("/addresses/0")
                        .textValue();
        assertThat(address).isEqualTo(Address.fromBytes(pair.publicKey()).toString());
        byte[] secret =
                Base64.getDecoder()
                        .decode(
                                ask(
                                                "/v1/key/export",
                                                "{\"wallet_handle_token\":\"%s\",\"address\":\"%s\",\"wallet_password\":\"\"}"
                                                        .formatted(handle, address))
                                        .get("private_key")
                                        .textValue());
        assertThat(Arrays.copyOf(secret, 32)).isEqualTo(SEED);
        assertThat(Arrays.copyOfRange(secret, 32, 64)).isEqualTo(pair.publicKey());
        assertThat(ask("/v1/wallet/release", "{\"wallet_handle_token\":\"" + handle + "\"}"))
                .isEmpty();
    }

    @Test
    void whoeverMayNotIsTold() throws Exception {
        assertThat(send("/v1/wallets", "b".repeat(64), "").statusCode()).isEqualTo(401);
        assertThat(open("secret")).isEmpty();
        HttpResponse<String> closed =
                send("/v1/key/list", TOKEN, "{\"wallet_handle_token\":\"00\"}");
        assertThat(closed.statusCode()).isEqualTo(400);
        assertThat(closed.body())
                .isEqualTo("{\"error\":true,\"message\":\"handle does not exist\"}\n");
        assertThat(send("/v1/key/list", TOKEN, "{").statusCode()).isEqualTo(400);
        assertThat(
                        ask(
                                        "/v1/key/export",
                                        "{\"wallet_handle_token\":\"%s\",\"address\":\"%s\"}"
                                                .formatted(open(""), Address.ZERO))
                                .get("message")
                                .textValue())
                .isEqualTo("key does not exist in this wallet");
    }

    @Test
    void handlesAreBounded() throws Exception {
        String first = open("");
        for (int i = 0; i < 1024; i++) {
            open("");
        }
        assertThat(
                        send("/v1/key/list", TOKEN, "{\"wallet_handle_token\":\"" + first + "\"}")
                                .statusCode())
                .isEqualTo(400);
    }
}
