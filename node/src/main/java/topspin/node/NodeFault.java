package topspin.node;

import org.jspecify.annotations.Nullable;

/**
 * Why a node did not start, or stopped by itself: one line for the operator that names what is
 * wrong and what to do. The command line prints it and ends with {@link #exitStatus()} (cli.md,
 * section 2).
 */
public final class NodeFault extends Exception {
    private static final long serialVersionUID = 1L;

    /** Whose fault it is. */
    public enum Kind {
        /** It ran, and can go no further: what the network or this program did is wrong. */
        STOPPED(1),
        /** An argument, a file or a setting is wrong. */
        CONFIGURATION(2),
        /** The machine refused: a port, a folder, a disk. */
        MACHINE(3);

        private final int exitStatus;

        Kind(int exitStatus) {
            this.exitStatus = exitStatus;
        }
    }

    private final Kind kind;

    private NodeFault(Kind kind, String line, @Nullable Throwable cause) {
        super(line, cause);
        this.kind = kind;
    }

    /** A wrong argument, file or setting; {@code line} names it and what is allowed. */
    public static NodeFault configuration(String line) {
        return new NodeFault(Kind.CONFIGURATION, line, null);
    }

    /** As {@link #configuration(String)}, after an exception that {@code --verbose} shows. */
    public static NodeFault configuration(String line, Throwable cause) {
        return new NodeFault(Kind.CONFIGURATION, line, cause);
    }

    /** The node ran and can go no further; {@code line} names the round and the reason. */
    public static NodeFault stopped(String line, @Nullable Throwable cause) {
        return new NodeFault(Kind.STOPPED, line, cause);
    }

    /** The machine refused; {@code line} says what to do. */
    public static NodeFault machine(String line, @Nullable Throwable cause) {
        return new NodeFault(Kind.MACHINE, line, cause);
    }

    public Kind kind() {
        return kind;
    }

    /** 1 when it ran and stopped, 2 for a configuration, 3 for the machine. */
    public int exitStatus() {
        return kind.exitStatus;
    }

    /** The one line; never null. */
    public String line() {
        String line = getMessage();
        return line == null ? kind.name() : line;
    }
}
