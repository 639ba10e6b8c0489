package topspin.loadgen;

/**
 * Why a run cannot start or go on: one line for a person, and the exit status of cli.md section 2.
 */
final class LoadFault extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Ran, but did not reach what was asked. */
    static final int NOT_REACHED = 1;

    /** A bad argument, file or configuration. */
    static final int BAD_ARGUMENT = 2;

    /** The machine, or a node on it, refused. */
    static final int MACHINE_REFUSED = 3;

    private final int exitStatus;

    LoadFault(int exitStatus, String message) {
        super(message);
        this.exitStatus = exitStatus;
    }

    LoadFault(int exitStatus, String message, Throwable cause) {
        super(message, cause);
        this.exitStatus = exitStatus;
    }

    int exitStatus() {
        return exitStatus;
    }
}
