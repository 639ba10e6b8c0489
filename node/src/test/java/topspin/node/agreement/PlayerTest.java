package topspin.node.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Vectors;
import topspin.codec.crypto.OneTimeSignature;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;
import topspin.codec.vote.Vote;
import topspin.codec.vote.VoteSignature;
import topspin.node.agreement.Action.Drop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** What a player does in one situation at a time: agreement.md 7. */
final class PlayerTest {
    private static final long ROUND = 300;
    private static final Source PEER = new Source(7);
    private static final AgreementRules RULES =
            new AgreementRules(
                    ConsensusVersions.V42,
                    Objects.requireNonNull(ConsensusVersions.builtIn().get(ConsensusVersions.V42)),
                    Timing.DEFAULT);

    /** Its votes weigh six tenths of what a step needs: two of them are a quorum. */
    private static final Address A = account(1);

    private static final Address B = account(2);
    private static final Address C = account(3);

    private static final ProposalValue V = value(0, A, 1);
    private static final ProposalValue W = value(0, B, 2);
    private static final ProposalValue NOTHING = ProposalValue.BOTTOM;

    private Player player = new Player(ROUND, RULES, Timing.DEFAULT);

    @BeforeEach
    void begin() {
        player = new Player(ROUND, RULES, Timing.DEFAULT);
    }

    private static Address account(int number) {
        return Address.fromBytes(bytes(number));
    }

    private static byte[] bytes(int number) {
        var bytes = new byte[32];
        Arrays.fill(bytes, (byte) number);
        return bytes;
    }

    private static ProposalValue value(long period, Address proposer, int number) {
        Digest digest = Digest.fromBytes(bytes(number));
        return new ProposalValue(period, proposer, digest, digest);
    }

    private static Payload payload(ProposalValue value) {
        return new Payload(ROUND, value, Bytes.EMPTY);
    }

    private static VerifiedVote vote(Address sender, long period, long step, ProposalValue value) {
        return vote(sender, ROUND, period, step, value);
    }

    private static VerifiedVote vote(
            Address sender, long round, long period, long step, ProposalValue value) {
        Bytes filled = Bytes.of(Arrays.copyOf(new byte[] {1}, 64));
        Digest key = Digest.fromBytes(bytes(9));
        var signature = new VoteSignature(new OneTimeSignature(filled, key, filled, key, filled));
        var vote =
                new Vote(new RawVote(sender, round, period, step, value), Bytes.EMPTY, signature);
        long weight = step == Step.PROPOSE ? 5 : RULES.threshold(step) * 6 / 10;
        Digest priority = step == Step.PROPOSE ? Digest.fromBytes(sender.toBytes()) : Digest.ZERO;
        return new VerifiedVote(vote, weight, priority);
    }

    private List<Action> verified(VerifiedVote vote) {
        return player.handle(
                new Event.VoteVerified(vote.vote(), new Outcome.Valid<>(vote), 0, 1, PEER, RULES));
    }

    /** Both A and B vote: a quorum. */
    private List<Action> quorum(long period, long step, ProposalValue value) {
        verified(vote(A, period, step, value));
        return verified(vote(B, period, step, value));
    }

    private List<Action> arrive(ProposalValue value) {
        player.handle(new Event.PayloadPresent(payload(value), PEER, RULES));
        return player.handle(
                new Event.PayloadVerified(
                        payload(value), new Outcome.Valid<>(payload(value)), PEER, RULES));
    }

    private List<Action> timeout() {
        return player.handle(new Event.Timeout(0, RULES));
    }

    private static List<Action.Attest> attests(List<Action> actions) {
        List<Action.Attest> attests = new ArrayList<>();
        for (Action action : actions) {
            if (action instanceof Action.Attest attest) {
                attests.add(attest);
            }
        }
        return attests;
    }

    private static Action.Attest attest(long period, long step, ProposalValue value) {
        return new Action.Attest(ROUND, period, step, value);
    }

    @Test
    void aRoundWithoutTroubleGoesFromProposalToBlock() {
        verified(vote(A, 0, Step.PROPOSE, V));
        arrive(V);
        assertThat(timeout()).containsExactly(attest(0, Step.SOFT, V));
        assertThat(attests(quorum(0, Step.SOFT, V))).containsExactly(attest(0, Step.CERT, V));
        List<Action> actions = quorum(0, Step.CERT, V);
        assertThat(actions).hasSize(4);
        assertThat(actions.get(1)).isInstanceOf(Action.Ensure.class);
        assertThat(actions.get(2)).isEqualTo(new Action.Rezero(ROUND + 1));
        assertThat(actions.get(3)).isEqualTo(new Action.Assemble(ROUND + 1, 0));
        assertThat(player.round()).isEqualTo(ROUND + 1);
    }

    @Test
    void theLowestPriorityLeadsUntilTheSoftVote() {
        verified(vote(B, 0, Step.PROPOSE, W));
        verified(vote(A, 0, Step.PROPOSE, V));
        assertThat(timeout()).containsExactly(attest(0, Step.SOFT, V));
        assertThat(verified(vote(account(0x70), 0, Step.PROPOSE, value(0, account(0x70), 5))))
                .containsExactly(new Action.Ignore(Drop.OUTBID));
    }

    @Test
    void aBetterProposalBehindAQuorumDoesNotLead() {
        verified(vote(B, 0, Step.PROPOSE, W));
        quorum(0, Step.SOFT, W);
        verified(vote(A, 0, Step.PROPOSE, V));
        assertThat(timeout()).containsExactly(attest(0, Step.SOFT, W));
    }

    @Test
    void aPayloadBehindItsVoteWaitsUntilTheVoteHolds() {
        Vote vote = vote(A, 0, Step.PROPOSE, V).vote();
        var tail = new Event.PayloadPresent(payload(V), PEER, RULES);
        assertThat(player.handle(new Event.VotePresent(vote, PEER, tail, RULES)))
                .containsExactly(new Action.VerifyVote(vote, 1, PEER));
        var outcome = new Outcome.Valid<>(vote(A, 0, Step.PROPOSE, V));
        List<Action> actions =
                player.handle(new Event.VoteVerified(vote, outcome, 1, 1, PEER, RULES));
        assertThat(actions).contains(new Action.VerifyPayload(payload(V), ROUND, 0, false, PEER));
    }

    @Test
    void ofCancelledVotesOnlyTheTailIsLookedAt() {
        Vote vote = vote(A, 0, Step.PROPOSE, V).vote();
        var tail = new Event.PayloadPresent(payload(V), PEER, RULES);
        player.handle(new Event.VotePresent(vote, PEER, tail, RULES));
        assertThat(
                        player.handle(
                                new Event.VoteVerified(
                                        vote, new Outcome.Cancelled<>(), 1, 1, PEER, RULES)))
                .containsExactly(
                        new Action.Ignore(Drop.CANCELLED), new Action.Ignore(Drop.NOT_PROPOSED));
    }

    @Test
    void whoSendsABadVoteIsDroppedUnlessItsRulesAreUnknown() {
        for (long step : new long[] {Step.PROPOSE, Step.SOFT}) {
            Vote vote = vote(A, 0, step, V).vote();
            assertThat(invalid(vote, RULES)).containsExactly(new Action.Disconnect(PEER));
        }
        assertThat(invalid(vote(A, 0, Step.SOFT, V).vote(), null))
                .containsExactly(new Action.Ignore(Drop.RULES_UNKNOWN));
        assertThat(invalid(vote(A, 0, Step.PROPOSE, V).vote(), null))
                .containsExactly(new Action.Disconnect(PEER));
    }

    private List<Action> invalid(Vote vote, @Nullable AgreementRules rules) {
        return player.handle(
                new Event.VoteVerified(vote, new Outcome.Invalid<>("bad"), 0, 1, PEER, rules));
    }

    @Test
    void aBadPayloadIsNobodysFault() {
        verified(vote(A, 0, Step.PROPOSE, V));
        player.handle(new Event.PayloadPresent(payload(V), PEER, RULES));
        assertThat(
                        player.handle(
                                new Event.PayloadVerified(
                                        payload(V), new Outcome.Invalid<>("bad"), PEER, RULES)))
                .containsExactly(new Action.Ignore(Drop.INVALID));
    }

    @Test
    void nextVotesOpenTheNextPeriodWithWhatTheyAreFor() {
        timeout();
        assertThat(timeout()).containsExactly(attest(0, Step.NEXT, NOTHING));
        assertThat(quorum(0, Step.NEXT, NOTHING))
                .endsWith(new Action.Rezero(ROUND), new Action.Assemble(ROUND, 1));
        assertThat(player.period()).isEqualTo(1);

        begin();
        assertThat(quorum(0, Step.NEXT, V)).endsWith(new Action.Repropose(ROUND, 1, V));
        assertThat(timeout()).containsExactly(attest(1, Step.SOFT, V));
        assertThat(timeout()).containsExactly(attest(1, Step.NEXT, V));
    }

    @Test
    void bothQuorumsLeaveThePeriodOpen() {
        quorum(0, Step.NEXT, V);
        quorum(0, Step.DOWN, NOTHING);
        assertThat(player.period()).isEqualTo(1);
        // A proposal of the period itself is as good as what the other quorum was for.
        verified(vote(B, 1, Step.PROPOSE, value(1, B, 5)));
        assertThat(timeout()).containsExactly(attest(1, Step.SOFT, value(1, B, 5)));
        assertThat(timeout()).containsExactly(attest(1, Step.NEXT, NOTHING));
    }

    @Test
    void whatNobodySettledOnIsNotVotedForAgain() {
        quorum(0, Step.NEXT, NOTHING);
        verified(vote(A, 1, Step.PROPOSE, V));
        assertThat(timeout()).isEmpty();
    }

    @Test
    void fastRecoveryIsLateRedoOrDown() {
        assertThat(fast()).isEmpty();
        assertThat(fast()).containsExactly(attest(0, Step.DOWN, NOTHING));
        quorum(0, Step.NEXT, V);
        fast();
        assertThat(fast()).containsExactly(attest(1, Step.REDO, V));
        begin();
        verified(vote(A, 0, Step.PROPOSE, V));
        arrive(V);
        quorum(0, Step.SOFT, V);
        fast();
        assertThat(attests(fast())).containsExactly(attest(0, Step.LATE, V));
        assertThat(quorum(0, Step.LATE, V)).endsWith(new Action.Repropose(ROUND, 1, V));
    }

    private List<Action> fast() {
        return player.handle(new Event.FastTimeout(12345, RULES));
    }

    @Test
    void fastDeadlinesAreDrawnOncePerLambda() {
        long lambda = RULES.params().fastRecoveryLambda();
        player.handle(new Event.FastTimeout(7, null));
        assertThat(player.fastDeadline()).isZero();
        player.handle(new Event.FastTimeout(7, RULES));
        assertThat(player.fastDeadline()).isEqualTo(lambda + 7);
        player.handle(new Event.FastTimeout(9, RULES));
        assertThat(player.fastDeadline()).isEqualTo(2 * lambda + 9);
    }

    @Test
    void deadlinesFollowTheWindowsOfNextVotes() {
        assertThat(player.deadline()).isEqualTo(3_000_000_000L);
        timeout();
        assertThat(player.deadline()).isEqualTo(4_000_000_000L);
        timeout();
        long[] windows = {6, 10, 18, 34, 66};
        for (int i = 0; i + 1 < windows.length; i++) {
            assertThat(player.deadline()).isEqualTo(windows[i] * 1_000_000_000L);
            assertThat(player.handle(new Event.Timeout(77, RULES))).isEmpty();
            assertThat(player.deadline()).isEqualTo(windows[i] * 1_000_000_000L + 77);
            assertThat(attests(timeout())).hasSize(1);
        }
        for (int i = 0; i < 1_000; i++) {
            timeout();
            assertThat(player.deadline()).isPositive();
        }
        assertThat(player.step()).isEqualTo(Step.NEXT_LAST);
    }

    @Test
    void withoutRulesAPeriodEndsAfterTheLongestTime() {
        player.handle(new Event.Timeout(0, null));
        assertThat(player.deadline()).isEqualTo(17_000_000_000L);
    }

    @Test
    void quorumsOfTheNextRoundWaitForIt() {
        verified(vote(A, ROUND + 1, 0, Step.NEXT, NOTHING));
        assertThat(attestsNothing(verified(vote(B, ROUND + 1, 0, Step.NEXT, NOTHING)))).isTrue();
        assertThat(player.round()).isEqualTo(ROUND);
        List<Action> actions = player.handle(new Event.RoundInterruption(ROUND + 1, RULES));
        assertThat(player.period()).isEqualTo(1);
        assertThat(actions)
                .containsExactly(
                        new Action.Rezero(ROUND + 1),
                        new Action.Assemble(ROUND + 1, 0),
                        new Action.Rezero(ROUND + 1),
                        new Action.Assemble(ROUND + 1, 1));
    }

    private static boolean attestsNothing(List<Action> actions) {
        return attests(actions).isEmpty();
    }

    @Test
    void aCertificateOfAPeriodThatIsOverStillCounts() {
        verified(vote(A, 0, Step.PROPOSE, V));
        arrive(V);
        for (long period = 0; period < 5; period++) {
            quorum(period, Step.NEXT, V);
        }
        assertThat(player.period()).isEqualTo(5);
        // Periods 2 and 3 have been collected by now.
        for (long period : new long[] {2, 3, 0}) {
            Player before = player;
            player = copy(before);
            List<Action> actions = bundle(period, Step.CERT, V);
            assertThat(actions.get(1)).isInstanceOf(Action.Ensure.class);
            assertThat(player.round()).isEqualTo(ROUND + 1);
            player = before;
        }
        assertThat(bundle(3, Step.SOFT, V)).containsExactly(new Action.Ignore(Drop.STALE));
    }

    private static Player copy(Player player) {
        try {
            return Player.restore(player.save().toByteArray(), name -> RULES, Timing.DEFAULT);
        } catch (MalformedMessage malformed) {
            throw new AssertionError(malformed);
        }
    }

    private List<Action> bundle(long period, long step, ProposalValue value) {
        List<VerifiedVote> votes =
                List.of(vote(A, period, step, value), vote(B, period, step, value));
        var bundle = new Bundle(ROUND, period, step, value, List.of(), List.of());
        return player.handle(
                new Event.BundleVerified(bundle, new Outcome.Valid<>(votes), PEER, RULES));
    }

    @Test
    void aCertificateWithoutItsBlockAsksForIt() {
        List<Action> actions = quorum(0, Step.CERT, V);
        assertThat(actions.get(1)).isInstanceOf(Action.StageDigest.class);
        assertThat(player.round()).isEqualTo(ROUND);
        assertThat(arrive(V).getFirst()).isInstanceOf(Action.Ensure.class);
    }

    @Test
    void aBundleOfALaterPeriodTakesThePlayerThere() {
        assertThat(bundle(6, Step.SOFT, V)).contains(new Action.Rezero(ROUND));
        assertThat(player.period()).isEqualTo(6);
        assertThat(bundle(2, Step.NEXT, V)).containsExactly(new Action.Ignore(Drop.STALE));
    }

    @Test
    void whoVotesTwiceCountsOnceForEveryValue() {
        verified(vote(C, 0, Step.SOFT, V));
        assertThat(verified(vote(C, 0, Step.SOFT, W)).getFirst()).isInstanceOf(Action.Relay.class);
        assertThat(verified(vote(C, 0, Step.SOFT, value(0, C, 6))))
                .containsExactly(new Action.Ignore(Drop.DUPLICATE));
        verified(vote(A, 0, Step.PROPOSE, V));
        arrive(V);
        List<Action> actions = verified(vote(A, 0, Step.SOFT, V));
        assertThat(attests(actions)).containsExactly(attest(0, Step.CERT, V));
    }

    @Test
    void tooManyDoubleVotersEndAllTrust() {
        verified(vote(A, 0, Step.SOFT, V));
        verified(vote(A, 0, Step.SOFT, W));
        verified(vote(B, 0, Step.SOFT, V));
        assertThatThrownBy(() -> verified(vote(B, 0, Step.SOFT, W))).isInstanceOf(SafetyLost.class);
    }

    @Test
    void inPiecesTheNetworkIsToldTheFreshestThereIs() {
        verified(vote(A, 0, Step.PROPOSE, V));
        arrive(V);
        quorum(0, Step.SOFT, V);
        for (int i = 0; i < 7; i++) {
            timeout();
        }
        assertThat(player.step()).isEqualTo(6);
        List<Action> actions = timeout();
        assertThat(actions.get(0)).isInstanceOf(Action.Broadcast.class);
        assertThat(actions.get(1))
                .isEqualTo(new Action.Broadcast(new Message.OfPayload(payload(V), null)));
        assertThat(actions.get(2)).isEqualTo(attest(0, Step.NEXT + 3, V));
    }

    @Test
    void stepsWithoutANameAreNotCounted() {
        Vote vote = vote(A, 0, 256, NOTHING).vote();
        assertThat(player.handle(new Event.VotePresent(vote, PEER, null, RULES)))
                .containsExactly(new Action.Ignore(Drop.STALE));
    }

    @Test
    void rubbishIsNoSavedState() {
        byte[] state = player.save().toByteArray();
        for (int length = 0; length < state.length; length++) {
            byte[] cut = Arrays.copyOf(state, length);
            assertThatThrownBy(() -> Player.restore(cut, name -> RULES, Timing.DEFAULT))
                    .isInstanceOf(MalformedMessage.class);
        }
    }

    /** The reference node, killed behind a soft vote that was durable, and started again. */
    @Test
    void aRestartedPlayerDoesWhatTheRecordedOneDid() {
        AgreementRules fast = RecordedTraceTest.rules("fast");
        List<Vectors.Row> rows = Vectors.rows("reference/ledger/crash.jsonl");
        int crashes = 0;
        for (int i = 0; i < rows.size(); i++) {
            if (!rows.get(i).text("event").equals("crash")) {
                continue;
            }
            crashes++;
            long round = at(rows.get(i), "after", 0);
            Player before = new Player(round, fast, Timing.DEFAULT);
            VerifiedVote leader = vote(A, round, 0, Step.PROPOSE, V);
            before.handle(
                    new Event.VoteVerified(
                            leader.vote(), new Outcome.Valid<>(leader), 0, 1, PEER, fast));
            List<Action> asked = before.handle(new Event.Timeout(0, fast));
            assertThat(asked).containsExactly(new Action.Attest(round, 0, Step.SOFT, V));
            Player after = restored(before, fast);
            for (int next = i + 1; next < rows.size(); next++) {
                Vectors.Row row = rows.get(next);
                if (row.text("event").equals("timeout")) {
                    sameTimeout(after, row, fast);
                } else if (!row.text("event").equals("checkpointReached")) {
                    break; // From here on it hears of its peer.
                }
            }
        }
        assertThat(crashes).isEqualTo(3);
    }

    private static Player restored(Player player, AgreementRules rules) {
        try {
            return Player.restore(player.save().toByteArray(), name -> rules, Timing.DEFAULT);
        } catch (MalformedMessage malformed) {
            throw new AssertionError(malformed);
        }
    }

    private static void sameTimeout(Player player, Vectors.Row row, AgreementRules rules) {
        assertThat(player.step()).isEqualTo(at(row, "before", 2));
        long start =
                AgreementRules.windowStart(
                        at(row, "after", 2), rules.deadlineTimeout(0), Timing.DEFAULT);
        boolean isNap = row.list("actions").isEmpty();
        long entropy = isNap ? row.number("deadline_ns") - start : 0;
        List<Action> actions = player.handle(new Event.Timeout(entropy, rules));
        assertThat(player.step()).isEqualTo(at(row, "after", 2));
        assertThat(player.deadline()).isEqualTo(row.number("deadline_ns"));
        assertThat(attests(actions)).hasSize(isNap ? 0 : 1);
        for (Action.Attest attest : attests(actions)) {
            assertThat(row.list("actions").getFirst().toString()).endsWith(": AAAAA");
            assertThat(attest.value()).isEqualTo(NOTHING);
        }
    }

    private static long at(Vectors.Row row, String when, int index) {
        return ((Number) Objects.requireNonNull(row.list(when).get(index))).longValue();
    }

    @Test
    void whoHasJustComeIsToldWhatItMayLack() {
        assertThat(player.news()).isEmpty();
        VerifiedVote proposal = vote(A, 0, Step.PROPOSE, V);
        verified(proposal);
        assertThat(player.news()).containsExactly(new Message.OfVote(proposal.vote()));
        arrive(V);
        VerifiedVote soft = vote(A, 0, Step.SOFT, V);
        verified(soft);
        var leads = new Message.OfPayload(payload(V), proposal.vote());
        assertThat(player.news()).containsExactly(leads, new Message.OfVote(soft.vote()));

        verified(vote(B, 0, Step.SOFT, V));

        assertThat(player.news()).hasSize(4).contains(leads);
        assertThat(player.news().getFirst()).isInstanceOf(Message.OfBundle.class);
    }

    @Test
    void whatIsToldHasABound() {
        for (int sender = 1; sender <= Player.TOLD_MAX + 9; sender++) {
            byte[] address = bytes(0);
            address[0] = (byte) sender;
            address[1] = (byte) (sender >> 8);
            var raw = vote(A, 0, Step.SOFT, V).vote();
            var from = new RawVote(Address.fromBytes(address), ROUND, 0, Step.SOFT, V);
            verified(
                    new VerifiedVote(
                            new Vote(from, raw.credential(), raw.signature()), 1, Digest.ZERO));
        }
        assertThat(player.news()).hasSize(Player.TOLD_MAX);
    }
}
