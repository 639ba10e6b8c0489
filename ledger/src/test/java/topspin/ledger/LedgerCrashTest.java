package topspin.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Processes that are killed while they write, and disks that are full or cannot be written. */
final class LedgerCrashTest {
    private final Path dir;
    private final Path temporary;

    LedgerCrashTest(@TempDir Path base) throws IOException {
        dir = base.resolve("ledger");
        temporary = Files.createDirectory(base.resolve("tmp"));
    }

    @Test
    void twoKillsLoseNothing() throws Exception {
        killAtRandomMoments(2, 1);
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left).as("unpacked libraries").isEmpty();
        }
    }

    @Test
    @Tag("long")
    void hundredKillsLoseNothing() throws Exception {
        killAtRandomMoments(100, System.nanoTime());
    }

    /** I9: what was reported durable is there, whole, and leads to the state its blocks explain. */
    private void killAtRandomMoments(int kills, long seed) throws Exception {
        var random = new Random(seed);
        long durable = 0;
        for (int kill = 0; kill < kills; kill++) {
            try (var process = new LedgerProcess(LedgerProcess.command(dir, temporary, -1))) {
                // One in eight is killed while it opens.
                int saidBeforeKill = 1 + (random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(30));
                for (int said = 0; said < saidBeforeKill; said++) {
                    durable = Math.max(durable, round(process.next(), durable, seed));
                }
                process.kill();
                for (String line : process.rest()) {
                    durable = Math.max(durable, round(line, durable, seed));
                }
            }
        }
        Path scratch = dir.resolveSibling("scratch");
        try (Ledger ledger = Ledger.open(dir, LedgerProcess.genesis(), LedgerConfig.DEFAULT)) {
            assertThat(ledger.view().round()).as("seed %d", seed).isBetween(durable, durable + 1);
            assertThat(
                            Replay.verify(
                                            ledger,
                                            new TestNetwork(1).signatures(),
                                            scratch,
                                            round -> {})
                                    .holds())
                    .as("seed %d", seed)
                    .isTrue();
        }
    }

    /** The round that a line reports durable. It must not open with less than was reported. */
    private static long round(String line, long durable, long seed) {
        assertThat(line).as("seed %d", seed).matches("opening|opened [0-9]+|[0-9]+");
        if (line.equals("opening")) {
            return 0;
        }
        long round = Long.parseLong(line.replace("opened ", ""));
        assertThat(round).as("seed %d", seed).isGreaterThanOrEqualTo(durable);
        return round;
    }

    @Test
    void fullDiskStopsTheProcessAndLosesNothing() throws Exception {
        requireMountNamespace();
        Files.createDirectories(dir);
        String java = quoted(LedgerProcess.command(dir, temporary, -1));
        String again = quoted(LedgerProcess.command(dir, temporary, 3));
        List<String> said =
                run(
                        "mount -t tmpfs -o size=6m tmpfs " + dir,
                        java + "; echo exit $?",
                        again + "; echo exit $?",
                        "mount -o remount,size=64m " + dir,
                        again + "; echo exit $?");
        long durable = 0;
        List<String> ends = new ArrayList<>();
        for (String line : said) {
            if (line.matches("[0-9]+")) {
                assertThat(Long.parseLong(line)).isEqualTo(durable + 1);
                durable++;
            } else if (line.startsWith("opened ")) {
                assertThat(Long.parseLong(line.substring(7))).isBetween(durable, durable + 1);
                durable = Long.parseLong(line.substring(7));
            } else if (!line.equals("opening")) {
                ends.add(line);
            }
        }
        assertThat(durable).isGreaterThan(10);
        assertThat(ends.getFirst())
                .startsWith("fault NO_SPACE no space left on the disk of " + dir)
                .contains("nothing confirmed is lost");
        assertThat(ends.get(1)).isEqualTo("exit 1");
        assertThat(ends).endsWith("closed", "exit 0");
    }

    @Test
    void readOnlyFolderIsRefusedByName() throws Exception {
        requireMountNamespace();
        Files.createDirectories(dir);
        String java = quoted(LedgerProcess.command(dir, temporary, 2));
        List<String> said =
                run(
                        java + "; echo exit $?",
                        "mount --bind " + dir + " " + dir,
                        "mount -o remount,ro,bind " + dir,
                        java + "; echo exit $?");
        assertThat(said.subList(0, 6))
                .containsExactly("opening", "opened 0", "1", "2", "closed", "exit 0");
        assertThat(said.get(7))
                .startsWith("fault IO cannot use the ledger folder " + dir)
                .contains("Read-only file system");
        assertThat(said).endsWith("exit 1").hasSize(9);
    }

    /** In a mount namespace of its own, so that nothing of it outlives the shell. */
    private static List<String> run(String... steps) throws IOException {
        try (var shell =
                new LedgerProcess(List.of("unshare", "-m", "sh", "-c", String.join("\n", steps)))) {
            return shell.rest();
        }
    }

    private static void requireMountNamespace() throws IOException {
        try {
            List<String> said =
                    run("mount -t tmpfs -o size=1m tmpfs /mnt && umount /mnt && echo yes");
            assumeTrue(said.equals(List.of("yes")), "no mount namespaces here: " + said);
        } catch (IOException absent) {
            assumeTrue(false, "no unshare here: " + absent.getMessage());
        }
    }

    private static String quoted(List<String> command) {
        return "'" + String.join("' '", command) + "'";
    }
}
