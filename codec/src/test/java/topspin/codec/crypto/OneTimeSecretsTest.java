package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Mutations;
import topspin.codec.Vectors;
import topspin.codec.msgpack.MalformedMessage;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Participation keys: as the reference stores them, and gone once they are deleted. */
class OneTimeSecretsTest {
    private static final byte[] MESSAGE = "message".getBytes(US_ASCII);
    private static final long DILUTION = 3;
    private static final int BATCHES = 4;
    private static final long FIRST_BATCH = 7;
    private static final SecureRandom RANDOM = new SecureRandom();

    @ParameterizedTest
    @ValueSource(strings = {"chain", "chain_fast"})
    void secretsOfTheReferenceAreReadAndSignForTheirAccount(String chain) throws MalformedMessage {
        List<Vectors.Row> keys =
                Vectors.document("reference/ledger/" + chain + "/keys.json").rows("participation");
        assertThat(keys).isNotEmpty();
        for (Vectors.Row row : keys) {
            byte[] stored = row.hex("voting_encoded");
            OneTimeSecrets secrets = read(stored);
            assertThat(secrets.encode()).isEqualTo(stored);
            assertThat(secrets.masterKey().toBytes()).isEqualTo(row.hex("vote_id"));
            long dilution = row.number("key_dilution");
            assertSigns(secrets, 0, dilution - 1);
            byte[] vrf = row.hex("vrf_sk");
            try (var pair = Vrf.KeyPair.fromSeed(Arrays.copyOf(vrf, 32))) {
                assertThat(pair.publicKey()).isEqualTo(row.hex("vrf_pk"));
            }
        }
    }

    @Test
    void batchKeysAreThoseThatSignedTheNetworksVotes() throws MalformedMessage {
        Map<Bytes, OneTimeSecrets> byVoteId = new HashMap<>();
        for (Vectors.Row row :
                Vectors.document("reference/ledger/chain/keys.json").rows("participation")) {
            byVoteId.put(Bytes.of(row.hex("vote_id")), read(row.hex("voting_encoded")));
        }
        int votes = 0;
        for (Vectors.Row row : Vectors.rows("reference/ledger/agreement.jsonl.gz")) {
            for (Vectors.Row vote : row.object("certificate").rows("votes")) {
                OneTimeSecrets secrets =
                        requireNonNull(byVoteId.get(Bytes.of(vote.hex("vote_id"))));
                OneTimeSignature ours =
                        requireNonNull(
                                secrets.sign(
                                        vote.number("ots.batch"),
                                        vote.number("ots.offset"),
                                        Domain.NONE,
                                        vote.hex("signed_message")));
                assertThat(ours.batchKey().toBytes()).isEqualTo(vote.hex("ots.p2"));
                assertThat(ours.batchKeySignature().toArray()).isEqualTo(vote.hex("ots.p2s"));
                if (votes++ > 100) {
                    return; // Every one of them is the same batch.
                }
            }
        }
        assertThat(votes).isPositive();
    }

    /** Against a model: whatever is not yet deleted signs, and nothing else does. */
    @Property(tries = 20)
    void exactlyWhatIsNotDeletedSigns(
            @ForAll @Size(max = 6) List<@IntRange(max = 20) Integer> deletions)
            throws MalformedMessage {
        OneTimeSecrets secrets = OneTimeSecrets.generate(FIRST_BATCH, BATCHES, RANDOM);
        long first = FIRST_BATCH * DILUTION;
        long least = first;
        for (int deletion : deletions) {
            long round = first - 3 + deletion;
            if (round % 2 == 0) {
                secrets.makeAhead(round / DILUTION, round % DILUTION, DILUTION);
            }
            secrets.deleteBefore(round / DILUTION, round % DILUTION, DILUTION);
            least = Math.max(least, round);
            byte[] stored = secrets.encode();
            secrets = read(stored);
            assertThat(secrets.encode()).isEqualTo(stored);
            for (long signed = first - 3; signed < first + 18; signed++) {
                if (signed < least || signed >= first + BATCHES * DILUTION) {
                    assertThat(
                                    secrets.sign(
                                            signed / DILUTION,
                                            signed % DILUTION,
                                            Domain.VO,
                                            MESSAGE))
                            .as("round %d, deleted before %s", signed - first, deletions)
                            .isNull();
                }
            }
            if (least < first + BATCHES * DILUTION) {
                assertSigns(secrets, least / DILUTION, least % DILUTION);
            }
        }
    }

    private static void assertSigns(OneTimeSecrets secrets, long batch, long offset) {
        OneTimeSignature signature =
                requireNonNull(secrets.sign(batch, offset, Domain.VO, MESSAGE));
        Digest master = secrets.masterKey();
        assertThat(signature.verify(master, batch, offset, Domain.VO, MESSAGE)).isTrue();
        assertThat(signature.verify(master, batch, offset + 1, Domain.VO, MESSAGE)).isFalse();
        assertThat(signature.verify(master, batch + 1, offset, Domain.VO, MESSAGE)).isFalse();
        assertThat(signature.verify(master, batch, offset, Domain.AS, MESSAGE)).isFalse();
    }

    @Test
    void aKeyOfARoundSignsTheSameAgainAndAWholeBatchDoesNot() {
        OneTimeSecrets secrets = OneTimeSecrets.generate(0, 2, RANDOM);
        assertThat(secrets.sign(0, 1, Domain.VO, MESSAGE))
                .isNotEqualTo(secrets.sign(0, 1, Domain.VO, MESSAGE));
        secrets.deleteBefore(0, 0, DILUTION);
        assertThat(secrets.sign(0, 1, Domain.VO, MESSAGE))
                .isNotNull()
                .isEqualTo(secrets.sign(0, 1, Domain.VO, MESSAGE));
    }

    @Test
    void keysMadeAheadAreThoseThatSignAndUntilThenNothingIsDeleted() {
        OneTimeSecrets secrets = OneTimeSecrets.generate(0, 2, RANDOM);
        secrets.makeAhead(1, 1, DILUTION);
        byte[] before = secrets.encode();
        assertSigns(secrets, 0, 0);
        assertSigns(secrets, 1, 0);

        secrets.makeAhead(1, 1, DILUTION); // Has them.
        secrets.deleteBefore(1, 1, DILUTION);

        assertThat(before).isNotEqualTo(secrets.encode());
        assertThat(secrets.sign(1, 0, Domain.VO, MESSAGE)).isNull();
        assertSigns(secrets, 1, 1);
        byte[] after = secrets.encode();
        secrets.makeAhead(1, 1, DILUTION); // Nothing is whole any more.
        secrets.deleteBefore(1, 1, DILUTION);
        assertThat(secrets.encode()).isEqualTo(after);
    }

    @Test
    void nothingSignsOnceClosed() {
        OneTimeSecrets secrets = OneTimeSecrets.generate(0, 2, RANDOM);
        secrets.deleteBefore(0, 1, DILUTION);
        secrets.makeAhead(1, 0, DILUTION);
        secrets.close();
        for (long round = 0; round < 2 * DILUTION; round++) {
            assertThat(secrets.sign(round / DILUTION, round % DILUTION, Domain.VO, MESSAGE))
                    .isNull();
        }
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThatThrownBy(() -> OneTimeSecrets.generate(0, 0, RANDOM))
                .isInstanceOf(IllegalArgumentException.class);
        OneTimeSecrets secrets = OneTimeSecrets.generate(0, 1, RANDOM);
        assertThatThrownBy(() -> secrets.deleteBefore(0, DILUTION, DILUTION))
                .isInstanceOf(IllegalArgumentException.class);
        for (long dilution : new long[] {0, -1, OneTimeSecrets.DILUTION_MAX + 1}) {
            assertThatThrownBy(() -> secrets.deleteBefore(0, 0, dilution))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1 to 1048576 rounds a batch, not " + dilution);
        }
    }

    @Property(tries = 2000)
    void spoiltSecretsAreRefusedOrComeBackAsTheyAre(@ForAll long seed) {
        byte[] spoilt = new Mutations(new Random(seed)).mutate(STORED);
        try {
            assertThat(read(spoilt).encode()).isEqualTo(spoilt);
        } catch (MalformedMessage e) {
            assertThat(e.offset()).isBetween(0, spoilt.length);
        }
    }

    private static final byte[] STORED;

    static {
        try (OneTimeSecrets secrets = OneTimeSecrets.generate(FIRST_BATCH, BATCHES, RANDOM)) {
            secrets.deleteBefore(FIRST_BATCH + 1, 1, DILUTION);
            STORED = secrets.encode();
        }
    }

    private static OneTimeSecrets read(byte[] stored) throws MalformedMessage {
        return OneTimeSecrets.decode(stored, 0, stored.length, RANDOM);
    }

    /** Batches and rounds apart make the whole again, and what was erased in its place is over. */
    @Property(tries = 30)
    void storedInTwoPartsTheyAreTheSame(
            @ForAll @IntRange(max = BATCHES - 1) int batch,
            @ForAll @IntRange(max = (int) DILUTION - 1) int offset,
            @ForAll @IntRange(max = (int) DILUTION) int later)
            throws MalformedMessage {
        OneTimeSecrets secrets = OneTimeSecrets.generate(FIRST_BATCH, BATCHES, RANDOM);
        byte[] whole = secrets.encode();
        secrets.deleteBefore(FIRST_BATCH + batch, offset, DILUTION);
        byte[] rounds = secrets.encodeRounds();
        int left = (int) DILUTION - offset;
        assertThat(secrets.position())
                .isEqualTo(new OneTimeSecrets.Position(FIRST_BATCH + batch + 1, offset, left));

        OneTimeSecrets again = read(secrets.encodeBatches());
        again.takeRounds(rounds);
        assertThat(again.encode()).isEqualTo(secrets.encode());

        // The file of batches was not written any more.
        OneTimeSecrets older = read(whole);
        older.takeRounds(rounds);
        assertThat(older.encode()).isEqualTo(secrets.encode());

        int erased = Math.min(later, left);
        int size = OneTimeSecrets.ROUND_BYTES;
        Arrays.fill(rounds, size, (1 + erased) * size, (byte) 0);
        again.takeRounds(rounds);
        for (int at = 0; at < DILUTION; at++) {
            assertThat(again.sign(FIRST_BATCH + batch, at, Domain.VO, MESSAGE) == null)
                    .as("offset " + at + " is over")
                    .isEqualTo(at < offset + erased);
        }
        assertThat(again.position().rounds()).isEqualTo(left - erased);
    }

    @Test
    void olderRoundsAreLetBeAndWhatIsNoneIsRefused() throws MalformedMessage {
        OneTimeSecrets secrets = OneTimeSecrets.generate(FIRST_BATCH, BATCHES, RANDOM);
        secrets.deleteBefore(FIRST_BATCH, 1, DILUTION);
        byte[] older = secrets.encodeRounds();
        secrets.deleteBefore(FIRST_BATCH + 1, 2, DILUTION);
        byte[] before = secrets.encode();
        secrets.takeRounds(older);
        assertThat(secrets.encode()).isEqualTo(before);
        for (byte[] wrong :
                List.of(
                        new byte[0],
                        new byte[OneTimeSecrets.ROUND_BYTES],
                        Arrays.copyOf(older, older.length - 1))) {
            assertThatThrownBy(() -> secrets.takeRounds(wrong))
                    .isInstanceOf(MalformedMessage.class);
        }
        assertThat(secrets.encode()).isEqualTo(before);
    }
}
