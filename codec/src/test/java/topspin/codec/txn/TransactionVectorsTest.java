package topspin.codec.txn;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.codec.Bytes;
import topspin.codec.Vectors;
import topspin.codec.msgpack.MalformedMessage;

import java.util.ArrayList;
import java.util.List;

/** Transactions whose bytes and ids others published. */
class TransactionVectorsTest {
    private final TransactionDecoder decoder = new TransactionDecoder();

    @Test
    void everyPublishedTransactionHasItsIdAndGoesBackToItsBytes() throws MalformedMessage {
        for (Vectors.Row row : Vectors.rows("txns.jsonl")) {
            byte[] bytes = row.hex("msgpack");
            Transaction txn = decoder.decodeTransaction(bytes, 0, bytes.length);
            assertThat(txn.typeText()).as(row.id()).isEqualTo(row.text("type"));
            assertThat(txn).as(row.id()).isNotInstanceOf(Misfit.class);
            assertThat(TransactionEncoder.encode(txn)).as(row.id()).isEqualTo(bytes);
            assertThat(TxIdHasher.perThread().hash(txn)).as(row.id()).hasToString(row.text("txid"));
        }
    }

    @Test
    void algokitsTransactionsAreReadWhateverSignsThem() throws MalformedMessage {
        for (Vectors.Row row : Vectors.rows("txns_algokit.jsonl")) {
            for (String form : List.of("signed", "rekeyed_signed", "multisig_signed")) {
                SignedTransaction signed = signed(row.hex(form));
                assertThat(signed.id()).as(row.id()).hasToString(row.text("txid"));
                assertRebuilt(signed, row.id());
            }
        }
    }

    @Test
    void randomTransactionsDecodeExactlyWhenTheReferenceDecodesThem() throws MalformedMessage {
        for (Vectors.Row row : Vectors.rows("txns_random.jsonl")) {
            byte[] bytes = row.hex("stxn");
            assertThat(decodes(bytes)).as(row.id()).isEqualTo(row.flag("go.decodes"));
            if (row.flag("go.decodes")) {
                SignedTransaction signed = signed(bytes);
                assertThat(signed.id()).as(row.id()).hasToString(row.text("txid"));
                assertRebuilt(signed, row.id());
            }
        }
    }

    @Test
    void signedTransactionsDecodeExactlyWhenTheyAreCanonicalToTheReference()
            throws MalformedMessage {
        for (Vectors.Row row : Vectors.rows("signed.jsonl")) {
            byte[] bytes = row.hex("stxn");
            boolean mutated = row.has("mutation");
            boolean expected =
                    !mutated
                            || (row.text("go.decode_one").equals("accept")
                                    && row.flag("go.canonical"));
            assertThat(decodes(bytes)).as(row.id()).isEqualTo(expected);
            if (expected) {
                SignedTransaction signed = signed(bytes);
                String id = row.text(mutated ? "go.txid" : "txid");
                assertThat(signed.id()).as(row.id()).hasToString(id);
                assertRebuilt(signed, row.id());
            }
        }
    }

    @Test
    void mutatedBytesDecodeExactlyWhenTheyAreCanonicalToTheReference() {
        for (String file : List.of("decode_rules.jsonl", "decode_mutations.jsonl")) {
            for (Vectors.Row row : Vectors.rows(file)) {
                boolean expected =
                        row.text("decode").equals("accept")
                                && row.flag("canonical")
                                && !row.has("trailing_bytes");
                assertThat(decodes(row.hex("bytes"))).as(row.id()).isEqualTo(expected);
            }
        }
    }

    @Test
    void groupsHaveTheirIds() throws MalformedMessage {
        for (Vectors.Row row : Vectors.rows("groups.jsonl")) {
            if (!row.has("group_id")) {
                continue; // A broken group: the ledger's business.
            }
            List<Transaction> members = new ArrayList<>();
            for (Vectors.Row member : row.rows("txns")) {
                byte[] bytes = member.hex("msgpack_before_group");
                members.add(decoder.decodeTransaction(bytes, 0, bytes.length));
            }
            assertThat(GroupId.of(members).toBytes()).as(row.id()).isEqualTo(row.hex("group_id"));
        }
    }

    private boolean decodes(byte[] bytes) {
        try {
            signed(bytes);
            return true;
        } catch (MalformedMessage e) {
            return false;
        }
    }

    private SignedTransaction signed(byte[] bytes) throws MalformedMessage {
        return decoder.decodeSigned(bytes, 0, bytes.length);
    }

    /** Puts the parts together anew: nothing may be lost between the bytes and the records. */
    private static void assertRebuilt(SignedTransaction signed, String id) {
        SignedTransaction rebuilt =
                SignedTransaction.of(
                        signed.txn(),
                        signed.signature(),
                        signed.multisig(),
                        signed.logicSignature(),
                        signed.pqSignature(),
                        signed.signer());
        assertThat(Bytes.of(rebuilt.toBytes())).as(id).isEqualTo(Bytes.of(signed.toBytes()));
    }
}
