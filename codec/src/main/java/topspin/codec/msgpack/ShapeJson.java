package topspin.codec.msgpack;

import com.fasterxml.jackson.core.JsonGenerator;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Text;

import java.io.IOException;

/**
 * Shows canonical msgpack as the reference's JSON (block.md section 9): the same names in the same
 * order, addresses as text, other bytes as base64, number keys as strings, and U+FFFD for each byte
 * of a string that is no UTF-8.
 */
public final class ShapeJson {
    private ShapeJson() {}

    /**
     * Writes the value that {@code in} is at. It must be of that shape, and within its bounds if
     * {@code in} is bounded.
     */
    public static void write(Shape shape, MsgpackReader in, JsonGenerator json)
            throws IOException, MalformedMessage {
        switch (shape) {
            case Shape.Struct struct -> struct(struct, in, json);
            case Shape.Uint uint -> json.writeNumber(Long.toUnsignedString(in.readUint()));
            case Shape.Signed signed -> json.writeNumber(in.readSigned());
            case Shape.Flag flag -> json.writeBoolean(in.readBool());
            case Shape.Text text -> json.writeString(text(in.readText(text.max())));
            case Shape.Blob blob -> {
                Bytes bytes = in.readBytesOrNil(blob.max());
                if (bytes.isNil()) {
                    json.writeNull();
                } else {
                    json.writeBinary(bytes.array(), bytes.offset(), bytes.length());
                }
            }
            case Shape.Fixed fixed -> fixed(fixed, in.readFixed(fixed.length()), json);
            case Shape.ListOf list -> {
                int size = in.readArrayHeader(list.max());
                json.writeStartArray();
                for (int index = 0; index < size; index++) {
                    write(list.element(), in, json);
                }
                json.writeEndArray();
            }
            case Shape.MapOf map -> {
                int size = in.readMapHeader();
                json.writeStartObject();
                for (int index = 0; index < size; index++) {
                    json.writeFieldName(
                            map.key() instanceof Shape.Text key
                                    ? text(in.readText(key.max()))
                                    : Long.toUnsignedString(in.readUint()));
                    write(map.value(), in, json);
                }
                json.writeEndObject();
            }
            case Shape.Later later -> write(later.shape().get(), in, json);
        }
    }

    private static void struct(Shape.Struct struct, MsgpackReader in, JsonGenerator json)
            throws IOException, MalformedMessage {
        json.writeStartObject();
        int outer = in.openMap();
        for (Shape.Field field : struct.sorted()) {
            if (in.at(field.key())) {
                json.writeFieldName(field.key().name());
                write(field.shape(), in, json);
                in.endField();
            }
        }
        in.closeElement(outer);
        json.writeEndObject();
    }

    private static void fixed(Shape.Fixed shape, Bytes bytes, JsonGenerator json)
            throws IOException {
        switch (shape.look()) {
            case BASE64 -> json.writeBinary(bytes.array(), bytes.offset(), bytes.length());
            case ADDRESS -> json.writeString(Address.of(bytes.array(), bytes.offset()).toString());
            case BLOCK_HASH -> json.writeString("blk-" + Digest.of(bytes.array(), bytes.offset()));
        }
    }

    private static String text(Bytes bytes) {
        return Text.printable(Text.of(bytes.array(), bytes.offset(), bytes.length()));
    }
}
