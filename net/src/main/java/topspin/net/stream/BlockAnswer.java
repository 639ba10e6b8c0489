package topspin.net.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;

/** What a peer says to a {@link BlockRequest}. */
public sealed interface BlockAnswer {
    /**
     * The block.
     *
     * @param block as its proposer encoded it
     * @param certificate likewise
     */
    @SuppressWarnings(
            "ArrayRecordComponent") // Handed from the socket to a decoder; never compared.
    record Found(byte[] block, byte[] certificate) implements BlockAnswer {}

    /**
     * Not there.
     *
     * @param latest the last round the peer has; unsigned
     */
    record Missing(long latest) implements BlockAnswer {}

    /** Not answered, for a reason in the peer's words, cut to {@link #REASON_BYTES_MAX}. */
    record Refused(String reason) implements BlockAnswer {}

    /** How much is kept of a peer's words. */
    int REASON_BYTES_MAX = 200;

    /** The topic of the request's hash, in every answer. */
    String REQUEST_HASH = "RequestHash";

    /** The body of this answer to the request with {@code requestHash}. */
    default byte[] encode(long requestHash) {
        Topics topics =
                switch (this) {
                    case Found(byte[] block, byte[] certificate) ->
                            new Topics().with("blockData", block).with("certData", certificate);
                    case Missing(long latest) ->
                            error("requested block is not available")
                                    .with(
                                            "latest",
                                            ByteBuffer.allocate(Long.BYTES)
                                                    .putLong(latest)
                                                    .array());
                    case Refused(String reason) -> error(reason);
                };
        return topics.with(REQUEST_HASH, Topics.number(requestHash)).encode();
    }

    private static Topics error(String reason) {
        return new Topics().with("Error", reason.getBytes(UTF_8));
    }

    /** Reads an answer; null if it is none of the three. */
    static @Nullable BlockAnswer of(Topics topics) {
        byte[] block = topics.get("blockData");
        byte[] certificate = topics.get("certData");
        byte[] error = topics.get("Error");
        if (error == null) {
            return block == null || certificate == null ? null : new Found(block, certificate);
        }
        byte[] latest = topics.get("latest");
        if (latest != null && latest.length == Long.BYTES) {
            return new Missing(ByteBuffer.wrap(latest).getLong());
        }
        return new Refused(new String(error, 0, Math.min(error.length, REASON_BYTES_MAX), UTF_8));
    }
}
