package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Vectors;

import java.security.SecureRandom;
import java.util.List;

class OneTimeSignatureTest {
    private static OneTimeSignature signature(Vectors.Row row) {
        return new OneTimeSignature(
                Bytes.of(row.hex("s")),
                Digest.fromBytes(row.hex("p")),
                Bytes.of(row.hex("p1s")),
                Digest.fromBytes(row.hex("p2")),
                Bytes.of(row.hex("p2s")));
    }

    @Test
    void publishedSignaturesAreJudgedAsPublished() {
        var batch = new SignatureEngine(new SecureRandom()).newBatch(OneTimeSignature.CLAIMS);
        List<Vectors.Row> rows = Vectors.rows("ots.jsonl");
        assertThat(rows).hasSize(80);
        for (Vectors.Row row : rows) {
            OneTimeSignature signature = signature(row);
            Digest master = Digest.fromBytes(row.hex("verifier"));
            long number = row.number("batch");
            long offset = row.number("offset");
            byte[] message = row.hex("message");
            assertThat(signature.verify(master, number, offset, Domain.NONE, message))
                    .as("%s", row)
                    .isEqualTo(row.flag("valid"));
            batch.clear();
            assertThat(signature.addTo(batch, master, number, offset, Domain.NONE, message))
                    .isZero();
            assertThat(batch.verify()).as("%s", row).isEqualTo(row.flag("valid"));
        }
    }

    @Test
    void identitiesAreSignedAsThePublishedBytes() {
        for (Vectors.Row row : Vectors.rows("ots.jsonl")) {
            if (!row.has("batch_id_signed_bytes")) {
                continue; // Rows that spoil a published one do not repeat them.
            }
            OneTimeSignature signature = signature(row);
            long batch = row.number("batch");
            long offset = row.number("offset");
            byte[] batchIdentity = OneTimeSignature.batchIdentity(batch, signature.batchKey());
            byte[] offsetIdentity =
                    OneTimeSignature.offsetIdentity(batch, offset, signature.publicKey());
            assertThat(Domain.OT1.prepend(batchIdentity, 0, batchIdentity.length))
                    .isEqualTo(row.hex("batch_id_signed_bytes"));
            assertThat(Domain.OT2.prepend(offsetIdentity, 0, offsetIdentity.length))
                    .isEqualTo(row.hex("offset_id_signed_bytes"));
        }
    }

    /** The master keys of these voters are not published, so two links of the chain are checked. */
    @Test
    void votesOfTheNetworkHold() {
        List<Vectors.Row> rows = Vectors.rows("ots_votes.jsonl");
        assertThat(rows).hasSize(19);
        for (Vectors.Row row : rows) {
            OneTimeSignature signature = signature(row);
            byte[] key = signature.publicKey().toBytes();
            assertThat(
                            Ed25519.verify(
                                    key,
                                    signature.signature().toArray(),
                                    Domain.NONE,
                                    row.hex("message")))
                    .isTrue();
            assertThat(
                            Ed25519.verify(
                                    signature.batchKey().toBytes(),
                                    signature.publicKeySignature().toArray(),
                                    Domain.OT2,
                                    OneTimeSignature.offsetIdentity(
                                            row.number("batch"),
                                            row.number("offset"),
                                            signature.publicKey())))
                    .isTrue();
        }
    }
}
