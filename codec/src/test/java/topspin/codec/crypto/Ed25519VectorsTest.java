package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.codec.Vectors;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Every published signature gets the network's verdict, alone and in a batch. */
class Ed25519VectorsTest {
    private record Signed(
            String id, byte[] key, byte[] message, byte[] signature, boolean accepted) {}

    private static List<Signed> signed() {
        var all = new ArrayList<Signed>();
        for (String file : List.of("ed25519.jsonl", "ed25519_generated.jsonl")) {
            for (Vectors.Row row : Vectors.rows(file)) {
                all.add(
                        new Signed(
                                row.text("id"),
                                row.hex("pk"),
                                row.hex("msg"),
                                row.hex("sig"),
                                row.flag("algorand_accepts")));
            }
        }
        return all;
    }

    @Test
    void everyRowAloneGetsTheNetworksVerdict() {
        for (Signed row : signed()) {
            assertThat(Ed25519.verify(row.key(), row.signature(), Domain.NONE, row.message()))
                    .as(row.id())
                    .isEqualTo(row.accepted());
        }
    }

    @Test
    void aBatchNamesExactlyItsCulprits() {
        Map<String, Signed> byId = new HashMap<>();
        signed().forEach(row -> byId.put(row.id(), row));
        var batch = new SignatureEngine(new SecureRandom()).newBatch(SignatureBatch.CAPACITY_MAX);
        int checked = 0;
        for (Vectors.Row row : Vectors.rows("ed25519_batches.jsonl")) {
            List<Long> expected =
                    row.list("failed").stream()
                            .map(n -> ((BigInteger) n).longValueExact())
                            .toList();
            batch.clear();
            for (Object member : row.list("members")) {
                if (member instanceof String id) {
                    add(batch, Objects.requireNonNull(byId.get(id), id));
                } else {
                    var fresh = (Vectors.Row) member;
                    add(
                            batch,
                            new Signed(
                                    "fresh",
                                    fresh.hex("pk"),
                                    fresh.hex("msg"),
                                    fresh.hex("sig"),
                                    true));
                }
            }
            assertThat(batch.verify()).as(row.text("id")).isEqualTo(row.flag("accept"));
            var failed = new ArrayList<Long>();
            for (int i = 0; i < batch.size(); i++) {
                if (!batch.isValid(i)) {
                    failed.add((long) i);
                }
            }
            assertThat(failed).as(row.text("id")).isEqualTo(expected);
            checked++;
        }
        assertThat(checked).isEqualTo(51);
    }

    private static void add(SignatureBatch batch, Signed row) {
        batch.add(
                row.key(),
                0,
                row.signature(),
                0,
                Domain.NONE,
                row.message(),
                0,
                row.message().length);
    }
}
