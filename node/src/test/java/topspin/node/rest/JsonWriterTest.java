package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/** Jackson, which reads what we write, is the judge. */
final class JsonWriterTest {
    private static final JsonMapper JACKSON = JsonMapper.builder().build();

    private final ByteBuf out = Unpooled.buffer();
    private final JsonWriter json = new JsonWriter(out);

    private String written() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void separatesNamesAndValues() {
        json.beginObject().name("a").uint(1).name("b").beginArray().uint(2).nul().bool(true);
        json.beginObject().endObject().beginArray().endArray().endArray();
        json.name("c").integer(Long.MIN_VALUE).name("d").decimal(0.5).endObject();
        assertThat(written())
                .isEqualTo(
                        "{\"a\":1,\"b\":[2,null,true,{},[]],\"c\":-9223372036854775808,\"d\":0.5}");
        assertThat(json.isComplete()).isTrue();
    }

    @Test
    void escapesAsTheReferenceDoes() {
        json.string("<a&b>\u2028\u0001\n\t\"\\");
        assertThat(written()).isEqualTo("\"\\u003ca\\u0026b\\u003e\\u2028\\u0001\\n\\t\\\"\\\\\"");
    }

    @Test
    void takesValuesOfOthersInTheirPlace() {
        json.beginArray().uint(1).embed(value -> value.writeString("x")).uint(2).endArray();
        assertThat(written()).isEqualTo("[1,\"x\",2]");
    }

    @Test
    void refusesWhatIsNoJson() {
        assertThatThrownBy(() -> json.decimal(Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(json::endObject).isInstanceOf(IllegalStateException.class);
    }

    @Property
    void anyTextIsReadBack(@ForAll String text) throws IOException {
        ByteBuf bytes = Unpooled.buffer();
        new JsonWriter(bytes).string(text);
        String expected =
                new String(text.getBytes(StandardCharsets.UTF_16), StandardCharsets.UTF_16);
        JsonNode read = JACKSON.readTree(bytes.toString(StandardCharsets.UTF_8));
        assertThat(read.textValue()).isEqualTo(expected);
    }

    @Property
    void anyNumberIsReadBackExactly(@ForAll long number) throws IOException {
        ByteBuf bytes = Unpooled.buffer();
        new JsonWriter(bytes).beginArray().uint(number).integer(number).endArray();
        JsonNode read = JACKSON.readTree(bytes.toString(StandardCharsets.UTF_8));
        assertThat(read.get(0).bigIntegerValue())
                .isEqualTo(new BigInteger(Long.toUnsignedString(number)));
        assertThat(read.get(1).longValue()).isEqualTo(number);
    }
}
