package topspin.node;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Bytes that follow from a name: for the keys of a network of play money, which are the same each
 * time it is made. One thread.
 */
final class FixedRandom extends SecureRandom {
    private static final long serialVersionUID = 1;

    private final byte[] name;
    private long drawn;

    FixedRandom(String name) {
        this.name = name.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void nextBytes(byte[] bytes) {
        for (int at = 0; at < bytes.length; ) {
            byte[] next = block(drawn++);
            int length = Math.min(next.length, bytes.length - at);
            System.arraycopy(next, 0, bytes, at, length);
            at += length;
        }
    }

    private byte[] block(long number) {
        byte[] input = Arrays.copyOf(name, name.length + Long.BYTES);
        ByteBuffer.wrap(input).putLong(name.length, number);
        try {
            return MessageDigest.getInstance("SHA-512/256").digest(input);
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every JDK since 9 has SHA-512/256", impossible);
        }
    }
}
