package topspin.net.p2p;

import static java.lang.invoke.MethodHandles.byteArrayViewVarHandle;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.bouncycastle.crypto.engines.ChaCha7539Engine;
import org.bouncycastle.crypto.macs.Poly1305;
import org.bouncycastle.crypto.params.KeyParameter;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * One direction of a Noise transport: ChaCha20-Poly1305, its nonce a counter of messages (gossip.md
 * A.2). Works in place on the caller's array and leaves no garbage. For one thread.
 */
final class ChaChaPoly {
    static final int KEY_BYTES = 32;
    static final int TAG_BYTES = 16;

    private static final VarHandle LONG = byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);
    private static final VarHandle INT = byteArrayViewVarHandle(int[].class, LITTLE_ENDIAN);
    private static final byte[] NOTHING = {};
    private static final byte[] ZEROS = new byte[TAG_BYTES];

    private final Blocks blocks;
    private final Poly1305 mac = new Poly1305();

    /** Its array is the one that the MAC reads its key from: the same object for every message. */
    private final KeyParameter macKey = new KeyParameter(new byte[KEY_BYTES]);

    private final byte[] stream = new byte[Blocks.BYTES];
    private final byte[] tag = new byte[TAG_BYTES];
    private final byte[] lengths = new byte[2 * Long.BYTES];
    private long messages;

    ChaChaPoly(byte[] key) {
        this.blocks = new Blocks(key);
    }

    /** The key stream, a block of 64 bytes at a time. */
    private static final class Blocks extends ChaCha7539Engine {
        static final int BYTES = 64;

        Blocks(byte[] key) {
            packTauOrSigma(key.length, engineState, 0);
            for (int word = 0; word < key.length / Integer.BYTES; word++) {
                engineState[4 + word] = (int) INT.get(key, word * Integer.BYTES);
            }
        }

        /** Begins with block 0 of a message. */
        void begin(long message) {
            engineState[12] = 0;
            engineState[13] = 0;
            engineState[14] = (int) message;
            engineState[15] = (int) (message >>> Integer.SIZE);
        }

        void wipe() {
            Arrays.fill(engineState, 0);
        }

        void next(byte[] target) {
            generateKeyStream(target);
            engineState[12]++;
        }
    }

    /** Encrypts the span and writes the tag behind it: the array must have room. */
    void seal(byte[] bytes, int offset, int length) {
        seal(bytes, offset, length, NOTHING);
    }

    /** The same, the tag covering associated data too. */
    void seal(byte[] bytes, int offset, int length, byte[] associated) {
        begin();
        applyStream(bytes, offset, length);
        computeTag(bytes, offset, length, associated);
        System.arraycopy(tag, 0, bytes, offset + length, TAG_BYTES);
        messages++;
    }

    /**
     * Decrypts the span, which ends with its tag; the plaintext is shorter by {@link #TAG_BYTES}.
     *
     * @return false, the bytes as they were, if the tag is wrong
     */
    boolean open(byte[] bytes, int offset, int length) {
        return open(bytes, offset, length, NOTHING);
    }

    /** The same, the tag covering associated data too. */
    boolean open(byte[] bytes, int offset, int length, byte[] associated) {
        if (length < TAG_BYTES) {
            return false;
        }
        int plain = length - TAG_BYTES;
        begin();
        computeTag(bytes, offset, plain, associated);
        long differing =
                ((long) LONG.get(tag, 0) ^ (long) LONG.get(bytes, offset + plain))
                        | ((long) LONG.get(tag, Long.BYTES)
                                ^ (long) LONG.get(bytes, offset + plain + Long.BYTES));
        if (differing != 0) {
            return false;
        }
        applyStream(bytes, offset, plain);
        messages++;
        return true;
    }

    private void begin() {
        if (messages < 0) {
            throw new IllegalStateException("a key used up"); // After 2^63 messages.
        }
        blocks.begin(messages);
        blocks.next(stream);
        System.arraycopy(stream, 0, macKey.getKey(), 0, KEY_BYTES);
        mac.init(macKey);
    }

    private void applyStream(byte[] bytes, int offset, int length) {
        int at = offset;
        int left = length;
        for (; left >= Blocks.BYTES; left -= Blocks.BYTES, at += Blocks.BYTES) {
            blocks.next(stream);
            for (int word = 0; word < Blocks.BYTES; word += Long.BYTES) {
                long mixed = (long) LONG.get(bytes, at + word) ^ (long) LONG.get(stream, word);
                LONG.set(bytes, at + word, mixed);
            }
        }
        if (left > 0) {
            blocks.next(stream);
            for (int index = 0; index < left; index++) {
                bytes[at + index] ^= stream[index];
            }
        }
    }

    private void computeTag(byte[] cipher, int offset, int length, byte[] associated) {
        mac.update(associated, 0, associated.length);
        mac.update(ZEROS, 0, -associated.length & (TAG_BYTES - 1));
        mac.update(cipher, offset, length);
        mac.update(ZEROS, 0, -length & (TAG_BYTES - 1));
        LONG.set(lengths, 0, (long) associated.length);
        LONG.set(lengths, Long.BYTES, (long) length);
        mac.update(lengths, 0, lengths.length);
        mac.doFinal(tag, 0);
    }

    /** Wipes the keys; nothing works any more. */
    void destroy() {
        blocks.wipe();
        Arrays.fill(stream, (byte) 0);
        Arrays.fill(macKey.getKey(), (byte) 0);
        messages = Long.MIN_VALUE;
    }
}
