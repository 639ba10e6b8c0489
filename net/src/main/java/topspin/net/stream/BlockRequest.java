package topspin.net.stream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.Unpooled;

import org.jspecify.annotations.Nullable;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * A wish for one block and its certificate, and the answers to it: tags UE and TS (gossip.md A.7).
 * An answer names its request by {@link #hash}, which covers every byte of the request.
 *
 * @param round the one wished for; unsigned
 * @param hash first eight bytes, little-endian, of SHA-512/256 over the request's body
 */
public record BlockRequest(long round, long hash) {
    private static final String DATA_TYPE = "requestDataType";
    private static final byte[] BLOCK_AND_CERTIFICATE = "blockAndCert".getBytes(ISO_8859_1);
    private static final String ROUND = "roundKey";
    private static final String NONCE = "nonce";

    /**
     * The body of a request.
     *
     * @param nonce whatever makes it differ from our other requests of that round
     */
    public static byte[] encode(long round, long nonce) {
        return new Topics()
                .with(DATA_TYPE, BLOCK_AND_CERTIFICATE)
                .with(ROUND, Topics.number(round))
                .with(NONCE, Topics.number(nonce))
                .encode();
    }

    /** Reads a request's body; null if it asks for nothing that this node serves. */
    public static @Nullable BlockRequest decode(byte[] body) {
        Topics topics = Topics.decode(Unpooled.wrappedBuffer(body));
        if (topics == null || !Arrays.equals(topics.get(DATA_TYPE), BLOCK_AND_CERTIFICATE)) {
            return null;
        }
        Long round = Topics.number(topics.get(ROUND));
        return round == null ? null : new BlockRequest(round, hash(body));
    }

    /** The hash by which an answer names the request with this body. */
    public static long hash(byte[] body) {
        byte[] digest = sha512_256().digest(body);
        long hash = 0;
        for (int at = Long.BYTES - 1; at >= 0; at--) {
            hash = (hash << Byte.SIZE) | (digest[at] & 0xff);
        }
        return hash;
    }

    private static MessageDigest sha512_256() {
        try {
            return MessageDigest.getInstance("SHA-512/256");
        } catch (NoSuchAlgorithmException absent) {
            throw new AssertionError("the JDK has had it since version 9", absent);
        }
    }
}
