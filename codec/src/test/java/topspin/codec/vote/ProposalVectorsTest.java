package topspin.codec.vote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Vectors;
import topspin.codec.msgpack.MalformedMessage;

import java.util.Arrays;

/** Proposals of executed networks: their bytes, and that votes name them as we do. */
class ProposalVectorsTest {
    private final ProposalDecoder decoder = new ProposalDecoder();

    @Test
    void proposalsThatTravelledGoBackToTheirBytesAndAreWhatTheirVotesName()
            throws MalformedMessage {
        int proposals = 0;
        int voted = 0;
        for (Vectors.Row row : Vectors.rows("reference/ledger/messages.jsonl.gz")) {
            if (row.text("tag").equals("PP")) {
                voted += assertTravelled(row.hex("plain_hex")) ? 1 : 0;
                proposals++;
            }
        }
        for (Vectors.Row row : Vectors.rows("reference/p2p/proposals_zstd.jsonl")) {
            voted += assertTravelled(row.hex("plain")) ? 1 : 0;
            proposals++;
        }
        assertThat(proposals).isEqualTo(44 + 17);
        assertThat(voted).isEqualTo(proposals - 6); // Those were relayed without.
    }

    private boolean assertTravelled(byte[] bytes) throws MalformedMessage {
        ProposalMessage message = decoder.decode(bytes, 0, bytes.length);
        assertThat(ProposalEncoder.encode(message)).isEqualTo(bytes);
        Vote vote = message.vote();
        if (vote != null) {
            assertThat(vote.raw().value()).isEqualTo(ProposalEncoder.value(message.proposal()));
            assertThat(vote.raw().round()).isEqualTo(message.proposal().block().header().round());
            byte[] plain = ProposalEncoder.encode(new ProposalMessage(message.proposal(), null));
            assertThat(ProposalEncoder.withVote(Bytes.of(plain), vote)).isEqualTo(Bytes.of(bytes));
            assertThat(ProposalEncoder.withoutVote(bytes)).isEqualTo(Bytes.of(plain));
            assertThat(ProposalEncoder.withoutVote(plain).array()).isSameAs(plain);
        }
        return vote != null;
    }

    @Test
    void payloadsHaveTheDigestsThatTheReferenceGaveThem() throws MalformedMessage {
        int payloads = 0;
        for (Vectors.Row round : Vectors.rows("reference/ledger/agreement.jsonl.gz")) {
            for (Vectors.Row row : round.rows("proposals")) {
                if (!row.has("payload_message")) {
                    continue;
                }
                byte[] bytes = row.hex("payload_message");
                ProposalMessage message = decoder.decode(bytes, 2, bytes.length - 2);
                assertThat(message.vote()).isNull();
                assertThat(ProposalEncoder.encode(message))
                        .isEqualTo(Arrays.copyOfRange(bytes, 2, bytes.length));
                Proposal proposal = message.proposal();
                assertThat(proposal.seedProof()).isEqualTo(Bytes.of(row.hex("sdpf")));
                Vectors.Row value = row.object("value");
                assertThat(ProposalEncoder.value(proposal))
                        .isEqualTo(
                                new ProposalValue(
                                        value.number("oper"),
                                        Address.parse(value.text("oprop")),
                                        Digest.fromBytes(value.hex("dig")),
                                        Digest.fromBytes(value.hex("encdig"))));
                payloads++;
            }
        }
        assertThat(payloads).isGreaterThan(11);
    }

    @Test
    void everyTruncationAndBitFlipIsRefusedOrComesBackAsItIs() {
        byte[] valid = Vectors.rows("reference/p2p/proposals_zstd.jsonl").getFirst().hex("plain");
        for (int length = 0; length < valid.length; length++) {
            byte[] cut = Arrays.copyOf(valid, length);
            assertThatThrownBy(() -> decoder.decode(cut, 0, cut.length))
                    .isInstanceOf(MalformedMessage.class);
        }
        for (int bit = 0; bit < 8 * valid.length; bit++) {
            byte[] flipped = valid.clone();
            flipped[bit >> 3] ^= (byte) (1 << (bit & 7));
            try {
                ProposalMessage message = decoder.decode(flipped, 0, flipped.length);
                assertThat(ProposalEncoder.encode(message)).isEqualTo(flipped);
            } catch (MalformedMessage e) {
                assertThat(e.offset()).isBetween(0, flipped.length);
            }
        }
    }
}
