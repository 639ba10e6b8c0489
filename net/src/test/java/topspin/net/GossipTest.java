package topspin.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.management.ThreadMXBean;

import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.net.GossipConfig.Limits;
import topspin.net.gossipsub.GossipDrop;
import topspin.net.multiaddr.AddressFilter;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.p2p.Connection;
import topspin.net.p2p.PeerId;
import topspin.net.p2p.RawMuxer;
import topspin.net.p2p.YamuxStream;
import topspin.net.stream.BlockAnswer;
import topspin.net.stream.BlockRequest;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Nodes and peers on real sockets. */
@ExtendWith(LeakFreedom.class)
final class GossipTest {
    private static final String GENESIS = "test-v1";

    private final AtomicLong clock = new AtomicLong();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
    }

    private static Limits limits(int inboundMax, Duration handshakeTimeout, Duration answer) {
        return limits(inboundMax, handshakeTimeout, answer, Limits.DEFAULT.halfFramesBytesMax());
    }

    private static Limits limits(
            int inboundMax, Duration handshakeTimeout, Duration answer, long halfFramesBytesMax) {
        Limits usual = Limits.DEFAULT;
        return new Limits(
                inboundMax,
                usual.handshakesMax(),
                usual.perAddressMax(),
                handshakeTimeout,
                usual.queueMessagesMax(),
                usual.queueBytesMax(),
                usual.queuesBytesMax(),
                halfFramesBytesMax,
                usual.staleAfter(),
                usual.unsettledMax(),
                answer,
                Duration.ofMillis(5),
                Duration.ofMillis(50));
    }

    private BlockSource blocks =
            (asker, round, answer) -> answer.accept(new BlockAnswer.Missing(7));

    private static final Limits QUICK = limits(256, Duration.ofSeconds(10), Duration.ofSeconds(10));

    private static final Limits QUICK_AND_NARROW =
            limits(256, Duration.ofSeconds(10), Duration.ofSeconds(10), 2L * Tag.FRAME_BYTES_MAX);

    private Gossip node(int id, Inbox inbox, Multiaddr... dial) throws IOException {
        return node(GENESIS, id, 0, QUICK, inbox, dial);
    }

    private Gossip node(
            String genesisId, int id, int port, Limits limits, Inbox inbox, Multiaddr... dial)
            throws IOException {
        return gossip(
                genesisId,
                id,
                List.of(Multiaddr.parse("/ip4/127.0.0.1/tcp/" + port)),
                AddressFilter.ALL,
                limits,
                inbox,
                dial);
    }

    private Gossip gossip(
            int id, List<Multiaddr> listen, AddressFilter filter, Inbox inbox, Multiaddr... dial)
            throws IOException {
        return gossip(GENESIS, id, listen, filter, QUICK, inbox, dial);
    }

    private Gossip gossip(
            String genesisId,
            int id,
            List<Multiaddr> listen,
            AddressFilter filter,
            Limits limits,
            Inbox inbox,
            Multiaddr... dial)
            throws IOException {
        var gossip =
                new Gossip(
                        new GossipConfig(
                                genesisId, RawPeer.key(id), listen, List.of(dial), filter, limits),
                        inbox,
                        (asker, round, answer) -> blocks.find(asker, round, answer),
                        (asker, known, answer) -> answer.accept(null),
                        new Random(id),
                        clock::get,
                        InstantSource.system());
        opened.add(gossip);
        gossip.start();
        return gossip;
    }

    private RawPeer raw(Gossip node, int seed) throws IOException {
        var peer = new RawPeer(address(node), seed, "/algorand-ws/2.2.0");
        opened.add(peer);
        return peer;
    }

    private RawPeer greeted(Gossip node, int seed) throws IOException {
        RawPeer peer = RawPeer.greeted(address(node), GENESIS, seed);
        opened.add(peer);
        return peer;
    }

    private static Multiaddr address(Gossip node) {
        return node.listenAddresses().getFirst();
    }

    private static int port(Gossip node) {
        return Objects.requireNonNull(address(node).socketAddress()).getPort();
    }

    private static void awaitPeers(Gossip node, int count) {
        Await.until(count + " peers", () -> node.peers().size() == count);
    }

    private static byte[] text(String text) {
        return text.getBytes(US_ASCII);
    }

    @Test
    void messagesGoBothWays() throws Exception {
        var firstInbox = new RecordingInbox();
        var secondInbox = new RecordingInbox();
        Gossip first = node(1, firstInbox);
        Gossip second = node(2, secondInbox, address(first));
        Peer toFirst = second.dialled(address(first)).get(10, TimeUnit.SECONDS);
        assertThat(toFirst.outbound()).isTrue();
        assertThat(toFirst.id()).isEqualTo(first.self().toString());
        assertThat(toFirst.address()).isEqualTo("/ip4/127.0.0.1/tcp/" + port(first));
        awaitPeers(first, 1);
        Peer toSecond = first.peers().getFirst();
        assertThat(toSecond.outbound()).isFalse();
        assertThat(toSecond.id()).isEqualTo(second.self().toString());

        second.broadcast(Tag.TRANSACTION, text("xhellox"), 1, 5);
        RecordingInbox.Message hello = firstInbox.next();
        assertThat(hello.from().id()).isEqualTo(toSecond.id());
        assertThat(hello.tag()).isEqualTo(Tag.TRANSACTION);
        assertThat(hello.body()).isEqualTo(text("hello"));
        assertThat(toSecond.send(Tag.VOTE, text("vote"), 0, 4)).isTrue();
        assertThat(secondInbox.next().body()).isEqualTo(text("vote"));
    }

    @Test
    void whatOneSideSendsTheOtherReceivesToTheByte() throws Exception {
        var inbox = new RecordingInbox();
        Gossip first = node(1, inbox);
        Gossip second = node(2, new RecordingInbox(), address(first));
        Peer toFirst = second.dialled(address(first)).get(10, TimeUnit.SECONDS);
        awaitPeers(first, 1);
        Traffic there = toFirst.traffic();
        Traffic here = first.peers().getFirst().traffic();
        long before = here.bytesIn();
        assertThat(before).as("the handshake").isPositive();

        byte[] noise = new byte[1000]; // Votes of a thousand bytes are sent as they are.
        new Random(1).nextBytes(noise);
        assertThat(toFirst.send(Tag.VOTE, noise, 0, noise.length)).isTrue();
        assertThat(inbox.next().body()).isEqualTo(noise);

        assertThat(here.bytesIn()).isGreaterThanOrEqualTo(before + noise.length);
        Await.until("nothing is under way", () -> there.bytesOut() == here.bytesIn());
        Await.until("nor the other way", () -> here.bytesOut() == there.bytesIn());
    }

    @Test
    void whatIsAcceptedGoesToEveryPeerButItsSender() throws Exception {
        var inbox = new RecordingInbox().answering(Verdict.PENDING);
        Gossip hub = node(3, inbox);
        RawPeer sender = greeted(hub, 10);
        RawPeer other = greeted(hub, 11);
        awaitPeers(hub, 2);

        sender.write(RawPeer.frame("VB", text("a")));
        RecordingInbox.Message message = inbox.next();
        assertThat(message.from().id()).isEqualTo(sender.id());
        message.from().settle(message.tag(), message.body(), 0, 1, Verdict.ACCEPT);
        sender.write(RawPeer.frame("VB", text("b")));
        message = inbox.next();
        message.from().settle(message.tag(), message.body(), 0, 1, Verdict.IGNORE);
        hub.broadcast(Tag.BUNDLE, text("c"), 0, 1);

        assertThat(other.readFrame()).isEqualTo("VB61");
        assertThat(other.readFrame()).isEqualTo("VB63");
        assertThat(sender.readFrame()).isEqualTo("VB63");
    }

    @Test
    void transactionsGoFromNodeToNodeOnceAccepted() throws Exception {
        var firstInbox = new RecordingInbox();
        var middleInbox = new RecordingInbox().answering(Verdict.PENDING);
        var lastInbox = new RecordingInbox();
        Gossip first = node(1, firstInbox);
        Gossip middle = node(2, middleInbox, address(first));
        Gossip last = node(3, lastInbox, address(middle));
        Await.until("two neighbours", () -> middle.meshSize() == 2);

        first.broadcast(Tag.TRANSACTION, text("good"), 0, 4);
        first.broadcast(Tag.TRANSACTION, text("late"), 0, 4);
        RecordingInbox.Message good = middleInbox.next();
        assertThat(good.from().id()).isEqualTo(first.self().toString());
        assertThat(good.body()).isEqualTo(text("good"));
        RecordingInbox.Message late = middleInbox.next();
        assertThat(lastInbox.size()).isZero();
        late.from().settle(late.tag(), late.body(), 0, 4, Verdict.IGNORE);
        good.from().settle(good.tag(), good.body(), 0, 4, Verdict.ACCEPT);

        assertThat(lastInbox.next().body()).isEqualTo(text("good"));
        middle.broadcast(Tag.TRANSACTION, text("own"), 0, 3);
        assertThat(lastInbox.next().body()).isEqualTo(text("own"));
        assertThat(firstInbox.next().body()).isEqualTo(text("own"));
        assertThat(lastInbox.size() + firstInbox.size()).isZero();
        // What was passed on once goes once more only past the gossip.
        middle.broadcast(Tag.TRANSACTION, text("own"), 0, 3);
        middle.resend(text("own"), 0, 3);
        assertThat(lastInbox.next().body()).isEqualTo(text("own"));
        assertThat(firstInbox.next().body()).isEqualTo(text("own"));
        assertThat(lastInbox.size() + firstInbox.size()).isZero();
    }

    @Test
    void aPeerThatGossipsWhatIsInvalidLosesItsConnection() throws Exception {
        var inbox = new RecordingInbox().answering(Verdict.REJECT);
        Gossip node = node(1, inbox);
        Gossip other = node(2, new RecordingInbox(), address(node));
        Await.until("neighbours", () -> other.meshSize() == 1 && node.meshSize() == 1);
        for (int count = 0; count < 10; count++) {
            byte[] invalid = text("invalid" + count);
            other.broadcast(Tag.TRANSACTION, invalid, 0, invalid.length);
        }
        Await.until("cut off", () -> node.counters().dropped(Drop.MISBEHAVED) > 0);
        assertThat(node.gossipCounters().dropped(GossipDrop.REJECTED)).isPositive();
    }

    @Test
    void blocksAreServedByHttpAsTheyAreOnTheStream() throws Exception {
        var found = new BlockAnswer.Found(new byte[] {(byte) 0x80}, new byte[] {(byte) 0x81, 1, 2});
        blocks =
                (asker, round, answer) ->
                        answer.accept(
                                switch ((int) round) {
                                    case 5 -> found;
                                    case 6 -> new BlockAnswer.Refused("busy");
                                    default -> new BlockAnswer.Missing(7);
                                });
        Gossip server = node(1, new RecordingInbox());
        Gossip client = node(2, new RecordingInbox(), address(server));
        Peer peer = client.dialled(address(server)).get(10, TimeUnit.SECONDS);
        var five = (BlockAnswer.Found) client.fetchBlock(peer, 5).get(10, TimeUnit.SECONDS);
        assertThat(five.block()).isEqualTo(found.block());
        assertThat(five.certificate()).isEqualTo(found.certificate());
        assertThat(client.fetchBlock(peer, 1L << 40).get(10, TimeUnit.SECONDS))
                .isEqualTo(new BlockAnswer.Missing(7));
        assertThat(client.fetchBlock(peer, 6).get(10, TimeUnit.SECONDS))
                .isEqualTo(new BlockAnswer.Refused("status 503"));
        Await.until("nothing is held", () -> server.queuedBytes() == 0);
    }

    @Test
    void aProposalTravelsPackedAndArrivesAsItWas() throws Exception {
        var inbox = new RecordingInbox();
        Gossip first = node(1, inbox);
        Gossip second = node(2, new RecordingInbox(), address(first));
        second.dialled(address(first)).get(10, TimeUnit.SECONDS);
        byte[] proposal = new byte[300_000];
        second.broadcast(Tag.PROPOSAL, proposal, 0, proposal.length);
        assertThat(inbox.next().body()).isEqualTo(proposal);
        assertThat(second.counters().bytesOut.sum()).isLessThan(10_000);
    }

    @Test
    void whoSaysWhatItWantsGetsThatAlone() throws Exception {
        Gossip node = node(6, new RecordingInbox());
        RawPeer peer = greeted(node, 10);
        awaitPeers(node, 1);
        peer.write(RawPeer.frame("MI", HexFormat.of().parseHex("01047461677305" + "41562c5042")));
        peer.awaitEnd();
        assertThat(node.counters().dropped(Drop.MALFORMED_INTEREST)).isOne();
        RawPeer voter = greeted(node, 11);
        awaitPeers(node, 1);
        voter.write(RawPeer.frame("MI", HexFormat.of().parseHex("01047461677305" + "41562c5550")));
        voter.awaitEnd();
        RawPeer modest = greeted(node, 12);
        awaitPeers(node, 1);
        modest.write(RawPeer.frame("MI", HexFormat.of().parseHex("01047461677305" + "41562c5050")));
        Await.until(
                "bundles cease",
                () -> {
                    node.broadcast(Tag.BUNDLE, text("b"), 0, 1);
                    node.broadcast(Tag.VOTE, text("v"), 0, 1);
                    return !nextIsBundle(modest);
                });
    }

    /** Whether a bundle comes, and then the vote that was sent behind it; else the vote alone. */
    private static boolean nextIsBundle(RawPeer peer) {
        try {
            String first = peer.skipFrame();
            return !first.equals("AV") && peer.skipFrame().equals("AV");
        } catch (IOException ended) {
            throw new AssertionError(ended);
        }
    }

    @Test
    void peersOfOneMachineMeetAtAUnixSocket(@TempDir Path folder) throws Exception {
        Path path = folder.resolve("peers.sock");
        var inbox = new RecordingInbox();
        var listening = gossip(1, List.of(Multiaddr.ofUnix(path)), AddressFilter.ALL, inbox);
        Multiaddr where = listening.listenAddresses().getFirst();
        assertThat(where.unixPath()).isEqualTo(path.toString());
        Gossip dialling = node(2, new RecordingInbox(), where);
        Peer peer = dialling.dialled(where).get(10, TimeUnit.SECONDS);
        assertThat(peer.id()).isEqualTo(listening.self().toString());
        assertThat(peer.send(Tag.VOTE, text("vote"), 0, 4)).isTrue();
        assertThat(inbox.next().body()).isEqualTo(text("vote"));
        assertThatThrownBy(
                        () -> gossip(3, List.of(Multiaddr.ofUnix(path)), AddressFilter.ALL, inbox))
                .hasMessageContaining("answers");
        listening.close();
        assertThat(path).doesNotExist();
    }

    @Test
    void whoIsDeniedIsNeitherDialledNorAccepted() throws Exception {
        AddressFilter none = AddressFilter.of(List.of(), List.of("127.0.0.0/8"));
        Multiaddr any = Multiaddr.parse("/ip4/127.0.0.1/tcp/0");
        Gossip closed = gossip(1, List.of(any), none, new RecordingInbox());
        Gossip open = node(2, new RecordingInbox(), address(closed));
        Await.until("not accepted", () -> closed.counters().dropped(Drop.ADDRESS_DENIED) > 0);
        assertThat(open.peers()).isEmpty();
        Gossip shy = gossip(3, List.of(any), none, new RecordingInbox(), address(open));
        Await.until("not dialled", () -> shy.counters().dropped(Drop.ADDRESS_DENIED) > 0);
        assertThat(shy.peers()).isEmpty();
    }

    @Test
    void whatIsRejectedLaterEndsTheConnectionToo() throws Exception {
        var inbox = new RecordingInbox().answering(Verdict.PENDING);
        Gossip hub = node(3, inbox);
        RawPeer sender = greeted(hub, 10);
        sender.write(RawPeer.frame("TX", text("a")));
        RecordingInbox.Message message = inbox.next();
        message.from().settle(message.tag(), message.body(), 0, 1, Verdict.REJECT);
        sender.awaitEnd();
        awaitPeers(hub, 0);
        assertThat(hub.counters().dropped(Drop.REJECTED)).isOne();
        assertThat(message.from().send(Tag.TRANSACTION, text("a"), 0, 1)).isFalse();
    }

    @Test
    void aNodeThatComesBackIsFoundAgain() throws Exception {
        var inbox = new RecordingInbox();
        Gossip first = node(1, inbox);
        Multiaddr where = address(first);
        Gossip second = node(2, new RecordingInbox(), where);
        Peer before = second.dialled(where).get(10, TimeUnit.SECONDS);
        first.close();
        awaitPeers(second, 0);
        assertThat(before.send(Tag.TRANSACTION, text("lost"), 0, 4)).isFalse();

        Gossip again = node(GENESIS, 1, port(first), QUICK, inbox);
        Peer after = second.dialled(where).get(10, TimeUnit.SECONDS);
        assertThat(after).isNotSameAs(before);
        second.broadcast(Tag.TRANSACTION, text("found"), 0, 5);
        assertThat(inbox.next().body()).isEqualTo(text("found"));
        awaitPeers(again, 1);
    }

    @Test
    void nodesOfDifferentNetworksDoNotTalk() throws Exception {
        Gossip first = node(1, new RecordingInbox());
        Gossip second = node("other-v1", 2, 0, QUICK, new RecordingInbox(), address(first));
        Await.until("refused", () -> first.counters().dropped(Drop.GENESIS) > 0);
        assertThat(first.peers()).isEmpty();
        assertThat(second.peers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0001c0",
                "000190",
                "000481a16190c0",
                "ffff474554202f20485454502f312e310d0a0d0a",
            })
    void garbageInsteadOfAHeaderIsHungUpOn(String hex) throws Exception {
        Gossip node =
                node(
                        GENESIS,
                        6,
                        0,
                        limits(9, Duration.ofMillis(500), Duration.ofSeconds(1)),
                        new RecordingInbox());
        RawPeer peer = raw(node, 10);
        peer.write(hex);
        peer.awaitEnd();
        long refused =
                node.counters().dropped(Drop.HEADER_MALFORMED)
                        + node.counters().dropped(Drop.VERSION)
                        + node.counters().dropped(Drop.HANDSHAKE_TIMEOUT);
        assertThat(refused).isOne();
        assertThat(node.peers()).isEmpty();
    }

    @Test
    void eachReasonToRefuseAHandshakeIsCounted() throws Exception {
        Gossip node = node(6, new RecordingInbox());
        RawPeer old = raw(node, 10);
        old.write(RawPeer.header("2.1", GENESIS));
        old.awaitEnd();
        RawPeer foreign = raw(node, 11);
        foreign.write(RawPeer.header("2.2", "mainnet-v1.0"));
        foreign.awaitEnd();
        for (Drop reason : List.of(Drop.VERSION, Drop.GENESIS)) {
            assertThat(node.counters().dropped(reason)).as(reason.label()).isOne();
        }
        assertThat(node.peers()).isEmpty();
    }

    @Test
    void whoeverHasTheSmallerIdOpensTheStreamAndTheDialerSpeaksFirst() throws Exception {
        Gossip node = node(6, new RecordingInbox());
        int smaller = 0;
        for (int seed = 10; seed < 20; seed++) {
            RawPeer peer = greeted(node, seed);
            smaller += PeerId.parse(peer.id()).compareTo(node.self()) < 0 ? 1 : 0;
        }
        awaitPeers(node, 10);
        assertThat(smaller).isBetween(1, 9);
    }

    @Test
    void aSecondStreamEndsTheConnection() throws Exception {
        Gossip node = node(6, new RecordingInbox());
        RawPeer peer = greeted(node, 10);
        awaitPeers(node, 1);
        peer.connection()
                .loop()
                .execute(
                        () ->
                                peer.connection()
                                        .open(
                                                List.of("/algorand-ws/2.2.0"),
                                                new Connection.Opening() {
                                                    @Override
                                                    public void opened(
                                                            YamuxStream stream, String protocol) {}

                                                    @Override
                                                    public void refused(Drop reason) {}
                                                }));
        peer.awaitEnd();
        assertThat(node.counters().dropped(Drop.DUPLICATE_STREAM)).isOne();
    }

    @Test
    void theOldStreamBeginsWithOneByte() throws Exception {
        var inbox = new RecordingInbox();
        Gossip node = node(6, inbox);
        var peer = new RawPeer(address(node), 10, "/algorand-ws/1.0.0");
        opened.add(peer);
        peer.write("01");
        peer.write(RawPeer.frame("TX", text("a")));
        assertThat(inbox.next().body()).isEqualTo(text("a"));
        awaitPeers(node, 1);
        node.broadcast(Tag.BUNDLE, text("b"), 0, 1);
        assertThat(peer.readFrame()).isEqualTo("VB62");
    }

    @Test
    void aPeerThatSaysNothingIsHungUpOn() throws Exception {
        Limits impatient = limits(9, Duration.ofMillis(500), Duration.ofSeconds(1));
        Gossip node = node(GENESIS, 6, 0, impatient, new RecordingInbox());
        RawPeer peer = raw(node, 10);
        Await.until("hung up on", () -> peer.connection().closed().isDone());
        assertThat(node.counters().dropped(Drop.HANDSHAKE_TIMEOUT)).isOne();
    }

    @Test
    void inboundConnectionsHaveABoundAndPlacesComeFree() throws Exception {
        Limits few = limits(2, Duration.ofSeconds(10), Duration.ofSeconds(10));
        Gossip node = node(GENESIS, 6, 0, few, new RecordingInbox());
        RawPeer first = greeted(node, 10);
        greeted(node, 11);
        awaitPeers(node, 2);
        assertThatThrownBy(() -> raw(node, 12)).isInstanceOf(IOException.class);
        assertThat(node.counters().dropped(Drop.INBOUND_FULL)).isOne();
        first.close();
        awaitPeers(node, 1);
        greeted(node, 13);
        awaitPeers(node, 2);
    }

    @Test
    void aPeerThatDoesNotReadIsCutOffAndOthersDoNotNotice() throws Exception {
        Gossip node = node(6, new RecordingInbox());
        RawPeer slow = greeted(node, 10);
        RawPeer quick = greeted(node, 11);
        awaitPeers(node, 2);
        slow.reading(false);
        byte[] large = new byte[1 << 20];
        int sent = 0;
        while (node.counters().dropped(Drop.QUEUE_FULL) == 0) {
            node.broadcast(Tag.BUNDLE, large, 0, large.length);
            sent++;
            assertThat(quick.skipFrame()).isEqualTo("VB");
        }
        assertThat(sent).isGreaterThan((int) (Limits.DEFAULT.queueBytesMax() / large.length));
        assertThat(node.queuedBytes()).isBetween(1L, Limits.DEFAULT.queueBytesMax());
        assertThat(node.peers()).hasSize(2);

        clock.addAndGet(Limits.DEFAULT.staleAfter().toNanos() + 1);
        awaitPeers(node, 1);
        assertThat(node.counters().dropped(Drop.SLOW_PEER)).isOne();
        assertThat(node.peers().getFirst().id()).isEqualTo(quick.id());
        Await.until("queues are empty", () -> node.queuedBytes() == 0);
        node.broadcast(Tag.BUNDLE, text("on"), 0, 2);
        assertThat(quick.readFrame()).isEqualTo("VB6f6e");
        slow.awaitEnd();
    }

    /** A frame of a bundle, as long as any, of which only a part is there. */
    private static byte[] half(int bytes) {
        return ByteBuffer.allocate(bytes).putInt(Tag.FRAME_BYTES_MAX).put(text("VB")).array();
    }

    private static void awaitHalf(Gossip node, long bytes) {
        Await.until(bytes + " bytes of half messages", () -> node.halfFrameBytes() == bytes);
    }

    private static void assertStillServed(Gossip node, RawPeer peer) throws IOException {
        node.broadcast(Tag.VOTE, text("vote"), 0, 4);
        assertThat(peer.skipFrame()).isEqualTo("AV");
    }

    @Test
    void aMessageThatIsNotEndedIsTheEndOfItsConnectionAndOfNoOther() throws Exception {
        Gossip node = node(6, new RecordingInbox());
        RawPeer slow = greeted(node, 10);
        RawPeer quick = greeted(node, 11);
        awaitPeers(node, 2);
        slow.write(half(1_000_000));
        awaitHalf(node, 1_000_000);
        clock.addAndGet(Limits.DEFAULT.staleAfter().toNanos());
        assertStillServed(node, slow);

        clock.addAndGet(1);
        awaitPeers(node, 1);
        assertThat(node.counters().dropped(Drop.SLOW_FRAME)).isOne();
        awaitHalf(node, 0);
        assertStillServed(node, quick);
    }

    @Test
    void anRpcThatIsNotEndedIsTheEndOfItsConnection() throws Exception {
        Gossip node = node(6, new RecordingInbox());
        try (RawMuxer muxer = RawMuxer.connect(port(node), RawPeer.key(10), "/meshsub/1.2.0")) {
            int stream = muxer.open("/meshsub/1.2.0");
            muxer.data(stream, 0, new byte[] {(byte) 0x80, (byte) 0x80, 0x40}); // 2^20 follow.
            for (int part = 0; part < 4; part++) {
                muxer.data(stream, 0, new byte[50_000]);
            }
            awaitHalf(node, 200_003);
            clock.addAndGet(Limits.DEFAULT.staleAfter().toNanos() + 1);
            muxer.awaitClosed();
        }
        assertThat(node.counters().dropped(Drop.SLOW_FRAME)).isOne();
        awaitHalf(node, 0);
    }

    @Test
    void allPeersTogetherMayHaveBegunSoMuchAndTheFirstToBeginGoes() throws Exception {
        RecordingInbox inbox = new RecordingInbox();
        Gossip node = node(GENESIS, 6, 0, QUICK_AND_NARROW, inbox);
        RawPeer first = greeted(node, 10);
        RawPeer second = greeted(node, 11);
        RawPeer third = greeted(node, 12);
        awaitPeers(node, 3);
        int part = 5 << 20;
        first.write(half(part));
        awaitHalf(node, part);
        second.write(half(part));
        awaitHalf(node, 2L * part);
        third.write(half(part));
        first.awaitEnd();
        awaitHalf(node, 2L * part);
        assertThat(node.counters().dropped(Drop.HALF_FRAMES)).isOne();

        second.write(new byte[Tag.FRAME_BYTES_MAX + Integer.BYTES - part]);
        assertThat(inbox.next().body()).hasSize(Tag.FRAME_BYTES_MAX - Tag.BYTES);
        awaitHalf(node, part);
        assertThat(node.peers()).hasSize(2);
    }

    @Test
    void votesOvertakeWhatWaits() throws Exception {
        Gossip node = node(6, new RecordingInbox());
        RawPeer peer = greeted(node, 10);
        awaitPeers(node, 1);
        peer.reading(false);
        byte[] large = new byte[1 << 20];
        for (int count = 0; count < 15; count++) {
            node.broadcast(Tag.BUNDLE, large, 0, large.length);
        }
        node.broadcast(Tag.VOTE, text("vote"), 0, 4);
        peer.reading(true);
        List<String> order = new ArrayList<>();
        for (int count = 0; count < 16; count++) {
            order.add(peer.skipFrame());
        }
        // What the stream and its window hold already, nothing can overtake.
        assertThat(order.indexOf("AV")).isLessThan(3);
        assertThat(order).filteredOn("VB"::equals).hasSize(15);
    }

    @Test
    void aRequestIsAnsweredRefusedOrGivenUp() throws Exception {
        Limits impatient = limits(9, Duration.ofSeconds(10), Duration.ofMillis(300));
        Gossip server =
                node(
                        4,
                        (peer, tag, body) -> {
                            byte[] bytes = new byte[body.readableBytes()];
                            body.readBytes(bytes);
                            BlockRequest request =
                                    Objects.requireNonNull(BlockRequest.decode(bytes));
                            if (request.round() < 9) {
                                BlockAnswer answer =
                                        request.round() < 5
                                                ? new BlockAnswer.Found(text("block"), text("c"))
                                                : new BlockAnswer.Missing(4);
                                byte[] reply = answer.encode(request.hash());
                                peer.send(Tag.BLOCK_RESPONSE, reply, 0, reply.length);
                            }
                            return Verdict.IGNORE;
                        });
        Gossip client = node(GENESIS, 5, 0, impatient, new RecordingInbox(), address(server));
        Peer peer = client.dialled(address(server)).get(10, TimeUnit.SECONDS);
        var never = client.requestBlock(peer, 9);
        assertThat(client.requestBlock(peer, 3).get(10, TimeUnit.SECONDS))
                .usingRecursiveComparison()
                .isEqualTo(new BlockAnswer.Found(text("block"), text("c")));
        assertThat(client.requestBlock(peer, 5).get(10, TimeUnit.SECONDS))
                .isEqualTo(new BlockAnswer.Missing(4));
        assertThatThrownBy(() -> never.get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(TimeoutException.class);
        assertThat(client.counters().dropped(Drop.NO_ANSWER)).isOne();

        var interrupted = client.requestBlock(peer, 9);
        server.close();
        assertThatThrownBy(() -> interrupted.get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class);
        assertThatThrownBy(() -> client.requestBlock(peer, 1).get(10, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void aTakenPortIsSaidSo() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(
                            () ->
                                    node(
                                            GENESIS,
                                            6,
                                            taken.getLocalPort(),
                                            QUICK,
                                            new RecordingInbox()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("/ip4/127.0.0.1/tcp/" + taken.getLocalPort());
        }
    }

    @Test
    void hundredThousandMessagesEachWayArriveInOrderAndGarbageDoesNotGrow() throws Exception {
        // Recording where each buffer was touched costs more than all else here.
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
        try {
            var firstInbox = new CountingInbox();
            var secondInbox = new CountingInbox();
            Gossip first = node(1, firstInbox);
            Gossip second = node(2, secondInbox, address(first));
            second.dialled(address(first)).get(10, TimeUnit.SECONDS);
            awaitPeers(first, 1);
            long windows = 10;
            int perWindow = 10_000;
            long[] allocated = new long[(int) windows];
            for (int window = 0; window < windows; window++) {
                long before = ALLOCATION.getTotalThreadAllocatedBytes();
                exchange(first, second, perWindow);
                int expected = (window + 1) * perWindow;
                Await.until(
                        "all arrived",
                        () -> firstInbox.count == expected && secondInbox.count == expected);
                allocated[window] = ALLOCATION.getTotalThreadAllocatedBytes() - before;
            }
            assertThat(firstInbox.wrong + secondInbox.wrong).isZero();
            assertThat(first.counters().messagesOut.sum())
                    .isBetween(windows * perWindow, windows * perWindow + CONTROL_FRAMES_MAX);
            assertThat(first.counters().bytesIn.sum())
                    .isBetween(
                            windows * perWindow * 306L,
                            windows * perWindow * 306L + CONTROL_FRAMES_MAX * CONTROL_BYTES_MAX);
            assertThat(first.queuedBytes() + second.queuedBytes()).isZero();
            long least = Arrays.stream(allocated).skip(windows / 2).min().orElseThrow();
            assertThat(least).isLessThan(2L * perWindow * 600);
            assertThat(least).isLessThanOrEqualTo(allocated[0]);
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }

    /** What the gossip says of itself meanwhile. */
    private static final long CONTROL_FRAMES_MAX = 20;

    /** Bytes of such a frame. */
    private static final long CONTROL_BYTES_MAX = 100;

    private static final ThreadMXBean ALLOCATION =
            (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static void exchange(Gossip first, Gossip second, int count) {
        byte[] message = new byte[300];
        for (int number = 0; number < count; number++) {
            Arrays.fill(message, (byte) (number % 100));
            while (first.queuedBytes() > 1 << 20 || second.queuedBytes() > 1 << 20) {
                LockSupport.parkNanos(100_000);
            }
            first.broadcast(Tag.BUNDLE, message, 0, message.length);
            second.broadcast(Tag.BUNDLE, message, 0, message.length);
        }
    }

    /** Looks at the first and last byte of each message, which must count up. */
    private static final class CountingInbox implements Inbox {
        private volatile int count;
        private volatile int wrong;

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // One event loop writes.
        public Verdict offer(Peer peer, Tag tag, ByteBuf body) {
            int start = body.readerIndex();
            int end = start + body.readableBytes();
            boolean right =
                    body.getByte(start) == count % 100 && body.getByte(end - 1) == count % 100;
            if (!right) {
                wrong++;
            }
            count++;
            return Verdict.IGNORE;
        }
    }
}
