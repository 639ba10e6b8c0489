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
 * <p>Depth is bounded by the shape, size by {@link LooseReader#VALUES_MAX}.
 */
public final class LooseJson {
    private static final BigInteger MAX =
            BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE);

    private final JsonParser in;
    private int values;

    private LooseJson(JsonParser in) {
        this.in = in;
    }

    /**
     * Reads the value that begins with the current token of {@code in}, which is at its last token
     * afterwards.
     *
     * @throws MalformedMessage when it is of another shape, in words close to the reference's
     * @throws IOException when it is no JSON
     */
    public static @Nullable Object read(Shape shape, JsonParser in)
            throws IOException, MalformedMessage {
        return new LooseJson(in).read(shape);
    }

    private @Nullable Object read(Shape shape) throws IOException, MalformedMessage {
        if (++values > LooseReader.VALUES_MAX) {
            throw malformed("more than " + LooseReader.VALUES_MAX + " values");
        }
        if (in.currentToken() == JsonToken.VALUE_NULL) {
            return null;
        }
        return switch (shape) {
            case Shape.Struct struct -> struct(struct);
            case Shape.Uint uint -> uint(uint);
            case Shape.Flag flag -> flag();
            case Shape.Text text -> string().getBytes(StandardCharsets.UTF_8);
            case Shape.Blob blob -> base64();
            case Shape.Fixed fixed -> fixed(fixed);
            case Shape.ListOf list -> list(list);
            case Shape.MapOf map -> map(map);
            case Shape.Signed signed -> throw new IllegalArgumentException("no loose form");
            case Shape.Later later -> throw new IllegalArgumentException("recursive shape");
        };
    }

    private Object[] struct(Shape.Struct struct) throws IOException, MalformedMessage {
        if (in.currentToken() != JsonToken.START_OBJECT) {
            throw malformed("only encoded map or array can be decoded into a struct");
        }
        @Nullable Object[] fields = new Object[struct.declared().size()];
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String name = in.currentName();
            int index = struct.indexOf(name.getBytes(StandardCharsets.UTF_8));
            if (index < 0) {
                throw malformed(
                        "no matching struct field found when decoding stream map with key " + name);
            }
            in.nextToken();
            fields[index] = read(struct.declared().get(index).shape());
        }
        return present(fields);
    }

    @SuppressWarnings("NullAway") // The fields of a struct may be null; a cast cannot say so.
    private static Object[] present(@Nullable Object[] fields) {
        return fields;
    }

    private Long uint(Shape.Uint shape) throws IOException, MalformedMessage {
        if (in.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            throw malformed("a whole number is wanted, not " + in.getText());
        }
        BigInteger value = in.getBigIntegerValue();
        if (value.signum() < 0) {
            throw malformed("assigning negative signed value: " + value + ", to unsigned type");
        }
        if (value.compareTo(MAX) > 0
                || Long.compareUnsigned(value.longValue(), shape.typeMax()) > 0) {
            throw malformed("uint64 overflow: " + value);
        }
        return value.longValue();
    }

    private Boolean flag() throws IOException, MalformedMessage {
        return switch (in.currentToken()) {
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> throw malformed("true or false is wanted, not " + in.getText());
        };
    }

    private String string() throws IOException, MalformedMessage {
        if (in.currentToken() != JsonToken.VALUE_STRING) {
            throw malformed("a string is wanted, not " + in.getText());
        }
        return in.getText();
    }

    private byte[] base64() throws IOException, MalformedMessage {
        String text = string();
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw malformed("error decoding base64 string '" + text + "'");
        }
    }

    /** As many bytes as there are: what is too long is cut, what is too short ends in zeros. */
    private byte[] fixed(Shape.Fixed shape) throws IOException, MalformedMessage {
        byte[] array = new byte[shape.length()];
        switch (shape.look()) {
            case BASE64 -> {
                byte[] content = base64();
                System.arraycopy(content, 0, array, 0, Math.min(array.length, content.length));
            }
            case ADDRESS -> {
                String text = string();
                try {
                    Address.parse(text).writeTo(array, 0);
                } catch (IllegalArgumentException e) {
                    throw malformed(String.valueOf(e.getMessage()));
                }
            }
            case BLOCK_HASH -> throw new IllegalArgumentException("no loose form");
        }
        return array;
    }

    private LooseList list(Shape.ListOf shape) throws IOException, MalformedMessage {
        if (in.currentToken() != JsonToken.START_ARRAY) {
            throw malformed("only encoded map or array can be decoded into a slice (0)");
        }
        LooseList list = new LooseList();
        int size = 0;
        while (in.nextToken() != JsonToken.END_ARRAY) {
            list.put(size++, read(shape.element()));
        }
        return list;
    }

    /** Only maps with numbers for keys are part of what anybody sends. */
    private Map<Long, @Nullable Object> map(Shape.MapOf shape)
            throws IOException, MalformedMessage {
        if (in.currentToken() != JsonToken.START_OBJECT) {
            throw malformed("only encoded map or array can be decoded into a map");
        }
        Map<Long, @Nullable Object> map = new TreeMap<>(Long::compareUnsigned);
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String name = in.currentName();
            long key;
            try {
                key = Long.parseUnsignedLong(name);
            } catch (NumberFormatException e) {
                throw malformed("a whole number is wanted, not " + name);
            }
            in.nextToken();
            map.put(key, read(shape.value()));
        }
        return map;
    }

    private MalformedMessage malformed(String reason) {
        long at = in.currentTokenLocation().getByteOffset();
        return new MalformedMessage(reason, (int) Math.max(0, at) + 1);
    }
}
