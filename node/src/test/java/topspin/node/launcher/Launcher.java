package topspin.node.launcher;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The launcher as a person runs it: arguments in, what it prints and its exit status out. */
final class Launcher {
    static final JsonMapper JSON = JsonMapper.builder().build();

    /** A run that takes longer hangs. */
    private static final Duration RUN_MAX = Duration.ofMinutes(4);

    private Launcher() {}

    static Path path() {
        return Path.of(System.getProperty("topspin.launcher"));
    }

    /** Root of the checkout. */
    static Path root() {
        return Path.of(System.getProperty("topspin.root"));
    }

    /**
     * What came of a run.
     *
     * @param status exit status
     */
    record Outcome(int status, String out, String err) {
        JsonNode json() {
            try {
                return JSON.readTree(out);
            } catch (IOException notJson) {
                throw new AssertionError(
                        "stdout is not one JSON object: " + out + "\nstderr: " + err, notJson);
            }
        }

        /** This outcome, if the status is 0. */
        Outcome expectSuccess() {
            if (status != 0) {
                throw new AssertionError(
                        "exit status " + status + "\nstdout: " + out + "\nstderr: " + err);
            }
            return this;
        }
    }

    static Outcome topspin(String... arguments) {
        return topspin(Map.of(), arguments);
    }

    static Outcome topspin(Map<String, String> environment, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(path().toString());
        command.addAll(List.of(arguments));
        return run(root(), environment, command);
    }

    /** Runs a program to its end, with nothing on its stdin. */
    static Outcome run(Path folder, Map<String, String> environment, List<String> command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            CompletableFuture<String> out = text(process.getInputStream());
            CompletableFuture<String> err = text(process.getErrorStream());
            if (!process.waitFor(RUN_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("still running after " + RUN_MAX + ": " + command);
            }
            // Only the streams of a detached network's nodes could stay open, and these are not
            // ours.
            return new Outcome(
                    process.exitValue(),
                    out.get(30, TimeUnit.SECONDS),
                    err.get(30, TimeUnit.SECONDS));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (Exception failed) {
            throw new AssertionError("could not run " + command, failed);
        }
    }

    static CompletableFuture<String> text(InputStream stream) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try (stream) {
                        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
                    } catch (IOException failed) {
                        throw new UncheckedIOException(failed);
                    }
                },
                task -> Thread.ofVirtual().start(task));
    }

    /** A network that is up for as long as a test holds it. */
    static final class Network implements AutoCloseable {
        final Path folder;
        final JsonNode description;

        private Network(Path folder, JsonNode description) {
            this.folder = folder;
            this.description = description;
        }

        /** Starts one on free ports. */
        static Network up(Path folder, String... options) {
            List<String> arguments =
                    new ArrayList<>(
                            List.of(
                                    "network",
                                    "up",
                                    "--detach",
                                    "--json",
                                    "--port",
                                    "0",
                                    "--dir",
                                    folder.toString()));
            arguments.addAll(List.of(options));
            return new Network(
                    folder, topspin(arguments.toArray(String[]::new)).expectSuccess().json());
        }

        String url(int node) {
            return description.path("nodes").path(node - 1).path("url").asText();
        }

        String kmd() {
            return description.path("nodes").path(0).path("kmd").asText();
        }

        String mnemonic() {
            return description.path("accounts").path(0).path("mnemonic").asText();
        }

        Path data(int node) {
            return folder.resolve("node" + node);
        }

        ProcessHandle process(int node) throws IOException {
            long pid = Long.parseLong(Files.readString(data(node).resolve("algod.pid")).strip());
            return ProcessHandle.of(pid)
                    .orElseThrow(() -> new AssertionError("node " + node + " does not run"));
        }

        @Override
        public void close() {
            topspin("network", "down", "--dir", folder.toString()).expectSuccess();
        }
    }
}
