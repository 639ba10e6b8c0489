package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.node.Funds;
import topspin.node.NodeConfig;
import topspin.node.devmode.BlockMode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** Bodies made to cost more than they may: each is refused, and the next client served. */
@Timeout(60)
final class HostileBodiesTest {
    private static final String SIMULATE = "/v2/transactions/simulate";
    private static final int MANY = 900_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Funds funds = new Funds(2);
    private RestNode node;

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        NodeConfig instant = NodeConfig.DEFAULT.withBlocks(new BlockMode.Instant());
        node = new RestNode(folder, funds.genesis().json(), instant);
    }

    @AfterEach
    void stop() throws IOException {
        assertThat(node.get("/v2/status").status()).isEqualTo(200);
        node.close();
    }

    private static byte[] bytes(String latin1) {
        return latin1.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] filled(char content) {
        byte[] all = new byte[MANY];
        Arrays.fill(all, (byte) content);
        return all;
    }

    /** A request to simulate, up to where the members of its only group are counted. */
    private static byte[] msgpack(byte[] members, int count) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(bytes("\u0081\u00aatxn-groups\u0091\u0081\u00a4txns\u00dd"));
        out.writeBytes(ByteBuffer.allocate(4).putInt(count).array());
        out.writeBytes(members);
        return out.toByteArray();
    }

    @Test
    void nestingHasAnEnd() throws IOException {
        for (char open : new char[] {'\u0091', '\u0081', '['}) {
            assertThat(node.post("/v2/transactions", filled(open)).status()).isEqualTo(400);
            assertThat(node.post(SIMULATE, filled(open)).status()).isEqualTo(400);
            assertThat(node.post(SIMULATE, msgpack(filled(open), 1)).status()).isEqualTo(400);
        }
        byte[] json = bytes("{\"txn-groups\":[{\"txns\":[{\"txn\":" + "[".repeat(MANY));
        assertThat(node.post(SIMULATE, json).status()).isEqualTo(400);
        byte[] unknown = bytes("{\"txn-groups\":[{\"txns\":[{\"x\":" + "{\"x\":".repeat(MANY / 5));
        assertThat(node.post(SIMULATE, unknown).status()).isEqualTo(400);
    }

    @Test
    void membersBeyondAGroupAreCountedAndNoMore() throws IOException {
        long before = allocatedByWorkers();
        assertThat(node.post(SIMULATE, msgpack(filled('\u0080'), MANY)).text())
                .contains("transaction group size 900000 exceeds protocol max 16");
        int objects = MANY / 3;
        String members = "{},".repeat(objects - 1) + "{}";
        byte[] one = bytes("{\"txn-groups\":[{\"txns\":[" + members + "]}]}");
        assertThat(node.post(SIMULATE, one).text())
                .contains("transaction group size 300000 exceeds protocol max 16");
        byte[] many = bytes("{\"txn-groups\":[" + members + "]}");
        assertThat(node.post(SIMULATE, many).text()).contains("empty txgroup");
        // Not a hundred bytes for each.
        assertThat(allocatedByWorkers() - before).isLessThan(100L * MANY);
    }

    private static long allocatedByWorkers() {
        long sum = 0;
        for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().startsWith("rest-worker")) {
                sum += THREADS.getThreadAllocatedBytes(thread.getThreadId());
            }
        }
        return sum;
    }
}
