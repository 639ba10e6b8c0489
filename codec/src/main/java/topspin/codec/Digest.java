package topspin.codec;

import static java.lang.invoke.MethodHandles.byteArrayViewVarHandle;
import static java.nio.ByteOrder.BIG_ENDIAN;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/** A SHA-512/256 value, a public key, a lease: 32 bytes as four longs. */
public final class Digest implements Comparable<Digest> {
    /** Size in bytes. */
    public static final int BYTES = 32;

    /** All bytes zero: absent, as far as the wire is concerned. */
    public static final Digest ZERO = new Digest(0, 0, 0, 0);

    private static final VarHandle LONG = byteArrayViewVarHandle(long[].class, BIG_ENDIAN);

    /** Characters of the text form. */
    public static final int TEXT_LENGTH = 52;

    final long a;
    final long b;
    final long c;
    final long d;

    private Digest(long a, long b, long c, long d) {
        this.a = a;
        this.b = b;
        this.c = c;
        this.d = d;
    }

    /** The 32 bytes at {@code offset}. */
    public static Digest of(byte[] bytes, int offset) {
        long a = (long) LONG.get(bytes, offset);
        long b = (long) LONG.get(bytes, offset + 8);
        long c = (long) LONG.get(bytes, offset + 16);
        long d = (long) LONG.get(bytes, offset + 24);
        return (a | b | c | d) == 0 ? ZERO : new Digest(a, b, c, d);
    }

    /** All of {@code bytes}, which must be 32. */
    public static Digest fromBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("32 bytes expected, not " + bytes.length);
        }
        return of(bytes, 0);
    }

    /**
     * Reads the text form: base32, 52 characters, stray low bits ignored as the reference does.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Digest parse(String text) {
        byte @Nullable [] bytes = text.length() == TEXT_LENGTH ? Base32.decode(text) : null;
        if (bytes == null) {
            throw new IllegalArgumentException("no digest: " + text);
        }
        return of(bytes, 0);
    }

    /** Writes the 32 bytes to {@code target} at {@code offset}. */
    public void writeTo(byte[] target, int offset) {
        LONG.set(target, offset, a);
        LONG.set(target, offset + 8, b);
        LONG.set(target, offset + 16, c);
        LONG.set(target, offset + 24, d);
    }

    public byte[] toBytes() {
        byte[] bytes = new byte[BYTES];
        writeTo(bytes, 0);
        return bytes;
    }

    public boolean isZero() {
        return (a | b | c | d) == 0;
    }

    /** Whether these are the 32 bytes at {@code offset}. */
    public boolean isAt(byte[] bytes, int offset) {
        return a == (long) LONG.get(bytes, offset)
                && b == (long) LONG.get(bytes, offset + 8)
                && c == (long) LONG.get(bytes, offset + 16)
                && d == (long) LONG.get(bytes, offset + 24);
    }

    /** By bytes, unsigned, the first one first. */
    @Override
    public int compareTo(Digest that) {
        if (a != that.a) {
            return Long.compareUnsigned(a, that.a);
        }
        if (b != that.b) {
            return Long.compareUnsigned(b, that.b);
        }
        return c != that.c ? Long.compareUnsigned(c, that.c) : Long.compareUnsigned(d, that.d);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Digest that
                && a == that.a
                && b == that.b
                && c == that.c
                && d == that.d;
    }

    /** Salted for each process: peers choose these bytes. */
    @Override
    public int hashCode() {
        return Salt.mix(a, b, c, d);
    }

    /** Writes the text form, in ASCII, to {@code target} at {@code offset}. Allocates nothing. */
    public void writeText(byte[] target, int offset) {
        Base32.encode(a, b, c, d, 0, target, offset, TEXT_LENGTH);
    }

    /** Base32 without padding, 52 characters. */
    @Override
    public String toString() {
        byte[] text = new byte[TEXT_LENGTH];
        writeText(text, 0);
        return new String(text, StandardCharsets.ISO_8859_1);
    }
}
