package topspin.codec.msgpack;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/** Writes what {@link LooseReader} read in the canonical form. */
public final class LooseWriter {
    private LooseWriter() {}

    /** Whether the canonical form leaves a field with this value out. */
    public static boolean isZero(Shape shape, @Nullable Object value) {
        if (value == null) {
            return true;
        }
        return switch (shape) {
            case Shape.Uint uint -> (Long) value == 0;
            case Shape.Flag flag -> !(Boolean) value;
            case Shape.Text text -> ((byte[]) value).length == 0;
            case Shape.Blob blob -> ((byte[]) value).length == 0;
            case Shape.Fixed fixed -> isZero((byte[]) value);
            case Shape.ListOf list -> ((LooseList) value).size() == 0;
            case Shape.MapOf map -> ((Map<?, ?>) value).isEmpty();
            case Shape.Struct struct -> {
                @Nullable Object[] fields = (@Nullable Object[]) value;
                for (int index = 0; index < fields.length; index++) {
                    if (isPresent(struct.declared().get(index), fields[index])) {
                        yield false;
                    }
                }
                yield true;
            }
            case Shape.Signed signed -> throw new IllegalArgumentException("no loose form");
            case Shape.Later later -> throw new IllegalArgumentException("recursive shape");
        };
    }

    /** Appends a value, zero or not. */
    public static void write(Shape shape, @Nullable Object value, CanonicalWriter out) {
        switch (shape) {
            case Shape.Uint uint -> out.writeUint(value == null ? 0 : (Long) value);
            case Shape.Flag flag -> out.writeBool(value != null && (Boolean) value);
            case Shape.Text text -> {
                byte[] bytes = value == null ? new byte[0] : (byte[]) value;
                out.writeText(bytes, 0, bytes.length);
            }
            case Shape.Blob blob -> {
                if (value == null) {
                    out.writeNil(); // An element of a list; a field would have been left out.
                } else {
                    out.writeBytes((byte[]) value, 0, ((byte[]) value).length);
                }
            }
            case Shape.Fixed fixed -> {
                byte[] bytes = value == null ? new byte[fixed.length()] : (byte[]) value;
                out.writeBytes(bytes, 0, bytes.length);
            }
            case Shape.ListOf list -> {
                LooseList items = value == null ? new LooseList() : (LooseList) value;
                out.writeArrayHeader(items.size());
                for (int index = 0; index < items.size(); index++) {
                    write(list.element(), items.get(index), out);
                }
            }
            case Shape.MapOf map -> map(map, value, out);
            case Shape.Struct struct -> struct(struct, value, out);
            case Shape.Signed signed -> throw new IllegalArgumentException("no loose form");
            case Shape.Later later -> throw new IllegalArgumentException("recursive shape");
        }
    }

    private static void struct(Shape.Struct struct, @Nullable Object value, CanonicalWriter out) {
        long map = out.openMap();
        if (value != null) {
            @Nullable Object[] fields = (@Nullable Object[]) value;
            for (int index = 0; index < fields.length; index++) {
                Shape.Field field = struct.sorted().get(index);
                Object content = fields[struct.place(index)];
                if (isPresent(field, content)) {
                    out.key(field.key());
                    write(field.shape(), content, out);
                }
            }
        }
        out.closeMap(map);
    }

    private static void map(Shape.MapOf shape, @Nullable Object value, CanonicalWriter out) {
        @SuppressWarnings("unchecked") // What LooseReader made.
        Map<Long, @Nullable Object> map =
                value == null ? Map.of() : (Map<Long, @Nullable Object>) value;
        out.writeMapHeader(map.size());
        for (Map.Entry<Long, @Nullable Object> entry : map.entrySet()) {
            out.writeUint(entry.getKey());
            write(shape.value(), entry.getValue(), out);
        }
    }

    private static boolean isPresent(Shape.Field field, @Nullable Object value) {
        return field.pointer() ? value != null : !isZero(field.shape(), value);
    }

    private static boolean isZero(byte[] bytes) {
        for (byte next : bytes) {
            if (next != 0) {
                return false;
            }
        }
        return true;
    }
}
