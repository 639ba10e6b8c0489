package topspin.codec.msgpack;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads JSON, as {@link ShapeJson} shows it, into the values that {@link LooseReader} makes of
 * msgpack; {@link LooseWriter} writes them canonically. Null is the zero value of anything. As the
 * reference does, it takes neither unknown fields nor numbers in quotes.
 *
 * <p>Depth and size are bounded by the shape and by the text.
 */
public final class LooseJson {
    private static final BigInteger MAX =
            BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE);

    private LooseJson() {}

    /**
     * Reads the value that begins with the current token of {@code in}, which is at its last token
     * afterwards.
     *
     * @throws MalformedMessage when it is of another shape, in words close to the reference's
     * @throws IOException when it is no JSON
     */
    public static @Nullable Object read(Shape shape, JsonParser in)
            throws IOException, MalformedMessage {
        JsonToken token = in.currentToken();
        if (token == JsonToken.VALUE_NULL) {
            return null;
        }
        return switch (shape) {
            case Shape.Struct struct -> struct(struct, in);
            case Shape.Uint uint -> uint(uint, in);
            case Shape.Flag flag -> flag(in);
            case Shape.Text text -> string(in).getBytes(StandardCharsets.UTF_8);
            case Shape.Blob blob -> base64(in);
            case Shape.Fixed fixed -> fixed(fixed, in);
            case Shape.ListOf list -> list(list, in);
            case Shape.MapOf map -> map(map, in);
            case Shape.Signed signed -> throw new IllegalArgumentException("no loose form");
            case Shape.Later later -> throw new IllegalArgumentException("recursive shape");
        };
    }

    private static Object[] struct(Shape.Struct struct, JsonParser in)
            throws IOException, MalformedMessage {
        if (in.currentToken() != JsonToken.START_OBJECT) {
            throw malformed("only encoded map or array can be decoded into a struct", in);
        }
        @Nullable Object[] fields = new Object[struct.declared().size()];
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String name = in.currentName();
            int index = struct.indexOf(name.getBytes(StandardCharsets.UTF_8));
            if (index < 0) {
                throw malformed(
                        "no matching struct field found when decoding stream map with key " + name,
                        in);
            }
            in.nextToken();
            fields[index] = read(struct.declared().get(index).shape(), in);
        }
        return present(fields);
    }

    @SuppressWarnings("NullAway") // The fields of a struct may be null; a cast cannot say so.
    private static Object[] present(@Nullable Object[] fields) {
        return fields;
    }

    private static Long uint(Shape.Uint shape, JsonParser in) throws IOException, MalformedMessage {
        if (in.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            throw malformed("a whole number is wanted, not " + in.getText(), in);
        }
        BigInteger value = in.getBigIntegerValue();
        if (value.signum() < 0) {
            throw malformed("assigning negative signed value: " + value + ", to unsigned type", in);
        }
        if (value.compareTo(MAX) > 0
                || Long.compareUnsigned(value.longValue(), shape.typeMax()) > 0) {
            throw malformed("uint64 overflow: " + value, in);
        }
        return value.longValue();
    }

    private static Boolean flag(JsonParser in) throws IOException, MalformedMessage {
        return switch (in.currentToken()) {
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> throw malformed("true or false is wanted, not " + in.getText(), in);
        };
    }

    private static String string(JsonParser in) throws IOException, MalformedMessage {
        if (in.currentToken() != JsonToken.VALUE_STRING) {
            throw malformed("a string is wanted, not " + in.getText(), in);
        }
        return in.getText();
    }

    private static byte[] base64(JsonParser in) throws IOException, MalformedMessage {
        String text = string(in);
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw malformed("error decoding base64 string '" + text + "'", in);
        }
    }

    /** As many bytes as there are: what is too long is cut, what is too short ends in zeros. */
    private static byte[] fixed(Shape.Fixed shape, JsonParser in)
            throws IOException, MalformedMessage {
        byte[] array = new byte[shape.length()];
        switch (shape.look()) {
            case BASE64 -> {
                byte[] content = base64(in);
                System.arraycopy(content, 0, array, 0, Math.min(array.length, content.length));
            }
            case ADDRESS -> {
                String text = string(in);
                try {
                    Address.parse(text).writeTo(array, 0);
                } catch (IllegalArgumentException e) {
                    throw malformed(String.valueOf(e.getMessage()), in);
                }
            }
            case BLOCK_HASH -> throw new IllegalArgumentException("no loose form");
        }
        return array;
    }

    private static LooseList list(Shape.ListOf shape, JsonParser in)
            throws IOException, MalformedMessage {
        if (in.currentToken() != JsonToken.START_ARRAY) {
            throw malformed("only encoded map or array can be decoded into a slice (0)", in);
        }
        LooseList list = new LooseList();
        int size = 0;
        while (in.nextToken() != JsonToken.END_ARRAY) {
            list.put(size++, read(shape.element(), in));
        }
        return list;
    }

    /** Only maps with numbers for keys are part of what anybody sends. */
    private static Map<Long, @Nullable Object> map(Shape.MapOf shape, JsonParser in)
            throws IOException, MalformedMessage {
        if (in.currentToken() != JsonToken.START_OBJECT) {
            throw malformed("only encoded map or array can be decoded into a map", in);
        }
        Map<Long, @Nullable Object> map = new TreeMap<>(Long::compareUnsigned);
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String name = in.currentName();
            long key;
            try {
                key = Long.parseUnsignedLong(name);
            } catch (NumberFormatException e) {
                throw malformed("a whole number is wanted, not " + name, in);
            }
            in.nextToken();
            map.put(key, read(shape.value(), in));
        }
        return map;
    }

    private static MalformedMessage malformed(String reason, JsonParser in) {
        long at = in.currentTokenLocation().getByteOffset();
        return new MalformedMessage(reason, (int) Math.max(0, at) + 1);
    }
}
