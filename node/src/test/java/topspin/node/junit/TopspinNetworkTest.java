package topspin.node.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.codec.crypto.Mnemonic;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionHeader;
import topspin.node.devmode.BlockMode;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The extension as a user has it: over HTTP, with what it injects. */
@Timeout(90)
@TopspinNetwork(nodes = 2, blocks = Blocks.INSTANT)
final class TopspinNetworkTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final TestNetwork network;

    TopspinNetworkTest(TestNetwork network) {
        this.network = network;
    }

    @Test
    void aPaymentIsConfirmedOnBothNodes(Account from, Account to) throws Exception {
        assertThat(from).isEqualTo(network.accounts().get(0));
        assertThat(to).isEqualTo(network.accounts().get(1));
        Endpoint second = network.endpoints().get(1);
        long before = amount(second, to.address());

        pay(second, from, to.address(), 1_000_000);

        for (Endpoint node : network.endpoints()) {
            assertThat(amount(node, to.address())).isEqualTo(before + 1_000_000);
        }
    }

    @Test
    void theEndpointIsThatOfTheFirstNode(Endpoint node) {
        assertThat(node).isEqualTo(network.endpoints().getFirst());
        assertThat(node.token()).isNotEmpty();
    }

    @Test
    void timeIsWhatTheTestSays(NetworkClock clock) {
        network.makeBlocks(1);
        Instant before = clock.latest();
        clock.advance(Duration.ofHours(1));
        network.makeBlocks(1);
        assertThat(clock.latest()).isAfterOrEqualTo(before.plus(Duration.ofHours(1)));

        Instant then = clock.latest().plus(Duration.ofDays(365));
        clock.setNext(then);
        network.makeBlocks(1);
        assertThat(clock.latest()).isEqualTo(then);
        assertThatThrownBy(() -> clock.setNext(before))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Nested
    final class Inside {
        @Test
        void aNestedClassHasTheSameNetwork(TestNetwork same) {
            assertThat(same).isSameAs(network);
        }
    }

    @Test
    @TopspinNetwork(blocks = Blocks.MANUAL)
    void oneTestMayHaveItsOwn(TestNetwork own) throws Exception {
        assertThat(own).isNotSameAs(network);
        assertThat(own.endpoints()).hasSize(1);
        assertThat(own.makeBlocks(3)).isEqualTo(3);
    }

    @Test
    @TopspinNetwork(nodes = 3, blocks = Blocks.INTERVAL, interval = "50ms")
    void blocksMayComeByThemselves(TestNetwork own) {
        assertThat(own.endpoints()).hasSize(3);
        assertThat(own.makeBlocks(1)).isPositive();
    }

    @Test
    @TopspinNetwork(nodes = 2, blocks = Blocks.MANUAL)
    void aSnapshotIsGoneBackToAsOftenAsWanted(TestNetwork own, Account from, Account to)
            throws Exception {
        List<Endpoint> endpoints = own.endpoints();
        Endpoint first = endpoints.get(0);
        Endpoint second = endpoints.get(1);
        pay(first, from, to.address(), 7);
        own.makeBlocks(1);
        long amount = amount(first, to.address());
        Instant time = own.clock().latest();
        pay(first, from, to.address(), 11); // Waits in both pools when the snapshot is taken.
        awaitPending(second);
        own.snapshot("before");
        JsonNode head = get(first, "/v2/blocks/1?header-only=true");

        for (int turn = 0; turn < 2; turn++) {
            own.clock().advance(Duration.ofHours(1));
            pay(second, from, to.address(), 13 + turn);
            own.makeBlocks(5);
            assertThat(own.clock().latest()).isAfter(time.plus(Duration.ofMinutes(59)));
            assertThat(amount(second, to.address())).isGreaterThan(amount);

            own.revert("before");

            assertThat(own.endpoints()).isEqualTo(endpoints);
            assertThat(own.round()).isEqualTo(1);
            assertThat(get(second, "/v2/blocks/1?header-only=true")).isEqualTo(head);
            for (Endpoint node : endpoints) {
                assertThat(amount(node, to.address())).isEqualTo(amount);
                assertThat(pending(node)).isEqualTo(1);
            }
        }
        assertThat(own.makeBlocks(1)).isEqualTo(2);
        assertThat(own.clock().latest()).isBefore(time.plus(Duration.ofMinutes(30)));
        for (Endpoint node : endpoints) {
            assertThat(amount(node, to.address())).isEqualTo(amount + 11);
        }
        assertThatThrownBy(() -> own.snapshot("../x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> own.revert("another"))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessageContaining("before");
    }

    @Test
    void whatAgreesIsNotMade() {
        assertThatThrownBy(() -> TestNetwork.start(1, new BlockMode.Agreement()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static long amount(Endpoint node, String address) throws Exception {
        return get(node, "/v2/accounts/" + address).path("amount").asLong();
    }

    static void pay(Endpoint node, Account from, String to, long amount) throws Exception {
        JsonNode params = get(node, "/v2/transactions/params");
        long round = params.path("last-round").asLong();
        byte[] genesis = Base64.getDecoder().decode(params.path("genesis-hash").asText());
        TransactionHeader header =
                new TransactionHeader(
                        Address.parse(from.address()),
                        params.path("min-fee").asLong(),
                        round,
                        round + 1000,
                        params.path("genesis-id").asText(),
                        Digest.fromBytes(genesis));
        Payment payment = new Payment(header, Address.parse(to), amount, Address.ZERO);
        try (KeyPair keys = KeyPair.fromSeed(Mnemonic.toSeed(from.mnemonic()))) {
            byte[] signed = SignedTransaction.sign(payment, keys).toBytes();
            HttpRequest request =
                    request(node, "/v2/transactions")
                            .POST(HttpRequest.BodyPublishers.ofByteArray(signed))
                            .build();
            assertThat(send(request).statusCode()).isEqualTo(200);
        }
    }

    private static int pending(Endpoint node) throws Exception {
        return get(node, "/v2/transactions/pending").path("total-transactions").asInt();
    }

    /** Until a transaction has come from the other node. */
    private static void awaitPending(Endpoint node) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (pending(node) == 0) {
            assertThat(System.nanoTime()).as("nothing came").isLessThan(end);
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static JsonNode get(Endpoint node, String path) throws Exception {
        return JSON.readTree(send(request(node, path).build()).body());
    }

    private static HttpRequest.Builder request(Endpoint node, String path) {
        URI uri = node.url().resolve(path);
        return HttpRequest.newBuilder(uri).header("X-Algo-API-Token", node.token());
    }

    private static HttpResponse<String> send(HttpRequest request)
            throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        }
    }
}
