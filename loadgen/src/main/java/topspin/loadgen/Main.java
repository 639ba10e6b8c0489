package topspin.loadgen;

import picocli.CommandLine;

/**
 * The generator on its own, without the node's commands: for another machine, or a foreign node.
 */
public final class Main {
    private Main() {}

    /** Runs {@code pingpong} and ends the process with its exit status. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Commands()).execute(arguments));
    }
}
