package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import topspin.codec.Vectors;
import topspin.codec.crypto.SignatureEngine.Mode;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/** Every published signature gets the network's verdict, alone and in company, by every engine. */
class Ed25519VectorsTest {
    private record Signed(
            String id, byte[] key, byte[] message, byte[] signature, boolean accepted) {
        /** Nine rows have a signature too long or short, which no batch can be given. */
        boolean hasLength() {
            return key.length == 32 && signature.length == 64;
        }
    }

    private static final List<Signed> ROWS = new ArrayList<>();

    private static List<Signed> rows() {
        if (ROWS.isEmpty()) {
            for (String file : List.of("ed25519.jsonl", "ed25519_generated.jsonl")) {
                for (Vectors.Row row : Vectors.rows(file)) {
                    ROWS.add(
                            new Signed(
                                    row.text("id"),
                                    row.hex("pk"),
                                    row.hex("msg"),
                                    row.hex("sig"),
                                    row.flag("algorand_accepts")));
                }
            }
        }
        return ROWS;
    }

    private static List<Signed> batchable() {
        return rows().stream().filter(Signed::hasLength).toList();
    }

    @Test
    void everyRowAloneGetsTheNetworksVerdict() {
        assertThat(rows()).hasSize(772 + 193);
        for (Signed row : rows()) {
            assertThat(Ed25519.verify(row.key(), row.signature(), Domain.NONE, row.message()))
                    .as(row.id())
                    .isEqualTo(row.accepted());
        }
    }

    /** Sizes that take every path: one alone, a few by lanes, a vector, a part, several parts. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void everyRowInCompanyGetsTheNetworksVerdict(Mode mode) {
        List<Signed> rows = batchable();
        for (int size : new int[] {1, 3, 8, 64, 956}) {
            for (int from = 0; from < rows.size(); from += size) {
                check(mode, rows.subList(from, Math.min(rows.size(), from + size)));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void acceptedRowsPassTogether(Mode mode) {
        List<Signed> good = batchable().stream().filter(Signed::accepted).toList();
        var random = new Random(1);
        for (int i = 0; i < 100; i++) {
            check(mode, random.ints(64, 0, good.size()).mapToObj(good::get).toList());
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void aRefusedRowIsFoundAmongAcceptedOnes(Mode mode) {
        List<Signed> good = batchable().stream().filter(Signed::accepted).toList();
        var random = new Random(2);
        for (Signed bad : batchable()) {
            if (!bad.accepted()) {
                var batch = new ArrayList<Signed>();
                random.ints(random.nextInt(20), 0, good.size())
                        .forEach(i -> batch.add(good.get(i)));
                batch.add(random.nextInt(batch.size() + 1), bad);
                check(mode, batch);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void publishedBatchesNameExactlyTheirCulprits(Mode mode) {
        Map<String, Signed> byId = new HashMap<>();
        rows().forEach(row -> byId.put(row.id(), row));
        List<Vectors.Row> batches = Vectors.rows("ed25519_batches.jsonl");
        assertThat(batches).hasSize(51);
        for (Vectors.Row row : batches) {
            List<Integer> failed =
                    row.list("failed").stream().map(n -> ((BigInteger) n).intValue()).toList();
            var batch = new ArrayList<Signed>();
            for (Object member : row.list("members")) {
                boolean accepted = !failed.contains(batch.size());
                if (member instanceof String id) {
                    Signed published = Objects.requireNonNull(byId.get(id), id);
                    assertThat(published.accepted()).as(id).isEqualTo(accepted);
                    batch.add(published);
                } else {
                    var fresh = (Vectors.Row) member;
                    batch.add(
                            new Signed(
                                    row.text("id"),
                                    fresh.hex("pk"),
                                    fresh.hex("msg"),
                                    fresh.hex("sig"),
                                    accepted));
                }
            }
            check(mode, batch);
        }
    }

    private static void check(Mode mode, List<Signed> batch) {
        var claims = new Claims(batch.size());
        for (Signed row : batch) {
            claims.add(
                    row.key(),
                    0,
                    row.signature(),
                    0,
                    Domain.NONE,
                    row.message(),
                    0,
                    row.message().length);
        }
        var verdicts = new boolean[batch.size()];
        verifier(mode, batch.size()).verify(claims, verdicts);
        for (int i = 0; i < verdicts.length; i++) {
            Signed row = batch.get(i);
            assertThat(verdicts[i])
                    .as("%s, %d of %d", row.id(), i, verdicts.length)
                    .isEqualTo(row.accepted());
        }
    }

    private static final Map<List<Object>, BatchVerifier> VERIFIERS = new HashMap<>();

    /** Verifiers are used again, so that what one batch leaves behind would show in the next. */
    private static BatchVerifier verifier(Mode mode, int capacity) {
        return VERIFIERS.computeIfAbsent(
                List.of(mode, capacity),
                key -> new SignatureEngine(new SecureRandom()).newVerifier(mode, capacity));
    }
}
