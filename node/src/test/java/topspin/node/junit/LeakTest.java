package topspin.node.junit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import topspin.node.devmode.BlockMode;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Networks that come and go leave nothing behind: no thread, no open file, no folder, and no native
 * memory, which RocksDB and Netty hold outside of the heap and nothing but a close gives back.
 */
@Isolated("threads and files of the whole JVM are counted")
final class LeakTest {
    private static final int WARM = 5;

    /** A store left open holds megabytes: 50 of them could not hide below this. */
    private static final long RESIDENT_BYTES_MAX = 96L << 20;

    private static final long PAGE_BYTES = 4096;

    @Test
    @Timeout(180)
    void fiveStartsLeaveNothingBehind() throws Exception {
        startAndStop(WARM, 5);
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void fiftyStartsLeaveNothingBehind() throws Exception {
        startAndStop(WARM, 50);
    }

    private static void startAndStop(int before, int counted) throws Exception {
        times(before);
        Set<String> threads = threads();
        long files = openFiles();
        long folders = folders();
        long resident = residentBytes();
        times(counted);

        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!threads.containsAll(threads()) && System.nanoTime() < end) {
            LockSupport.parkNanos(10_000_000); // Those of the JDK's and Netty's end in their time.
        }
        assertThat(threads).containsAll(threads());
        assertThat(openFiles()).isLessThanOrEqualTo(files);
        assertThat(folders()).isLessThanOrEqualTo(folders);
        assertThat(residentBytes() - resident).isLessThan(RESIDENT_BYTES_MAX);
    }

    private static void times(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            try (TestNetwork network = TestNetwork.start(2, new BlockMode.Instant())) {
                TopspinNetworkTest.pay(
                        network.endpoints().get(1),
                        network.accounts().get(0),
                        network.accounts().get(1).address(),
                        1);
                assertThat(network.round()).isEqualTo(1);
            }
        }
    }

    /** Names of living threads without their numbers, each with how many there are. */
    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(thread -> thread.getName().replaceAll("[0-9]+", "N"))
                .collect(Collectors.groupingBy(name -> name, Collectors.counting()))
                .entrySet()
                .stream()
                .flatMap(
                        entry ->
                                Stream.iterate(1L, n -> n <= entry.getValue(), n -> n + 1)
                                        .map(n -> entry.getKey() + " " + n))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static long openFiles() {
        return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getOpenFileDescriptorCount();
    }

    private static long folders() throws IOException {
        try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return all.filter(path -> path.getFileName().toString().startsWith("topspin")).count();
        }
    }

    private static long residentBytes() throws IOException {
        System.gc();
        String[] figures = Files.readString(Path.of("/proc/self/statm")).split(" ");
        return Long.parseLong(figures[1]) * PAGE_BYTES;
    }
}
