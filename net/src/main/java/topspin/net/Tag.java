package topspin.net;

import org.jspecify.annotations.Nullable;

/**
 * What a message on the tagged stream is: two ASCII letters, the largest body the network allows
 * under them, and whether it overtakes the rest (gossip.md A.7).
 */
public enum Tag {
    TRANSACTION("TX", 5_000_000, false),
    VOTE("AV", 1_228, true),
    PROPOSAL("PP", 5_250_618, true),
    BUNDLE("VB", Tag.FRAME_BYTES_MAX, false),
    PACKED_VOTE("VP", 1_228, true),
    INTEREST("MI", 48, false),
    DIGEST_SKIP("MS", 69, false),
    IDENTITY_VERIFICATION("NI", 215, false),
    PRIORITY_RESPONSE("NP", 850, false),
    STATE_PROOF_SIGNATURE("SP", 6_378, false),
    BLOCK_REQUEST("UE", 67, false),
    BLOCK_RESPONSE("TS", Tag.FRAME_BYTES_MAX, false);

    /** Bytes of a tag on the wire. */
    public static final int BYTES = 2;

    /** The largest length a frame may announce, its tag included: 6 MiB. */
    public static final int FRAME_BYTES_MAX = 6 << 20;

    private static final Tag[] BY_CODE = new Tag[1 << 10];

    static {
        for (Tag tag : values()) {
            BY_CODE[slot(tag.code)] = tag;
        }
    }

    private final short code;
    private final int bytesMax;
    private final boolean urgent;

    Tag(String letters, int bytesMax, boolean urgent) {
        this.code = (short) ((letters.charAt(0) << Byte.SIZE) | letters.charAt(1));
        this.bytesMax = bytesMax;
        this.urgent = urgent;
    }

    /** The tag of these two letters, or null for letters this node has no use for. */
    public static @Nullable Tag of(short code) {
        Tag tag = BY_CODE[slot(code)];
        return tag != null && tag.code == code ? tag : null;
    }

    /** Five bits of either letter, which tell any two upper-case pairs apart. */
    private static int slot(short code) {
        return ((code >> 3) & 0x3e0) | (code & 0x1f);
    }

    /** The two letters, the first in the high byte. */
    public short code() {
        return code;
    }

    /** The largest body, in bytes, without length and tag. */
    public int bytesMax() {
        return bytesMax;
    }

    /** Whether it is sent before all that is not: votes and proposals, on which rounds wait. */
    public boolean urgent() {
        return urgent;
    }
}
