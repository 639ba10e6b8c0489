package topspin.node.rest;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The query of a request. Keys are case-sensitive; pairs that cannot be decoded (a bad escape, a
 * semicolon) count as absent.
 */
final class Query {
    private static final Query EMPTY = new Query(List.of());

    private final List<String> keysAndValues;

    private Query(List<String> keysAndValues) {
        this.keysAndValues = keysAndValues;
    }

    /**
     * @param raw what follows the question mark, or empty
     */
    static Query parse(String raw) {
        if (raw.isEmpty()) {
            return EMPTY;
        }
        List<String> pairs = new ArrayList<>();
        int from = 0;
        while (from <= raw.length()) {
            int to = raw.indexOf('&', from);
            to = to < 0 ? raw.length() : to;
            int equals = raw.indexOf('=', from);
            boolean valued = equals >= 0 && equals < to;
            int semicolon = raw.indexOf(';', from);
            if (to > from && (semicolon < 0 || semicolon >= to)) {
                String key = decode(raw, from, valued ? equals : to, true);
                String value = valued ? decode(raw, equals + 1, to, true) : "";
                if (key != null && value != null) {
                    pairs.add(key);
                    pairs.add(value);
                }
            }
            from = to + 1;
        }
        return new Query(pairs);
    }

    /**
     * The value of a key that may stand once, or null.
     *
     * @throws RequestFault 400 when it stands more often
     */
    @Nullable String single(String name) {
        String found = null;
        for (int i = 0; i < keysAndValues.size(); i += 2) {
            if (keysAndValues.get(i).equals(name)) {
                if (found != null) {
                    throw RequestFault.parameter(
                            name, "multiple values for single value parameter '" + name + "'");
                }
                found = keysAndValues.get(i + 1);
            }
        }
        return found;
    }

    /**
     * The parts of a comma-separated list, or null. An empty value is a list of one empty part.
     *
     * @throws RequestFault 400 when the key stands more than once
     */
    @Nullable List<String> list(String name) {
        String found = null;
        for (int i = 0; i < keysAndValues.size(); i += 2) {
            if (keysAndValues.get(i).equals(name)) {
                if (found != null) {
                    throw RequestFault.parameter(
                            name,
                            "parameter '"
                                    + name
                                    + "' is not exploded, but is specified multiple times");
                }
                found = keysAndValues.get(i + 1);
            }
        }
        return found == null ? null : List.of(found.split(",", -1));
    }

    /**
     * Decodes escapes, or returns null when one is malformed. Bytes that are not UTF-8 become
     * U+FFFD.
     *
     * @param plusIsBlank as in a query, not as in a path
     */
    static @Nullable String decode(String text, int from, int to, boolean plusIsBlank) {
        boolean plain = true;
        for (int i = from; i < to && plain; i++) {
            char c = text.charAt(i);
            plain = c != '%' && c < 0x80 && !(plusIsBlank && c == '+');
        }
        if (plain) {
            return text.substring(from, to);
        }
        byte[] bytes = new byte[to - from];
        int length = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c == '%') {
                int high = i + 1 < to ? Character.digit(text.charAt(i + 1), 16) : -1;
                int low = i + 2 < to ? Character.digit(text.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    return null;
                }
                bytes[length++] = (byte) ((high << 4) | low);
                i += 2;
            } else {
                // The decoder of the head hands bytes over as Latin-1 characters.
                bytes[length++] = (byte) (plusIsBlank && c == '+' ? ' ' : c);
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .onUnmappableCharacter(CodingErrorAction.REPLACE)
                    .decode(ByteBuffer.wrap(bytes, 0, length))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new AssertionError("a decoder that replaces does not complain", e);
        }
    }
}
