package topspin.node.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Vectors;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.Vote;
import topspin.codec.vote.VoteDecoder;
import topspin.codec.vote.VoteEncoder;
import topspin.ledger.RecordedChain;
import topspin.node.RecordedStake;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Votes and certificates of executed networks, judged by our own replay of who may vote. */
final class RecordedVotesTest {
    private static final String FOLDER = "reference/ledger/";
    private static final long BALANCE_LOOKBACK = 320;

    private final VoteDecoder decoder = new VoteDecoder();

    @Test
    void certificatesOfTheStockChainHoldWithTheRecordedWeights() throws Exception {
        Map<Long, Vectors.Row> recorded = new HashMap<>();
        for (Vectors.Row row : Vectors.rows(FOLDER + "agreement.jsonl.gz")) {
            recorded.put(row.number("round"), row);
        }
        try (var chain = new RecordedChain("chain")) {
            var stake = new RecordedStake(chain);
            for (long round = 1; round <= 650; round++) {
                replay(chain, round - BALANCE_LOOKBACK);
                Vectors.Row row = Objects.requireNonNull(recorded.get(round));
                sameCertificate(chain, stake, round, row.object("certificate"));
                for (Vectors.Row proposal : row.rows("proposals")) {
                    sameSeed(stake, round, proposal);
                }
            }
        }
    }

    @Test
    void certificatesOfTheFastChainHold() throws Exception {
        try (var chain = new RecordedChain("chain_fast")) {
            var verifier = new CredentialVerifier(new RecordedStake(chain));
            for (long round = 1; round <= 978; round++) {
                replay(chain, round - BALANCE_LOOKBACK);
                Digest hash = Digest.parse(chain.row(round).text("block_hash"));
                Bundle certificate = bundle(chain.row(round).hex("cert_msgpack_hex"));
                assertThat(verifier.verifyCertificate(certificate, round, hash))
                        .as("round %d", round)
                        .isInstanceOf(Outcome.Valid.class);
            }
        }
    }

    private static void replay(RecordedChain chain, long round) {
        while (chain.view().round() < round) {
            chain.addOrCarryNext();
        }
    }

    private void sameCertificate(
            RecordedChain chain, StakeSource stake, long round, Vectors.Row recorded)
            throws Exception {
        var verifier = new CredentialVerifier(stake);
        Bundle certificate = bundle(chain.row(round).hex("cert_msgpack_hex"));
        Digest hash = Digest.fromBytes(recorded.hex("block_digest"));
        List<VerifiedVote> votes = valid(verifier.verifyCertificate(certificate, round, hash));
        long total = 0;
        for (VerifiedVote vote : votes) {
            Vectors.Row theirs = bySender(recorded.rows("votes"), vote.raw().sender());
            assertThat(vote.weight()).as("%s", vote).isEqualTo(theirs.number("weight"));
            total += vote.weight();
        }
        assertThat(total).isEqualTo(recorded.number("total_weight"));
        // Of another block, or of another round, it is none.
        assertThat(verifier.verifyCertificate(certificate, round, Digest.ZERO))
                .isInstanceOf(Outcome.Invalid.class);
        assertThat(verifier.verifyCertificate(certificate, round + 1, hash))
                .isInstanceOf(Outcome.Invalid.class);
    }

    private static Vectors.Row bySender(List<Vectors.Row> rows, Address sender) {
        return rows.stream()
                .filter(row -> row.text("sender").equals(sender.toString()))
                .findFirst()
                .orElseThrow();
    }

    private static void sameSeed(StakeSource stake, long round, Vectors.Row proposal)
            throws HistoryUnknown {
        Address proposer = Address.parse(proposal.text("oprop"));
        long balanceRound = Math.max(0, round - BALANCE_LOOKBACK);
        var account = Objects.requireNonNull(stake.online(balanceRound, proposer));
        Vectors.Row seed = proposal.object("seed");
        assertThat(account.isPayoutEligible()).isEqualTo(seed.flag("incentive_eligible"));
        Bytes proof = proposal.has("sdpf") ? Bytes.of(proposal.hex("sdpf")) : Bytes.EMPTY;
        assertThat(
                        SeedRule.expected(
                                round, proposal.number("oper"), proposer, proof, account, stake))
                .isEqualTo(Digest.fromBytes(proposal.hex("header_seed")));
        assertThat(SeedRule.later(round, stake))
                .isEqualTo(Digest.fromBytes(seed.hex("later_period.seed")));
        if (!proof.isEmpty()) {
            byte[] other = proof.toArray();
            other[other.length - 1] ^= 1;
            assertThat(SeedRule.expected(round, 0, proposer, Bytes.of(other), account, stake))
                    .isNull();
        }
    }

    @Test
    void singleVotesAndBundlesAreJudgedAsThere() throws Exception {
        int judged = 0;
        try (var chain = RecordedChain.at("chain", 150)) {
            var verifier = new CredentialVerifier(new RecordedStake(chain));
            for (Vectors.Row row : Vectors.rows(FOLDER + "agreement_unit.jsonl")) {
                switch (row.text("kind")) {
                    case "vote" -> sameVerdict(row, verifier);
                    case "bundle" -> sameBundleVerdict(row, verifier);
                    case "lowest_output" -> samePriority(row);
                    default -> {
                        continue; // The lot alone: its class has a test.
                    }
                }
                judged++;
            }
        }
        assertThat(judged).isEqualTo(86);
    }

    private void sameVerdict(Vectors.Row row, CredentialVerifier verifier) throws MalformedMessage {
        Vote vote = vote(row.hex("msgpack"));
        Outcome<VerifiedVote> outcome = verifier.verify(vote);
        if (!row.flag("valid")) {
            assertThat(outcome).as("%s", row.text("case")).isInstanceOf(Outcome.Invalid.class);
            return;
        }
        VerifiedVote verified = valid(outcome);
        assertThat(verified.weight()).as("%s", row.text("case")).isEqualTo(row.number("weight"));
        if (row.has("lowest_output")) {
            assertThat(verified.priority()).isEqualTo(Digest.fromBytes(row.hex("lowest_output")));
        }
    }

    private void sameBundleVerdict(Vectors.Row row, CredentialVerifier verifier)
            throws MalformedMessage {
        Bundle bundle =
                row.has("msgpack") ? bundle(row.hex("msgpack")) : overfull(row.number("round"));
        Outcome<List<VerifiedVote>> outcome = verifier.verify(bundle);
        if (!row.flag("valid")) {
            assertThat(outcome).as("%s", row.text("case")).isInstanceOf(Outcome.Invalid.class);
            return;
        }
        List<VerifiedVote> votes = valid(outcome);
        Map<Address, Long> weights = new HashMap<>();
        votes.forEach(vote -> weights.put(vote.raw().sender(), vote.weight()));
        assertThat(weights.values().stream().mapToLong(Long::longValue).sum())
                .as("%s", row.text("case"))
                .isEqualTo(row.number("weight"));
    }

    /** One vote more than the threshold of a certificate. */
    private static Bundle overfull(long round) {
        var member = new Bundle.Member(Address.ZERO, Bytes.EMPTY, null);
        return new Bundle(
                round,
                0,
                Step.CERT,
                topspin.codec.vote.ProposalValue.BOTTOM,
                java.util.Collections.nCopies(1113, member),
                List.of());
    }

    private static void samePriority(Vectors.Row row) {
        assertThat(
                        Sortition.priority(
                                Address.parse(row.text("member")),
                                row.hex("vrf_output"),
                                row.number("weight")))
                .isEqualTo(Digest.fromBytes(row.hex("lowest_output")));
    }

    private Vote vote(byte[] bytes) throws MalformedMessage {
        Vote vote = decoder.decodeVote(bytes, 0, bytes.length);
        assertThat(VoteEncoder.encode(vote)).isEqualTo(bytes);
        return vote;
    }

    private Bundle bundle(byte[] bytes) throws MalformedMessage {
        Bundle bundle = decoder.decodeBundle(bytes, 0, bytes.length);
        assertThat(VoteEncoder.encode(bundle)).isEqualTo(bytes);
        return bundle;
    }

    private static <T> T valid(Outcome<T> outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Valid.class);
        return ((Outcome.Valid<T>) outcome).value();
    }
}
