package topspin.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Whole nodes on disks that fill up or cannot be written: they end with status 3 and one line that
 * says what to do. Small file systems in a mount namespace, since root may write anywhere else.
 */
@Tag("long")
@Timeout(300)
final class DiskFaultTest {
    private final Funds funds = new Funds(2);

    @Test
    void aNodeStopsOnAFullDiskOpensAgainAndIsRefusedOnAReadOnlyOne(@TempDir Path base)
            throws Exception {
        requireMountNamespace();
        Path disk = Files.createDirectory(base.resolve("disk"));
        Path genesis = Files.writeString(base.resolve("genesis.json"), funds.genesis().json());
        Path config =
                Files.writeString(base.resolve("config.json"), "{\"Blocks\": \"interval:10ms\"}");
        Path data = disk.resolve("node");
        List<String> said =
                run(
                        "mount -t tmpfs -o size=6m tmpfs " + disk,
                        topspin("init", data, "--genesis", genesis, "--config", config),
                        topspin("run", data),
                        "mount -o remount,size=64m " + disk,
                        topspin("digest", data),
                        topspin("verify-ledger", data),
                        "mount -o remount,ro " + disk,
                        topspin("run", data));
        List<String> exits = said.stream().filter(line -> line.startsWith("exit ")).toList();
        assertThat(exits)
                .as("%s", said)
                .containsExactly("exit 0", "exit 3", "exit 0", "exit 0", "exit 3");
        List<String> faults = said.stream().filter(line -> line.startsWith("topspin: ")).toList();
        assertThat(faults).as("%s", said).hasSize(2);
        assertThat(faults.getFirst())
                .contains("no space left on the disk", "nothing confirmed is lost");
        assertThat(faults.getLast())
                .contains(data.toString(), "check its permissions and its disk, then start again")
                .containsIgnoringCase("read-only");
    }

    private String topspin(String command, Path data, Object... more) {
        var line = new StringBuilder("'");
        line.append(
                String.join(
                        "' '",
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--add-modules",
                                "jdk.incubator.vector",
                                "--enable-native-access=ALL-UNNAMED",
                                "-Dmsgpack.universal-buffer=true",
                                "-Xmx512m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "node",
                                command,
                                "--data",
                                data.toString())));
        line.append('\'');
        for (Object argument : more) {
            line.append(" '").append(argument).append('\'');
        }
        return line + " 2>&1; echo exit $?";
    }

    /** What a shell says in a mount namespace of its own, so that nothing of it outlives it. */
    private static List<String> run(String... steps) throws IOException {
        Process shell =
                new ProcessBuilder("unshare", "-m", "sh", "-c", String.join("\n", steps))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try (var out = shell.inputReader(StandardCharsets.UTF_8)) {
            return out.lines().toList();
        } finally {
            shell.destroyForcibly();
        }
    }

    private static void requireMountNamespace() {
        try {
            List<String> said =
                    run("mount -t tmpfs -o size=1m tmpfs /mnt && umount /mnt && echo yes");
            assumeTrue(said.equals(List.of("yes")), "no mount namespaces here: " + said);
        } catch (IOException absent) {
            assumeTrue(false, "no unshare here: " + absent.getMessage());
        }
    }
}
