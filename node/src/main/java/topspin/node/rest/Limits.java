package topspin.node.rest;

/**
 * What a client may take of the server at most. The defaults are algod's where it has one.
 *
 * @param connectionsMax sockets open at once, TCP and Unix together; the next is closed unanswered
 * @param requestsMax requests being read or answered at once, waits included; the next gets 429
 * @param headBytesMax request line, and header lines together; beyond it 431
 * @param bodyBytesMax body of a public route; beyond it 413
 * @param adminBodyBytesMax body of an admin route, which takes key files
 * @param bodiesBytesMax all bodies being read together; a request that would pass it gets 429
 * @param answersBytesMax all large answers not yet taken by their clients; a request that would
 *     make another one gets 429
 * @param readMillisMax from the last answer (or the connect) to a whole head, and from there to a
 *     whole body
 * @param writeMillisMax for a client to take an answer
 * @param waitMillisMax how long wait-for-block-after waits
 */
public record Limits(
        int connectionsMax,
        int requestsMax,
        int headBytesMax,
        int bodyBytesMax,
        int adminBodyBytesMax,
        long bodiesBytesMax,
        long answersBytesMax,
        long readMillisMax,
        long writeMillisMax,
        long waitMillisMax) {
    public static final Limits DEFAULT =
            new Limits(
                    2048,
                    1024,
                    8192,
                    10_000_000,
                    60_000_000,
                    64 << 20,
                    64 << 20,
                    15_000,
                    120_000,
                    60_000);

    public Limits {
        requirePositive(connectionsMax, "connectionsMax");
        requirePositive(requestsMax, "requestsMax");
        requirePositive(headBytesMax, "headBytesMax");
        requirePositive(bodyBytesMax, "bodyBytesMax");
        requirePositive(adminBodyBytesMax, "adminBodyBytesMax");
        requirePositive(bodiesBytesMax, "bodiesBytesMax");
        requirePositive(answersBytesMax, "answersBytesMax");
        requirePositive(readMillisMax, "readMillisMax");
        requirePositive(writeMillisMax, "writeMillisMax");
        requirePositive(waitMillisMax, "waitMillisMax");
    }

    private static void requirePositive(long value, String name) {
        if (value <= 0) {
            throw new IllegalArgumentException("rest." + name + " must be positive, is " + value);
        }
    }
}
