package topspin.node.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import topspin.node.LocalNetwork;
import topspin.node.LocalNetwork.Member;
import topspin.node.NetworkTemplate;
import topspin.node.NodeFault;
import topspin.node.Tokens;
import topspin.node.WalletFile;
import topspin.node.devmode.BlockMode;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** {@code topspin network}: several nodes on this machine. */
@Command(
        name = "network",
        description = "Runs a network of several nodes on this machine.",
        subcommands = {
            NetworkCommand.Up.class,
            NetworkCommand.Status.class,
            NetworkCommand.Down.class,
            NetworkCommand.Reset.class,
            NetworkSnapshots.Take.class,
            NetworkSnapshots.Revert.class,
            NetworkFaults.Kill.class,
            NetworkFaults.Pause.class,
            NetworkFaults.Slow.class,
            NetworkFaults.Partition.class,
            NetworkFaults.Resume.class
        },
        footer = {"", "Example:", "  topspin network up --detach"})
public final class NetworkCommand {
    /** Where the first node says where its key daemon is. */
    private static final String KMD_NET = "kmd-v0.5/kmd.net";

    /**
     * How long a node may take to serve, and a first block to come: generous, for a loaded machine.
     */
    private static final Duration READY_MAX = Duration.ofSeconds(90);

    /** How long a node may take to close what it holds before it is killed. */
    private static final Duration STOP_MAX = Duration.ofSeconds(20);

    /** How long a node may take to answer that is not paused. */
    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

    private static final Duration POLL = Duration.ofMillis(20);

    /** {@code network up}. */
    @Command(
            name = "up",
            description =
                    "Makes the network if there is none, starts it, and says when it is ready.",
            footer = {
                "",
                "Examples:",
                "  topspin network up",
                "  topspin network up --detach --nodes 5 --port 0 --dir five",
                "  topspin network up --blocks instant"
            })
    static final class Up implements Runnable {
        @Mixin private NetworkFolder where = new NetworkFolder();

        @Option(
                names = "--nodes",
                paramLabel = "N",
                converter = WholeNumber.Nodes.class,
                description = "Number of nodes (default: 2).")
        private @Nullable Integer nodes;

        @Option(
                names = "--blocks",
                paramLabel = "MODE",
                description =
                        "agreement of all nodes, or node1 makes them: instant, interval:1s (any"
                                + " time), manual (default: agreement).")
        private @Nullable String blocks;

        @Option(
                names = "--profile",
                paramLabel = "NAME",
                description =
                        "Protocol parameters: fast (rounds of about a second), or v42 (the"
                                + " network's own; default: fast with agreement, else v42).")
        private @Nullable String profile;

        @Option(
                names = "--template",
                paramLabel = "FILE",
                description =
                        "Wallets, their money and who is Online, in the form of"
                                + " config/network.json.")
        private @Nullable Path template;

        @Option(
                names = "--port",
                paramLabel = "PORT",
                converter = WholeNumber.Port.class,
                description =
                        "REST port of the first node, the next ones 10 further each; gossip 5"
                                + " above; 0: any free (default: 4001).")
        private @Nullable Integer port;

        @Option(names = "--detach", description = "Leave the network running and return.")
        private boolean detach;

        @Mixin private Output output = new Output();

        @Override
        public void run() {
            Path launcher = launcher();
            try {
                LocalNetwork network = openOrCreate();
                start(network, launcher);
            } catch (NodeFault fault) {
                throw CommandFault.of(fault);
            }
        }

        private void start(LocalNetwork network, Path launcher) throws NodeFault {
            if (network.isRunning()) {
                throw CommandFault.machine(
                        "the network in "
                                + network.folder()
                                + " runs already; 'network down' stops it");
            }
            checkPorts(network);
            Map<Member, Process> processes = new LinkedHashMap<>();
            CountDownLatch interrupted = new CountDownLatch(1);
            Thread stopper = new Thread(() -> stopAtExit(processes, interrupted), "stop-network");
            EarlyStop.handOver(stopper);
            boolean up = false;
            try {
                for (Member member : network.members()) {
                    processes.put(member, network.start(member, launcher));
                }
                awaitReady(network, processes);
                up = true;
            } finally {
                if (!up || detach) {
                    Runtime.getRuntime().removeShutdownHook(stopper);
                }
                if (!up) {
                    stop(processes);
                }
            }
            report(network);
            if (!detach) {
                awaitEnd(processes, interrupted);
            }
        }

        private LocalNetwork openOrCreate() throws NodeFault {
            if (LocalNetwork.exists(where.path())) {
                LocalNetwork network = LocalNetwork.open(where.path());
                refuseOther(network, "--nodes", nodes, network.plan().nodes());
                refuseOther(network, "--port", port, network.plan().port());
                refuseOther(network, "--profile", profile, network.plan().profile());
                refuseOther(
                        network,
                        "--blocks",
                        blocks == null ? null : mode(),
                        network.plan().blocks());
                refuseOther(network, "--template", template, "in its genesis");
                return network;
            }
            LocalNetwork.Plan plan;
            try {
                BlockMode mode = mode();
                plan =
                        new LocalNetwork.Plan(
                                nodes == null ? 2 : nodes,
                                mode,
                                profile == null ? LocalNetwork.Plan.usualProfile(mode) : profile,
                                port == null ? 4001 : port);
            } catch (IllegalArgumentException wrong) {
                throw CommandFault.argument(String.valueOf(wrong.getMessage()), wrong);
            }
            Path config = home().resolve("config");
            Path file = template != null ? template : config.resolve("network.json");
            return LocalNetwork.create(
                    where.path(),
                    NetworkTemplate.read(file),
                    plan,
                    config.resolve("consensus.json"));
        }

        private BlockMode mode() {
            try {
                return BlockMode.parse(blocks == null ? "agreement" : blocks);
            } catch (IllegalArgumentException wrong) {
                throw CommandFault.argument("--blocks: " + wrong.getMessage(), wrong);
            }
        }

        /**
         * What a network was made with stays; an option that says otherwise is no wish we could
         * fulfil silently.
         */
        private static void refuseOther(
                LocalNetwork network, String option, @Nullable Object asked, Object made) {
            if (asked != null && !asked.equals(made)) {
                throw CommandFault.argument(
                        option
                                + " "
                                + asked
                                + ": the network in "
                                + network.folder()
                                + " was made with "
                                + made
                                + "; take another --dir, or 'network reset' it");
            }
        }

        private void awaitReady(LocalNetwork network, Map<Member, Process> processes)
                throws NodeFault {
            long deadline = System.nanoTime() + READY_MAX.toNanos();
            for (Member member : network.members()) {
                output.progress("starting " + member.name() + " …");
                awaitRound(member, processes, 0, deadline);
            }
            if (network.plan().blocks() instanceof BlockMode.Instant) {
                // No block comes of itself here: a payment of nothing to oneself makes the first
                // one.
                WalletFile.Entry first = network.wallet().entries().get(0);
                Payments.pay(client(network.members().get(0)), first, first.address(), 0);
            } else if (network.plan().blocks() instanceof BlockMode.Manual) {
                try {
                    client(network.members().get(0)).post("/topspin/blocks", new byte[0]);
                } catch (IOException unreachable) {
                    throw client(network.members().get(0)).unreachable(unreachable);
                }
            }
            for (Member member : network.members()) {
                awaitRound(member, processes, 1, deadline);
            }
        }

        /** Polls, since there is nothing to wait on before a node serves. */
        private static void awaitRound(
                Member member, Map<Member, Process> processes, long round, long deadline) {
            while (lastRound(member).orElse(-1L) < round) {
                for (Map.Entry<Member, Process> started : processes.entrySet()) {
                    if (!started.getValue().isAlive()) {
                        throw died(started.getKey(), started.getValue().exitValue());
                    }
                }
                if (System.nanoTime() - deadline > 0) {
                    throw CommandFault.machine(
                            member.name()
                                    + " has no block "
                                    + round
                                    + " after "
                                    + READY_MAX.toSeconds()
                                    + " s; see "
                                    + member.folder().resolve("node.log"));
                }
                LockSupport.parkNanos(POLL.toNanos());
            }
        }

        private static CommandFault died(Member member, int status) {
            String last = "";
            try {
                List<String> lines = Files.readAllLines(LocalNetwork.errors(member));
                last =
                        lines.isEmpty()
                                ? ""
                                : lines.get(lines.size() - 1).replaceFirst("^topspin: ", "");
            } catch (IOException none) {
                // Then the status has to do.
            }
            String line =
                    member.name()
                            + " stopped with status "
                            + status
                            + (last.isEmpty() ? "" : ": " + last);
            return status == 2 ? CommandFault.argument(line) : CommandFault.machine(line);
        }

        private void report(LocalNetwork network) throws NodeFault {
            List<WalletFile.Entry> wallets = network.wallet().entries();
            output.object(describe(network, wallets));
            if (output.isJson()) {
                return;
            }
            for (Member member : network.members()) {
                String rest = "http://" + member.announced("algod.net").orElse("?");
                output.line(member.name());
                output.line("  REST       " + rest);
                output.line("  token      " + Tokens.WELL_KNOWN);
                output.line("  dashboard  " + rest + "/#token=" + Tokens.WELL_KNOWN);
                member.announced(KMD_NET)
                        .ifPresent(kmd -> output.line("  kmd        http://" + kmd));
                output.line("  gossip     " + member.announced("algod-listen.net").orElse("?"));
            }
            output.line("");
            output.line("funded accounts (" + network.folder().resolve("wallet.json") + ")");
            for (WalletFile.Entry wallet : wallets) {
                output.line("  " + wallet.address() + "  " + wallet.name());
                output.line("    " + wallet.mnemonic());
            }
            output.line("");
            output.line("export DISPENSER_MNEMONIC=\"" + wallets.get(0).mnemonic() + "\"");
            output.line("");
            output.line(mayStop(network.plan()));
            output.line(
                    detach ? "ready; 'topspin network down' stops it" : "ready; Ctrl-C stops it");
        }

        /** How many nodes may stop before rounds do. */
        private static String mayStop(LocalNetwork.Plan plan) {
            int nodes = plan.nodes();
            if (!plan.agrees()) {
                return nodes == 1
                        ? "node1 makes the blocks: when it stops, rounds stop"
                        : "node1 makes the blocks: when it stops, rounds stop; the other "
                                + (nodes - 1)
                                + " may stop and come back";
            }
            int spare = plan.nodesToSpare();
            return switch (spare) {
                case 0 ->
                        nodes == 1
                                ? "when the node stops, rounds stop"
                                : "all "
                                        + nodes
                                        + " nodes are needed: while one is stopped, rounds stop";
                case 1 -> "one node may stop, whichever: rounds go on";
                default -> spare + " nodes may stop, whichever: rounds go on";
            };
        }

        private static ObjectNode describe(LocalNetwork network, List<WalletFile.Entry> wallets) {
            ObjectNode root = Output.newObject();
            root.put("dir", network.folder().toString());
            root.put("blocks", network.plan().blocks().toString());
            root.put("profile", network.plan().profile());
            ArrayNode nodes = root.putArray("nodes");
            for (Member member : network.members()) {
                ObjectNode node = nodes.addObject();
                member.announced(KMD_NET).ifPresent(kmd -> node.put("kmd", "http://" + kmd));
                node.put("name", member.name())
                        .put("url", "http://" + member.announced("algod.net").orElse(""))
                        .put("token", Tokens.WELL_KNOWN)
                        .put("gossip", member.announced("algod-listen.net").orElse(""))
                        .put("data", member.folder().toString());
            }
            ArrayNode accounts = root.putArray("accounts");
            for (WalletFile.Entry wallet : wallets) {
                accounts.addObject()
                        .put("name", wallet.name())
                        .put("address", wallet.address().toString())
                        .put("mnemonic", wallet.mnemonic());
            }
            return root;
        }

        /** Until Ctrl-C, or until no node runs any more. A node that ends alone is told of once. */
        private void awaitEnd(Map<Member, Process> processes, CountDownLatch interrupted) {
            Map<Member, Process> running = new LinkedHashMap<>(processes);
            try {
                while (!running.isEmpty() && !interrupted.await(200, TimeUnit.MILLISECONDS)) {
                    running.entrySet()
                            .removeIf(
                                    entry -> {
                                        boolean ended = !entry.getValue().isAlive();
                                        if (ended && interrupted.getCount() > 0) {
                                            output.remark(
                                                    String.valueOf(
                                                            died(
                                                                            entry.getKey(),
                                                                            entry.getValue()
                                                                                    .exitValue())
                                                                    .getMessage()));
                                        }
                                        return ended;
                                    });
                }
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
            if (running.isEmpty() && interrupted.getCount() > 0) {
                throw CommandFault.missed("no node runs any more");
            }
        }

        private static void stopAtExit(Map<Member, Process> processes, CountDownLatch interrupted) {
            interrupted.countDown();
            stop(processes);
        }

        private static void stop(Map<Member, Process> processes) {
            end(processes.values().stream().map(Process::toHandle).toList());
        }
    }

    /** {@code network status}. */
    @Command(
            name = "status",
            description = "Says which nodes of the network run, and how far they are.",
            footer = {"", "Example:", "  topspin network status --json"})
    static final class Status implements Runnable {
        @Mixin private NetworkFolder where = new NetworkFolder();

        @Mixin private Output output = new Output();

        @Override
        public void run() {
            LocalNetwork network = where.open();
            ArrayNode nodes = Output.newObject().arrayNode();
            for (Member member : network.members()) {
                Optional<ProcessHandle> process = member.process();
                Optional<Long> round = process.isPresent() ? lastRound(member) : Optional.empty();
                ObjectNode node = nodes.addObject();
                node.put("name", member.name());
                node.put("running", process.isPresent());
                process.ifPresent(handle -> node.put("pid", handle.pid()));
                member.announced("algod.net")
                        .filter(any -> process.isPresent())
                        .ifPresent(net -> node.put("url", "http://" + net));
                round.ifPresent(last -> node.put("round", last));
                output.line(
                        member.name()
                                + (process.isEmpty()
                                        ? "  stopped"
                                        : "  running, pid "
                                                + process.get().pid()
                                                + ", http://"
                                                + member.announced("algod.net").orElse("?")
                                                + round.map(last -> ", round " + last)
                                                        .orElse(", not answering")));
            }
            ObjectNode root = Output.newObject();
            root.put("dir", network.folder().toString());
            root.set("nodes", nodes);
            output.object(root);
        }
    }

    /** {@code network down}. */
    @Command(
            name = "down",
            description = "Stops the nodes of the network; what they hold stays.",
            footer = {"", "Example:", "  topspin network down"})
    static final class Down implements Runnable {
        @Mixin private NetworkFolder where = new NetworkFolder();

        @Mixin private Output output = new Output();

        @Override
        public void run() {
            int stopped = stopAll(where.open());
            output.line(
                    stopped == 0
                            ? "no node was running"
                            : "stopped " + stopped + (stopped == 1 ? " node" : " nodes"));
            output.object(Output.newObject().put("stopped", stopped));
        }
    }

    /** {@code network reset}. */
    @Command(
            name = "reset",
            description =
                    "Stops the network and deletes it: the next 'network up' begins at genesis.",
            footer = {"", "Example:", "  topspin network reset"})
    static final class Reset implements Runnable {
        @Mixin private NetworkFolder where = new NetworkFolder();

        @Mixin private Output output = new Output();

        @Override
        public void run() {
            LocalNetwork network = where.open();
            stopAll(network);
            try {
                network.delete();
            } catch (NodeFault fault) {
                throw CommandFault.of(fault);
            }
            output.line("the network in " + network.folder() + " is gone");
            output.object(Output.newObject().put("dir", network.folder().toString()));
        }
    }

    private NetworkCommand() {}

    private static int stopAll(LocalNetwork network) {
        List<ProcessHandle> running = new ArrayList<>();
        for (Member member : network.members()) {
            member.process().ifPresent(running::add);
        }
        // One that is paused hears of it only when it goes on.
        running.forEach(process -> NetworkFaults.signal("CONT", process));
        end(running);
        return running.size();
    }

    /** Asks all to stop, then waits; one that does not is killed, which its ledger survives. */
    private static void end(List<ProcessHandle> processes) {
        processes.forEach(ProcessHandle::destroy);
        long deadline = System.nanoTime() + STOP_MAX.toNanos();
        for (ProcessHandle process : processes) {
            try {
                process.onExit()
                        .get(Math.max(deadline - System.nanoTime(), 1), TimeUnit.NANOSECONDS);
            } catch (TimeoutException stuck) {
                process.destroyForcibly();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            } catch (java.util.concurrent.ExecutionException impossible) {
                throw new AssertionError("onExit never fails", impossible);
            }
        }
    }

    private static void checkPorts(LocalNetwork network) {
        for (int port : network.plan().fixedPorts()) {
            try (ServerSocket probe = new ServerSocket()) {
                probe.setReuseAddress(true);
                probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            } catch (IOException taken) {
                throw CommandFault.machine(
                        "port "
                                + port
                                + " is taken; choose others with --port PORT, or any free ones with"
                                + " --port 0",
                        taken);
            }
        }
    }

    private static NodeClient client(Member member) {
        return NodeClient.ofFolder(member.folder());
    }

    /** The last round of a node that serves and is not paused. */
    static Optional<Long> lastRound(Member member) {
        return NodeClient.within(ANSWER_MAX, () -> client(member).get("/v2/status"))
                .filter(NodeClient.Answer::isOk)
                .map(answer -> answer.json().path("last-round"))
                .filter(JsonNode::isIntegralNumber)
                .map(JsonNode::longValue);
    }

    /** The launcher that started us: nodes are processes of the same one. */
    static Path launcher() {
        String launcher = System.getProperty("topspin.launcher");
        if (launcher == null) {
            throw CommandFault.machine("started without the launcher; use bin/topspin");
        }
        return Path.of(launcher);
    }

    /** Where the distribution lies. */
    static Path home() {
        return Path.of(System.getProperty("topspin.home", "."));
    }
}
