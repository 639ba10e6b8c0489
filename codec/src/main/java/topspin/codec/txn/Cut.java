package topspin.codec.txn;

import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;

import java.util.Arrays;

/**
 * Cuts a canonical transaction open where the fields from one key to another stand, so that they
 * can be taken out or others put in without decoding the rest. One per thread; leaves no garbage.
 */
final class Cut {
    private final MsgpackReader in = new MsgpackReader();

    /** Fields that the transaction has, and how many of them lie in the cut. */
    private int fields;

    private int dropped;

    // Where the first field, the cut, what is behind it, and the end are.
    private int body;
    private int from;
    private int to;
    private int end;

    /** Finds the fields from {@code first} to {@code last}, both included, if they are there. */
    void find(Key first, Key last, byte[] bytes, int offset, int length) {
        in.reset(bytes, offset, length);
        try {
            fields = in.readMapHeader();
            body = in.position();
            from = body;
            to = body;
            end = offset + length;
            dropped = 0;
            for (int left = fields; left > 0; left--) {
                int start = in.position();
                if (compareName(bytes, start, last) > 0) {
                    break;
                }
                boolean before = compareName(bytes, start, first) < 0;
                in.skip();
                in.skip();
                to = in.position();
                from = before ? to : from;
                dropped += before ? 0 : 1;
            }
        } catch (MalformedMessage e) {
            throw new IllegalArgumentException("no canonical transaction", e);
        } finally {
            in.release();
        }
    }

    /** Writes all that lies before the cut, as a map that will get {@code added} fields there. */
    void writeBefore(byte[] bytes, int added, CanonicalWriter out) {
        out.writeMapHeader(fields - dropped + added);
        out.raw(bytes, body, from - body);
    }

    /** Writes all that lies behind the cut. */
    void writeBehind(byte[] bytes, CanonicalWriter out) {
        out.raw(bytes, to, end - to);
    }

    private static int compareName(byte[] bytes, int start, Key key) {
        int length = bytes[start] & 0x1f; // A canonical transaction's keys are all short.
        byte[] encoded = key.encoded();
        return Arrays.compareUnsigned(
                bytes, start + 1, start + 1 + length, encoded, 1, encoded.length);
    }
}
