package topspin.codec.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Vectors;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;

import java.util.ArrayList;
import java.util.List;

/** Transactions whose bytes and ids others published. */
class TransactionVectorsTest {
    private final TransactionDecoder decoder = new TransactionDecoder();

    @Test
    void everyPublishedTransactionHasItsIdAndGoesBackToItsBytes() throws MalformedMessage {
        List<Vectors.Row> rows = Vectors.rows("txns.jsonl");
        assertThat(rows).hasSize(620);
        for (Vectors.Row row : rows) {
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
        List<Vectors.Row> rows = Vectors.rows("txns_algokit.jsonl");
        assertThat(rows).hasSize(8);
        for (Vectors.Row row : rows) {
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

    /** What the indexer stores: the form of blocks, whose header says nothing of the network. */
    @Test
    void transactionsWithWhatTheyDidGoBackToTheirBytes() throws MalformedMessage {
        List<Vectors.Row> rows = Vectors.rows("signed_with_apply_data.jsonl");
        assertThat(rows).hasSize(22);
        for (Vectors.Row row : rows) {
            byte[] bytes = row.hex("msgpack");
            var in = new MsgpackReader().reset(bytes, 0, bytes.length);
            var blockTransactions = new BlockTransactionDecoder(in);
            if (!row.flag("go.decodes")) {
                assertThatThrownBy(() -> blockTransactions.read("", Digest.ZERO))
                        .isInstanceOf(MalformedMessage.class)
                        .hasMessageContaining("snd");
                continue;
            }
            BlockTransaction read = blockTransactions.read("", Digest.ZERO);
            assertThat(in.atEnd()).as(row.id()).isTrue();
            assertThat(read.signed().id())
                    .as(row.id())
                    .hasToString(row.text("txid_of_txn_as_stored"));
            // Put together anew, it would be the same, were its network not the block's.
            Transaction txn = read.txn();
            if (read.stripped()) {
                assertThat(BlockTransaction.of(read.signed(), read.applied()).encoding().toArray())
                        .as(row.id())
                        .isEqualTo(bytes);
            }
            assertThat(TransactionEncoder.encode(txn))
                    .as(row.id())
                    .isEqualTo(read.signed().txnEncoding().toArray());
        }
    }

    @Test
    void groupsHaveTheirIds() throws MalformedMessage {
        int groups = 0;
        for (Vectors.Row row : Vectors.rows("groups.jsonl")) {
            if (!row.has("group_id")) {
                continue; // A broken group: the ledger's business.
            }
            groups++;
            List<Transaction> members = new ArrayList<>();
            List<SignedTransaction> signed = new ArrayList<>();
            for (Vectors.Row member : row.rows("txns")) {
                byte[] before = member.hex("msgpack_before_group");
                Transaction txn = decoder.decodeTransaction(before, 0, before.length);
                members.add(txn);
                assertThat(TxIdHasher.perThread().hash(txn))
                        .hasToString(member.text("txid_before_group"));
                byte[] after = member.hex("msgpack");
                txn = decoder.decodeTransaction(after, 0, after.length);
                assertThat(TxIdHasher.perThread().hash(txn)).hasToString(member.text("txid"));
                signed.add(SignedTransaction.unsigned(txn));
            }
            assertThat(GroupId.of(members).toBytes()).as(row.id()).isEqualTo(row.hex("group_id"));
            TransactionGroup group = TransactionGroup.of(signed);
            assertThat(GroupId.of(group)).isEqualTo(GroupId.of(members));
            assertThat(GroupId.assign(members))
                    .isEqualTo(signed.stream().map(SignedTransaction::txn).toList());
        }
        assertThat(groups).isEqualTo(60);
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
