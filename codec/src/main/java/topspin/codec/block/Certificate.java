package topspin.codec.block;

import topspin.codec.Bytes;
import topspin.codec.msgpack.CanonicalWriter;

/**
 * What vouches for a block: its canonical msgpack as it is stored and served. In dev mode it holds
 * the round and nothing else; that of round 0 is an empty map (block.md sections 4 and 9).
 */
public record Certificate(Bytes encoding) {
    /** The certificate that dev mode gives to the block of {@code round}. */
    public static Certificate ofRound(long round) {
        var out = new CanonicalWriter(16);
        long map = out.openMap();
        out.uint(Keys.RND, round);
        out.closeMap(map);
        return new Certificate(Bytes.of(out.toByteArray()));
    }
}
