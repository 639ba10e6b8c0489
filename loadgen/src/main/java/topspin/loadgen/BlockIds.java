package topspin.loadgen;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Sha512_256;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Walks a block as REST serves it in msgpack (block.md section 9) and computes the id of each
 * transaction, without decoding any: a transaction's bytes are the id's but for {@code gen} and
 * {@code gh}, which a block leaves out (block.md section 2). One thread at a time; no garbage per
 * transaction.
 */
final class BlockIds {
    /** Told of each transaction, in the block's order. */
    interface Sink {
        /** Its id: 32 bytes, overwritten by the next. */
        void transaction(byte[] id);
    }

    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    private static final byte[] BLOCK = "block".getBytes(US_ASCII);
    private static final byte[] TXNS = "txns".getBytes(US_ASCII);
    private static final byte[] TXN = "txn".getBytes(US_ASCII);
    private static final byte[] HGI = "hgi".getBytes(US_ASCII);
    private static final byte[] GEN = "gen".getBytes(US_ASCII);
    private static final byte[] GH = "gh".getBytes(US_ASCII);
    private static final int TRUE = 0xc3;

    private final byte[] genesisIdEntry;
    private final byte[] genesisHashEntry;
    private final byte[] id = new byte[Sha512_256.BYTES];
    private byte[] restored = new byte[4096];
    private byte[] in = new byte[0];
    private int end;
    private int position;
    private int keyStart;
    private int keyLength;
    private long transactionBytes;

    BlockIds(String genesisId, byte[] genesisHash) {
        byte[] text = genesisId.getBytes(UTF_8);
        boolean isShort = text.length < 32;
        genesisIdEntry = new byte[4 + (isShort ? 1 : 2) + text.length];
        writeShortText(genesisIdEntry, GEN);
        if (isShort) {
            genesisIdEntry[4] = (byte) (0xa0 | text.length);
        } else { // At most 128 bytes.
            genesisIdEntry[4] = (byte) 0xd9;
            genesisIdEntry[5] = (byte) text.length;
        }
        System.arraycopy(text, 0, genesisIdEntry, genesisIdEntry.length - text.length, text.length);
        genesisHashEntry = new byte[3 + 2 + genesisHash.length];
        writeShortText(genesisHashEntry, GH);
        genesisHashEntry[3] = (byte) 0xc4;
        genesisHashEntry[4] = (byte) genesisHash.length;
        System.arraycopy(genesisHash, 0, genesisHashEntry, 5, genesisHash.length);
    }

    private static void writeShortText(byte[] target, byte[] text) {
        target[0] = (byte) (0xa0 | text.length);
        System.arraycopy(text, 0, target, 1, text.length);
    }

    /**
     * Reads {@code {block, cert}} and answers how many transactions it holds.
     *
     * @throws IOException if the bytes are no block
     */
    int read(byte[] bytes, int length, Sink sink) throws IOException {
        in = bytes;
        end = length;
        position = 0;
        transactionBytes = 0;
        int transactions = 0;
        boolean found = false;
        for (int fields = readMapHeader(); fields > 0; fields--) {
            readKey();
            if (keyIs(BLOCK)) {
                transactions = readBlock(sink);
                found = true;
            } else {
                skip();
            }
        }
        if (!found) {
            throw malformed("no block in the reply");
        }
        return transactions;
    }

    /** Bytes that the transactions of the block read last take in it. */
    long transactionBytes() {
        return transactionBytes;
    }

    private int readBlock(Sink sink) throws IOException {
        int transactions = 0;
        for (int fields = readMapHeader(); fields > 0; fields--) {
            readKey();
            if (!keyIs(TXNS)) {
                skip();
                continue;
            }
            transactions = readArrayHeader();
            int start = position;
            for (int i = 0; i < transactions; i++) {
                readTransaction();
                sink.transaction(id);
            }
            transactionBytes = position - start;
        }
        return transactions;
    }

    /** Reads one entry of a payset and leaves its id in {@link #id}. */
    private void readTransaction() throws IOException {
        int start = -1;
        boolean hasGenesisId = false;
        for (int fields = readMapHeader(); fields > 0; fields--) {
            readKey();
            if (keyIs(TXN)) {
                start = position;
            } else if (keyIs(HGI)) {
                hasGenesisId = peek() == TRUE;
            }
            skip();
        }
        if (start < 0) {
            throw malformed("an entry without a transaction");
        }
        int after = position;
        position = start;
        restore(hasGenesisId);
        position = after;
    }

    private void restore(boolean hasGenesisId) throws IOException {
        int fields = readMapHeader();
        int all = fields + 1 + (hasGenesisId ? 1 : 0);
        int out = 0;
        if (all < 16) {
            restored[out++] = (byte) (0x80 | all);
        } else {
            restored[out++] = (byte) 0xde;
            SHORT.set(restored, out, (short) all);
            out += Short.BYTES;
        }
        boolean genesisIdDue = hasGenesisId;
        boolean genesisHashDue = true;
        for (int i = 0; i < fields; i++) {
            int entry = position;
            readKey();
            if (genesisIdDue && keyComparedTo(GEN) > 0) {
                out = append(genesisIdEntry, 0, genesisIdEntry.length, out);
                genesisIdDue = false;
            }
            if (genesisHashDue && keyComparedTo(GH) > 0) {
                out = append(genesisHashEntry, 0, genesisHashEntry.length, out);
                genesisHashDue = false;
            }
            skip();
            out = append(in, entry, position - entry, out);
        }
        if (genesisIdDue) {
            out = append(genesisIdEntry, 0, genesisIdEntry.length, out);
        }
        if (genesisHashDue) {
            out = append(genesisHashEntry, 0, genesisHashEntry.length, out);
        }
        Sha512_256.digest(Domain.TX, restored, 0, out, id, 0);
    }

    private int append(byte[] source, int offset, int length, int out) {
        if (length > restored.length - out) {
            restored = Arrays.copyOf(restored, Math.max(2 * restored.length, out + length));
        }
        System.arraycopy(source, offset, restored, out, length);
        return out + length;
    }

    private boolean keyIs(byte[] key) {
        return Arrays.equals(in, keyStart, keyStart + keyLength, key, 0, key.length);
    }

    private int keyComparedTo(byte[] key) {
        return Arrays.compareUnsigned(in, keyStart, keyStart + keyLength, key, 0, key.length);
    }

    private void readKey() throws IOException {
        int head = take();
        if ((head & 0xe0) == 0xa0) {
            keyLength = head & 0x1f;
        } else if (head == 0xd9) {
            keyLength = take();
        } else { // A map with other keys: none that we look for.
            position--;
            keyStart = position;
            keyLength = 0;
            skip();
            return;
        }
        keyStart = position;
        advance(keyLength);
    }

    private int readMapHeader() throws IOException {
        int head = take();
        if ((head & 0xf0) == 0x80) {
            return head & 0x0f;
        }
        if (head == 0xde) {
            return takeShort();
        }
        throw malformed("no map where one must be");
    }

    private int readArrayHeader() throws IOException {
        int head = take();
        if ((head & 0xf0) == 0x90) {
            return head & 0x0f;
        }
        return switch (head) {
            case 0xdc -> takeShort();
            case 0xdd -> takeLength();
            default -> throw malformed("no array where one must be");
        };
    }

    /** Passes over one value and all that it holds. */
    private void skip() throws IOException {
        for (long values = 1; values > 0; values--) {
            int head = take();
            if (head <= 0x7f || head >= 0xe0 || head == 0xc0 || head == 0xc2 || head == TRUE) {
                continue; // A small integer, nil or a boolean.
            }
            if (head <= 0x8f) {
                values += 2L * (head & 0x0f);
            } else if (head <= 0x9f) {
                values += head & 0x0f;
            } else if (head <= 0xbf) {
                advance(head & 0x1f);
            } else {
                values += skipLong(head);
            }
        }
    }

    /** Passes over a value with a head of its own; answers how many values follow inside it. */
    private long skipLong(int head) throws IOException {
        switch (head) {
            case 0xc4, 0xd9 -> advance(take());
            case 0xc5, 0xda -> advance(takeShort());
            case 0xc6, 0xdb -> advance(takeLength());
            case 0xcc, 0xd0 -> advance(1);
            case 0xcd, 0xd1 -> advance(2);
            case 0xce, 0xd2, 0xca -> advance(4);
            case 0xcf, 0xd3, 0xcb -> advance(8);
            case 0xdc -> {
                return takeShort();
            }
            case 0xdd -> {
                return takeLength();
            }
            case 0xde -> {
                return 2L * takeShort();
            }
            case 0xdf -> {
                return 2L * takeLength();
            }
            default -> throw malformed("a value of no known form");
        }
        return 0;
    }

    private int peek() throws IOException {
        need(1);
        return in[position] & 0xff;
    }

    private int take() throws IOException {
        need(1);
        return in[position++] & 0xff;
    }

    private int takeShort() throws IOException {
        need(2);
        int value = (short) SHORT.get(in, position) & 0xffff;
        position += 2;
        return value;
    }

    private int takeLength() throws IOException {
        need(4);
        int value = (int) INT.get(in, position);
        position += 4;
        if (value < 0) {
            throw malformed("a length beyond the reply");
        }
        return value;
    }

    private void advance(int count) throws IOException {
        need(count);
        position += count;
    }

    private void need(int count) throws IOException {
        if (count > end - position) {
            throw malformed("it ends early");
        }
    }

    private IOException malformed(String reason) {
        return new IOException("not a block, at byte " + position + ": " + reason);
    }
}
