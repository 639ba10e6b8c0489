package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.VoteDecoder;

import java.util.Map;
import java.util.function.Function;

/** Reads what {@link StateWriter} wrote. */
final class StateReader {
    private static final int VERSION_BYTES_MAX = 128;

    /** Reads one item. */
    interface Read<T> {
        T read() throws MalformedMessage;
    }

    /** Reads one item and keeps it. */
    interface Take {
        void take() throws MalformedMessage;
    }

    /** Reads one machine. */
    interface ReadMachine<T> {
        T read(StateReader in) throws MalformedMessage;
    }

    private final MsgpackReader in = new MsgpackReader();
    private final VoteDecoder votes = new VoteDecoder();
    private final Function<String, @Nullable AgreementRules> versions;

    StateReader(byte[] bytes, Function<String, @Nullable AgreementRules> versions) {
        in.reset(bytes, 0, bytes.length);
        this.versions = versions;
    }

    void requireEnd() throws MalformedMessage {
        if (!in.atEnd()) {
            throw in.malformed("bytes behind the end", in.position());
        }
    }

    MalformedMessage malformed(String reason) {
        return in.malformed(reason, in.position());
    }

    long number() throws MalformedMessage {
        return in.readUint();
    }

    boolean flag() throws MalformedMessage {
        return in.readBool();
    }

    String text() throws MalformedMessage {
        return in.readText(VERSION_BYTES_MAX).toText();
    }

    Address address() throws MalformedMessage {
        return in.readAddress();
    }

    ProposalValue value() throws MalformedMessage {
        if (!in.readBool()) {
            return ProposalValue.BOTTOM;
        }
        long originalPeriod = in.readUint();
        Address originalProposer = in.readAddress();
        Digest blockDigest = in.readDigest();
        return new ProposalValue(originalPeriod, originalProposer, blockDigest, in.readDigest());
    }

    VerifiedVote vote() throws MalformedMessage {
        Bytes bytes = bytes();
        var vote = votes.decodeVote(bytes.array(), bytes.offset(), bytes.length());
        long weight = in.readUint();
        if (weight <= 0) {
            throw malformed("a vote without weight");
        }
        return new VerifiedVote(vote, weight, in.readDigest());
    }

    Payload payload() throws MalformedMessage {
        long round = in.readUint();
        ProposalValue value = value();
        return new Payload(round, value, bytes().compact());
    }

    Threshold threshold() throws MalformedMessage {
        Bytes bytes = bytes();
        var bundle = votes.decodeBundle(bytes.array(), bytes.offset(), bytes.length());
        String version = text();
        AgreementRules rules = versions.apply(version);
        if (rules == null) {
            throw malformed("unknown version " + version);
        }
        return new Threshold(bundle, rules);
    }

    byte[] block() throws MalformedMessage {
        return bytes().toArray();
    }

    private Bytes bytes() throws MalformedMessage {
        return in.readBytes(Integer.MAX_VALUE);
    }

    void list(Take item) throws MalformedMessage {
        int count = in.readArrayHeader(in.end() - in.position());
        for (int i = 0; i < count; i++) {
            item.take();
        }
    }

    <T> void map(Map<Long, T> target, ReadMachine<T> read) throws MalformedMessage {
        list(
                () -> {
                    long key = number();
                    target.put(key, read.read(this));
                });
    }

    <T> @Nullable T optional(Read<T> read) throws MalformedMessage {
        return flag() ? read.read() : null;
    }
}
