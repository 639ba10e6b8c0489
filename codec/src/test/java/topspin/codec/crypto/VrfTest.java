package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import topspin.codec.Vectors;

import java.util.HexFormat;
import java.util.List;

class VrfTest {
    @ParameterizedTest
    @CsvSource({"vrf.jsonl, 25", "vrf_generated.jsonl, 120"})
    void publishedProofsAreJudgedAndMadeAsPublished(String file, int count) {
        List<Vectors.Row> rows = Vectors.rows(file);
        assertThat(rows).hasSize(count);
        for (Vectors.Row row : rows) {
            byte[] key = row.hex("pk");
            byte[] alpha = row.hex("alpha");
            byte[] proof = row.hex("proof");
            var output = new byte[Vrf.OUTPUT_BYTES];
            boolean isValid =
                    key.length == 32
                            && proof.length == Vrf.PROOF_BYTES
                            && Vrf.verify(
                                    key,
                                    0,
                                    proof,
                                    0,
                                    Domain.NONE,
                                    alpha,
                                    0,
                                    alpha.length,
                                    output,
                                    0);
            assertThat(isValid).as("%s", row).isEqualTo(row.flag("valid"));
            if (!isValid) {
                assertThat(output).as("%s", row).containsOnly(0);
                continue;
            }
            assertThat(output).as("%s", row).isEqualTo(row.hex("output"));
            var alone = new byte[Vrf.OUTPUT_BYTES];
            assertThat(Vrf.output(proof, 0, alone, 0)).isTrue();
            assertThat(alone).isEqualTo(output);
            if (row.has("seed")) {
                try (var pair = Vrf.KeyPair.fromSeed(row.hex("seed"))) {
                    assertThat(pair.publicKey()).isEqualTo(key);
                    assertThat(pair.prove(Domain.NONE, alpha, 0, alpha.length)).isEqualTo(proof);
                }
            }
        }
    }

    @Test
    void votesOfTheNetworkHaveTheOutputThatTheirProofsGive() {
        for (Vectors.Row row : Vectors.rows("ots_votes.jsonl")) {
            var output = new byte[Vrf.OUTPUT_BYTES];
            assertThat(Vrf.output(row.hex("vrf_proof"), 0, output, 0)).isTrue();
            assertThat(output).isEqualTo(row.hex("vrf_output_from_proof"));
        }
    }

    @Property(tries = 30)
    void whatIsProvedHoldsAndNothingNearIt(
            @ForAll @Size(32) byte[] seed, @ForAll byte[] message, @ForAll int flip) {
        try (var pair = Vrf.KeyPair.fromSeed(seed)) {
            byte[] proof = pair.prove(Domain.AS, message, 0, message.length);
            var output = new byte[Vrf.OUTPUT_BYTES];
            assertThat(verify(pair.publicKey(), proof, Domain.AS, message, output)).isTrue();
            assertThat(verify(pair.publicKey(), proof, Domain.SD, message, output)).isFalse();
            int bit = Math.floorMod(flip, 8 * proof.length);
            proof[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(verify(pair.publicKey(), proof, Domain.AS, message, output))
                    .as("bit %d of %s", bit, HexFormat.of().formatHex(proof))
                    .isFalse();
        }
    }

    private static boolean verify(
            byte[] key, byte[] proof, Domain domain, byte[] message, byte[] output) {
        return Vrf.verify(key, 0, proof, 0, domain, message, 0, message.length, output, 0);
    }

    @Test
    void aClosedPairProvesNothing() {
        var pair = Vrf.KeyPair.fromSeed(new byte[32]);
        pair.close();
        assertThatThrownBy(() -> pair.prove(Domain.AS, new byte[0], 0, 0))
                .isInstanceOf(IllegalStateException.class);
    }
}
