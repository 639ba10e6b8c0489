package topspin.codec.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import topspin.codec.Allocation;
import topspin.codec.Bytes;
import topspin.codec.Samples;
import topspin.codec.Vectors;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;
import topspin.codec.msgpack.MalformedMessage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Every form that the reference takes, and no other, with the id that it gives. */
class LooseDecoderTest {
    private final LooseDecoder decoder = new LooseDecoder();

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
        int mutated = 0;
        for (Vectors.Row row : Vectors.rows("signed.jsonl")) {
            if (!row.has("mutation")) {
                continue;
            }
            mutated++;
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
        assertThat(mutated).isEqualTo(816);
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

    /**
     * The rows where we knowingly differ from the reference's REST: it drops a last transaction
     * that is cut off and takes those before it, we refuse the whole body, so that nothing is lost
     * in silence.
     */
    private static final Map<String, List<String>> REFUSED_FOR_A_TAIL_CUT_OFF =
            Map.of(
                    "decode_rules.jsonl",
                    List.of("shared-drule-123", "shared-drule-124", "shared-drule-125"),
                    "decode_mutations.jsonl",
                    List.of(
                            "shared-dmut-0512",
                            "shared-dmut-0515",
                            "shared-dmut-0517",
                            "shared-dmut-0520",
                            "shared-dmut-0528",
                            "shared-dmut-0541",
                            "shared-dmut-0542"));

    @ParameterizedTest
    @CsvSource({
        "decode_rules.jsonl, bytes, '', 141",
        "decode_mutations.jsonl, bytes, '', 1502",
        "signed.jsonl, stxn, go., 1044",
        "txns_random.jsonl, stxn, go., 400"
    })
    void submissionsDecodeAsTheReferencesRestDecodesThem(
            String file, String body, String path, int count) {
        List<Vectors.Row> rows = Vectors.rows(file);
        assertThat(rows).hasSize(count);
        List<String> refused = new ArrayList<>();
        for (Vectors.Row row : rows) {
            String as = file + " " + row.id() + " " + row.get("why");
            boolean accepted = "accept".equals(row.textOrNull(path + "rest_decode"));
            try {
                TransactionGroup group = decoder.decodeGroup(row.hex(body));
                assertThat(accepted).as(as).isTrue();
                assertThat(group.first().id()).as(as).hasToString(restId(row, path));
                String objects = path + "rest_objects";
                assertThat((long) group.size())
                        .as(as)
                        .isEqualTo(row.has(objects) ? row.number(objects) : 1);
            } catch (MalformedMessage e) {
                if (accepted) {
                    assertThat(e.reason()).as(as).endsWith("unexpected end");
                    assertThat(row.text("gossip_error")).as(as).contains("too few bytes left");
                    assertThat(row.number("trailing_bytes")).as(as).isPositive();
                    refused.add(row.id());
                } else {
                    assertThat(comparable(e.reason()))
                            .as(as)
                            .isEqualTo(comparable(row.textOrNull(path + "rest_error")));
                }
            }
        }
        assertThat(refused).isEqualTo(REFUSED_FOR_A_TAIL_CUT_OFF.getOrDefault(file, List.of()));
    }

    /** The id of what REST reads first, which is named where it is not the one that peers read. */
    private static @Nullable String restId(Vectors.Row row, String path) {
        for (String column : List.of(path + "rest_txid", path + "txid")) {
            if (row.has(column)) {
                return row.text(column);
            }
        }
        return row.textOrNull("txid");
    }

    /** The text up to a byte that the vectors write as \xNN and we as U+FFFD. */
    private static String comparable(@Nullable String text) {
        return String.valueOf(text)
                .replaceAll("(\\\\x[0-9a-f]{2}|[^ -~]).*", "")
                .replaceAll(" \\[cut\\]$", "");
    }

    /** REST lets one through that holds nothing; it is named all the same, wherever it stands. */
    @Test
    void whatHasNoTransactionKeepsItsIdAmongOthers() throws MalformedMessage {
        byte[] nothing = {(byte) 0x80};
        SignedTransaction lone = decoder.decodeOne(nothing);
        SignedTransaction payment = new Samples(1).signedPayment();
        for (List<SignedTransaction> members :
                List.of(List.of(lone, payment), List.of(payment, lone), List.of(lone, lone))) {
            TransactionGroup group = TransactionGroup.of(members);
            for (int index = 0; index < members.size(); index++) {
                SignedTransaction member = group.get(index);
                assertThat(member.txnEncoding()).isEqualTo(members.get(index).txnEncoding());
                assertThat(member.id()).isEqualTo(members.get(index).id());
            }
            assertThat(GroupId.memberIds(group)).hasSize(2);
        }
    }

    /** A list of nils takes a byte each to send, and much more to write. */
    @Test
    void whatWouldGrowBeyondItsMessageIsRefused() {
        for (int length : new int[] {70_000, 9_000_000}) {
            byte[] body = new byte[18 + length];
            byte[] head = {(byte) 0x81, (byte) 0xa3, 't', 'x', 'n', (byte) 0x81, (byte) 0xa4};
            System.arraycopy(head, 0, body, 0, head.length);
            System.arraycopy(new byte[] {'a', 'p', 'a', 't', (byte) 0xdd}, 0, body, 7, 5);
            body[12] = (byte) (length >>> 24);
            body[13] = (byte) (length >>> 16);
            body[14] = (byte) (length >>> 8);
            body[15] = (byte) length;
            Arrays.fill(body, 16, body.length, (byte) 0xc0);
            long allocated =
                    Allocation.smallestWindow(
                            1,
                            1,
                            () ->
                                    assertThatThrownBy(() -> decoder.decodeGroup(body))
                                            .isInstanceOf(MalformedMessage.class));
            assertThat(allocated).isLessThan(10_000_000);
        }
    }

    @Test
    void theSameGoesForJson() throws IOException {
        String body = "{\"txn\":{\"apat\":[" + "null,".repeat(1 << 16) + "null]}}";
        try (JsonParser json = new JsonFactory().createParser(body)) {
            json.nextToken();
            assertThatThrownBy(() -> decoder.decodeOne(json))
                    .isInstanceOf(MalformedMessage.class)
                    .hasMessageContaining("more than 65536 values");
        }
    }

    private LooseDecoder.@Nullable First first(byte[] bytes) {
        try {
            return decoder.decodeFirst(bytes);
        } catch (MalformedMessage e) {
            return null;
        }
    }
}
