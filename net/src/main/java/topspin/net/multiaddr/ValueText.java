package topspin.net.multiaddr;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.util.NetUtil;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/** A protocol's value as text and as bytes. */
final class ValueText {
    /** A garlic destination is at least so long; its lookup hash exactly, or 35 and more. */
    private static final int GARLIC64_BYTES_MIN = 386;

    private static final int GARLIC32_HASH_BYTES = 32;
    private static final int GARLIC32_BYTES_MIN = 35;

    private static final int IP6_BYTES = 16;

    private ValueText() {}

    /** The bytes of a value; null if the text is none of the protocol's. */
    static byte @Nullable [] parse(Protocol protocol, String text) {
        byte[] value =
                switch (protocol.form()) {
                    case NONE -> null;
                    case IP4 -> NetUtil.isValidIpV4Address(text) ? ip(text) : null;
                    case IP6 -> ip6(text);
                    case PORT, NUMBER -> number(text, protocol.size());
                    case NAME, PATH -> text.getBytes(UTF_8);
                    case PEER -> Multibase.decodePeer(text);
                    case ONION -> onion(text, protocol.size());
                    case GARLIC64 -> base64(text.replace('-', '+').replace('~', '/'));
                    case GARLIC32 -> Multibase.decodeBase32(text);
                    case CERTIFICATE_HASH -> Multibase.decode(text);
                    case HTTP_PATH -> unescaped(text);
                };
        return value != null && isValid(protocol, value, 0, value.length) ? value : null;
    }

    /** Whether the span, of the protocol's size if that is fixed, is a value of the protocol. */
    static boolean isValid(Protocol protocol, byte[] bytes, int offset, int length) {
        return switch (protocol.form()) {
            case NONE, IP4, IP6, PORT, NUMBER -> length == protocol.size();
            case NAME ->
                    isText(bytes, offset, length) && !contains(bytes, offset, length, (byte) '/');
            case PATH, HTTP_PATH -> isText(bytes, offset, length);
            case PEER -> Multibase.isPeer(bytes, offset, length);
            case CERTIFICATE_HASH -> Multibase.isMultihash(bytes, offset, length);
            case ONION ->
                    length == protocol.size()
                            && (bytes[offset + length - 2] | bytes[offset + length - 1]) != 0;
            case GARLIC64 -> length >= GARLIC64_BYTES_MIN;
            case GARLIC32 -> length == GARLIC32_HASH_BYTES || length >= GARLIC32_BYTES_MIN;
        };
    }

    /** Some text in UTF-8: what is none could not be written down. */
    private static boolean isText(byte[] bytes, int offset, int length) {
        byte[] again = new String(bytes, offset, length, UTF_8).getBytes(UTF_8);
        return length > 0 && Arrays.equals(bytes, offset, offset + length, again, 0, again.length);
    }

    private static boolean contains(byte[] bytes, int offset, int length, byte wanted) {
        for (int at = offset; at < offset + length; at++) {
            if (bytes[at] == wanted) {
                return true;
            }
        }
        return false;
    }

    /** The text of a valid value. */
    static String print(Protocol protocol, byte[] bytes, int offset, int length) {
        byte[] value = Arrays.copyOfRange(bytes, offset, offset + length);
        return switch (protocol.form()) {
            case NONE -> "";
            case IP4 -> NetUtil.bytesToIpAddress(value);
            case IP6 -> printIp6(value);
            case PORT, NUMBER -> Long.toUnsignedString(number(value));
            case NAME, PATH -> new String(value, UTF_8);
            case PEER -> Multibase.base58(value);
            case ONION ->
                    Multibase.base32(Arrays.copyOf(value, length - 2))
                            + ":"
                            + number(Arrays.copyOfRange(value, length - 2, length));
            case GARLIC64 ->
                    Base64.getEncoder().encodeToString(value).replace('+', '-').replace('/', '~');
            case GARLIC32 -> Multibase.base32(value);
            case CERTIFICATE_HASH ->
                    "u" + Base64.getUrlEncoder().withoutPadding().encodeToString(value);
            case HTTP_PATH -> URLEncoder.encode(new String(value, UTF_8), UTF_8);
        };
    }

    private static byte @Nullable [] ip(String text) {
        return NetUtil.createByteArrayFromIpAddressString(text);
    }

    /**
     * Eight groups of hexadecimal digits, the last two also as an IPv4 address; a double colon,
     * once, for any that are zero.
     */
    private static byte @Nullable [] ip6(String text) {
        int gap = text.indexOf("::");
        byte[] head = gap < 0 ? groups(text, true) : groups(text.substring(0, gap), false);
        byte[] tail = gap < 0 ? new byte[0] : groups(text.substring(gap + 2), true);
        if (head == null || tail == null) {
            return null;
        }
        int given = head.length + tail.length;
        if (gap < 0 ? given != IP6_BYTES : given >= IP6_BYTES) {
            return null;
        }
        byte[] value = Arrays.copyOf(head, IP6_BYTES);
        System.arraycopy(tail, 0, value, IP6_BYTES - tail.length, tail.length);
        return value;
    }

    private static byte @Nullable [] groups(String text, boolean last) {
        var value = new ByteArrayOutputStream();
        String[] groups = text.isEmpty() ? new String[0] : text.split(":", -1);
        for (int at = 0; at < groups.length; at++) {
            String group = groups[at];
            if (last && at == groups.length - 1 && NetUtil.isValidIpV4Address(group)) {
                value.writeBytes(NetUtil.createByteArrayFromIpAddressString(group));
            } else if (group.matches("[0-9a-fA-F]{1,4}")) {
                int number = HexFormat.fromHexDigits(group);
                value.write(number >> Byte.SIZE);
                value.write(number);
            } else {
                return null;
            }
        }
        return value.toByteArray();
    }

    private static String printIp6(byte[] value) {
        boolean mapped = value[10] == -1 && value[11] == -1;
        for (int at = 0; at < 10; at++) {
            mapped &= value[at] == 0;
        }
        if (mapped) {
            return "::ffff:" + NetUtil.bytesToIpAddress(Arrays.copyOfRange(value, 12, 16));
        }
        try {
            return NetUtil.toAddressString(InetAddress.getByAddress(value));
        } catch (UnknownHostException wrongLength) {
            throw new AssertionError("16 bytes are an address", wrongLength);
        }
    }

    /** A decimal number of at most so many bytes. */
    private static byte @Nullable [] number(String text, int size) {
        if (text.isEmpty() || !text.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
            return null;
        }
        try {
            long value = Long.parseUnsignedLong(text);
            if (size < Long.BYTES && value >>> (size * Byte.SIZE) != 0) {
                return null;
            }
            byte[] wide = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
            return Arrays.copyOfRange(wide, Long.BYTES - size, Long.BYTES);
        } catch (NumberFormatException tooLarge) {
            return null;
        }
    }

    private static long number(byte[] value) {
        long number = 0;
        for (byte next : value) {
            number = (number << Byte.SIZE) | (next & 0xff);
        }
        return number;
    }

    /** A base32 name, a colon, a port. */
    private static byte @Nullable [] onion(String text, int size) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            return null;
        }
        byte[] name = Multibase.decodeBase32(text.substring(0, colon));
        byte[] port = number(text.substring(colon + 1), 2);
        boolean whole = colon * 5 == (size - 2) * Byte.SIZE;
        if (name == null || port == null || !whole) {
            return null;
        }
        byte[] value = Arrays.copyOf(name, size);
        System.arraycopy(port, 0, value, size - 2, 2);
        return value;
    }

    private static byte @Nullable [] base64(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    private static byte @Nullable [] unescaped(String text) {
        try {
            return URLDecoder.decode(text, UTF_8).getBytes(UTF_8);
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }
}
