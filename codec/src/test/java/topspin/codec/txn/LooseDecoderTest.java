package topspin.codec.txn;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import topspin.codec.Bytes;
import topspin.codec.Vectors;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;
import topspin.codec.msgpack.MalformedMessage;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** Every form that the reference takes, and no other, with the id that it gives. */
class LooseDecoderTest {
    private final LooseDecoder decoder = new LooseDecoder();

    /**
     * Where we knowingly differ from the reference's REST: it drops a last transaction that is cut
     * off, we refuse the whole body, so that nothing is lost in silence.
     */
    private static boolean isCutOffBehindAWhole(String error) {
        return error.contains("unexpected end");
    }

    @Test
    void peersMessagesDecodeAsTheReferenceDecodesThem() throws MalformedMessage {
        for (String file : List.of("decode_rules.jsonl", "decode_mutations.jsonl")) {
            for (Vectors.Row row : Vectors.rows(file)) {
                byte[] bytes = row.hex("bytes");
                LooseDecoder.First first = first(bytes);
                String as = file + " " + row.id() + " " + row.text("why");
                assertThat(first != null).as(as).isEqualTo(row.text("decode").equals("accept"));
                if (first != null) {
                    assertThat(first.signed().id()).as(as).hasToString(row.text("txid"));
                    assertReencoding(first, bytes, row, as);
                }
            }
        }
    }

    private static void assertReencoding(
            LooseDecoder.First first, byte[] bytes, Vectors.Row row, String as) {
        byte[] consumed = Bytes.of(bytes, 0, first.consumed()).toArray();
        byte[] canonical = first.signed().toBytes();
        long trailing = row.has("trailing_bytes") ? row.number("trailing_bytes") : 0;
        assertThat((long) bytes.length - first.consumed()).as(as).isEqualTo(trailing);
        assertThat(Arrays.equals(consumed, canonical)).as(as).isEqualTo(row.flag("canonical"));
        if (row.has("reencoded_sha256")) {
            assertThat((long) canonical.length).as(as).isEqualTo(row.number("reencoded_length"));
            byte[] hash = HashFunction.SHA256.digest(Domain.NONE, canonical, 0, canonical.length);
            assertThat(hash).as(as).isEqualTo(row.hex("reencoded_sha256"));
        }
    }

    @Test
    void mutatedSignedTransactionsDecodeAsTheReferenceDecodesThem() throws MalformedMessage {
        for (Vectors.Row row : Vectors.rows("signed.jsonl")) {
            if (!row.has("mutation")) {
                continue;
            }
            byte[] bytes = row.hex("stxn");
            LooseDecoder.First first = first(bytes);
            String as = row.id() + " " + row.text("why");
            assertThat(first != null).as(as).isEqualTo(row.text("go.decode_one").equals("accept"));
            if (first == null) {
                continue;
            }
            byte[] canonical = first.signed().toBytes();
            assertThat((long) bytes.length - first.consumed())
                    .as(as)
                    .isEqualTo(row.number("go.trailing_bytes"));
            assertThat(first.signed().id()).as(as).hasToString(row.text("go.txid"));
            assertThat(Bytes.of(canonical).equals(Bytes.of(bytes)))
                    .as(as)
                    .isEqualTo(row.flag("go.canonical"));
            if (row.has("go.canonical_stxn")) {
                assertThat(canonical).as(as).isEqualTo(row.hex("go.canonical_stxn"));
            }
        }
    }

    @Test
    void randomTransactionsDecodeAsTheReferenceDecodesThem() throws MalformedMessage {
        for (Vectors.Row row : Vectors.rows("txns_random.jsonl")) {
            LooseDecoder.First first = first(row.hex("stxn"));
            assertThat(first != null).as(row.id()).isEqualTo(row.flag("go.decodes"));
            if (first != null) {
                assertThat(first.signed().id()).as(row.id()).hasToString(row.text("txid"));
            }
        }
    }

    @Test
    void submissionsDecodeAsTheReferencesRestDecodesThem() {
        for (String file : List.of("decode_rules.jsonl", "decode_mutations.jsonl")) {
            for (Vectors.Row row : Vectors.rows(file)) {
                assertSubmission(
                        file,
                        row,
                        row.hex("bytes"),
                        name -> row.textOrNull("rest_" + name),
                        row.textOrNull("txid"));
            }
        }
        for (String file : List.of("signed.jsonl", "txns_random.jsonl")) {
            for (Vectors.Row row : Vectors.rows(file)) {
                String id = row.has("go.txid") ? row.text("go.txid") : row.textOrNull("txid");
                assertSubmission(
                        file, row, row.hex("stxn"), name -> row.textOrNull("go.rest_" + name), id);
            }
        }
    }

    private void assertSubmission(
            String file,
            Vectors.Row row,
            byte[] body,
            Function<String, @Nullable String> column,
            @Nullable String id) {
        String as = file + " " + row.id() + " " + row.fields().get("why");
        boolean accepted = "accept".equals(column.apply("decode"));
        try {
            TransactionGroup group = decoder.decodeGroup(body);
            assertThat(accepted).as(as).isTrue();
            String expected = column.apply("txid");
            assertThat(group.first().id()).as(as).hasToString(expected == null ? id : expected);
        } catch (MalformedMessage e) {
            if (accepted) {
                assertThat(e.reason()).as(as).matches(LooseDecoderTest::isCutOffBehindAWhole);
            } else {
                assertThat(comparable(e.reason()))
                        .as(as)
                        .isEqualTo(comparable(column.apply("error")));
            }
        }
    }

    /** The text up to a byte that the vectors write as \xNN and we as U+FFFD. */
    private static String comparable(@Nullable String text) {
        return String.valueOf(text)
                .replaceAll("(\\\\x[0-9a-f]{2}|[^ -~]).*", "")
                .replaceAll(" \\[cut\\]$", "");
    }

    private LooseDecoder.@Nullable First first(byte[] bytes) {
        try {
            return decoder.decodeFirst(bytes);
        } catch (MalformedMessage e) {
            return null;
        }
    }
}
