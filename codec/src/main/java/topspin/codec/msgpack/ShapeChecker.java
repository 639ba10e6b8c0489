package topspin.codec.msgpack;

import topspin.codec.Bytes;

/** Reads past a value and refuses it unless it is the canonical form of its shape. */
public final class ShapeChecker {
    private ShapeChecker() {}

    /** Checks the value that {@code in} is at. Shapes that contain themselves are not for this. */
    public static void check(Shape shape, MsgpackReader in) throws MalformedMessage {
        switch (shape) {
            case Shape.Struct struct -> struct(struct, in);
            case Shape.Uint uint -> bounded(in.readUint(), uint, in);
            case Shape.Signed signed -> in.readSigned();
            case Shape.Flag flag -> in.readBool();
            case Shape.Text text -> in.readText(text.max());
            case Shape.Blob blob -> in.readBytesOrNil(blob.max());
            case Shape.Fixed fixed -> in.readFixed(fixed.length());
            case Shape.ListOf list -> {
                int size = in.readArrayHeader(list.max());
                for (int index = 0; index < size; index++) {
                    check(list.element(), in);
                }
            }
            case Shape.MapOf map -> map(map, in);
            case Shape.Later later -> throw new IllegalArgumentException("recursive shape");
        }
    }

    private static void struct(Shape.Struct struct, MsgpackReader in) throws MalformedMessage {
        int start = in.position();
        int outer = in.openMap();
        for (Shape.Field field : struct.sorted()) {
            Key key = field.key();
            if (in.at(key)) {
                field(field, in);
            } else if (field.required() && in.isBounded()) {
                throw in.malformed("required field " + key + " missing", start);
            }
        }
        in.closeElement(outer);
    }

    /** A field's value, which must not be zero. */
    private static void field(Shape.Field field, MsgpackReader in) throws MalformedMessage {
        Key key = field.key();
        switch (field.shape()) {
            case Shape.Uint uint -> bounded(in.uint(key), uint, in);
            case Shape.Signed signed -> in.signed(key);
            case Shape.Flag flag -> in.flag(key);
            case Shape.Text text -> in.text(key, text.max());
            case Shape.Blob blob -> in.bytes(key, blob.max());
            case Shape.Fixed fixed -> in.fixed(key, fixed.length());
            case Shape.ListOf list -> {
                int size = in.array(key, list.max());
                for (int index = 0; index < size; index++) {
                    check(list.element(), in);
                }
                in.endField();
            }
            case Shape.Struct struct -> {
                if (field.pointer() || in.atMap(key)) {
                    struct(struct, in);
                    in.endField();
                }
            }
            case Shape.MapOf map -> {
                if (in.atMap(key)) {
                    map(map, in);
                    in.endField();
                }
            }
            case Shape.Later later -> throw new IllegalArgumentException("recursive shape");
        }
    }

    private static void map(Shape.MapOf map, MsgpackReader in) throws MalformedMessage {
        int start = in.position();
        int size = in.readMapHeader();
        if (in.isBounded() && size > map.max()) {
            throw in.malformed(size + " over the limit of " + map.max(), start);
        }
        long lastNumber = 0;
        Bytes lastText = Bytes.EMPTY;
        for (int index = 0; index < size; index++) {
            int keyStart = in.position();
            boolean ascending;
            if (map.key() instanceof Shape.Text text) {
                Bytes key = in.readText(text.max());
                ascending = index == 0 || lastText.compareTo(key) < 0;
                lastText = key;
            } else {
                long key = in.readUint();
                ascending = index == 0 || Long.compareUnsigned(lastNumber, key) < 0;
                lastNumber = key;
            }
            if (!ascending) {
                throw in.malformed("repeated or misplaced key", keyStart);
            }
            check(map.value(), in);
        }
    }

    private static void bounded(long value, Shape.Uint shape, MsgpackReader in)
            throws MalformedMessage {
        long max = in.isBounded() ? shape.max() : shape.typeMax();
        if (Long.compareUnsigned(value, max) > 0) {
            throw in.malformed("integer out of range", in.position());
        }
    }
}
