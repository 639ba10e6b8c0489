package topspin.codec;

import static java.lang.invoke.MethodHandles.byteArrayViewVarHandle;
import static java.nio.ByteOrder.BIG_ENDIAN;

import org.jspecify.annotations.Nullable;

import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Sha512_256;

import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * An account's address: the 32 bytes of an Ed25519 public key or of a hash, as four longs.
 *
 * <p>Its text carries a checksum, the last four bytes of the address's SHA-512/256 (transactions.md
 * section 6).
 */
public final class Address implements Comparable<Address> {
    /** Size in bytes. */
    public static final int BYTES = 32;

    /** All bytes zero: absent, as far as the wire is concerned. */
    public static final Address ZERO = new Address(0, 0, 0, 0);

    private static final VarHandle LONG = byteArrayViewVarHandle(long[].class, BIG_ENDIAN);
    private static final VarHandle INT = byteArrayViewVarHandle(int[].class, BIG_ENDIAN);
    private static final int CHECKSUM_BYTES = 4;
    private static final int TEXT_LENGTH = 58;

    final long a;
    final long b;
    final long c;
    final long d;

    private Address(long a, long b, long c, long d) {
        this.a = a;
        this.b = b;
        this.c = c;
        this.d = d;
    }

    /** The 32 bytes at {@code offset}. */
    public static Address of(byte[] bytes, int offset) {
        long a = (long) LONG.get(bytes, offset);
        long b = (long) LONG.get(bytes, offset + 8);
        long c = (long) LONG.get(bytes, offset + 16);
        long d = (long) LONG.get(bytes, offset + 24);
        return (a | b | c | d) == 0 ? ZERO : new Address(a, b, c, d);
    }

    /** All of {@code bytes}, which must be 32. */
    public static Address fromBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("32 bytes expected, not " + bytes.length);
        }
        return of(bytes, 0);
    }

    /**
     * Reads the text form strictly: 58 characters, right checksum, no stray low bits.
     *
     * @throws IllegalArgumentException with the reference's reason (rest.md section 1)
     */
    public static Address parse(String text) {
        byte @Nullable [] bytes = Base32.decode(text);
        if (bytes == null) {
            throw new IllegalArgumentException(
                    "failed to decode address " + text + " from base 32");
        }
        if (bytes.length < BYTES) {
            throw new IllegalArgumentException("decoded bad addr: " + text);
        }
        Address address = of(bytes, 0);
        if (!address.hasChecksum(bytes)) {
            throw new IllegalArgumentException(
                    "address " + text + " is malformed, checksum verification failed");
        }
        if (!address.toString().equals(text)) {
            throw new IllegalArgumentException("address " + text + " is non-canonical");
        }
        return address;
    }

    /** Whether {@code text} is an address that {@link #parse} takes. */
    public static boolean isValid(String text) {
        if (text.length() != TEXT_LENGTH) {
            return false;
        }
        byte @Nullable [] bytes = Base32.decode(text);
        // The only text of an address is the one that we write, its checksum included.
        return bytes != null && of(bytes, 0).toString().equals(text);
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
    public int compareTo(Address that) {
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
        return other instanceof Address that
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

    /** The text form, 58 characters. */
    @Override
    public String toString() {
        byte[] text = new byte[TEXT_LENGTH];
        Base32.encode(a, b, c, d, checksum(), text, 0, TEXT_LENGTH);
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    private boolean hasChecksum(byte[] bytes) {
        return bytes.length == BYTES + CHECKSUM_BYTES && (int) INT.get(bytes, BYTES) == checksum();
    }

    private int checksum() {
        byte[] hash = Sha512_256.digest(Domain.NONE, toBytes());
        return (int) INT.get(hash, BYTES - CHECKSUM_BYTES);
    }
}
