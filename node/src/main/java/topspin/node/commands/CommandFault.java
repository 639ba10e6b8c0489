package topspin.node.commands;

import topspin.node.NodeFault;

/**
 * Why a command ends without what was asked: the one line that says so, and the exit status
 * (cli.md, section 2).
 */
public final class CommandFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitStatus;

    private CommandFault(int exitStatus, String line, Throwable cause) {
        super(line, cause);
        this.exitStatus = exitStatus;
    }

    private CommandFault(int exitStatus, String line) {
        super(line);
        this.exitStatus = exitStatus;
    }

    /** 1: it ran, but did not reach what was asked. */
    public static CommandFault missed(String line) {
        return new CommandFault(1, line);
    }

    /** 2: a wrong argument, file or configuration; the line names it and what is allowed. */
    public static CommandFault argument(String line) {
        return new CommandFault(2, line);
    }

    /** As {@link #argument(String)}, after an exception that {@code --verbose} shows. */
    public static CommandFault argument(String line, Throwable cause) {
        return new CommandFault(2, line, cause);
    }

    /** 3: the machine refused; the line says what to do. */
    public static CommandFault machine(String line) {
        return new CommandFault(3, line);
    }

    /** As {@link #machine(String)}, after an exception that {@code --verbose} shows. */
    public static CommandFault machine(String line, Throwable cause) {
        return new CommandFault(3, line, cause);
    }

    /** A node's or network's fault, as a command's. */
    public static CommandFault of(NodeFault fault) {
        return new CommandFault(fault.exitStatus(), fault.line(), fault);
    }

    public int exitStatus() {
        return exitStatus;
    }
}
