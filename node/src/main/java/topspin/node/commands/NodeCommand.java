package topspin.node.commands;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import topspin.codec.crypto.SignatureEngine;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.Genesis;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerConfig;
import topspin.ledger.Replay;
import topspin.ledger.RoundNotKept;
import topspin.ledger.rules.ParallelSignatures;
import topspin.ledger.rules.VerifiedCache;
import topspin.ledger.store.FolderTree;
import topspin.ledger.store.StoreFault;
import topspin.node.DataFolder;
import topspin.node.NodeConfig;
import topspin.node.NodeFault;
import topspin.node.RunningNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/** {@code topspin node}: one node from a genesis and a config. */
@Command(
        name = "node",
        description = "Makes, runs and checks one node.",
        subcommands = {
            NodeCommand.Init.class,
            NodeCommand.Run.class,
            NodeCommand.DigestOf.class,
            NodeCommand.VerifyLedger.class
        },
        footer = {"", "Example:", "  topspin node run --data ./node1"})
public final class NodeCommand {
    private NodeCommand() {}

    /** {@code node init}. */
    @Command(
            name = "init",
            description = "Makes the data folder of a node from a genesis and, if given, a config.",
            footer = {"", "Example:", "  topspin node init --data ./node1 --genesis genesis.json"})
    static final class Init implements Runnable {
        @Option(
                names = "--data",
                paramLabel = "DIR",
                required = true,
                description = "Folder to make.")
        private Path data = Path.of("");

        @Option(
                names = "--genesis",
                paramLabel = "FILE",
                required = true,
                description = "The network's genesis.json.")
        private Path genesis = Path.of("");

        @Option(
                names = "--config",
                paramLabel = "FILE",
                description = "Settings that differ from the default.")
        private @Nullable Path config;

        @Mixin private Output output = new Output();

        @Override
        public void run() {
            try {
                String text = Files.readString(genesis);
                Genesis parsed = Genesis.parse(text);
                if (config != null && !Files.isRegularFile(config)) {
                    throw CommandFault.argument(config + ": no such file");
                }
                DataFolder.create(
                        data, text, config == null ? NodeConfig.DEFAULT : NodeConfig.read(config));
                output.line("made " + data + " for " + parsed.id());
                output.object(
                        Output.newObject()
                                .put("data", data.toString())
                                .put("genesis_id", parsed.id())
                                .put("genesis_hash", parsed.hash().toString()));
            } catch (NoSuchFileException absent) {
                throw CommandFault.argument(genesis + ": no such file", absent);
            } catch (IOException unreadable) {
                throw CommandFault.argument(
                        genesis + ": cannot be read: " + DataFolder.reason(unreadable), unreadable);
            } catch (IllegalArgumentException wrong) {
                throw CommandFault.argument(genesis + ": " + wrong.getMessage(), wrong);
            } catch (NodeFault fault) {
                throw CommandFault.of(fault);
            }
        }
    }

    /** {@code node run}. */
    @Command(
            name = "run",
            description = "Runs a node until it is told to stop.",
            footer = {
                "",
                "Example:",
                "  topspin node run --data ./node1",
                "  topspin node run --data ./node1 --keep-rounds 10000"
            })
    static final class Run implements Callable<Integer> {
        /** From being told to stop to the end of the process, a start under way included. */
        private static final Duration STOP_MAX = Duration.ofSeconds(4);

        @Option(
                names = "--data",
                paramLabel = "DIR",
                required = true,
                description = "The node's folder.")
        private Path data = Path.of("");

        @Option(
                names = "--keep-rounds",
                paramLabel = "N",
                converter = WholeNumber.Rounds.class,
                description =
                        "Blocks to keep, counted back from the latest: at least 1001, or 0 for all."
                                + " Default: what config.json says as KeepRounds, else all.")
        private @Nullable Long keepRounds;

        /** Completed with the node once it runs, or exceptionally. */
        private final CompletableFuture<RunningNode> started = new CompletableFuture<>();

        /** Set when the process ends by itself, with a status of its own. */
        private volatile boolean failed;

        /** Set when somebody ends the process. */
        private volatile boolean told;

        @Override
        public Integer call() {
            // TERM and Ctrl-C end the process through this hook, also while the node starts.
            EarlyStop.handOver(new Thread(this::stop, "stop"));
            try {
                RunningNode node =
                        RunningNode.start(data, config(), InstantSource.system(), () -> told);
                started.complete(node);
                node.node().caveat().ifPresent(new Output()::remark);
                Optional<NodeFault> why = node.stopped().get();
                if (why.isPresent()) {
                    failed = true;
                    throw CommandFault.of(why.get());
                }
                return 0;
            } catch (NodeFault fault) {
                failed = !told;
                started.completeExceptionally(fault);
                if (told) {
                    return 0;
                }
                throw CommandFault.of(fault);
            } catch (RuntimeException | Error ours) {
                failed = true;
                started.completeExceptionally(ours);
                throw ours;
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                return 0;
            } catch (ExecutionException impossible) {
                throw new AssertionError("how a node stopped is a value", impossible);
            }
        }

        /**
         * Closes the node; a process that was told to end has done what it was told. What a busy
         * machine does not get done in time is left: a ledger is as good after a {@code kill -9}.
         */
        private void stop() {
            told = true;
            Thread closing = Thread.ofPlatform().name("close").daemon().start(this::closeNode);
            try {
                var unused = closing.join(STOP_MAX);
            } catch (InterruptedException nobodyDoes) {
                Thread.currentThread().interrupt();
            }
            if (!failed) {
                Runtime.getRuntime().halt(0);
            }
        }

        private void closeNode() {
            RunningNode node = started.exceptionally(none -> null).join();
            if (node != null) {
                node.close();
            }
        }

        private NodeConfig config() throws NodeFault {
            NodeConfig config = NodeConfig.read(data.resolve("config.json"));
            try {
                return keepRounds == null ? config : config.withKeepRounds(keepRounds);
            } catch (IllegalArgumentException tooFew) {
                throw CommandFault.argument(
                        "--keep-rounds: at least 1001, or 0 for all, not " + keepRounds, tooFew);
            }
        }
    }

    /** {@code node digest}. */
    @Command(
            name = "digest",
            description =
                    "Hashes the whole state of a node that does not run: equal digests, equal"
                            + " states.",
            footer = {"", "Example:", "  topspin node digest --data ./node1"})
    static final class DigestOf implements Runnable {
        @Option(
                names = "--data",
                paramLabel = "DIR",
                required = true,
                description = "The node's folder.")
        private Path data = Path.of("");

        @Mixin private Output output = new Output();

        @Override
        public void run() {
            withLedger(
                    data,
                    ledger -> {
                        long round = ledger.view().round();
                        String digest = ledger.digest().toString();
                        output.line(digest + "  round " + round);
                        output.object(Output.newObject().put("digest", digest).put("round", round));
                        return true;
                    });
        }
    }

    /** {@code node verify-ledger}. */
    @Command(
            name = "verify-ledger",
            description =
                    "Evaluates the chain of a node that does not run again from genesis, and"
                            + " compares the states.",
            footer = {"", "Example:", "  topspin node verify-ledger --data ./node1"})
    static final class VerifyLedger implements Callable<Integer> {
        @Option(
                names = "--data",
                paramLabel = "DIR",
                required = true,
                description = "The node's folder.")
        private Path data = Path.of("");

        @Mixin private Output output = new Output();

        @Override
        public Integer call() {
            Replay.Verification found = withLedger(data, this::verify);
            output.object(
                    Output.newObject()
                            .put("round", found.round())
                            .put("holds", found.holds())
                            .put("kept", found.kept().toString())
                            .put("evaluated", found.evaluated().toString())
                            .put("fault", found.fault()));
            if (found.holds()) {
                output.line(
                        "rounds 0 to "
                                + found.round()
                                + " lead to the state that is kept, "
                                + found.kept());
                return 0;
            }
            throw CommandFault.missed(
                    found.fault() != null
                            ? found.fault()
                            : "the state kept, "
                                    + found.kept()
                                    + ", is not what the blocks lead to, "
                                    + found.evaluated());
        }

        private Replay.Verification verify(Ledger ledger) {
            SecureRandom random = new SecureRandom();
            Path scratch = null;
            try (ParallelSignatures signatures =
                    new ParallelSignatures(
                            Runtime.getRuntime().availableProcessors(),
                            new VerifiedCache(2, random),
                            new SignatureEngine(random))) {
                scratch = Files.createTempDirectory(data, "verify");
                return Replay.verify(
                        ledger,
                        signatures,
                        scratch,
                        round -> {
                            if (round % 1000 == 0) {
                                output.progress("round " + round);
                            }
                        });
            } catch (RoundNotKept pruned) {
                throw CommandFault.argument(
                        data
                                + ": blocks have been pruned, so the chain cannot be evaluated from"
                                + " genesis",
                        pruned);
            } catch (IOException refused) {
                throw CommandFault.machine(
                        data + ": no room for a scratch ledger: " + refused.getMessage(), refused);
            } finally {
                delete(scratch);
            }
        }

        private static void delete(@Nullable Path scratch) {
            if (scratch == null) {
                return;
            }
            try {
                FolderTree.delete(scratch);
            } catch (IOException | UncheckedIOException left) {
                // A scratch folder that stays behind is a nuisance, no fault.
            }
        }
    }

    /** Opens the ledger of a node that does not run. */
    private static <T> T withLedger(Path data, Function<Ledger, T> work) {
        try (DataFolder folder = DataFolder.open(data)) {
            ConsensusVersions versions = ConsensusVersions.builtIn();
            Optional<String> more = folder.consensusText();
            if (more.isPresent()) {
                versions = versions.with(more.get());
            }
            Genesis genesis = Genesis.parse(folder.genesisText());
            try (Ledger ledger =
                    Ledger.open(
                            folder.ledger(),
                            genesis,
                            LedgerConfig.DEFAULT.withVersions(versions))) {
                return work.apply(ledger);
            }
        } catch (NodeFault fault) {
            throw CommandFault.of(fault);
        } catch (StoreFault fault) {
            throw CommandFault.machine(String.valueOf(fault.getMessage()), fault);
        } catch (IllegalArgumentException wrong) {
            throw CommandFault.argument(data + ": " + wrong.getMessage(), wrong);
        }
    }
}
