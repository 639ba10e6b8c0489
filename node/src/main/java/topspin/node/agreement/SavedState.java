package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.Digest;

import java.util.List;

/**
 * A player's state as bytes, in parts: those that it has in common with the states before and after
 * it, which are the payloads, have names, so that whoever keeps states need not write them again.
 */
public record SavedState(List<Part> parts) {
    public SavedState {
        parts = List.copyOf(parts);
    }

    /**
     * Some of the bytes.
     *
     * @param name what other bytes do not have; null where nothing is worth one
     */
    public record Part(Bytes bytes, @Nullable Digest name) {}

    /** How many bytes there are. */
    public int length() {
        int length = 0;
        for (Part part : parts) {
            length += part.bytes.length();
        }
        return length;
    }

    /** All of them in a row. */
    public byte[] toByteArray() {
        var whole = new byte[length()];
        int at = 0;
        for (Part part : parts) {
            Bytes bytes = part.bytes;
            System.arraycopy(bytes.array(), bytes.offset(), whole, at, bytes.length());
            at += bytes.length();
        }
        return whole;
    }
}
