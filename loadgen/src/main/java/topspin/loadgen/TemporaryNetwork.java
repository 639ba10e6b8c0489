package topspin.loadgen;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * A network for one run, its nodes child processes of the launcher; gone when closed, and when this
 * process ends by a signal.
 */
final class TemporaryNetwork implements AutoCloseable {
    /** The launcher, as it names itself to what it starts. */
    static final String LAUNCHER = "topspin.launcher";

    private static final long UP_SECONDS_MAX = 120;
    private static final long DOWN_SECONDS_MAX = 30;
    private static final int OUTPUT_CHARACTERS_MAX = 2_000;

    /**
     * What the network is to be like; null for the launcher's default.
     *
     * @param folder to keep it in; null for a temporary one
     */
    record Wish(
            int nodes,
            @Nullable String blocks,
            @Nullable String profile,
            @Nullable Path template,
            @Nullable Path folder,
            int port) {}

    private final String launcher;
    private final Path folder;
    private final boolean keep;
    private final AtomicBoolean up = new AtomicBoolean(true);
    private final Thread hook = new Thread(this::takeDown, "network down");

    private TemporaryNetwork(String launcher, Path folder, boolean keep) {
        this.launcher = launcher;
        this.folder = folder;
        this.keep = keep;
    }

    /**
     * Starts a network and returns when it serves.
     *
     * @throws LoadFault with what the launcher says if it cannot
     */
    static TemporaryNetwork start(Wish wish) {
        String launcher = System.getProperty(LAUNCHER, System.getenv("TOPSPIN_LAUNCHER"));
        if (launcher == null) {
            throw new LoadFault(
                    LoadFault.BAD_ARGUMENT,
                    "no launcher to start a network with: run node/bin/topspin pingpong, or name a"
                            + " network by --network or --url");
        }
        Path given = wish.folder();
        Path folder = given == null ? temporaryFolder() : given;
        var network = new TemporaryNetwork(launcher, folder, given != null);
        Runtime.getRuntime().addShutdownHook(network.hook);
        try {
            network.call(UP_SECONDS_MAX, arguments(wish, folder));
        } catch (Refused e) {
            // What did not go up is not ours to take down: in that folder another network may run.
            network.up.set(false);
            network.close();
            network.deleteUnlessKept();
            throw new LoadFault(e.status, e.said, e);
        } catch (LoadFault e) {
            network.close();
            throw e;
        }
        return network;
    }

    /** The launcher ended by itself, having said why. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1;
        private final int status;
        private final String said;

        Refused(int status, String said) {
            super(said);
            this.status = status;
            this.said = said;
        }
    }

    Path folder() {
        return folder;
    }

    private static Path temporaryFolder() {
        try {
            return Files.createTempDirectory("topspin-");
        } catch (IOException e) {
            throw new LoadFault(
                    LoadFault.MACHINE_REFUSED, "no temporary folder: " + e.getMessage(), e);
        }
    }

    private static List<String> arguments(Wish wish, Path folder) {
        var arguments = new ArrayList<String>(List.of("network", "up", "--detach"));
        arguments.addAll(List.of("--dir", folder.toString()));
        arguments.addAll(List.of("--port", Integer.toString(wish.port())));
        arguments.addAll(List.of("--nodes", Integer.toString(wish.nodes())));
        if (wish.blocks() != null) {
            arguments.addAll(List.of("--blocks", wish.blocks()));
        }
        if (wish.profile() != null) {
            arguments.addAll(List.of("--profile", wish.profile()));
        }
        if (wish.template() != null) {
            arguments.addAll(List.of("--template", wish.template().toString()));
        }
        return arguments;
    }

    /**
     * Runs the launcher; a failure carries the last of what it said.
     *
     * @throws Refused if it ended with a status that is not 0
     */
    private void call(long secondsMax, List<String> arguments) throws Refused {
        var command = new ArrayList<String>();
        command.add(launcher);
        command.addAll(arguments);
        Path output = null;
        try {
            output = Files.createTempFile("topspin-", ".log");
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            if (!process.waitFor(secondsMax, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new LoadFault(
                        LoadFault.MACHINE_REFUSED,
                        called(arguments)
                                + ": not done after "
                                + secondsMax
                                + " s: "
                                + saidIn(output));
            }
            int status = process.exitValue();
            if (status == LoadFault.BAD_ARGUMENT || status == LoadFault.MACHINE_REFUSED) {
                // Its line is as good as ours would be.
                throw new Refused(status, saidIn(output).replaceFirst("^topspin: ", ""));
            }
            if (status != 0) {
                throw new Refused(
                        LoadFault.MACHINE_REFUSED,
                        called(arguments) + ": exit status " + status + ": " + saidIn(output));
            }
        } catch (IOException e) {
            throw new LoadFault(
                    LoadFault.MACHINE_REFUSED, launcher + " cannot run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LoadFault(LoadFault.NOT_REACHED, "interrupted", e);
        } finally {
            if (output != null) {
                delete(output);
            }
        }
    }

    private static String called(List<String> arguments) {
        return String.join(" ", arguments.subList(0, 2));
    }

    private static String saidIn(Path output) {
        String said;
        try {
            said = Files.readString(output, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            said = "";
        }
        return said.substring(Math.max(0, said.length() - OUTPUT_CHARACTERS_MAX));
    }

    private void takeDown() {
        if (!up.getAndSet(false)) {
            return;
        }
        try {
            call(DOWN_SECONDS_MAX, List.of("network", "down", "--dir", folder.toString()));
        } catch (LoadFault | Refused e) {
            System.getLogger(TemporaryNetwork.class.getName())
                    .log(System.Logger.Level.WARNING, e.getMessage());
        }
        deleteUnlessKept();
    }

    private void deleteUnlessKept() {
        if (!keep) {
            deleteAll(folder);
        }
    }

    @Override
    public void close() {
        takeDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return; // Shutting down: the hook runs, and finds nothing to do.
        }
    }

    private static void deleteAll(Path folder) {
        try (Stream<Path> entries = Files.walk(folder)) {
            entries.sorted(Comparator.reverseOrder()).forEach(TemporaryNetwork::delete);
        } catch (IOException | UncheckedIOException e) {
            return; // Temporary folders are cleared by others, too.
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            return; // As above.
        }
    }
}
