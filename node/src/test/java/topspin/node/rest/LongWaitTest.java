package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.node.Funds;
import topspin.node.NodeConfig;
import topspin.node.devmode.BlockMode;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Those who wait for a round of a whole node. */
@Timeout(120)
final class LongWaitTest {
    /** With blocks at once, nobody would wait for one while nothing is under way. */
    private static final NodeConfig BY_HAND = NodeConfig.DEFAULT.withBlocks(new BlockMode.Manual());

    private static final String WAIT = "/v2/status/wait-for-block-after/0";

    private final Funds funds = new Funds(2);
    private Path folder;

    @BeforeEach
    void folder(@TempDir Path temporary) {
        folder = temporary;
    }

    private RestNode start() throws Exception {
        return new RestNode(folder, funds.genesis().json(), BY_HAND);
    }

    @Test
    void allWhoWaitAreToldAtOnce() throws Exception {
        try (RestNode node = start()) {
            List<RawClient> waiting = waiters(node, 200);
            int threads = Thread.activeCount();

            assertThat(node.post("/topspin/blocks", new byte[0]).status()).isEqualTo(200);
            long committed = System.nanoTime();
            for (RawClient client : waiting) {
                RawClient.Answer answer = client.read();
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.text()).contains("\"last-round\":1,");
                client.close();
            }
            // Milliseconds on an idle machine; this one may be busy with other tests.
            assertThat(System.nanoTime() - committed).isLessThan(TimeUnit.SECONDS.toNanos(2));
            assertThat(threads).isLessThan(100);
        }
    }

    @Test
    void aRoundThatIsThereIsNotWaitedFor() throws Exception {
        try (RestNode node = start()) {
            node.post("/topspin/blocks", new byte[0]);
            assertThat(node.get(WAIT).text()).contains("\"last-round\":1,");
            // The round after the last one there is wraps to 0.
            assertThat(node.get("/v2/status/wait-for-block-after/18446744073709551615").status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aStopEndsAllWaitsWithAnAnswer() throws Exception {
        List<RawClient> waiting;
        try (RestNode node = start()) {
            waiting = waiters(node, 50);
        }
        for (RawClient client : waiting) {
            RawClient.Answer answer = client.read();
            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.text())
                    .isEqualTo("{\"message\":\"operation aborted as server is shutting down\"}\n");
            client.close();
        }
    }

    @Test
    void abandonedWaitsLeaveNothingBehind() throws Exception {
        try (RestNode node = start()) {
            long before = 0;
            for (int batch = 0; batch < 20; batch++) {
                for (RawClient client : waiters(node, 500)) {
                    client.close();
                }
                awaitRequests(node, 0);
                // The first batches load classes and fill pools of buffers.
                before = batch == 4 ? heapBytes() : before;
            }
            assertThat(node.get("/v2/status").status()).isEqualTo(200);
            assertThat(node.node().rest().connectionsOpen()).isEqualTo(1);
            // A kilobyte kept for each would be 8 MB.
            assertThat(settledHeapBytes(before + (3 << 20)) - before).isLessThan(3 << 20);
        }
    }

    /** What is in use, garbage aside: the least that is seen after some collections. */
    private static long heapBytes() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least =
                    Math.min(
                            least,
                            ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    /** What is in use once it is below a bound, or after ten seconds of collections. */
    private static long settledHeapBytes(long bound) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        long bytes = heapBytes();
        while (bytes >= bound && System.nanoTime() < end) {
            bytes = heapBytes(); // Cleaners and compilers work beside, and end.
        }
        return bytes;
    }

    private static List<RawClient> waiters(RestNode node, int count) throws IOException {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(node.connect().send(node.request("GET", WAIT, new byte[0])));
        }
        awaitRequests(node, count);
        return clients;
    }

    private static void awaitRequests(RestNode node, int count) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (node.node().rest().requestsOpen() != count && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertThat(node.node().rest().requestsOpen()).isEqualTo(count);
    }
}
