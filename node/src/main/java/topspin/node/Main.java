package topspin.node;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

import topspin.loadgen.Commands;
import topspin.node.commands.AccountCommand;
import topspin.node.commands.BenchCommand;
import topspin.node.commands.CommandFault;
import topspin.node.commands.CompletionCommand;
import topspin.node.commands.EarlyStop;
import topspin.node.commands.FundCommand;
import topspin.node.commands.InspectCommand;
import topspin.node.commands.KeysCommand;
import topspin.node.commands.NetworkCommand;
import topspin.node.commands.NodeCommand;
import topspin.node.commands.SendCommand;
import topspin.node.commands.StatusCommand;
import topspin.node.commands.TraceCommand;

import java.io.PrintWriter;

/**
 * The command line of Topspin: finds the command, runs it, and turns what went wrong into one line
 * and an exit status (cli.md, section 2).
 */
@Command(
        name = "topspin",
        mixinStandardHelpOptions = true,
        version = "topspin 0.1.0",
        scope = ScopeType.INHERIT,
        description = "An Algorand-compatible transaction node for the JVM.",
        subcommands = {
            NetworkCommand.class,
            NodeCommand.class,
            Commands.class,
            StatusCommand.class,
            InspectCommand.class,
            AccountCommand.class,
            SendCommand.class,
            FundCommand.class,
            TraceCommand.class,
            KeysCommand.class,
            BenchCommand.class,
            CompletionCommand.class
        },
        footer = {
            "",
            "Examples:",
            "  topspin pingpong                 a network of two under load, and what came of it",
            "  topspin network up --detach      a network to develop against",
            "",
            "Exit status: 0 done, 1 not reached what was asked, 2 bad argument or file, 3 the"
                    + " machine refused."
        })
public final class Main {
    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            description = "Show the stack trace of what goes wrong.")
    private boolean verbose;

    private Main() {}

    /** Runs a command and ends the process with its exit status. */
    public static void main(String[] arguments) {
        EarlyStop.arm(arguments);
        int status = execute(arguments);
        EarlyStop.disarm();
        System.exit(status);
    }

    /** Runs a command; its exit status. */
    static int execute(String... arguments) {
        Main main = new Main();
        CommandLine line = new CommandLine(main);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setParameterExceptionHandler(Main::refuse);
        line.setExecutionExceptionHandler((thrown, command, parsed) -> main.fail(thrown, command));
        line.setExecutionStrategy(
                parsed -> {
                    CommandLine.ParseResult last = parsed;
                    while (last.hasSubcommand()) {
                        last = last.subcommand();
                    }
                    CommandSpec spec = last.commandSpec();
                    boolean asked = last.isUsageHelpRequested() || last.isVersionHelpRequested();
                    if (!asked
                            && !(spec.userObject() instanceof Runnable)
                            && !(spec.userObject() instanceof java.util.concurrent.Callable)) {
                        throw new CommandLine.ParameterException(
                                spec.commandLine(),
                                "a command is wanted; one of "
                                        + String.join(", ", spec.subcommands().keySet()));
                    }
                    return new CommandLine.RunLast().execute(parsed);
                });
        return line.execute(arguments);
    }

    /** One line that names what is wrong, and the nearest thing that is right. */
    private static int refuse(CommandLine.ParameterException wrong, String[] arguments) {
        PrintWriter err = wrong.getCommandLine().getErr();
        err.print("topspin: " + oneLine(String.valueOf(wrong.getMessage())));
        if (wrong instanceof CommandLine.UnmatchedArgumentException unmatched) {
            var suggestions = unmatched.getSuggestions();
            if (!suggestions.isEmpty()) {
                err.print("; did you mean " + suggestions.get(0) + "?");
            }
        }
        err.println(
                " ('"
                        + wrong.getCommandLine().getCommandSpec().qualifiedName()
                        + " --help' shows what there is)");
        err.flush();
        return 2;
    }

    private int fail(Exception thrown, CommandLine command) {
        PrintWriter err = command.getErr();
        int status =
                switch (thrown) {
                    case CommandFault fault -> fault.exitStatus();
                    case NodeFault fault -> fault.exitStatus();
                    default -> 3;
                };
        String what =
                thrown.getMessage() == null
                        ? thrown.getClass().getSimpleName()
                        : thrown.getMessage();
        boolean expected = thrown instanceof CommandFault || thrown instanceof NodeFault;
        err.println(
                "topspin: "
                        + (expected ? "" : "unexpected: ")
                        + oneLine(what)
                        + (expected || verbose ? "" : " (--verbose shows where)"));
        if (verbose) {
            thrown.printStackTrace(err);
        }
        err.flush();
        return status;
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
