package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.junit.jupiter.api.Test;

import topspin.codec.Vectors;

import java.util.List;

class SumHash512Test {
    @Test
    void hashesAsTheReferenceDid() {
        List<Vectors.Row> rows = Vectors.rows("reference/ledger/sumhash.jsonl");
        assertThat(rows).isNotEmpty();
        for (Vectors.Row row : rows) {
            byte[] input = row.hex("input_hex");
            assertThat(SumHash512.digest(input, 0, input.length))
                    .as("%d bytes", input.length)
                    .isEqualTo(row.hex("sumhash512"));
        }
    }

    @Test
    void readsAndWritesWhereItIsTold() {
        byte[] input = "--MB--".getBytes(US_ASCII);
        var target = new byte[70];
        SumHash512.digest(input, 2, 2, target, 5);
        var expected = new byte[70];
        System.arraycopy(SumHash512.digest(new byte[] {'M', 'B'}, 0, 2), 0, expected, 5, 64);
        assertThat(target).isEqualTo(expected);
    }
}
