package topspin.net.multiaddr;

import org.jspecify.annotations.Nullable;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/** Bytes as text in the bases that peer ids and addresses come in. */
public final class Multibase {
    /** Longest text read: what is longer is no id, and the work for it grows with its square. */
    private static final int TEXT_MAX = 1_024;

    private static final String BASE58 =
            "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    private static final String BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz";
    private static final String BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

    // Kinds of multihash.
    private static final byte IDENTITY = 0;
    private static final byte SHA2_256 = 0x12;
    private static final int SHA2_256_BYTES = 32;
    private static final int INLINED_KEY_BYTES_MAX = 42;

    private Multibase() {}

    /** The digits of base58btc; a leading zero byte is a leading {@code 1}. */
    public static String base58(byte[] bytes) {
        int zeros = leading(bytes);
        var text = new StringBuilder();
        BigInteger base = BigInteger.valueOf(BASE58.length());
        for (BigInteger rest = new BigInteger(1, bytes); rest.signum() > 0; ) {
            BigInteger[] parts = rest.divideAndRemainder(base);
            text.append(BASE58.charAt(parts[1].intValue()));
            rest = parts[0];
        }
        text.repeat(BASE58.charAt(0), zeros);
        return text.reverse().toString();
    }

    private static int leading(byte[] bytes) {
        int zeros = 0;
        while (zeros < bytes.length && bytes[zeros] == 0) {
            zeros++;
        }
        return zeros;
    }

    /** The bytes of a text in base58btc; null if it is none. */
    public static byte @Nullable [] decodeBase58(String text) {
        return decodeNumber(text, BASE58);
    }

    /** Bytes as one large number, its leading zeros as leading zero digits. */
    private static byte @Nullable [] decodeNumber(String text, String digits) {
        if (text.isEmpty() || text.length() > TEXT_MAX) {
            return null;
        }
        BigInteger base = BigInteger.valueOf(digits.length());
        BigInteger value = BigInteger.ZERO;
        int zeros = 0;
        for (int at = 0; at < text.length(); at++) {
            int digit = digits.indexOf(text.charAt(at));
            if (digit < 0) {
                return null;
            }
            if (digit == 0 && zeros == at) {
                zeros++;
            }
            value = value.multiply(base).add(BigInteger.valueOf(digit));
        }
        byte[] magnitude = value.toByteArray();
        int from = leading(magnitude);
        byte[] bytes = new byte[zeros + magnitude.length - from];
        System.arraycopy(magnitude, from, bytes, zeros, magnitude.length - from);
        return bytes;
    }

    /** Lower-case base32 without padding. */
    static String base32(byte[] bytes) {
        var text = new StringBuilder();
        long held = 0;
        int bits = 0;
        for (byte next : bytes) {
            held = (held << Byte.SIZE) | (next & 0xff);
            for (bits += Byte.SIZE; bits >= 5; bits -= 5) {
                text.append(BASE32.charAt((int) (held >>> (bits - 5)) & 0x1f));
            }
        }
        if (bits > 0) {
            text.append(BASE32.charAt((int) (held << (5 - bits)) & 0x1f));
        }
        return text.toString();
    }

    /** Reads lower-case base32 without padding; null if it is none. Bits left over are dropped. */
    static byte @Nullable [] decodeBase32(String text) {
        int leftOver = text.length() % 8;
        if (text.length() > TEXT_MAX || leftOver == 1 || leftOver == 3 || leftOver == 6) {
            return null;
        }
        byte[] bytes = new byte[text.length() * 5 / Byte.SIZE];
        long held = 0;
        int bits = 0;
        int filled = 0;
        for (int at = 0; at < text.length(); at++) {
            int digit = BASE32.indexOf(text.charAt(at));
            if (digit < 0) {
                return null;
            }
            held = (held << 5) | digit;
            bits += 5;
            if (bits >= Byte.SIZE) {
                bits -= Byte.SIZE;
                bytes[filled++] = (byte) (held >>> bits);
            }
        }
        return bytes;
    }

    /** Reads a text whose first character names its base; null if it is none of those known. */
    static byte @Nullable [] decode(String text) {
        if (text.length() < 2 || text.length() > TEXT_MAX) {
            return null;
        }
        String digits = text.substring(1);
        try {
            return switch (text.charAt(0)) {
                case 'b' -> decodeBase32(digits);
                case 'f' -> HexFormat.of().parseHex(digits);
                case 'k' -> decodeNumber(digits, BASE36);
                case 'm' -> Base64.getDecoder().decode(unpadded(digits));
                case 'u' -> Base64.getUrlDecoder().decode(unpadded(digits));
                case 'z' -> decodeBase58(digits);
                default -> null;
            };
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    private static String unpadded(String digits) {
        if (digits.endsWith("=")) {
            throw new IllegalArgumentException("padded");
        }
        return digits;
    }

    /**
     * Whether the span is a multihash: a code and a length, both as shortest Uvarints, and a digest
     * of just that length.
     */
    static boolean isMultihash(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int at = afterUvarint(bytes, offset, end);
        if (at < 0) {
            return false;
        }
        int digest = afterUvarint(bytes, at, end);
        return digest > 0 && uvarint(bytes, at) == end - digest;
    }

    /** Where the shortest-form Uvarint at {@code at} ends; -1 if there is none of 31 bits. */
    static int afterUvarint(byte[] bytes, int at, int end) {
        for (int next = at; next < Math.min(end, at + 5); next++) {
            if (bytes[next] >= 0) {
                boolean shortest = next == at || bytes[next] != 0;
                boolean fits = next < at + 4 || bytes[next] < 8;
                return shortest && fits ? next + 1 : -1;
            }
        }
        return -1;
    }

    /** The Uvarint at {@code at}, which {@link #afterUvarint} has accepted. */
    static int uvarint(byte[] bytes, int at) {
        int value = 0;
        int next = at;
        for (int shift = 0; ; shift += 7) {
            value |= (bytes[next] & 0x7f) << shift;
            if (bytes[next++] >= 0) {
                return value;
            }
        }
    }

    /**
     * Whether a span is the multihash of a peer: its public key itself if that is short, else the
     * SHA2-256 of it. Others have no text that is read back.
     */
    static boolean isPeer(byte[] bytes, int offset, int length) {
        if (!isMultihash(bytes, offset, length)) {
            return false;
        }
        return bytes[offset] == SHA2_256
                ? length == 2 + SHA2_256_BYTES
                : bytes[offset] == IDENTITY && length <= 2 + INLINED_KEY_BYTES_MAX;
    }

    /**
     * The multihash in the text of a peer id: base58, or a CID of the kind that holds a key.
     *
     * @return null if it is neither
     */
    public static byte @Nullable [] decodePeer(String text) {
        if (text.startsWith("Qm") || text.startsWith("1")) {
            byte[] hash = decodeBase58(text);
            return hash != null && isPeer(hash, 0, hash.length) ? hash : null;
        }
        byte[] cid = decode(text);
        // Version 1, then the code of libp2p keys.
        if (cid == null || cid.length < 2 || cid[0] != 1 || cid[1] != 0x72) {
            return null;
        }
        byte[] hash = Arrays.copyOfRange(cid, 2, cid.length);
        return isPeer(hash, 0, hash.length) ? hash : null;
    }
}
