package topspin.node.commands;

/**
 * Whoever is told to stop before it has begun has done what it was told: a command that runs until
 * then ends with status 0 from its first moment on, and without a word.
 */
public final class EarlyStop {
    private static final Thread HOOK =
            new Thread(() -> Runtime.getRuntime().halt(0), "stop-before-start");

    private EarlyStop() {}

    /** The process begins; {@code arguments} are those of its command line. */
    public static void arm(String... arguments) {
        if (arguments.length > 1 && isLasting(arguments[0] + " " + arguments[1])) {
            Runtime.getRuntime().addShutdownHook(HOOK);
        }
    }

    private static boolean isLasting(String command) {
        return command.equals("node run") || command.equals("network up");
    }

    /** From now on the command's own hook sees to it; nothing that it closes is open yet. */
    static void handOver(Thread hook) {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            Runtime.getRuntime().removeShutdownHook(HOOK);
        } catch (IllegalStateException told) {
            Runtime.getRuntime().halt(0);
        }
    }

    /** The process ends by itself, with a status of its own. */
    public static void disarm() {
        try {
            Runtime.getRuntime().removeShutdownHook(HOOK);
        } catch (IllegalStateException told) {
            return; // The hook ends it.
        }
    }
}
