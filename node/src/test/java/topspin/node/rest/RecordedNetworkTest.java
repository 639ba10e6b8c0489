package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.node.pool.PoolEntry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The recorded exchanges with nodes of networks that are not in dev mode, asked again of a node
 * whose blocks the test makes. What such a node's blocks hold depends on who proposed them when, so
 * of most answers the recording fixes status, headers and shape; texts are compared here besides.
 *
 * <p>Two sets of the recording are not asked: {@code catchup} needs catchpoints, {@code profiler}
 * the reference's profiler.
 */
@Timeout(120)
final class RecordedNetworkTest {
    /**
     * The reference keeps what it cannot send on, and says that it does not: without a peer it
     * takes a hundred submissions, then answers that its queue of broadcasts is full.
     */
    private static final List<String> KEPT_THOUGH_REFUSED =
            List.of(
                    "two 268 pool single 1000 uA under load",
                    "two 269 pool single higher fee under load");

    /** The recorded node spoke to its peer by websocket; ours speak libp2p only. */
    private static final String OTHER_NETWORK = "ws";

    private static final String PEERS =
            "{\"Peers\":[{\"connection-type\":\"inbound\",\"network-type\":\"ws\"}]}";

    /** Its key is nobody's here: what it sends is in the recording, signed. */
    private static final Address SPENDER =
            Address.parse("KUTPOQUUC4I3HPCTBOSE75XW3KYPBK3RV6BS6QNH7Y5Z7WXNTRQPJL5VAA");

    private static final Digest SPENT =
            Digest.parse("Z2ZDULAMNBIAM57CAZIJIA2HY2W6SDFSVA4ALTVOKNOXMZVGU5WQ");

    private final List<String> differences = new ArrayList<>();
    private Path folder;

    @BeforeEach
    void folder(@TempDir Path temporary) {
        folder = temporary;
    }

    @Test
    void aNetworkOfTwoThatRunsThenStandsStill() throws Exception {
        Path keyFolder = Files.createDirectories(folder.resolve("keys"));
        Files.copy(
                Recorded.file("keys/two-Wallet1.partkey"),
                keyFolder.resolve("two-Wallet1.partkey"));
        try (BareNode node = new BareNode(folder, BareNode.two(), BareNode.Switches.DEVELOPER);
                BareNode other =
                        new BareNode(
                                folder.resolve("other"),
                                BareNode.two(),
                                new BareNode.Switches(true, true, false))) {
            RecordedKeys keys = new RecordedKeys(node.ledger().genesis());
            fund(node, keys);
            node.reach(183);
            other.reach(197);
            int refused = 0;
            for (Recorded exchange : Recorded.of("rest.jsonl", "two")) {
                prepare(exchange, node, keys);
                String name = exchange.name();
                if (name.startsWith("wait next block ") || name.equals("wait two rounds ahead")) {
                    note(exchange, node.askAndMakeBlocks(exchange));
                } else if (name.equals("wait times out")) {
                    note(exchange, node.askAndPass(exchange, 60));
                } else if (name.equals("wait open at shutdown")) {
                    note(exchange, other.askAndStop(exchange));
                } else if (name.contains("EnablePrivateNetworkAccessHeader")
                        || name.endsWith("option on")) {
                    note(exchange, other.ask(exchange));
                } else if (name.equals("peers of relay")) {
                    assertThat(node.ask(exchange).replace("p2p", OTHER_NETWORK))
                            .as("but for the network that both speak")
                            .contains(OTHER_NETWORK)
                            .isEqualTo(PEERS + "\n   not " + PEERS);
                } else if (name.equals("async in pool")) {
                    await(() -> ask(node, exchange).isEmpty());
                } else if (KEPT_THOUGH_REFUSED.contains(exchange.step())) {
                    assertThat(ask(node, exchange)).startsWith("status 200 not 400");
                    refused++;
                } else {
                    note(exchange, node.ask(exchange));
                }
            }
            assertThat(differences).isEmpty();
            assertThat(refused).as("no row is out of date").isEqualTo(KEPT_THOUGH_REFUSED.size());
        }
    }

    /** Brings about what an exchange tells of, where nobody asked for it by REST. */
    private static void prepare(Recorded exchange, BareNode node, RecordedKeys keys)
            throws IOException {
        switch (exchange.name()) {
            case "rejected after acceptance json" -> {
                node.reach(193);
                // With the money that P is about to send, the payment is accepted …
                submit(node, keys.signed("P", SPENDER, 700_000, 193).toBytes());
                submit(node, body("resubmit of the rejected"));
                // … and P spends it otherwise.
                node.addBlock(keys.signed("P", keys.address("A"), 850_000, 193));
                await(() -> node.pool().lookup(SPENT) instanceof PoolEntry.Evicted);
                String told = ((PoolEntry.Evicted) node.pool().lookup(SPENT)).error();
                assertThat(told)
                        .startsWith("transaction " + SPENT + ": overspend (account " + SPENDER)
                        .contains("MicroAlgos:398000 ")
                        .endsWith(", tried to spend 600mA)");
            }
            case "stalled pending empty" -> {
                node.reach(197);
                await(() -> node.pool().pending().transactionCount() == 0);
            }
            case "pool fee per byte too low" -> submit(node, exchange.bodyBytes());
            case "participation running" -> {
                // As agreement tells; here nobody votes.
                Address account = keys.address("Wallet1");
                node.keys().uses().inEffect(node.keys().list().getFirst().id(), 1);
                node.keys().uses().voted(account, 182);
                node.keys().uses().proposed(account, 183);
            }
            case "Wallet1 that proposes" -> {
                node.proposedBy(keys.address("Wallet1"));
                node.reach(323);
                node.proposedBy(keys.address("Wallet2"));
                node.reach(326);
            }
            default -> {}
        }
    }

    private static byte[] body(String name) {
        return Recorded.of("rest.jsonl", "two").stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow()
                .bodyBytes();
    }

    /** What the accounts of the recording have. */
    private static void fund(BareNode node, RecordedKeys keys) {
        for (String name : List.of("A", "B", "C", "D", "E", "F", "G")) {
            node.addBlock(keys.signed("Wallet1", keys.address(name), 100_000_000, 1));
        }
        node.addBlock(keys.signed("Wallet1", keys.address("H"), 60_000_000, 1));
        node.addBlock(keys.signed("Wallet1", keys.address("P"), 1_000_000, 1));
        node.addBlock(keys.signed("Wallet1", SPENDER, 399_000, 1));
    }

    @Test
    void aFollower() throws Exception {
        try (BareNode node =
                new BareNode(folder, BareNode.two(), new BareNode.Switches(false, false, true))) {
            for (Recorded exchange : Recorded.of("rest.jsonl", "follower")) {
                switch (exchange.name()) {
                    case "status synced" -> node.reach(15);
                    case "sync set back to latest" -> node.reach(22);
                    default -> {}
                }
                note(exchange, node.ask(exchange));
            }
            assertThat(differences).isEmpty();
        }
    }

    private void note(Recorded exchange, String difference) {
        if (!difference.isEmpty()) {
            differences.add(exchange.step() + ": " + difference);
        }
    }

    private static String ask(BareNode node, Recorded exchange) {
        try {
            return node.ask(exchange);
        } catch (IOException broken) {
            throw new AssertionError(exchange.step(), broken);
        }
    }

    private static void submit(BareNode node, byte[] transactions) throws IOException {
        RawClient.Answer answer = node.answer(RecordedKeys.submission(transactions));
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }
}
