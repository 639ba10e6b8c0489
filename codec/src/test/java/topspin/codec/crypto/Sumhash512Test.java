package topspin.codec.crypto;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import topspin.codec.Vectors;

class Sumhash512Test {
    @Test
    void hashesAsTheNetworkDoes() {
        var rows = Vectors.rows("reference/ledger/sumhash.jsonl");
        for (var row : rows) {
            byte[] input = row.hex("input_hex");
            assertEquals(
                    row.text("sumhash512"),
                    HexFormat.of().formatHex(Sumhash512.digest(Domain.NONE, input)));
        }
    }
}
