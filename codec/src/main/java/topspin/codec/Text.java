package topspin.codec;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Wire strings, which may hold any bytes, as Java strings that go back to the same bytes: a byte
 * that belongs to no valid UTF-8 becomes a lone low surrogate U+DC80 to U+DCFF, which UTF-8 never
 * yields.
 */
public final class Text {
    private static final char ESCAPE = '\udc00';

    private Text() {}

    /** The text of the bytes, lossless. */
    public static String of(byte[] bytes, int offset, int length) {
        for (int index = 0; index < length; index++) {
            if (bytes[offset + index] < 0) {
                return decode(bytes, offset, length);
            }
        }
        return new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
    }

    /** The bytes that {@link #of} made {@code text} from. */
    public static byte[] toBytes(String text) {
        for (int index = 0; index < text.length(); index++) {
            if (isEscape(text, index)) {
                return encode(text);
            }
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The text with each escaped byte replaced by U+FFFD, as the reference's JSON shows it. */
    public static String printable(String text) {
        var shown = new StringBuilder(text);
        for (int index = 0; index < shown.length(); index++) {
            if (isEscape(text, index)) {
                shown.setCharAt(index, '\ufffd');
            }
        }
        return shown.toString();
    }

    private static boolean isEscape(String text, int index) {
        char unit = text.charAt(index);
        return unit > ESCAPE
                && unit <= ESCAPE + 0xff
                && (index == 0 || !Character.isHighSurrogate(text.charAt(index - 1)));
    }

    private static String decode(byte[] bytes, int offset, int length) {
        var text = new StringBuilder(length);
        int end = offset + length;
        int index = offset;
        while (index < end) {
            int size = sequenceLength(bytes, index, end);
            if (size == 0) {
                text.append((char) (ESCAPE + (bytes[index] & 0xff)));
                index++;
            } else {
                text.append(new String(bytes, index, size, StandardCharsets.UTF_8));
                index += size;
            }
        }
        return text.toString();
    }

    private static byte[] encode(String text) {
        var bytes = new ByteArrayOutputStream(text.length());
        int index = 0;
        while (index < text.length()) {
            int point = text.codePointAt(index);
            index += Character.charCount(point);
            if (point > ESCAPE && point <= ESCAPE + 0xff) {
                bytes.write(point);
            } else {
                bytes.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
            }
        }
        return bytes.toByteArray();
    }

    /** Length of the valid UTF-8 sequence that starts at {@code index}; 0 if none does. */
    private static int sequenceLength(byte[] bytes, int index, int end) {
        int first = bytes[index] & 0xff;
        if (first < 0x80) {
            return 1;
        }
        int size =
                first >= 0xc2 && first < 0xe0
                        ? 2
                        : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
        if (size == 0 || index + size > end) {
            return 0;
        }
        for (int next = index + 1; next < index + size; next++) {
            if ((bytes[next] & 0xc0) != 0x80) {
                return 0;
            }
        }
        int second = bytes[index + 1] & 0xff;
        boolean overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
        boolean surrogate = first == 0xed && second >= 0xa0;
        boolean beyond = first == 0xf4 && second >= 0x90;
        return overlong || surrogate || beyond ? 0 : size;
    }
}
