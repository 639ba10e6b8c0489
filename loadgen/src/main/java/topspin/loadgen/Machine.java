package topspin.loadgen;

import com.sun.management.OperatingSystemMXBean;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Where and with what a run was made: without it a figure says nothing. */
record Machine(
        String os,
        String architecture,
        int processors,
        String processor,
        long memoryMib,
        String jdk) {
    private static final long GIT_SECONDS_MAX = 5;

    static Machine here() {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return new Machine(
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors(),
                processorName(),
                system.getTotalMemorySize() >> 20,
                System.getProperty("java.vendor")
                        + " "
                        + System.getProperty("java.runtime.version"));
    }

    private static String processorName() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
                if (line.startsWith("model name")) {
                    return line.substring(line.indexOf(':') + 1).strip();
                }
            }
        } catch (IOException e) {
            return "unknown"; // No Linux.
        }
        return "unknown";
    }

    /**
     * The commit of a checkout, with {@code dirty} behind it if files differ; "unknown" elsewhere.
     *
     * @param within a folder of the checkout
     */
    static String commit(Path within) {
        String commit = git(within, "rev-parse", "--short=12", "HEAD");
        String changes = git(within, "status", "--porcelain", "--untracked-files=no");
        if (commit == null || changes == null) {
            return "unknown";
        }
        return changes.isEmpty() ? commit : commit + " dirty";
    }

    private static @Nullable String git(Path folder, String... arguments) {
        var command = new String[arguments.length + 1];
        command[0] = "git";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        try {
            Process process =
                    new ProcessBuilder(Arrays.asList(command))
                            .directory(folder.toFile())
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            byte[] output = process.getInputStream().readAllBytes();
            boolean ended = process.waitFor(GIT_SECONDS_MAX, TimeUnit.SECONDS);
            boolean done = ended && process.exitValue() == 0;
            return done ? new String(output, StandardCharsets.UTF_8).strip() : null;
        } catch (IOException e) {
            return null; // No git.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
