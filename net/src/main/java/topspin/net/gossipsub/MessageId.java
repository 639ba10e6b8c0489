package topspin.net.gossipsub;

import static java.lang.invoke.MethodHandles.byteArrayViewVarHandle;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.netty.buffer.ByteBuf;

import java.lang.invoke.VarHandle;

/**
 * A message's id, BLAKE2b-256 of its data: 32 bytes as four little-endian longs, as that hash makes
 * them. Filled again and again, so that looking one up makes no garbage.
 */
final class MessageId {
    static final int BYTES = 32;

    private static final VarHandle LONG = byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);

    long a;
    long b;
    long c;
    long d;

    void set(long first, long second, long third, long fourth) {
        a = first;
        b = second;
        c = third;
        d = fourth;
    }

    void read(ByteBuf bytes, int offset) {
        a = bytes.getLongLE(offset);
        b = bytes.getLongLE(offset + 8);
        c = bytes.getLongLE(offset + 16);
        d = bytes.getLongLE(offset + 24);
    }

    void writeTo(byte[] target, int offset) {
        LONG.set(target, offset, a);
        LONG.set(target, offset + 8, b);
        LONG.set(target, offset + 16, c);
        LONG.set(target, offset + 24, d);
    }
}
