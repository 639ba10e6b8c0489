package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.txn.GroupId;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.Transaction;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The recorded exchanges with a node that holds half of the stake of its network, so that no block
 * is ever made and the pool can be looked at.
 */
@Timeout(120)
final class PoolScenarioTest {
    /** Of 16 payments with a long note each; two full blocks of them are some 550. */
    private static final int GROUPS_MAX = 700;

    private static final int NOTE_BYTES = 1_000;

    private BareNode node;
    private RecordedKeys keys;

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        node = new BareNode(folder, BareNode.two(), BareNode.Switches.DEVELOPER);
        keys = new RecordedKeys(node.ledger().genesis());
    }

    @AfterEach
    void stop() throws IOException {
        node.close();
    }

    @Test
    void whatWaitsIsShownAndWhatWouldWaitTooLongPays() throws IOException {
        assertThat(scenario()).isEmpty();
        fillTwoBlocks();
        List<String> differences = new ArrayList<>();
        for (Recorded exchange : Recorded.of("rest.jsonl", "pool-loaded")) {
            if (exchange.name().endsWith("under load")) {
                differences.addAll(difference(exchange));
            }
        }
        assertThat(differences).isEmpty();
    }

    @Test
    void aWaitEndsAfterAMinute() throws Exception {
        List<String> differences = new ArrayList<>();
        for (Recorded exchange : Recorded.of("rest.jsonl", "pool-loaded")) {
            if (exchange.name().startsWith("wait times out")) {
                differences.add(node.askAndPass(exchange, 60));
            } else if (exchange.name().endsWith("after 60 s")) {
                differences.addAll(difference(exchange));
            }
        }
        assertThat(differences).containsExactly("");
    }

    private List<String> scenario() throws IOException {
        List<String> differences = new ArrayList<>();
        for (Recorded exchange : Recorded.of("scenario_pool.jsonl", "pool")) {
            differences.addAll(difference(exchange));
        }
        return differences;
    }

    private List<String> difference(Recorded exchange) throws IOException {
        String difference = node.ask(exchange);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        // What was sent without waiting comes to the pool a moment later.
        while (exchange.name().startsWith("async good, ")
                && !difference.isEmpty()
                && System.nanoTime() < end) {
            difference = node.ask(exchange);
        }
        return difference.isEmpty() ? List.of() : List.of(exchange.step() + ": " + difference);
    }

    /** Submits until a byte costs something. */
    private void fillTwoBlocks() throws IOException {
        for (int group = 0; group < GROUPS_MAX; group++) {
            List<Transaction> members = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                String note = "%06d".formatted(16 * group + i) + "f".repeat(NOTE_BYTES);
                members.add(keys.payment("Wallet1", keys.address("A"), 1, 1, note.getBytes(UTF_8)));
            }
            var body = new ByteArrayOutputStream();
            for (Transaction each : GroupId.assign(members)) {
                body.writeBytes(SignedTransaction.sign(each, keys.pair("Wallet1")).toBytes());
            }
            RawClient.Answer answer = node.answer(RecordedKeys.submission(body.toByteArray()));
            if (answer.status() != 200) {
                assertThat(answer.text()).contains("fee {1000} below threshold ");
                return;
            }
        }
        throw new AssertionError("bytes cost nothing");
    }
}
