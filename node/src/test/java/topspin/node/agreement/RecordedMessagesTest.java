package topspin.node.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import topspin.codec.Digest;
import topspin.codec.Vectors;
import topspin.codec.crypto.Domain;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.Vote;
import topspin.codec.vote.VoteDecoder;
import topspin.codec.vote.VoteEncoder;
import topspin.ledger.RecordedChain;
import topspin.node.GenesisStake;
import topspin.node.RecordedStake;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Messages as they travelled between reference nodes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RecordedMessagesTest {
    private static final String FOLDER = "reference/ledger/";

    private final VoteDecoder decoder = new VoteDecoder();
    private @Nullable RecordedChain chain;
    private @Nullable GenesisStake fast;

    @BeforeAll
    void open() {
        chain = new RecordedChain("chain");
        fast = new GenesisStake("net_fast_short/genesis.json", "chain_fast/consensus.json");
    }

    @AfterAll
    void close() {
        if (chain != null) {
            chain.close();
        }
        if (fast != null) {
            fast.close();
        }
    }

    @Test
    void votesAndBundlesHoldWithTheRecordedWeights() throws Exception {
        List<Vectors.Row> rows = Vectors.rows(FOLDER + "messages.jsonl.gz");
        GenesisStake shortNetwork = Objects.requireNonNull(fast);
        for (Vectors.Row row : rows) {
            if (row.text("net").equals("fast") && row.has("decoded.selector_message")) {
                shortNetwork.learnSeed(row.object("decoded"));
            }
        }
        var ofFast = new CredentialVerifier(shortNetwork);
        var ofStock = new CredentialVerifier(new RecordedStake(Objects.requireNonNull(chain)));
        int votes = 0;
        int bundles = 0;
        for (Vectors.Row row : rows) {
            CredentialVerifier verifier = row.text("net").equals("fast") ? ofFast : ofStock;
            byte[] bytes = row.hex(row.has("plain_hex") ? "plain_hex" : "wire_hex");
            if (row.text("tag").equals("AV") || row.text("tag").equals("VP")) {
                sameVote(verifier.verify(vote(bytes)), row.object("decoded"));
                votes++;
            } else if (row.text("tag").equals("VB")) {
                sameBundle(verifier.verify(bundle(bytes)), row.object("decoded"));
                bundles++;
            }
        }
        assertThat(votes).isEqualTo(241);
        assertThat(bundles).isEqualTo(10);
    }

    private static void sameVote(Outcome<VerifiedVote> outcome, Vectors.Row decoded) {
        assertThat(outcome).as("%s", decoded).isInstanceOf(Outcome.Valid.class);
        VerifiedVote vote = ((Outcome.Valid<VerifiedVote>) outcome).value();
        assertThat(vote.weight()).isEqualTo(decoded.number("weight"));
        if (decoded.has("lowest_output")) {
            assertThat(vote.priority()).isEqualTo(Digest.fromBytes(decoded.hex("lowest_output")));
        }
    }

    private static void sameBundle(Outcome<List<VerifiedVote>> outcome, Vectors.Row decoded) {
        assertThat(outcome).as("%s", decoded).isInstanceOf(Outcome.Valid.class);
        List<VerifiedVote> votes = ((Outcome.Valid<List<VerifiedVote>>) outcome).value();
        assertThat(votes.stream().mapToLong(VerifiedVote::weight).sum())
                .isEqualTo(decoded.number("weight"));
        assertThat(votes).hasSize((int) decoded.number("votes"));
    }

    @Test
    void doubleVotesAreSeenAsSuch() throws Exception {
        GenesisStake shortNetwork = Objects.requireNonNull(fast);
        List<Vectors.Row> pairs = Vectors.rows(FOLDER + "equivocations.jsonl");
        assertThat(pairs).hasSize(29);
        for (Vectors.Row pair : pairs) {
            List<VerifiedVote> votes = new ArrayList<>();
            Set<Object> values = new HashSet<>();
            for (Vectors.Row message : pair.rows("messages")) {
                Vote vote = vote(message.hex("plain_hex"));
                holdsBySignature(vote, shortNetwork);
                if (values.add(vote.raw().value())) {
                    votes.add(
                            new VerifiedVote(
                                    vote,
                                    message.number("decoded.weight"),
                                    Digest.fromBytes(
                                            Arrays.copyOf(
                                                    vote.credential().toArray(), Digest.BYTES))));
                }
            }
            assertThat(votes).hasSize(2);
            AgreementRules rules = shortNetwork.rules(0);
            if (pair.number("step") == Step.PROPOSE) {
                onlyTheFirstProposalCounts(votes, rules);
            } else {
                bothVotesTravelAndThenNoMore(votes, rules);
            }
        }
    }

    private static void holdsBySignature(Vote vote, StakeSource ledger) throws HistoryUnknown {
        var account = Objects.requireNonNull(ledger.online(0, vote.raw().sender()));
        long dilution = account.keyDilution();
        assertThat(
                        Objects.requireNonNull(vote.signature())
                                .oneTime()
                                .verify(
                                        account.voteKey(),
                                        vote.raw().round() / dilution,
                                        vote.raw().round() % dilution,
                                        Domain.VO,
                                        VoteEncoder.encode(vote.raw())))
                .isTrue();
    }

    private static void onlyTheFirstProposalCounts(List<VerifiedVote> votes, AgreementRules rules) {
        var player = new Player(votes.getFirst().raw().round(), rules, Timing.DEFAULT);
        assertThat(give(player, votes.getFirst(), rules)).isInstanceOf(Action.Relay.class);
        assertThat(give(player, votes.getLast(), rules))
                .isEqualTo(new Action.Ignore(Action.Drop.DUPLICATE));
    }

    private static void bothVotesTravelAndThenNoMore(
            List<VerifiedVote> votes, AgreementRules rules) {
        var player = new Player(votes.getFirst().raw().round(), rules, Timing.DEFAULT);
        assertThat(give(player, votes.getFirst(), rules)).isInstanceOf(Action.Relay.class);
        assertThat(give(player, votes.getLast(), rules)).isInstanceOf(Action.Relay.class);
        for (VerifiedVote vote : votes) {
            assertThat(give(player, vote, rules))
                    .isEqualTo(new Action.Ignore(Action.Drop.DUPLICATE));
        }
    }

    /** Offers a vote as it arrives and, if the player wants it verified, as it is verified. */
    private static Action give(Player player, VerifiedVote vote, AgreementRules rules) {
        var source = new Source(1);
        Action first =
                player.handle(new Event.VotePresent(vote.vote(), source, null, rules)).getFirst();
        if (!(first instanceof Action.VerifyVote(var present, var ticket, var from))) {
            return first;
        }
        var verified =
                new Event.VoteVerified(present, new Outcome.Valid<>(vote), ticket, 1, from, rules);
        return player.handle(verified).getFirst();
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
}
