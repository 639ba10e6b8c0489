package topspin.net.stream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;

import topspin.net.Tag;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Which messages a peer wants to be sent unasked: tag MI, a topic {@code tags} that lists them with
 * commas (gossip.md A.7). We send none; whoever sends us one is kept to it.
 */
final class Interest {
    /** What a peer gets that has said nothing: all but the signatures of state proofs. */
    static final Set<Tag> USUAL =
            Collections.unmodifiableSet(
                    EnumSet.complementOf(EnumSet.of(Tag.STATE_PROOF_SIGNATURE)));

    private static final String TAGS = "tags";

    private Interest() {}

    /** The tags listed; null if the body lists none, or one that no node knows. */
    static @Nullable Set<Tag> decode(ByteBuf body) {
        Topics topics = Topics.decode(body);
        byte[] list = topics == null ? null : topics.get(TAGS);
        if (list == null) {
            return null;
        }
        Set<Tag> wanted = EnumSet.noneOf(Tag.class);
        for (String letters : new String(list, ISO_8859_1).split(",", -1)) {
            Tag tag = letters.length() == Tag.BYTES ? Tag.of(code(letters)) : null;
            if (tag == null) {
                return null;
            }
            wanted.add(tag);
        }
        return wanted;
    }

    private static short code(String letters) {
        return (short) ((letters.charAt(0) << Byte.SIZE) | letters.charAt(1));
    }
}
