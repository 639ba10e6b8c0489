package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.Genesis;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerConfig;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedCache;
import topspin.net.Gossip;
import topspin.net.GossipConfig;
import topspin.node.ingest.Ingest;
import topspin.node.ingest.IngestConfig;
import topspin.node.keys.KeyGenerator;
import topspin.node.keys.KeyStore;
import topspin.node.pool.PoolConfig;
import topspin.node.pool.TransactionPool;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The recorded exchanges with a node that holds half of the stake of its network, so that no block
 * is ever made and the pool can be looked at: ledger, pool, ingest and REST of a node, with nobody
 * who makes blocks.
 */
@Timeout(120)
final class PoolScenarioTest {
    private static final String TOKEN = "a".repeat(64);
    private static final String ADMIN = "b".repeat(64);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final CompletableFuture<Throwable> fault = new CompletableFuture<>();

    /** The clock of those who wait for a round; it stands still until it is moved. */
    private final AtomicLong waitNanos = new AtomicLong();

    private final RoundWaits waits = new RoundWaits(0, waitNanos::get);
    private final RestServer server;
    private final RawClient client;

    PoolScenarioTest(@TempDir Path folder) throws Exception {
        Genesis genesis = Genesis.parse(Files.readString(Recorded.file("genesis-two.json")));
        SecureRandom random = new SecureRandom();
        ConsensusVersions versions = ConsensusVersions.builtIn();
        Consumer<Throwable> tell = fault::complete;
        Ledger ledger = keep(Ledger.open(folder.resolve("ledger"), genesis, LedgerConfig.DEFAULT));
        VerifiedCache verified = new VerifiedCache(VerifiedCache.GROUPS_MAX, random);
        SignatureEngine engine = new SignatureEngine(random);
        TransactionPool pool =
                keep(
                        new TransactionPool(
                                PoolConfig.DEFAULT,
                                ledger.view(),
                                versions,
                                System::nanoTime,
                                tell));
        Ingest ingest =
                keep(
                        new Ingest(
                                IngestConfig.DEFAULT,
                                ledger::view,
                                versions,
                                pool,
                                verified,
                                engine,
                                Ingest.Answers.WHEN_POOLED,
                                InstantSource.system(),
                                random,
                                tell));
        Gossip gossip =
                keep(
                        new Gossip(
                                GossipConfig.of(
                                        genesis.id(),
                                        KeyPair.generate(random),
                                        List.of(),
                                        List.of()),
                                ingest,
                                (asker, round, answer) -> {
                                    throw new AssertionError("nobody listens, so nobody asks");
                                },
                                random,
                                System::nanoTime,
                                InstantSource.system()));
        NodeParts node =
                new NodeParts(
                        "0.1.0",
                        versions,
                        ledger,
                        pool,
                        ingest,
                        () -> new Signatures(verified, engine, 16),
                        null,
                        new RecentDeltas(ledger, versions, false, InstantSource.system()),
                        null,
                        KeyStore.open(folder.resolve("keys")),
                        new KeyGenerator(random),
                        List::of,
                        waits,
                        new MetricsPage(),
                        keep(new Recordings(folder.resolve("recordings"), InstantSource.system())));
        RestConfig config =
                new RestConfig(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        null,
                        new TokenCheck(TOKEN, ADMIN),
                        RestConfig.TOKEN_HEADER,
                        List.of("*"),
                        false,
                        true,
                        true,
                        false,
                        Limits.DEFAULT);
        server =
                keep(
                        new RestServer(
                                config,
                                Routes.of(config, node),
                                waits,
                                System::nanoTime,
                                InstantSource.system()));
        pool.start();
        ingest.start(gossip);
        gossip.start();
        server.start();
        client = keep(RawClient.connect(server.address()));
    }

    private <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable part : parts) {
            part.close();
        }
        assertThat(fault).isNotDone();
    }

    @Test
    void whatWaitsIsShown() throws IOException {
        List<String> differences = new ArrayList<>();
        for (Recorded exchange : Recorded.of("scenario_pool.jsonl", "pool")) {
            differences.addAll(difference(exchange));
        }
        assertThat(differences).isEmpty();
    }

    @Test
    void aWaitEndsAfterAMinute() throws Exception {
        List<String> differences = new ArrayList<>();
        for (Recorded exchange : Recorded.of("rest.jsonl", "pool-loaded")) {
            if (exchange.name().startsWith("wait times out")) {
                client.send(exchange.request(TOKEN, ADMIN));
                awaitWaiter();
                waitNanos.addAndGet(TimeUnit.SECONDS.toNanos(60));
                differences.add(exchange.difference(client.read()));
            } else if (exchange.name().endsWith("after 60 s")) {
                differences.addAll(difference(exchange));
            }
        }
        assertThat(differences).containsExactly("");
    }

    private List<String> difference(Recorded exchange) throws IOException {
        String difference = ask(exchange);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        // What was sent without waiting comes to the pool a moment later.
        while (exchange.name().startsWith("async good, ")
                && !difference.isEmpty()
                && System.nanoTime() < end) {
            difference = ask(exchange);
        }
        return difference.isEmpty() ? List.of() : List.of(exchange.step() + ": " + difference);
    }

    private String ask(Recorded exchange) throws IOException {
        return exchange.difference(client.send(exchange.request(TOKEN, ADMIN)).read());
    }

    private void awaitWaiter() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (waits.size() == 0 && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }
}
