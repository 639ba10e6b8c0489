package topspin.codec.block;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;

import org.junit.jupiter.api.Test;

import topspin.codec.Vectors;
import topspin.codec.msgpack.MalformedMessage;

import java.io.IOException;
import java.io.StringWriter;

/** Blocks show in JSON what the reference's REST showed. */
class BlockJsonTest {
    @Test
    void blocksOfAnExecutedNetworkReadAsItsRestShowedThem() throws IOException, MalformedMessage {
        int compared = 0;
        for (Vectors.Row row : Vectors.rows("reference/ledger/chain/blocks.jsonl.gz")) {
            if (row.has("json")) {
                StringWriter text = new StringWriter();
                try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
                    json.writeStartObject();
                    json.writeFieldName("block");
                    BlockJson.writeBlock(row.hex("block_msgpack_hex"), json);
                    json.writeEndObject();
                }
                Vectors.Row shown = Vectors.row(text.toString());
                assertThat(shown).as("round " + row.number("round")).isEqualTo(row.get("json"));
                compared++;
            }
        }
        assertThat(compared).isPositive();
    }
}
