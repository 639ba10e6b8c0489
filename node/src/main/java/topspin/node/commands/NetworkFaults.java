package topspin.node.commands;

import com.fasterxml.jackson.databind.node.ObjectNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import topspin.net.Impairment;
import topspin.node.LocalNetwork;
import topspin.node.LocalNetwork.Member;
import topspin.node.NetworkEvents;
import topspin.node.NodeFault;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code network kill, pause, slow, partition} and {@code resume}: what happens to nodes in real
 * networks, done to one of this network while it runs, and noted for the report of a load that is
 * under way.
 */
final class NetworkFaults {
    /** How long a killed process may take to be gone, and a node to serve again. */
    private static final Duration DONE_MAX = Duration.ofSeconds(60);

    /** How long a node may take to answer that is not paused. */
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    private static final Duration POLL = Duration.ofMillis(20);

    private static final String IMPAIRMENT = "/topspin/impairment";

    private NetworkFaults() {}

    /** One node of a network, and what is done to it. */
    abstract static class OfOneNode implements Runnable {
        private static final Pattern NODE = Pattern.compile("(?:node)?(\\d{1,2})");

        @Parameters(paramLabel = "NODE", description = "Number of the node, from 1, or its name.")
        private String node = "";

        @Mixin private NetworkFolder where = new NetworkFolder();

        @Mixin private Output output = new Output();

        /** What is done, as {@code status} and reports say it. */
        abstract String name();

        /** Does it; answers with what a person should know. */
        abstract String applyTo(LocalNetwork network, Member member);

        @Override
        public final void run() {
            LocalNetwork network = where.open();
            Member member = member(network);
            String line = applyTo(network, member);
            try {
                NetworkEvents.of(network.folder())
                        .add(InstantSource.system().millis(), name(), member.name());
            } catch (IOException refused) {
                throw CommandFault.machine(
                        network.folder() + ": the event is not noted: " + refused.getMessage(),
                        refused);
            }
            ObjectNode result = Output.newObject().put("node", member.name());
            output.object(result.put("event", name()));
            output.line(member.name() + "  " + line);
        }

        private Member member(LocalNetwork network) {
            Matcher number = NODE.matcher(node);
            if (!number.matches()) {
                throw CommandFault.argument(
                        "NODE: a number from 1 to "
                                + network.plan().nodes()
                                + " or a name such as node1, not '"
                                + node
                                + "'");
            }
            try {
                return network.member(Integer.parseInt(number.group(1)));
            } catch (NodeFault none) {
                throw CommandFault.argument(
                        "NODE: this network has nodes 1 to "
                                + network.plan().nodes()
                                + ", not "
                                + node,
                        none);
            }
        }
    }

    /** {@code network kill}. */
    @Command(
            name = "kill",
            description =
                    "Ends a node's process at once, as a crash would; 'network resume' starts it"
                            + " again.",
            footer = {"", "Example:", "  topspin network kill 2"})
    static final class Kill extends OfOneNode {
        @Override
        String name() {
            return "kill";
        }

        @Override
        String applyTo(LocalNetwork network, Member member) {
            ProcessHandle process = running(member);
            process.destroyForcibly();
            try {
                var unused = process.onExit().get(DONE_MAX.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            } catch (java.util.concurrent.ExecutionException
                    | java.util.concurrent.TimeoutException alive) {
                throw CommandFault.machine(
                        "process " + process.pid() + " does not end: " + alive, alive);
            }
            return "killed";
        }
    }

    /** {@code network pause}. */
    @Command(
            name = "pause",
            description =
                    "Stops a node where it stands, as a machine that hangs: its connections stay,"
                            + " and nothing answers.",
            footer = {"", "Example:", "  topspin network pause 2"})
    static final class Pause extends OfOneNode {
        @Override
        String name() {
            return "pause";
        }

        @Override
        String applyTo(LocalNetwork network, Member member) {
            signal("STOP", running(member));
            return "paused";
        }
    }

    /** {@code network slow}. */
    @Command(
            name = "slow",
            description =
                    "Makes a node's line slow: what its peers send reaches it so much later, in"
                            + " its order.",
            footer = {"", "Example:", "  topspin network slow 2 --by 300ms"})
    static final class Slow extends OfOneNode {
        private static final Pattern TIME = Pattern.compile("(\\d{1,6})(ms|s)");

        @Option(
                names = "--by",
                paramLabel = "TIME",
                description = "1ms to 5s (default: ${DEFAULT-VALUE}).",
                defaultValue = "200ms")
        private String by = "";

        @Override
        String name() {
            return "slow by " + millis() + " ms";
        }

        @Override
        String applyTo(LocalNetwork network, Member member) {
            String path = "/slow/" + millis();
            running(member);
            impair(member, path);
            return "gets what its peers send " + millis() + " ms later";
        }

        private long millis() {
            Matcher time = TIME.matcher(by);
            if (time.matches()) {
                long number = Long.parseLong(time.group(1));
                long millis = time.group(2).equals("s") ? 1000 * number : number;
                if (millis >= 1 && millis <= Impairment.DELAY_MAX.toMillis()) {
                    return millis;
                }
            }
            throw CommandFault.argument("--by: a time from 1ms to 5s, not '" + by + "'");
        }
    }

    /** {@code network partition}. */
    @Command(
            name = "partition",
            description =
                    "Cuts a node off from all others: its connections end, and none come about. Its"
                            + " REST API goes on.",
            footer = {"", "Example:", "  topspin network partition 2"})
    static final class Partition extends OfOneNode {
        @Override
        String name() {
            return "partition";
        }

        @Override
        String applyTo(LocalNetwork network, Member member) {
            running(member);
            impair(member, "/partition");
            return "cut off from all others";
        }
    }

    /** {@code network resume}. */
    @Command(
            name = "resume",
            description =
                    "Undoes what the others did: lets a paused node go on, connects one that is cut"
                            + " off, takes a delay away, starts one that does not run.",
            footer = {"", "Example:", "  topspin network resume 2"})
    static final class Resume extends OfOneNode {
        @Override
        String name() {
            return "resume";
        }

        @Override
        String applyTo(LocalNetwork network, Member member) {
            Optional<ProcessHandle> process = member.process();
            if (process.isEmpty()) {
                start(network, member);
                return "started";
            }
            signal("CONT", process.get());
            impair(member, "/end");
            return "goes on";
        }

        private static void start(LocalNetwork network, Member member) {
            try {
                Process started = network.start(member, NetworkCommand.launcher());
                long deadline = System.nanoTime() + DONE_MAX.toNanos();
                while (NetworkCommand.lastRound(member).isEmpty()) {
                    if (!started.isAlive() || System.nanoTime() - deadline > 0) {
                        throw CommandFault.machine(
                                member.name()
                                        + " does not start; see "
                                        + member.folder().resolve("node.log"));
                    }
                    LockSupport.parkNanos(POLL.toNanos());
                }
            } catch (NodeFault fault) {
                throw CommandFault.of(fault);
            }
        }
    }

    private static ProcessHandle running(Member member) {
        return member.process()
                .orElseThrow(
                        () ->
                                CommandFault.machine(
                                        member.name()
                                                + " does not run; 'network resume "
                                                + member.number()
                                                + "' starts it"));
    }

    /** By the shell's own command: the JDK knows no signals but those that end a process. */
    static void signal(String name, ProcessHandle process) {
        try {
            int status =
                    new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor();
            if (status != 0) {
                throw CommandFault.machine("kill -" + name + " " + process.pid() + ": refused");
            }
        } catch (IOException refused) {
            throw CommandFault.machine("sh cannot be run: " + refused.getMessage(), refused);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw CommandFault.missed("interrupted");
        }
    }

    private static void impair(Member member, String path) {
        NodeClient client = NodeClient.ofFolder(member.folder());
        NodeClient.Answer answer =
                NodeClient.within(ANSWER_MAX, () -> client.post(IMPAIRMENT + path, new byte[0]))
                        .orElseThrow(
                                () ->
                                        CommandFault.machine(
                                                member.name()
                                                        + " does not answer; if it is paused,"
                                                        + " 'network resume "
                                                        + member.number()
                                                        + "' lets it go on"));
        if (!answer.isOk()) {
            throw CommandFault.missed(member.name() + ": " + answer.message());
        }
    }
}
