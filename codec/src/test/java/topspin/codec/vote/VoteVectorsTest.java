package topspin.codec.vote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Vectors;
import topspin.codec.block.BlockDecoder;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.Certificate;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.OneTimeSignature;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.txn.Heartbeat;
import topspin.codec.txn.HeartbeatFields;
import topspin.codec.txn.TransactionEncoder;
import topspin.codec.txn.TransactionHeader;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/** Votes, bundles and certificates of an executed network. */
class VoteVectorsTest {
    private final VoteDecoder decoder = new VoteDecoder();

    @Test
    void certificatesGoBackToTheirBytesAndNameTheirBlocks() throws MalformedMessage {
        for (String chain : List.of("chain", "chain_fast")) {
            for (Vectors.Row row : Vectors.rows("reference/ledger/" + chain + "/blocks.jsonl.gz")) {
                byte[] bytes = row.hex("cert_msgpack_hex");
                Bundle certificate = decoder.decodeBundle(bytes, 0, bytes.length);
                String as = chain + " " + row.number("round");
                assertThat(VoteEncoder.encode(certificate)).as(as).isEqualTo(bytes);
                if (!certificate.votes().isEmpty()) {
                    var header =
                            new BlockDecoder().decodeBlock(row.hex("block_msgpack_hex")).header();
                    assertThat(certificate.value().blockDigest())
                            .as(as)
                            .isEqualTo(BlockEncoder.hash(header));
                    assertThat(certificate.round()).as(as).isEqualTo(row.number("round"));
                }
            }
        }
    }

    @Test
    void whatAVoteSignsIsWhatTheNetworkSigned() throws MalformedMessage {
        var certificates =
                Vectors.rows("reference/ledger/chain/blocks.jsonl.gz").stream()
                        .collect(
                                Collectors.toMap(
                                        row -> row.number("round"),
                                        row -> row.hex("cert_msgpack_hex")));
        int compared = 0;
        for (Vectors.Row row : Vectors.rows("reference/ledger/agreement.jsonl.gz")) {
            byte[] bytes = certificates.get(row.number("round"));
            if (bytes == null) {
                continue;
            }
            Bundle certificate = decoder.decodeBundle(bytes, 0, bytes.length);
            List<Vectors.Row> expected = row.object("certificate").rows("votes");
            assertThat(certificate.votes()).hasSameSizeAs(expected);
            for (int index = 0; index < expected.size(); index++) {
                Vote vote = certificate.vote(certificate.votes().get(index));
                byte[] raw = VoteEncoder.encode(vote.raw());
                assertThat(Domain.VO.prepend(raw, 0, raw.length))
                        .isEqualTo(expected.get(index).hex("signed_message"));
                assertThat(vote.credential().toArray())
                        .isEqualTo(expected.get(index).hex("cred_pf"));
                compared++;
            }
        }
        assertThat(compared).isPositive();
    }

    @Test
    void messagesThatTravelledGoBackToTheirBytes() throws MalformedMessage {
        int votes = 0;
        int bundles = 0;
        for (Vectors.Row row : Vectors.rows("reference/ledger/messages.jsonl.gz")) {
            byte[] bytes = row.has("plain_hex") ? row.hex("plain_hex") : row.hex("wire_hex");
            switch (row.text("tag")) {
                case "AV", "VP" -> {
                    assertThat(VoteEncoder.encode(decoder.decodeVote(bytes, 0, bytes.length)))
                            .isEqualTo(bytes);
                    votes++;
                }
                case "VB" -> {
                    assertThat(VoteEncoder.encode(decoder.decodeBundle(bytes, 0, bytes.length)))
                            .isEqualTo(bytes);
                    bundles++;
                }
                default -> {}
            }
        }
        assertThat(votes).isPositive();
        assertThat(bundles).isPositive();
    }

    @Test
    void votesOfADoubleVoterAndOfOtherCapturesGoBackToTheirBytes() throws MalformedMessage {
        int votes = 0;
        for (Vectors.Row row : Vectors.rows("reference/ledger/equivocations.jsonl")) {
            for (Vectors.Row message : row.rows("messages")) {
                byte[] bytes = message.hex("plain_hex");
                Vote vote = decoder.decodeVote(bytes, 0, bytes.length);
                assertThat(VoteEncoder.encode(vote)).isEqualTo(bytes);
                assertThat(vote.raw().sender()).hasToString(message.text("decoded.sender"));
                assertThat(vote.raw().step()).isEqualTo(message.number("decoded.step"));
                assertThat(vote.raw().value().encodingDigest().toBytes())
                        .isEqualTo(message.hex("decoded.value.encdig"));
                votes++;
            }
        }
        for (Vectors.Row row : Vectors.rows("reference/p2p/vpack_real.jsonl")) {
            byte[] bytes = row.hex("vote");
            assertThat(VoteEncoder.encode(decoder.decodeVote(bytes, 0, bytes.length)))
                    .isEqualTo(bytes);
            votes++;
        }
        for (Vectors.Row row : Vectors.rows("reference/p2p/bundles.jsonl")) {
            byte[] bytes = row.hex("body");
            assertThat(VoteEncoder.encode(decoder.decodeBundle(bytes, 0, bytes.length)))
                    .isEqualTo(bytes);
        }
        assertThat(votes).isGreaterThan(29 + 65);
    }

    /** Five fields always there and a sixth of zeros in a vote; without it in a heartbeat. */
    @Test
    void oneTimeSignaturesStandAsPublishedInVotesAndHeartbeats() throws MalformedMessage {
        int compared = 0;
        for (Vectors.Row row : Vectors.rows("ots.jsonl")) {
            var signature =
                    new OneTimeSignature(
                            Bytes.of(row.hex("s")),
                            Digest.fromBytes(row.hex("p")),
                            Bytes.of(row.hex("p1s")),
                            Digest.fromBytes(row.hex("p2")),
                            Bytes.of(row.hex("p2s")));
            if (row.has("onetimesig_msgpack")) {
                var raw = new RawVote(Address.ZERO, 1, 0, 0, ProposalValue.BOTTOM);
                var vote = new Vote(raw, Bytes.EMPTY, new VoteSignature(signature));
                byte[] bytes = VoteEncoder.encode(vote);
                assertThat(hex(bytes)).endsWith("a3736967" + row.text("onetimesig_msgpack"));
                assertThat(decoder.decodeVote(bytes, 0, bytes.length)).isEqualTo(vote);
                assertThat(hex(TransactionEncoder.encode(heartbeat(signature))))
                        .contains("a3707266" + row.text("heartbeat_proof_msgpack"));
                compared++;
            }
        }
        assertThat(compared).isEqualTo(40);
    }

    private static Heartbeat heartbeat(OneTimeSignature signature) {
        var header = new TransactionHeader(Address.ZERO, 0, 1, 1, "", Digest.ZERO);
        var proof =
                new HeartbeatFields.Proof(
                        signature.signature(),
                        signature.publicKey(),
                        signature.publicKeySignature(),
                        signature.batchKey(),
                        signature.batchKeySignature());
        return new Heartbeat(
                header,
                new HeartbeatFields(Address.ZERO, false, 1, proof, Digest.ZERO, Digest.ZERO));
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void bundlesWithPairsAreReadLikeAnyOther() throws MalformedMessage {
        int pairs = 0;
        for (Vectors.Row row : Vectors.rows("reference/ledger/agreement_unit.jsonl")) {
            if (!row.has("msgpack")) {
                continue; // A case that names a step or round instead of bytes.
            }
            if (row.text("kind").equals("bundle")) {
                byte[] bytes = row.hex("msgpack");
                Bundle bundle = decoder.decodeBundle(bytes, 0, bytes.length);
                assertThat(VoteEncoder.encode(bundle)).as(row.text("case")).isEqualTo(bytes);
                pairs += bundle.pairs().size();
            } else if (row.text("kind").equals("vote")) {
                byte[] bytes = row.hex("msgpack");
                assertThat(VoteEncoder.encode(decoder.decodeVote(bytes, 0, bytes.length)))
                        .as(row.text("case"))
                        .isEqualTo(bytes);
            }
        }
        assertThat(pairs).isPositive();
    }

    @Test
    void theCertificateOfDevModeIsABundleWithoutVotes() throws MalformedMessage {
        byte[] bytes = Certificate.ofRound(7).encoding().toArray();
        Bundle bundle = decoder.decodeBundle(bytes, 0, bytes.length);
        assertThat(bundle)
                .isEqualTo(new Bundle(7, 0, 0, ProposalValue.BOTTOM, List.of(), List.of()));
    }

    @Test
    void everyTruncationAndBitFlipIsRefusedOrComesBackAsItIs() {
        byte[] valid =
                Vectors.rows("reference/ledger/chain/blocks.jsonl.gz")
                        .get(5)
                        .hex("cert_msgpack_hex");
        for (int length = 0; length < valid.length; length++) {
            byte[] cut = Arrays.copyOf(valid, length);
            assertThatThrownBy(() -> decoder.decodeBundle(cut, 0, cut.length))
                    .isInstanceOf(MalformedMessage.class);
        }
        for (int bit = 0; bit < 8 * valid.length; bit++) {
            byte[] flipped = valid.clone();
            flipped[bit >> 3] ^= (byte) (1 << (bit & 7));
            try {
                Bundle bundle = decoder.decodeBundle(flipped, 0, flipped.length);
                assertThat(VoteEncoder.encode(bundle)).isEqualTo(flipped);
            } catch (MalformedMessage e) {
                assertThat(e.offset()).isBetween(0, flipped.length);
            }
        }
    }
}
