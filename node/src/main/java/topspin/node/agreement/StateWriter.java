package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.VoteEncoder;
import topspin.node.agreement.SavedState.Part;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Writes a player's state: msgpack without names, in the order that {@link StateReader} reads. */
final class StateWriter {
    private final CanonicalWriter out = new CanonicalWriter(16 * 1024);
    private final List<Part> parts = new ArrayList<>();

    SavedState toState() {
        endPart();
        return new SavedState(parts);
    }

    private void endPart() {
        if (out.position() > 0) {
            parts.add(new Part(Bytes.of(out.toByteArray()), null));
            out.rewind(0);
        }
    }

    void number(long value) {
        out.writeUint(value);
    }

    void flag(boolean value) {
        out.writeBool(value);
    }

    void text(String value) {
        out.writeText(value);
    }

    void address(Address value) {
        out.writeAddress(value);
    }

    void value(ProposalValue value) {
        if (value.isBottom()) {
            out.writeBool(false);
            return;
        }
        out.writeBool(true);
        out.writeUint(value.originalPeriod());
        out.writeAddress(value.originalProposer());
        out.writeDigest(value.blockDigest());
        out.writeDigest(value.encodingDigest());
    }

    void vote(VerifiedVote vote) {
        bytes(VoteEncoder.encode(vote.vote()));
        out.writeUint(vote.weight());
        out.writeDigest(vote.priority());
    }

    void payload(Payload payload) {
        out.writeUint(payload.round());
        value(payload.value());
        Bytes encoding = payload.encoding();
        out.writeBytesHeader(encoding.length());
        endPart();
        parts.add(new Part(encoding, payload.value().encodingDigest()));
    }

    void threshold(Threshold threshold) {
        bytes(VoteEncoder.encode(threshold.bundle()));
        text(threshold.rules().version());
    }

    void block(SavedState state) {
        out.writeBytesHeader(state.length());
        endPart();
        parts.addAll(state.parts());
    }

    private void bytes(byte[] bytes) {
        out.writeBytes(bytes, 0, bytes.length);
    }

    <T> void list(Collection<T> items, Consumer<T> write) {
        out.writeArrayHeader(items.size());
        items.forEach(write);
    }

    <T> void map(SortedMap<Long, T> items, BiConsumer<T, StateWriter> write) {
        out.writeArrayHeader(items.size());
        items.forEach(
                (key, value) -> {
                    number(key);
                    write.accept(value, this);
                });
    }

    <T> void optional(@Nullable T item, Consumer<T> write) {
        out.writeBool(item != null);
        if (item != null) {
            write.accept(item);
        }
    }
}
