package topspin.node.commands;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;

/** {@code topspin completion}: what a shell needs to complete our command line. */
@Command(
        name = "completion",
        description =
                "Prints a script by which bash and zsh complete commands, options and their values.",
        footer = {"", "Example:", "  source <(topspin completion)"})
public final class CompletionCommand implements Runnable {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        CommandLine root = spec.root().commandLine();
        PrintWriter out = root.getOut();
        out.print(AutoComplete.bash(root.getCommandName(), root));
        out.flush();
    }
}
