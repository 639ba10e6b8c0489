package topspin.codec;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;

/**
 * Published vectors, read from the folder that the system property {@code topspin.vectors} names.
 */
public final class Vectors {
    private static final JsonFactory JSON =
            JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxStringLength(64 << 20).build())
                    .build();

    private Vectors() {}

    /** A file of the vectors; where it is absent, the calling test is skipped and says so. */
    public static Path file(String name) {
        Path path = Path.of(System.getProperty("topspin.vectors", "../shared/vectors"), name);
        Assumptions.assumeTrue(Files.exists(path), () -> "no vectors at " + path);
        return path;
    }

    /** The rows of a JSON-lines file, gzipped if its name ends so. */
    public static List<Row> rows(String name) {
        var rows = new ArrayList<Row>();
        Path path = file(name);
        try (var raw = Files.newInputStream(path);
                var in = name.endsWith(".gz") ? new GZIPInputStream(raw) : raw;
                var lines = new BufferedReader(new InputStreamReader(in, UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                rows.add(row(line));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rows;
    }

    /** A whole JSON file whose top is an object. */
    public static Row document(String name) {
        try {
            return row(Files.readString(file(name)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One JSON object. */
    public static Row row(String json) {
        try (JsonParser parser = JSON.createParser(json)) {
            parser.nextToken();
            if (!(value(parser) instanceof Row row)) {
                throw new IllegalArgumentException("not a JSON object: " + json);
            }
            return row;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        return switch (token) {
            case START_OBJECT -> {
                var fields = new LinkedHashMap<String, @Nullable Object>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    parser.nextToken();
                    fields.put(name, value(parser));
                }
                yield new Row(fields);
            }
            case START_ARRAY -> {
                var items = new ArrayList<@Nullable Object>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(parser));
                }
                yield items;
            }
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getBigIntegerValue();
            case VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new IllegalArgumentException("unexpected " + token);
        };
    }

    /**
     * An object's fields: strings, {@code BigInteger}s and {@code BigDecimal}s, booleans, nulls,
     * lists, and further rows. A name may be a path, with a dot between an object and its field.
     */
    public record Row(Map<String, @Nullable Object> fields) {
        /** What is there; null where there is none. */
        public @Nullable Object get(String name) {
            Row at = this;
            String last = name;
            for (int dot = last.indexOf('.'); dot >= 0; dot = last.indexOf('.')) {
                if (!(at.fields.get(last.substring(0, dot)) instanceof Row inner)) {
                    return null;
                }
                at = inner;
                last = last.substring(dot + 1);
            }
            return at.fields.get(last);
        }

        /** Whether the field is there and not null. */
        public boolean has(String name) {
            return get(name) != null;
        }

        /** A string. */
        public String text(String name) {
            return (String) required(name);
        }

        /** A string, or null where there is none. */
        public @Nullable String textOrNull(String name) {
            return (String) get(name);
        }

        /** Bytes given in hexadecimal. */
        public byte[] hex(String name) {
            return HexFormat.of().parseHex(text(name));
        }

        /** A truth value. */
        public boolean flag(String name) {
            return (Boolean) required(name);
        }

        /** An unsigned number of up to 64 bits, given as number or decimal string. */
        public long number(String name) {
            Object value = required(name);
            var number = value instanceof String s ? new BigInteger(s) : (BigInteger) value;
            if (number.bitLength() > 64) {
                throw new IllegalArgumentException(name + " is no 64-bit number: " + number);
            }
            return number.longValue();
        }

        /** An object inside. */
        public Row object(String name) {
            return (Row) required(name);
        }

        /** A list, its elements as in {@link Row}. */
        @SuppressWarnings("unchecked") // A JSON array is read as nothing else.
        public List<@Nullable Object> list(String name) {
            return (List<@Nullable Object>) required(name);
        }

        /** A list whose elements are objects. */
        public List<Row> rows(String name) {
            return list(name).stream().map(Row.class::cast).toList();
        }

        /** What a failure names the row by. */
        public String id() {
            return has("id") ? text("id") : text("name");
        }

        private Object required(String name) {
            return Objects.requireNonNull(get(name), () -> "no " + name + " in " + fields.keySet());
        }
    }
}
