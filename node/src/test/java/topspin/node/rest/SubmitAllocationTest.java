package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import topspin.node.Funds;
import topspin.node.NodeConfig;
import topspin.node.devmode.BlockMode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What REST's own threads allocate for a submission: HTTP, decoding, the answer. */
final class SubmitAllocationTest {
    /** Seen: 1.75 to 1.8 KB. */
    private static final int BYTES_MAX = 2048;

    private static final int WINDOWS = 8;
    private static final int WINDOW = 512;

    /** Requests on their way at once, as a client under load has them. */
    private static final int PIPELINED = 16;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void aSubmissionCostsLittle(@TempDir Path folder) throws Exception {
        Funds funds = new Funds(2);
        NodeConfig config =
                NodeConfig.DEFAULT.withBlocks(new BlockMode.Interval(Duration.ofHours(1)));
        try (RestNode node = new RestNode(folder, funds.genesis().json(), config)) {
            List<byte[]> requests = new ArrayList<>();
            for (int i = 0; i < WINDOWS * WINDOW; i++) {
                byte[] payment = funds.payment(0, 1, 1).toBytes();
                requests.add(node.request("POST", "/v2/transactions", payment));
            }
            // The smallest window: early ones pay for the compiler, and any for what else goes on.
            long smallest = Long.MAX_VALUE;
            try (RawClient client = node.connect()) {
                for (int window = 0; window < WINDOWS; window++) {
                    int from = window * WINDOW;
                    long before = allocatedByRest();
                    for (int i = from; i < from + WINDOW; i += PIPELINED) {
                        submit(requests.subList(i, i + PIPELINED), client);
                    }
                    smallest = Math.min(smallest, (allocatedByRest() - before) / WINDOW);
                }
            }
            assertThat(smallest).isLessThanOrEqualTo(BYTES_MAX);
        }
    }

    private static void submit(List<byte[]> requests, RawClient client) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        requests.forEach(all::writeBytes);
        client.send(all.toByteArray());
        for (int i = 0; i < requests.size(); i++) {
            RawClient.Answer answer = client.read();
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        }
    }

    private static long allocatedByRest() {
        long sum = 0;
        for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().startsWith("rest-")) {
                sum += THREADS.getThreadAllocatedBytes(thread.getThreadId());
            }
        }
        return sum;
    }
}
