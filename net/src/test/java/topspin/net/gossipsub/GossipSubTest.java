package topspin.net.gossipsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Vectors;
import topspin.codec.Vectors.Row;
import topspin.net.Verdict;
import topspin.net.rpc.Elements;
import topspin.net.rpc.Elements.Have;
import topspin.net.rpc.Elements.Prune;
import topspin.net.rpc.Elements.Subscription;
import topspin.net.rpc.RpcBatch;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** One router, by example; what its peers see is gossip.md A.6 and A.7, mostly what was run. */
final class GossipSubTest {
    private static final byte[] OWN_ID = FakePeer.id(9_999);

    private long nowNanos = Long.MAX_VALUE - 5; // Clocks may start anywhere, and wrap.
    private final GossipCounters counters = new GossipCounters();
    private GossipSub router = router(GossipSubConfig.DEFAULT);
    private int peers;

    private GossipSub router(GossipSubConfig config) {
        return new GossipSub(
                config,
                OWN_ID,
                new SplittableRandom(1),
                () -> nowNanos,
                FakePeer.UNTRACKED,
                counters);
    }

    @BeforeEach
    void subscribe() {
        router.subscribe();
    }

    private FakePeer peer(boolean outbound, GossipVersion version) {
        return new FakePeer(router, ++peers, outbound, version).subscribe();
    }

    private FakePeer peer() {
        return peer(true, GossipVersion.V1_2);
    }

    /** A neighbour, with what was said on the way forgotten. */
    private FakePeer meshPeer() {
        FakePeer peer = peer().graft();
        assertThat(peer.handle.inMesh()).isTrue();
        peer.take();
        return peer;
    }

    private void pass(long amount, TimeUnit unit) {
        nowNanos += unit.toNanos(amount);
    }

    private void beat() {
        pass(1, TimeUnit.SECONDS);
        router.heartbeat();
    }

    private void beat(int times) {
        for (int count = 0; count < times; count++) {
            beat();
        }
    }

    private static byte[] data(int number) {
        return ByteBuffer.allocate(300).putInt(number).array();
    }

    private static byte[] id(byte[] data) {
        var id = new MessageId();
        new Blake2b256().hash(data, 0, data.length, id);
        byte[] bytes = new byte[MessageId.BYTES];
        id.writeTo(bytes, 0);
        return bytes;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static List<String> data(Elements heard) {
        return heard.messages().stream().map(Elements.Message::data).toList();
    }

    private Published publish(byte[] data) {
        Published result = router.publish(data, 0, data.length);
        router.flush();
        return result;
    }

    // Subscriptions and the mesh.

    @Test
    void aPeerIsToldFirstOfOurSubscription() {
        var peer = new FakePeer(router, 1, true, GossipVersion.V1_2);
        assertThat(peer.rpcs).isZero();
        router.flush();
        assertThat(peer.take().subscriptions())
                .containsExactly(new Subscription(true, FakePeer.TOPIC_HEX));
        router.unsubscribe();
        router.unsubscribe();
        router.flush();
        assertThat(peer.take().subscriptions())
                .containsExactly(new Subscription(false, FakePeer.TOPIC_HEX));
    }

    @Test
    void aListenerIsGraftedAtTheNextHeartbeatAndOthersAreNot() {
        FakePeer listener = peer();
        var silent = new FakePeer(router, ++peers, true, GossipVersion.V1_2);
        listener.take();
        assertThat(listener.handle.subscribed()).isTrue();
        beat();
        assertThat(listener.take().grafts()).containsExactly(FakePeer.TOPIC_HEX);
        assertThat(silent.take().grafts()).isEmpty();
        assertThat(router.meshSize()).isEqualTo(1);
        beat(5);
        assertThat(listener.take().grafts()).isEmpty();
    }

    @Test
    void theMeshIsFilledToItsGoalAndNotBeyond() {
        List<FakePeer> all = new ArrayList<>();
        for (int count = 0; count < 20; count++) {
            all.add(peer());
        }
        beat();
        assertThat(router.meshSize()).isEqualTo(4);
        assertThat(all).filteredOn(peer -> !peer.take().grafts().isEmpty()).hasSize(4);
        assertThat(all).filteredOn(peer -> peer.handle.inMesh()).hasSize(4);
    }

    @Test
    void anInboundPeerIsNotTakenInAtTheHighMarkButOneThatWeDialledIs() {
        for (int count = 0; count < 4; count++) {
            meshPeer();
        }
        FakePeer inbound = peer(false, GossipVersion.V1_2);
        inbound.take();
        inbound.graft();
        assertThat(inbound.take().prunes()).containsExactly(new Prune(FakePeer.TOPIC_HEX, 60));
        assertThat(inbound.handle.inMesh()).isFalse();
        meshPeer();
        assertThat(router.meshSize()).isEqualTo(5);
        beat();
        assertThat(router.meshSize()).isEqualTo(4);
    }

    @Test
    void theMeshIsCutBackToTheBestAndKeepsOneThatWeDialled() {
        router = router(GossipSubConfig.DEFAULT.withDegrees(new Degrees(3, 2, 6, 1, 1, 4)));
        router.subscribe();
        FakePeer best = peer(false, GossipVersion.V1_2).graft();
        best.publish(data(1));
        List<FakePeer> others = new ArrayList<>();
        for (int count = 0; count < 4; count++) {
            others.add(peer(false, GossipVersion.V1_2).graft());
        }
        FakePeer dialled = peer(true, GossipVersion.V1_2).graft();
        assertThat(router.meshSize()).isEqualTo(6);
        beat();
        assertThat(router.meshSize()).isEqualTo(3);
        assertThat(best.handle.inMesh()).isTrue();
        assertThat(dialled.handle.inMesh()).isTrue();
        assertThat(others).filteredOn(peer -> peer.take().prunes().size() == 1).hasSize(3);
    }

    @Test
    void aMeshOfInboundPeersGetsOneThatWeDialled() {
        for (int count = 0; count < 3; count++) {
            peer(false, GossipVersion.V1_2).graft();
        }
        FakePeer dialled = peer();
        beat();
        assertThat(dialled.handle.inMesh()).isTrue();
    }

    @Test
    void aGraftInsideTheBackoffIsAnsweredByPruneEachTime() {
        FakePeer peer = meshPeer();
        peer.say(batch -> batch.prune(FakePeer.TOPIC, 60));
        assertThat(peer.handle.inMesh()).isFalse();
        for (int count = 0; count < 2; count++) {
            peer.graft();
            assertThat(peer.take().prunes()).containsExactly(new Prune(FakePeer.TOPIC_HEX, 60));
            assertThat(peer.handle.inMesh()).isFalse();
        }
        assertThat(peer.disconnected).isNull();
        assertThat(counters.dropped(GossipDrop.GRAFT_IN_BACKOFF)).isEqualTo(2);
        pass(60, TimeUnit.SECONDS);
        peer.graft();
        assertThat(peer.take().prunes()).isEmpty();
        assertThat(peer.handle.inMesh()).isTrue();
    }

    @Test
    void wePutOffGraftingForAsLongAsWeWereTold() {
        FakePeer peer = meshPeer();
        peer.say(batch -> batch.prune(FakePeer.TOPIC, 20));
        beat(21);
        assertThat(peer.take().grafts()).isEmpty();
        beat(2);
        assertThat(peer.take().grafts()).hasSize(1);
    }

    @Test
    void aPruneWithoutBackoffMeansAMinute() {
        FakePeer peer = meshPeer();
        peer.say(batch -> batch.prune(FakePeer.TOPIC, 0));
        beat(61);
        assertThat(peer.take().grafts()).isEmpty();
        beat(2);
        assertThat(peer.take().grafts()).hasSize(1);
    }

    @Test
    void aBackoffOutlivesTheConnection() {
        FakePeer peer = meshPeer();
        peer.say(batch -> batch.prune(FakePeer.TOPIC, 60));
        router.disconnected(peer.handle);
        router.disconnected(peer.handle);
        pass(10, TimeUnit.SECONDS);
        peer.reconnect(false);
        peer.subscribe().graft();
        assertThat(peer.take().prunes()).hasSize(1);
    }

    @Test
    void aPeerOfVersionOneGetsNoBackoffAndNoIdontwant() {
        FakePeer old = peer(true, GossipVersion.V1_0).graft();
        FakePeer source = meshPeer();
        source.publish(new byte[2_000]);
        assertThat(old.take().idontwants()).isEmpty();
        router.unsubscribe();
        router.flush();
        assertThat(old.take().prunes()).containsExactly(new Prune(FakePeer.TOPIC_HEX, 0));
        assertThat(source.take().prunes()).containsExactly(new Prune(FakePeer.TOPIC_HEX, 10));
    }

    @Test
    void aPeerThatCeasesToListenLeavesTheMeshWithoutAWord() {
        FakePeer peer = meshPeer();
        peer.say(batch -> batch.subscription(false, FakePeer.TOPIC));
        assertThat(router.meshSize()).isZero();
        assertThat(peer.take().prunes()).isEmpty();
    }

    @Test
    void graftAndPruneThatDidNotFitAreSaidAgain() {
        FakePeer peer = peer();
        peer.queueFull = true;
        beat();
        assertThat(router.meshSize()).isEqualTo(1);
        peer.queueFull = false;
        beat();
        assertThat(peer.take().grafts()).hasSize(1);
        peer.queueFull = true;
        router.unsubscribe();
        router.flush();
        peer.queueFull = false;
        beat();
        Elements heard = peer.take();
        assertThat(heard.prunes()).hasSize(1);
        assertThat(heard.subscriptions())
                .containsExactly(new Subscription(false, FakePeer.TOPIC_HEX));
    }

    @Test
    void betterPeersAreTakenInOnceAMinuteWhileTheMeshIsPoor() {
        for (int count = 0; count < 4; count++) {
            meshPeer();
        }
        List<FakePeer> better = new ArrayList<>();
        for (int count = 0; count < 3; count++) {
            FakePeer peer = peer();
            better.add(peer);
            peer.publish(data(count));
        }
        beat(59);
        assertThat(better).noneMatch(peer -> peer.handle.inMesh());
        beat();
        assertThat(better).filteredOn(peer -> peer.handle.inMesh()).hasSize(2);
    }

    // Messages.

    @Test
    void anAcceptedMessageGoesToTheMeshButNotBack() {
        FakePeer source = meshPeer();
        FakePeer neighbour = meshPeer();
        FakePeer outside = peer();
        source.publish(data(1));
        assertThat(source.delivered).containsExactly(data(1));
        assertThat(data(neighbour.take())).containsExactly(hex(data(1)));
        assertThat(data(source.take())).isEmpty();
        assertThat(data(outside.take())).isEmpty();
        neighbour.publish(data(1));
        assertThat(neighbour.delivered).isEmpty();
        assertThat(counters.dropped(GossipDrop.DUPLICATE)).isEqualTo(1);
    }

    @Test
    void aMessageKeepsItsFromAndSeqnoAndIsNotSentToItsMaker() {
        FakePeer source = meshPeer();
        FakePeer neighbour = meshPeer();
        FakePeer maker = meshPeer();
        String body = "0a26" + hex(maker.id) + "1203010203" + "1a08" + "0102030405060708";
        body += "2208" + FakePeer.TOPIC_HEX + "320109" + "3a0101"; // A key, a stranger.
        source.sayRaw("12" + HexFormat.of().toHexDigits((byte) (body.length() / 2)) + body);
        assertThat(neighbour.take().messages())
                .containsExactly(
                        new Elements.Message(
                                hex(maker.id),
                                "010203",
                                "0102030405060708",
                                FakePeer.TOPIC_HEX,
                                false,
                                "09"));
        assertThat(data(maker.take())).isEmpty();
    }

    @Test
    void longExtrasAreNotPassedOn() {
        FakePeer source = meshPeer();
        FakePeer neighbour = meshPeer();
        String body = "0a8101" + "55".repeat(129) + "1203010203" + "2208" + FakePeer.TOPIC_HEX;
        source.sayRaw("129301" + body);
        assertThat(neighbour.take().messages())
                .containsExactly(
                        new Elements.Message("-", "010203", "-", FakePeer.TOPIC_HEX, false, "-"));
    }

    @ParameterizedTest
    @EnumSource(
            value = Verdict.class,
            names = {"ACCEPT", "IGNORE", "REJECT"})
    void aPendingMessageIsSettledOnce(Verdict verdict) {
        FakePeer source = meshPeer();
        FakePeer neighbour = meshPeer();
        FakePeer second = meshPeer();
        source.verdict = Verdict.PENDING;
        source.publish(data(1));
        second.publish(data(1));
        assertThat(second.delivered).isEmpty();
        assertThat(router.pending()).isEqualTo(1);
        assertThat(data(neighbour.take())).isEmpty();
        for (int time = 0; time < 2; time++) {
            router.settle(data(1), 0, data(1).length, verdict);
            router.flush();
            assertThat(router.pending()).isZero();
        }
        assertThat(counters.dropped(GossipDrop.SETTLED_LATE)).isEqualTo(1);
        boolean accepted = verdict == Verdict.ACCEPT;
        assertThat(data(neighbour.take())).hasSize(accepted ? 1 : 0);
        // It has it: it brought it.
        assertThat(data(second.take())).isEmpty();
        if (verdict == Verdict.REJECT) {
            assertThat(source.handle.score()).isLessThan(-99);
            assertThat(second.handle.score()).isLessThan(-99);
        } else {
            assertThat(source.handle.score()).isNotNegative();
        }
    }

    @Test
    void aVerdictOnNothingOrPendingAgainIsNoneOfOurs() {
        router.settle(data(1), 0, 300, Verdict.ACCEPT);
        assertThat(counters.dropped(GossipDrop.SETTLED_LATE)).isEqualTo(1);
        FakePeer source = meshPeer();
        source.verdict = Verdict.PENDING;
        source.publish(data(1));
        assertThatThrownBy(() -> router.settle(data(1), 0, 300, Verdict.PENDING))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatWasNotTakenInMayComeAgainAndWhatWasJudgedMayNot() {
        FakePeer source = meshPeer();
        source.verdict = Verdict.IGNORE;
        source.publish(data(1));
        source.verdict = Verdict.PENDING;
        source.publish(data(1));
        assertThat(source.delivered).hasSize(2);
        router.settle(data(1), 0, 300, Verdict.IGNORE);
        source.publish(data(1));
        assertThat(source.delivered).hasSize(2);
        assertThat(source.handle.score()).isNotNegative();
    }

    @Test
    void aMessageIsForgottenAfterTwoMinutes() {
        FakePeer source = meshPeer();
        source.publish(data(1));
        beat(119);
        source.publish(data(1));
        assertThat(source.delivered).hasSize(1);
        beat(1);
        source.publish(data(1));
        assertThat(source.delivered).hasSize(2);
    }

    @Test
    void aVerdictThatNeverComesGivesItsPlaceBack() {
        router =
                router(
                        new GossipSubConfig(
                                Degrees.of(4), GossipSubConfig.RPC_BYTES_MAX, 1_000, 8, 1 << 20));
        router.subscribe();
        FakePeer source = meshPeer();
        source.verdict = Verdict.PENDING;
        for (int number = 0; number < 3; number++) {
            source.publish(data(number));
        }
        assertThat(source.delivered).hasSize(2);
        assertThat(counters.dropped(GossipDrop.PENDING_FULL)).isEqualTo(1);
        // Others have room all the same: a quarter of it each.
        for (int count = 0; count < 4; count++) {
            FakePeer other = meshPeer();
            other.verdict = Verdict.PENDING;
            other.publish(data(10 + 2 * count));
            other.publish(data(11 + 2 * count));
            assertThat(other.delivered).hasSize(count < 3 ? 2 : 0);
        }
        for (int number = 10; number < 16; number++) {
            router.settle(data(number), 0, 300, Verdict.ACCEPT);
        }
        beat(120);
        assertThat(router.pending()).isZero();
        assertThat(counters.dropped(GossipDrop.PENDING_EXPIRED)).isEqualTo(2);
        source.publish(data(2));
        assertThat(source.delivered).hasSize(3);
    }

    @Test
    void nothingIsHeardWhileWeDoNotListen() {
        router.unsubscribe();
        FakePeer peer = peer();
        peer.publish(data(1));
        peer.graft();
        peer.ihave(id(data(2)));
        assertThat(peer.delivered).isEmpty();
        Elements heard = peer.take();
        assertThat(heard.iwants()).isEmpty();
        assertThat(heard.prunes()).isEmpty();
        assertThat(counters.dropped(GossipDrop.NOT_SUBSCRIBED)).isEqualTo(1);
    }

    @Test
    void otherTopicsAreIgnoredWithoutPenalty() {
        FakePeer peer = meshPeer();
        byte[] other = "algotx02".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        peer.say(
                batch -> {
                    batch.message(RpcBatch.messageEntry(data(1), 0, 300, other));
                    batch.subscription(false, other);
                    batch.graft(other);
                    batch.prune(other, 60);
                    batch.ihave(other, id(data(1)), 0, 32);
                });
        assertThat(peer.delivered).isEmpty();
        assertThat(peer.handle.inMesh()).isTrue();
        assertThat(peer.take().iwants()).isEmpty();
        assertThat(peer.handle.score()).isZero();
        assertThat(counters.dropped(GossipDrop.OTHER_TOPIC)).isEqualTo(5);
    }

    // What the reference holds against a peer, and what it takes.

    private void assertHeldAgainst(String message) {
        FakePeer peer = meshPeer();
        peer.sayRaw("12" + HexFormat.of().toHexDigits((byte) (message.length() / 2)) + message);
        assertThat(peer.handle.score()).isEqualTo(-100);
        assertThat(peer.disconnected).isNull();
        beat();
        assertThat(peer.take().prunes()).as(message).hasSize(1);
        peer.publish(data(peers));
        assertThat(peer.delivered).as(message).containsExactly(data(peers));
    }

    @Test
    void aSignatureAndOurOwnNameAndNoDataAreHeldAgainstTheSender() {
        String rest = "12017f2208" + FakePeer.TOPIC_HEX;
        assertHeldAgainst(rest + "2a0101");
        assertHeldAgainst(rest + "2a00");
        assertHeldAgainst("0a26" + hex(OWN_ID) + rest);
        assertHeldAgainst("2208" + FakePeer.TOPIC_HEX);
        assertHeldAgainst("12002208" + FakePeer.TOPIC_HEX);
        assertThat(counters.dropped(GossipDrop.SIGNED)).isEqualTo(2);
        assertThat(counters.dropped(GossipDrop.SELF_ORIGIN)).isEqualTo(1);
        assertThat(counters.dropped(GossipDrop.EMPTY)).isEqualTo(2);
    }

    @Test
    void fromSeqnoAndKeyAreTakenOrLeft() {
        List<String> extras =
                List.of("", "0a020102", "0a26" + hex(FakePeer.id(77)), "1a0101", "320101", "0a00");
        FakePeer peer = meshPeer();
        int number = 0;
        for (String extra : extras) {
            String message = extra + "1201" + HexFormat.of().toHexDigits((byte) ++number);
            message += "2208" + FakePeer.TOPIC_HEX;
            peer.sayRaw("12" + HexFormat.of().toHexDigits((byte) (message.length() / 2)) + message);
        }
        assertThat(peer.delivered).hasSize(extras.size());
        assertThat(peer.handle.score()).isPositive();
    }

    @Test
    void threeInvalidMessagesEndGossipAndSixTheConnection() {
        FakePeer peer = meshPeer();
        FakePeer other = meshPeer();
        peer.verdict = Verdict.REJECT;
        peer.publish(data(1));
        beat();
        assertThat(peer.handle.inMesh()).isFalse();
        peer.publish(data(2));
        peer.publish(data(3));
        other.publish(data(4));
        peer.take();
        beat();
        assertThat(peer.take().ihaves()).isEmpty();
        peer.ihave(id(data(5)));
        assertThat(peer.take().iwants()).isEmpty();
        peer.iwant(id(data(4)));
        assertThat(peer.take().messages()).isEmpty();
        assertThat(counters.dropped(GossipDrop.LOW_SCORE)).isEqualTo(2);
        peer.publish(data(6));
        peer.publish(data(7));
        assertThat(peer.disconnected).isNull();
        peer.publish(data(8));
        assertThat(peer.disconnected).isEqualTo(GossipDrop.GRAYLISTED);
        // Nothing is listened to any more, and nothing said.
        peer.verdict = Verdict.ACCEPT;
        peer.publish(data(9));
        assertThat(peer.delivered).hasSize(6);
        beat(3);
        router.disconnected(peer.handle);
        assertThat(router.peerCount()).isEqualTo(1);
    }

    @Test
    void aReconnectDoesNotWashClean() {
        FakePeer peer = meshPeer();
        peer.verdict = Verdict.REJECT;
        for (int number = 0; number < 6; number++) {
            peer.publish(data(number));
        }
        assertThat(peer.disconnected).isEqualTo(GossipDrop.GRAYLISTED);
        router.disconnected(peer.handle);
        pass(3, TimeUnit.SECONDS);
        peer.reconnect(true);
        peer.publish(data(7));
        assertThat(peer.disconnected).isEqualTo(GossipDrop.GRAYLISTED);
        router.disconnected(peer.handle);
        pass(1, TimeUnit.HOURS);
        peer.reconnect(true);
        peer.verdict = Verdict.ACCEPT;
        peer.publish(data(8));
        assertThat(peer.disconnected).isNull();
        assertThat(peer.delivered).hasSize(7);
    }

    @Test
    void whoRepeatsAnInvalidMessageIsHeldToAccountToo() {
        FakePeer first = meshPeer();
        FakePeer second = meshPeer();
        first.verdict = Verdict.REJECT;
        first.publish(data(1));
        second.publish(data(1));
        assertThat(second.delivered).isEmpty();
        assertThat(second.handle.score()).isLessThan(-99);
    }

    // IHAVE, IWANT, IDONTWANT.

    @Test
    void outsideTheMeshIhaveComesForThreeHeartbeats() {
        for (int count = 0; count < 4; count++) {
            meshPeer();
        }
        FakePeer outside = peer();
        outside.take();
        publish(data(1));
        Have have = new Have(FakePeer.TOPIC_HEX, hex(id(data(1))));
        for (int beat = 0; beat < 6; beat++) {
            beat();
            Elements heard = outside.take();
            assertThat(heard.messages()).isEmpty();
            if (beat < 3) {
                assertThat(heard.ihaves()).containsExactly(have);
            } else {
                assertThat(heard.ihaves()).isEmpty();
            }
        }
    }

    @Test
    void anIwantIsAnsweredThreeTimesWhileTheMessageIsKept() {
        FakePeer source = meshPeer();
        FakePeer asker = peer();
        source.publish(data(1));
        for (int time = 0; time < 5; time++) {
            asker.iwant(id(data(1)), id(data(99)), new byte[3]);
            assertThat(data(asker.take())).hasSize(time < 3 ? 1 : 0);
        }
        FakePeer late = peer();
        beat(9);
        late.iwant(id(data(1)));
        assertThat(data(late.take())).hasSize(1);
        beat();
        late.iwant(id(data(1)));
        assertThat(data(late.take())).isEmpty();
        assertThat(router.cachedBytes()).isZero();
    }

    @Test
    void aPendingOrRejectedMessageIsNotAnswered() {
        FakePeer source = meshPeer();
        FakePeer asker = peer();
        asker.take();
        source.verdict = Verdict.PENDING;
        source.publish(data(1));
        asker.iwant(id(data(1)));
        assertThat(data(asker.take())).isEmpty();
        router.settle(data(1), 0, 300, Verdict.REJECT);
        asker.iwant(id(data(1)));
        assertThat(data(asker.take())).isEmpty();
    }

    @Test
    void whatIsUnknownIsAskedForAtOnceAndAKnownOneIsNot() {
        FakePeer peer = peer();
        peer.take();
        publish(data(1));
        peer.take();
        peer.ihave(id(data(1)), id(data(2)), new byte[31]);
        assertThat(peer.take().iwants()).containsExactly(hex(id(data(2))));
        peer.publish(data(2));
        assertThat(peer.delivered).containsExactly(data(2));
        beat(6);
        assertThat(counters.dropped(GossipDrop.BROKEN_PROMISE)).isZero();
    }

    @Test
    void anUnansweredIwantCostsLittle() {
        FakePeer peer = peer();
        for (int second = 0; second < 300; second++) {
            peer.ihave(id(data(second)));
            beat();
        }
        assertThat(counters.dropped(GossipDrop.BROKEN_PROMISE)).isGreaterThan(290);
        assertThat(peer.disconnected).isNull();
    }

    @Test
    void largeMessagesAreDeclinedAndSmallOnesAreNot() {
        FakePeer source = meshPeer();
        FakePeer neighbour = meshPeer();
        FakePeer outside = peer();
        outside.take();
        source.verdict = Verdict.PENDING;
        source.publish(new byte[1_023]);
        assertThat(neighbour.take().idontwants()).isEmpty();
        source.publish(new byte[1_024]);
        assertThat(neighbour.take().idontwants()).containsExactly(hex(id(new byte[1_024])));
        assertThat(source.take().idontwants()).isEmpty();
        assertThat(outside.take().idontwants()).isEmpty();
    }

    @Test
    void whatAPeerDeclinesItIsNotSentForThreeHeartbeats() {
        FakePeer source = meshPeer();
        FakePeer neighbour = meshPeer();
        neighbour.say(
                batch -> {
                    batch.idontwant(id(data(1)), 0, 32);
                    batch.idontwant(id(data(2)), 0, 32);
                });
        source.publish(data(1));
        publish(data(2));
        assertThat(data(neighbour.take())).isEmpty();
        neighbour.say(batch -> batch.idontwant(id(data(3)), 0, 32));
        beat(3);
        publish(data(3));
        assertThat(data(neighbour.take())).hasSize(1);
    }

    // Our own messages.

    @Test
    void ourOwnMessageCarriesDataAndTopicAlone() {
        FakePeer peer = meshPeer();
        assertThat(publish(data(1))).isEqualTo(Published.SENT);
        assertThat(peer.take().messages())
                .containsExactly(
                        new Elements.Message(
                                "-", hex(data(1)), "-", FakePeer.TOPIC_HEX, false, "-"));
        assertThat(publish(data(1))).isEqualTo(Published.KNOWN);
        assertThat(data(peer.take())).isEmpty();
        peer.publish(data(1));
        assertThat(peer.delivered).isEmpty();
    }

    @Test
    void ourOwnMessageWaitsForAPeer() {
        assertThat(publish(data(1))).isEqualTo(Published.WAITING);
        beat(3);
        FakePeer peer = peer();
        beat();
        assertThat(data(peer.take())).containsExactly(hex(data(1)));
        beat(12);
        assertThat(data(peer.take())).isEmpty();
        assertThat(counters.dropped(GossipDrop.OWN_EXPIRED)).isZero();
    }

    @Test
    void ourOwnMessageThatDidNotFitIsSentAgain() {
        FakePeer peer = meshPeer();
        peer.queueFull = true;
        publish(data(1));
        assertThat(counters.dropped(GossipDrop.QUEUE_FULL)).isEqualTo(1);
        peer.queueFull = false;
        beat();
        assertThat(data(peer.take())).containsExactly(hex(data(1)));
    }

    @Test
    void ourOwnMessageThatNobodyTookIsCounted() {
        publish(data(1));
        beat(10);
        assertThat(counters.dropped(GossipDrop.OWN_EXPIRED)).isZero();
        beat();
        assertThat(counters.dropped(GossipDrop.OWN_EXPIRED)).isEqualTo(1);
    }

    @Test
    void ownMessagesThatWaitAreBounded() {
        for (int number = 0; number < 4_096; number++) {
            assertThat(publish(data(number))).isEqualTo(Published.WAITING);
        }
        assertThat(publish(data(-1))).isEqualTo(Published.FULL);
        assertThat(counters.dropped(GossipDrop.OWN_WAITING_FULL)).isEqualTo(1);
        FakePeer peer = peer();
        assertThat(publish(data(-1))).isEqualTo(Published.SENT);
        beat();
        assertThat(data(peer.take())).hasSize(4_097);
        assertThat(peer.rpcs).isLessThan(6);
    }

    @Test
    void ourOwnMessageBeyondAnRpcIsRefused() {
        byte[] large = new byte[GossipSubConfig.RPC_BYTES_MAX];
        assertThat(router.publish(large, 0, large.length)).isEqualTo(Published.TOO_LARGE);
        int fits = GossipSubConfig.RPC_BYTES_MAX - 4 - 4 - 10;
        FakePeer peer = meshPeer();
        assertThat(router.publish(large, 0, fits)).isEqualTo(Published.SENT);
        router.flush();
        assertThat(peer.take().messages()).hasSize(1);
        assertThat(router.publish(large, 0, fits + 1)).isEqualTo(Published.TOO_LARGE);
    }

    @Test
    void whatAPeerBroughtAndWeThenAcceptFromElsewhereIsPassedOn() {
        FakePeer source = meshPeer();
        FakePeer neighbour = meshPeer();
        source.verdict = Verdict.PENDING;
        source.publish(data(1));
        assertThat(publish(data(1))).isEqualTo(Published.KNOWN);
        assertThat(data(neighbour.take())).hasSize(1);
        assertThat(router.pending()).isZero();
        router.settle(data(1), 0, 300, Verdict.IGNORE);
        assertThat(counters.dropped(GossipDrop.SETTLED_LATE)).isEqualTo(1);
    }

    @Test
    void whatWasIgnoredFromAPeerGoesOutWhenItIsOurs() {
        FakePeer source = meshPeer();
        FakePeer neighbour = meshPeer();
        source.verdict = Verdict.PENDING;
        source.publish(data(1));
        router.settle(data(1), 0, 300, Verdict.IGNORE);
        assertThat(publish(data(1))).isEqualTo(Published.SENT);
        assertThat(data(neighbour.take())).hasSize(1);
    }

    @Test
    void withoutListeningWeSendToTheSameFewForAMinute() {
        router.unsubscribe();
        List<FakePeer> all = new ArrayList<>();
        for (int count = 0; count < 20; count++) {
            all.add(peer());
        }
        all.forEach(FakePeer::take);
        for (int number = 0; number < 5; number++) {
            publish(data(number));
        }
        assertThat(all).extracting(peer -> data(peer.take()).size()).containsOnly(0, 5);
        publish(data(6));
        assertThat(all).filteredOn(peer -> !data(peer.take()).isEmpty()).hasSize(4);
        assertThat(router.meshSize()).isZero();
    }

    @Test
    void whoSubscribesStartsWithTheFewItSentTo() {
        router.unsubscribe();
        List<FakePeer> all = new ArrayList<>();
        for (int count = 0; count < 20; count++) {
            all.add(peer());
        }
        publish(data(1));
        List<FakePeer> few = all.stream().filter(peer -> !data(peer.take()).isEmpty()).toList();
        router.subscribe();
        router.flush();
        assertThat(few).hasSize(4).allMatch(peer -> peer.handle.inMesh());
        assertThat(few).allMatch(peer -> peer.take().grafts().size() == 1);
    }

    @Test
    void aBurstSharesAnRpc() {
        FakePeer peer = meshPeer();
        peer.rpcs = 0;
        for (int number = 0; number < 50; number++) {
            router.publish(data(number), 0, 300);
        }
        router.flush();
        assertThat(peer.rpcs).isEqualTo(1);
        assertThat(data(peer.take())).hasSize(50);
        router.flush();
        assertThat(peer.rpcs).isEqualTo(1);
    }

    // Floods.

    @Test
    void aFloodOfIhaveEndsTheConnection() {
        FakePeer peer = peer();
        for (int round = 0; round < 1_000 && peer.disconnected == null; round++) {
            peer.ihave(id(data(round)));
        }
        assertThat(peer.disconnected).isEqualTo(GossipDrop.IHAVE_FLOOD);
        assertThat(peer.take().iwants()).hasSizeLessThanOrEqualTo(10);
    }

    @Test
    void aFloodOfIdsEndsTheConnection() {
        FakePeer peer = peer();
        byte[][] ids = new byte[5_000][];
        int rounds = 0;
        for (; rounds < 100 && peer.disconnected == null; rounds++) {
            for (int index = 0; index < ids.length; index++) {
                ids[index] = id(data(rounds * ids.length + index));
            }
            peer.ihave(ids);
        }
        assertThat(peer.disconnected).isEqualTo(GossipDrop.IHAVE_FLOOD);
        assertThat(rounds).isLessThan(10);
        assertThat(peer.take().iwants()).hasSizeLessThanOrEqualTo(5_000);
    }

    /** GRAFT and PRUNE for no topic, a field without meaning, nothing at all. */
    @ParameterizedTest
    @ValueSource(strings = {"1a021a00", "1a022200", "5a00", "1a023200", ""})
    void aFloodOfWhatBringsNothingEndsTheConnection(String rpc) {
        FakePeer peer = peer();
        FakePeer honest = peer();
        for (int count = 0; count < 1_000; count++) {
            peer.sayRaw(rpc);
        }
        assertThat(counters.dropped(GossipDrop.CONTROL_FLOOD)).isZero();
        beat();
        for (int count = 0; count < 1_200; count++) {
            peer.sayRaw(rpc);
        }
        assertThat(peer.disconnected).isNull();
        peer.sayRaw(rpc);
        assertThat(peer.disconnected).isEqualTo(GossipDrop.CONTROL_FLOOD);
        assertThat(honest.disconnected).isNull();
    }

    @Test
    void whatAPeerOfTheReferenceMaySendInAHeartbeatIsNoFlood() {
        FakePeer peer = peer();
        byte[][] ids = new byte[5_000][];
        for (int second = 0; second < 20; second++) {
            for (int index = 0; index < ids.length; index++) {
                ids[index] = id(data(index));
            }
            peer.ihave(ids);
            peer.iwant(ids);
            beat();
        }
        assertThat(peer.disconnected).isNull();
        assertThat(counters.dropped(GossipDrop.IHAVE_FLOOD)).isZero();
        assertThat(counters.dropped(GossipDrop.IWANT_FLOOD)).isZero();
    }

    @Test
    void aFloodOfIwantEndsTheConnection() {
        FakePeer peer = peer();
        publish(new byte[100_000]);
        byte[][] ids = new byte[5_000][];
        java.util.Arrays.fill(ids, id(new byte[100_000]));
        peer.take();
        for (int round = 0; round < 100 && peer.disconnected == null; round++) {
            peer.iwant(ids);
        }
        assertThat(peer.disconnected).isEqualTo(GossipDrop.IWANT_FLOOD);
        assertThat(counters.answered.sum()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFloodOfWhatIsKnownOrOfAnotherTopicEndsTheConnection(boolean known) {
        FakePeer peer = meshPeer();
        FakePeer honest = meshPeer();
        byte[] topic = known ? FakePeer.TOPIC : new byte[] {'t'};
        int rounds = 0;
        for (; rounds < 100 && peer.disconnected == null; rounds++) {
            peer.say(
                    batch -> {
                        for (int count = 0; count < 1_000; count++) {
                            batch.message(RpcBatch.messageEntry(data(1), 0, 300, topic));
                        }
                    });
        }
        assertThat(peer.disconnected).isEqualTo(GossipDrop.STALE_FLOOD);
        assertThat(rounds).isBetween(20, 30);
        assertThat(honest.disconnected).isNull();
    }

    @Test
    void whoBringsEachMessageOfABusyNetworkLateIsNoFlood() {
        FakePeer quick = meshPeer();
        FakePeer slow = meshPeer();
        for (int second = 0; second < 5; second++) {
            int base = second * 8_000;
            for (FakePeer peer : List.of(quick, slow)) {
                peer.say(
                        batch -> {
                            for (int number = base; number < base + 8_000; number++) {
                                byte[] data = ByteBuffer.allocate(8).putInt(number).array();
                                batch.message(RpcBatch.messageEntry(data, 0, 8, FakePeer.TOPIC));
                            }
                        },
                        4_000);
            }
            beat();
        }
        assertThat(slow.disconnected).isNull();
        assertThat(counters.dropped(GossipDrop.STALE_FLOOD)).isZero();
        assertThat(counters.dropped(GossipDrop.DUPLICATE)).isEqualTo(40_000);
    }

    @Test
    void whoNeitherListensNorIsANeighbourMaySpeak() {
        var peer = new FakePeer(router, ++peers, false, GossipVersion.V1_0);
        peer.publish(data(1));
        assertThat(peer.delivered).containsExactly(data(1));
        assertThat(peer.handle.subscribed()).isFalse();
    }

    @Test
    void aFloodOfIdontwantEndsTheConnectionAndItsIdsAreBounded() {
        FakePeer peer = peer();
        for (int round = 0; round < 10_000 && peer.disconnected == null; round++) {
            byte[] id = id(data(round));
            peer.say(batch -> batch.idontwant(id, 0, 32));
        }
        assertThat(peer.disconnected).isEqualTo(GossipDrop.IDONTWANT_FLOOD);
    }

    @Test
    void aFloodOfSubscriptionsEndsTheConnection() {
        FakePeer peer = peer();
        for (int round = 0; round < 1_000 && peer.disconnected == null; round++) {
            boolean odd = round % 2 == 1;
            peer.say(batch -> batch.subscription(odd, FakePeer.TOPIC));
        }
        assertThat(peer.disconnected).isEqualTo(GossipDrop.SUBSCRIPTION_FLOOD);
    }

    @Test
    void aFloodOfGraftsEndsTheConnection() {
        FakePeer peer = meshPeer();
        peer.say(batch -> batch.prune(FakePeer.TOPIC, 60));
        for (int round = 0; round < 1_000 && peer.disconnected == null; round++) {
            peer.graft();
        }
        assertThat(peer.disconnected).isEqualTo(GossipDrop.GRAFT_IN_BACKOFF);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aThousandInvalidMessagesInOneRpcCostTheConnectionAtTheSixth(boolean pending) {
        FakePeer peer = meshPeer();
        FakePeer honest = meshPeer();
        peer.verdict = pending ? Verdict.PENDING : Verdict.REJECT;
        peer.say(
                batch -> {
                    for (int number = 0; number < 1_000; number++) {
                        batch.message(RpcBatch.messageEntry(data(number), 0, 300, FakePeer.TOPIC));
                    }
                });
        for (int number = 0; pending && number < 1_000; number++) {
            router.settle(data(number), 0, 300, Verdict.REJECT);
        }
        assertThat(peer.disconnected).isEqualTo(GossipDrop.GRAYLISTED);
        assertThat(peer.delivered).hasSize(pending ? 1_000 : 6);
        assertThat(router.pending()).isZero();
        honest.publish(data(-1));
        assertThat(honest.delivered).hasSize(1);
        assertThat(honest.disconnected).isNull();
    }

    /** An end may be told of from within, and in the midst of what is being told. */
    @Test
    void aConnectionMayEndAtOnce() {
        List<FakePeer> bad = new ArrayList<>();
        for (int count = 0; count < 4; count++) {
            FakePeer peer = meshPeer();
            peer.endsAtOnce = true;
            peer.verdict = Verdict.PENDING;
            bad.add(peer);
        }
        FakePeer honest = meshPeer();
        for (int number = 0; number < 6; number++) {
            for (FakePeer peer : bad) {
                peer.publish(data(number));
            }
        }
        for (int number = 0; number < 6; number++) {
            router.settle(data(number), 0, 300, Verdict.REJECT);
        }
        assertThat(bad).allMatch(peer -> peer.disconnected == GossipDrop.GRAYLISTED);
        assertThat(router.peerCount()).isEqualTo(1);
        assertThat(router.meshSize()).isEqualTo(1);
        FakePeer flooding = peer();
        flooding.endsAtOnce = true;
        for (int round = 0; round < 2; round++) {
            flooding.say(
                    batch -> {
                        batch.message(RpcBatch.messageEntry(data(9), 0, 300, FakePeer.TOPIC));
                        for (int count = 0; count < 100; count++) {
                            batch.subscription(true, FakePeer.TOPIC);
                            batch.prune(FakePeer.TOPIC, 60);
                            batch.graft(FakePeer.TOPIC);
                            batch.iwant(id(data(9)), 0, 32);
                        }
                    });
        }
        assertThat(flooding.disconnected).isNotNull();
        beat(10);
        assertThat(honest.disconnected).isNull();
        assertThat(router.peerCount()).isEqualTo(1);
    }

    // Bounds.

    @Test
    void theCacheAndTheIdsAreBounded() {
        router =
                router(
                        new GossipSubConfig(
                                Degrees.of(4), GossipSubConfig.RPC_BYTES_MAX, 100, 10, 10_000));
        router.subscribe();
        FakePeer source = meshPeer();
        for (int number = 0; number < 1_000; number++) {
            source.publish(data(number));
            assertThat(router.cachedBytes()).isLessThanOrEqualTo(10_000);
            assertThat(router.seenCount()).isLessThanOrEqualTo(100);
        }
        assertThat(counters.dropped(GossipDrop.SEEN_EVICTED)).isEqualTo(900);
        beat();
        assertThat(counters.dropped(GossipDrop.CACHE_EVICTED)).isGreaterThan(900);
        FakePeer asker = peer();
        asker.iwant(id(data(999)), id(data(0)));
        assertThat(data(asker.take())).containsExactly(hex(data(999)));
    }

    @Test
    void peersComeAndGoWithoutATrace() {
        List<FakePeer> all = new ArrayList<>();
        var random = new SplittableRandom(3);
        for (int round = 0; round < 2_000; round++) {
            if (all.size() < 20 && random.nextBoolean()) {
                FakePeer peer = peer(random.nextBoolean(), GossipVersion.V1_2);
                peer.graft();
                peer.verdict = Verdict.values()[random.nextInt(4)];
                peer.publish(data(round));
                all.add(peer);
            } else if (!all.isEmpty()) {
                router.disconnected(all.remove(random.nextInt(all.size())).handle);
            }
            if (round % 10 == 0) {
                beat();
            }
            assertThat(router.peerCount()).isEqualTo(all.size());
        }
        all.forEach(peer -> router.disconnected(peer.handle));
        assertThat(router.meshSize()).isZero();
        assertThat(router.listeners()).isZero();
        beat(121);
        assertThat(router.seenCount()).isZero();
        assertThat(router.cachedBytes()).isZero();
        assertThat(router.pending()).isZero();
    }

    @Test
    void recordedRpcsOfTheReferenceAreUnderstood() {
        FakePeer peer = peer();
        for (Row row : Vectors.document("reference/p2p/gossip_rpcs.json").rows("publish")) {
            peer.sayRaw(row.text("rpc"));
        }
        assertThat(peer.delivered).hasSize(6);
        for (Row row : Vectors.document("reference/p2p/gossip_rpcs.json").rows("control")) {
            peer.sayRaw(row.text("rpc"));
        }
        // GRAFT, then PRUNE: not a neighbour for a minute.
        assertThat(peer.handle.inMesh()).isFalse();
        assertThat(peer.disconnected).isNull();
        assertThat(peer.handle.score()).isPositive();
    }
}
