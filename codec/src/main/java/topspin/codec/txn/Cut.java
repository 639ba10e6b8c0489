package topspin.codec.txn;

import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;

import java.util.Arrays;

/**
 * A canonical transaction cut open where the fields from one key to another stand, so that they can
 * be taken out or others put in without decoding the rest.
 *
 * @param fields how many the transaction has
 * @param dropped how many of them lie in the cut
 * @param body index of the first field
 * @param from index of the first byte that lies in the cut
 * @param to index of the first byte behind it
 * @param end index of the end of the transaction
 */
record Cut(byte[] bytes, int fields, int dropped, int body, int from, int to, int end) {

    /** Cuts out the fields from {@code first} to {@code last}, both included, if they are there. */
    static Cut between(Key first, Key last, byte[] bytes, int offset, int length) {
        var in = new MsgpackReader().reset(bytes, offset, length);
        try {
            int fields = in.readMapHeader();
            int body = in.position();
            int from = body;
            int to = body;
            int dropped = 0;
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
            return new Cut(bytes, fields, dropped, body, from, to, offset + length);
        } catch (MalformedMessage e) {
            throw new IllegalArgumentException("no canonical transaction", e);
        }
    }

    /** Writes all that lies before the cut, as a map that will get {@code added} fields there. */
    void writeBefore(int added, CanonicalWriter out) {
        out.writeMapHeader(fields - dropped + added);
        out.raw(bytes, body, from - body);
    }

    /** Writes all that lies behind the cut. */
    void writeBehind(CanonicalWriter out) {
        out.raw(bytes, to, end - to);
    }

    private static int compareName(byte[] bytes, int start, Key key) {
        int length = bytes[start] & 0x1f; // A canonical transaction's keys are all short.
        byte[] encoded = key.encoded();
        return Arrays.compareUnsigned(
                bytes, start + 1, start + 1 + length, encoded, 1, encoded.length);
    }
}
