package topspin.net.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.jspecify.annotations.Nullable;

import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.net.stream.BlockAnswer.Found;

import java.util.Arrays;

/** A block and its certificate as one msgpack map, the body of an answer by HTTP. */
final class BlockAndCertificate {
    private static final byte[] HEADER_AND_BLOCK = key(0x82, "block");
    private static final byte[] CERTIFICATE = key(-1, "cert");

    private BlockAndCertificate() {}

    private static byte[] key(int map, String text) {
        byte[] key = new byte[(map < 0 ? 1 : 2) + text.length()];
        int at = 0;
        if (map >= 0) {
            key[at++] = (byte) map;
        }
        key[at++] = (byte) (0xa0 | text.length());
        System.arraycopy(text.getBytes(US_ASCII), 0, key, at, text.length());
        return key;
    }

    static byte[] encode(byte[] block, byte[] certificate) {
        byte[] body =
                new byte
                        [HEADER_AND_BLOCK.length
                                + block.length
                                + CERTIFICATE.length
                                + certificate.length];
        int at = 0;
        for (byte[] part : new byte[][] {HEADER_AND_BLOCK, block, CERTIFICATE, certificate}) {
            System.arraycopy(part, 0, body, at, part.length);
            at += part.length;
        }
        return body;
    }

    /** Both parts of a body; null if it is not what {@link #encode} makes. */
    static @Nullable Found decode(byte[] body) {
        int block = HEADER_AND_BLOCK.length;
        if (!startsWith(body, 0, HEADER_AND_BLOCK)) {
            return null;
        }
        try {
            var reader = new MsgpackReader().reset(body, block, body.length - block);
            reader.skip();
            int blockEnd = reader.position();
            if (!startsWith(body, blockEnd, CERTIFICATE)) {
                return null;
            }
            int certificate = blockEnd + CERTIFICATE.length;
            reader.reset(body, certificate, body.length - certificate);
            reader.skip();
            return reader.atEnd()
                    ? new Found(
                            Arrays.copyOfRange(body, block, blockEnd),
                            Arrays.copyOfRange(body, certificate, body.length))
                    : null;
        } catch (MalformedMessage malformed) {
            return null;
        }
    }

    private static boolean startsWith(byte[] body, int at, byte[] key) {
        return body.length - at > key.length
                && Arrays.equals(body, at, at + key.length, key, 0, key.length);
    }
}
