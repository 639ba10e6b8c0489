package topspin.net.p2p;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

import org.bouncycastle.math.ec.rfc7748.X25519;
import org.jspecify.annotations.Nullable;

import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.codec.crypto.HashFunction;

import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The Noise XX handshake as libp2p uses it (gossip.md A.2): bytes in, bytes out, no channel. Three
 * messages, written and read in turn; the dialer begins. A message read that does not fit ends it.
 */
final class NoiseHandshake {
    private static final byte[] NAME = "Noise_XX_25519_ChaChaPoly_SHA256".getBytes(US_ASCII);
    private static final byte[] SIGNED_PREFIX = "noise-libp2p-static-key:".getBytes(US_ASCII);
    private static final int DH_BYTES = X25519.POINT_SIZE;
    private static final int TAG_BYTES = ChaChaPoly.TAG_BYTES;
    private static final byte[] NOTHING = {};

    private final boolean dialer;
    private final byte[] staticKey;
    private final byte[] ephemeralKey;
    private final byte[] payload;

    private byte[] hash = NAME;
    private byte[] chainingKey = NAME;
    private @Nullable ChaChaPoly cipher;
    private byte @Nullable [] remoteEphemeral;
    private byte @Nullable [] remoteStatic;
    private @Nullable PeerId remote;
    private List<String> remoteMuxers = List.of();
    private int messages;

    /** Both directions of the transport that a handshake ends in. */
    record Transport(ChaChaPoly sending, ChaChaPoly receiving) {}

    /**
     * @param staticKey 32 random bytes, for this connection alone
     * @param ephemeralKey likewise
     * @param identity signs the static key
     * @param muxers in order of preference; goes out with the identity
     */
    NoiseHandshake(
            boolean dialer,
            byte[] staticKey,
            byte[] ephemeralKey,
            KeyPair identity,
            List<String> muxers) {
        this.dialer = dialer;
        this.staticKey = staticKey.clone();
        this.ephemeralKey = ephemeralKey.clone();
        this.payload = payload(identity, publicOf(staticKey), muxers);
        mixHash(NOTHING, 0, 0); // The prologue.
    }

    private static byte[] payload(KeyPair identity, byte[] staticPublic, List<String> muxers) {
        byte[] signature = identity.sign(Domain.NONE, signed(staticPublic));
        byte[] key = PeerId.of(identity.publicKey()).publicKey();
        return new NoisePayload(key, signature, muxers).encode();
    }

    private static byte[] signed(byte[] staticPublic) {
        byte[] signed = Arrays.copyOf(SIGNED_PREFIX, SIGNED_PREFIX.length + DH_BYTES);
        System.arraycopy(staticPublic, 0, signed, SIGNED_PREFIX.length, DH_BYTES);
        return signed;
    }

    /** Whether the next message is ours to write. */
    boolean isOurTurn() {
        return messages < 3 && dialer == (messages % 2 == 0);
    }

    /** Whether all three messages went. */
    boolean isDone() {
        return messages == 3;
    }

    /** Our next message, without the length that goes before it. */
    byte[] write() {
        ByteBuf message = Unpooled.buffer(512);
        switch (messages++) {
            case 0 -> {
                writeEphemeral(message);
                mixHash(NOTHING, 0, 0); // The empty payload.
            }
            case 1 -> {
                writeEphemeral(message);
                agree(ephemeralKey, known(remoteEphemeral));
                writeEncrypted(publicOf(staticKey), message);
                agree(staticKey, known(remoteEphemeral));
                writeEncrypted(payload, message);
            }
            default -> {
                writeEncrypted(publicOf(staticKey), message);
                agree(staticKey, known(remoteEphemeral));
                writeEncrypted(payload, message);
            }
        }
        return ByteBufUtil.getBytes(message);
    }

    /** Reads the peer's next message; false if it is wrong, after which nothing works any more. */
    boolean read(byte[] message) {
        return switch (messages++) {
            case 0 -> readEphemeral(message) && mixRest(message);
            case 1 ->
                    readEphemeral(message)
                            && agree(ephemeralKey, known(remoteEphemeral))
                            && readStatic(message, DH_BYTES)
                            && agree(ephemeralKey, known(remoteStatic))
                            && readPayload(message, 2 * DH_BYTES + TAG_BYTES);
            default ->
                    readStatic(message, 0)
                            && agree(ephemeralKey, known(remoteStatic))
                            && readPayload(message, DH_BYTES + TAG_BYTES);
        };
    }

    /** The peer, which has proved who it is. */
    PeerId remote() {
        return known(remote);
    }

    /**
     * The muxer that both know: the first of the dialer's list that the other has too, if both sent
     * a list and one is common; else null, and it is negotiated afterwards.
     */
    @Nullable String muxer(List<String> ours) {
        List<String> preferred = dialer ? ours : remoteMuxers;
        List<String> other = dialer ? remoteMuxers : ours;
        return preferred.stream().filter(other::contains).findFirst().orElse(null);
    }

    /** The hash over all of the handshake. */
    byte[] hash() {
        return hash.clone();
    }

    /** Ends the handshake. */
    Transport split() {
        byte[][] keys = expand(NOTHING);
        var first = new ChaChaPoly(keys[0]);
        var second = new ChaChaPoly(keys[1]);
        Arrays.fill(staticKey, (byte) 0);
        Arrays.fill(ephemeralKey, (byte) 0);
        return dialer ? new Transport(first, second) : new Transport(second, first);
    }

    private void writeEphemeral(ByteBuf message) {
        byte[] ephemeral = publicOf(ephemeralKey);
        mixHash(ephemeral, 0, DH_BYTES);
        message.writeBytes(ephemeral);
    }

    private void writeEncrypted(byte[] plain, ByteBuf message) {
        byte[] sealed = Arrays.copyOf(plain, plain.length + TAG_BYTES);
        known(cipher).seal(sealed, 0, plain.length, hash);
        mixHash(sealed, 0, sealed.length);
        message.writeBytes(sealed);
    }

    private boolean readEphemeral(byte[] message) {
        if (message.length < DH_BYTES) {
            return false;
        }
        remoteEphemeral = Arrays.copyOf(message, DH_BYTES);
        mixHash(message, 0, DH_BYTES);
        // A point of small order, with which no secret is one, is found here and not when writing.
        byte[] secret = new byte[DH_BYTES];
        return X25519.calculateAgreement(ephemeralKey, 0, message, 0, secret, 0);
    }

    /** A payload of the first message is not encrypted, and of no use. */
    private boolean mixRest(byte[] message) {
        mixHash(message, DH_BYTES, message.length - DH_BYTES);
        return true;
    }

    private boolean readStatic(byte[] message, int at) {
        byte[] key = readEncrypted(message, at, DH_BYTES + TAG_BYTES);
        remoteStatic = key;
        return key != null;
    }

    private byte @Nullable [] readEncrypted(byte[] message, int at, int length) {
        if (length < TAG_BYTES || length > message.length - at) {
            return null;
        }
        byte[] bytes = Arrays.copyOfRange(message, at, at + length);
        if (!known(cipher).open(bytes, 0, length, hash)) {
            return null;
        }
        mixHash(message, at, length);
        return Arrays.copyOf(bytes, length - TAG_BYTES);
    }

    /** The identity, and its signature of the static key. */
    private boolean readPayload(byte[] message, int at) {
        byte[] plain = readEncrypted(message, at, message.length - at);
        if (plain == null) {
            return false;
        }
        NoisePayload said = NoisePayload.decode(plain);
        if (said == null) {
            return false;
        }
        remoteMuxers = said.muxers();
        remote = PeerId.ofPublicKey(said.key());
        return remote != null
                && Ed25519.verify(
                        remote.key(), said.signature(), Domain.NONE, signed(known(remoteStatic)));
    }

    private void mixHash(byte[] bytes, int offset, int length) {
        byte[] joined = Arrays.copyOf(hash, hash.length + length);
        System.arraycopy(bytes, offset, joined, hash.length, length);
        hash = HashFunction.SHA256.digest(Domain.NONE, joined, 0, joined.length);
    }

    /** Mixes a shared secret into the key; false if the peer's point makes it known to all. */
    private boolean agree(byte[] ours, byte[] theirs) {
        byte[] secret = new byte[DH_BYTES];
        if (!X25519.calculateAgreement(ours, 0, theirs, 0, secret, 0)) {
            return false;
        }
        byte[][] keys = expand(secret);
        chainingKey = keys[0];
        cipher = new ChaChaPoly(keys[1]);
        return true;
    }

    /** HKDF with two outputs. */
    private byte[][] expand(byte[] secret) {
        byte[] extracted = hmac(chainingKey, secret);
        byte[] first = hmac(extracted, new byte[] {1});
        byte[] input = Arrays.copyOf(first, first.length + 1);
        input[first.length] = 2;
        return new byte[][] {first, hmac(extracted, input)};
    }

    private static byte[] hmac(byte[] key, byte[] message) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(message);
        } catch (NoSuchAlgorithmException | InvalidKeyException impossible) {
            throw new AssertionError("every JDK has it, for keys of any length", impossible);
        }
    }

    private static byte[] publicOf(byte[] key) {
        byte[] point = new byte[DH_BYTES];
        X25519.generatePublicKey(key, 0, point, 0);
        return point;
    }

    private static <T> T known(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("asked out of turn");
        }
        return value;
    }
}
