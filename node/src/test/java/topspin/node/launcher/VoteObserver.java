package topspin.node.launcher;

import io.netty.buffer.ByteBuf;

import topspin.codec.Address;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;
import topspin.codec.vote.VoteDecoder;
import topspin.ledger.Genesis;
import topspin.net.Gossip;
import topspin.net.GossipConfig;
import topspin.net.Inbox;
import topspin.net.Peer;
import topspin.net.Tag;
import topspin.net.Verdict;
import topspin.net.multiaddr.Multiaddr;
import topspin.net.stream.BlockAnswer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A peer of every node of a network that hears all votes and remembers who said what: whoever votes
 * for two values in one step is found out, whatever happened to it in between. It says nothing.
 */
final class VoteObserver implements Inbox, AutoCloseable {
    private record Place(Address sender, long round, long period, long step) {}

    private final Map<Place, ProposalValue> said = new ConcurrentHashMap<>();
    private final Queue<String> conflicts = new ConcurrentLinkedQueue<>();
    private final Gossip gossip;
    private volatile long periodMax;

    /**
     * @param data one node's folder, for the genesis
     * @param nodes their multiaddrs
     */
    VoteObserver(Path data, List<String> nodes) throws IOException {
        Genesis genesis = Genesis.parse(Files.readString(data.resolve("genesis.json")));
        var random = new SecureRandom();
        List<Multiaddr> dial = new ArrayList<>();
        nodes.forEach(node -> dial.add(Multiaddr.parse(node)));
        gossip =
                new Gossip(
                        GossipConfig.of(genesis.id(), KeyPair.generate(random), List.of(), dial),
                        this,
                        (asker, round, answer) -> answer.accept(new BlockAnswer.Missing(0)),
                        (asker, known, answer) -> answer.accept(null),
                        random,
                        System::nanoTime,
                        InstantSource.system());
        gossip.start();
    }

    @Override
    public Verdict offer(Peer peer, Tag tag, ByteBuf body) {
        if (tag == Tag.VOTE) {
            byte[] bytes = new byte[body.readableBytes()];
            body.readBytes(bytes);
            try {
                hear(new VoteDecoder().decodeVote(bytes, 0, bytes.length).raw());
            } catch (MalformedMessage none) {
                conflicts.add(peer.address() + " sent what is no vote");
            }
        }
        return Verdict.IGNORE;
    }

    private void hear(RawVote vote) {
        if (vote.step() == 0) {
            return; // Two proposals of a node that was killed are allowed (agreement.md 8.4).
        }
        periodMax = Math.max(periodMax, vote.period());
        var place = new Place(vote.sender(), vote.round(), vote.period(), vote.step());
        ProposalValue before = said.putIfAbsent(place, vote.value());
        if (before != null && !before.equals(vote.value())) {
            conflicts.add(place + ": " + before + " and " + vote.value());
        }
    }

    /** Votes that nobody may cast together; empty when all is well. */
    List<String> conflicts() {
        return List.copyOf(conflicts);
    }

    /** Different votes heard. */
    int votes() {
        return said.size();
    }

    /** The latest period that anybody voted in. */
    long periodMax() {
        return periodMax;
    }

    @Override
    public void close() {
        gossip.close();
    }
}
