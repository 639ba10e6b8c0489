package topspin.net.p2p;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import org.bouncycastle.math.ec.rfc7748.X25519;

import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Ed25519.KeyPair;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;

import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A peer that says any yamux frame it likes: blocking sockets, and the layers below written from
 * the specification with the JDK's cipher, so that nothing of ours is on this side.
 */
public final class RawMuxer implements AutoCloseable {
    public static final int DATA = 0;
    public static final int WINDOW = 1;
    public static final int PING = 2;
    public static final int GO_AWAY = 3;
    public static final int SYN = 1;
    public static final int ACK = 2;
    public static final int FIN = 4;
    public static final int RST = 8;

    private static final int WAIT_MILLIS = 15_000;
    private static final byte[] NAME = "Noise_XX_25519_ChaChaPoly_SHA256".getBytes(US_ASCII);

    private final Socket socket;
    private final DataInputStream in;
    private final KeyPair identity;
    private byte[] sendKey = {};
    private byte[] receiveKey = {};
    private long sent;
    private long received;

    /** What came of each stream, by id. Guarded by this. */
    private final Map<Integer, Stream> streams = new HashMap<>();

    private final List<int[]> pongs = new ArrayList<>();
    private boolean closed;
    private boolean goneAway;
    private boolean answersPings = true;
    private int nextId = 1;

    /** Protocols that are agreed to when the other side opens a stream. */
    private final Set<String> speaks;

    /** How the handshake goes. */
    public enum Greeting {
        USUAL,
        PAYLOAD_IN_THE_FIRST_MESSAGE,
        BAD_SIGNATURE,
        EMPTY_PAYLOAD,
        UNKNOWN_FIELD,
        NO_EXTENSIONS,
        OTHER_MUXER
    }

    private static final class Stream {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int read;
        long granted;
        boolean acknowledged;
        boolean finished;
        int reset = -1;

        /** Bytes of the negotiation of a stream that the other side opened. */
        int negotiated;

        String protocol = "";
    }

    public RawMuxer(int port, KeyPair identity, Greeting greeting, String... speaks)
            throws IOException {
        this.identity = identity;
        this.speaks = Set.of(speaks);
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(WAIT_MILLIS);
        in = new DataInputStream(socket.getInputStream());
        try {
            socket.getOutputStream().write(words("/multistream/1.0.0", "/noise"));
            expect("/multistream/1.0.0");
            expect("/noise");
            handshake(greeting);
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        } catch (IOException ended) {
            socket.close();
            throw ended;
        }
    }

    /** Begins to read, with yamux agreed in the handshake or by multistream within. */
    public RawMuxer begin(boolean inner) throws IOException {
        if (inner) {
            seal(words("/multistream/1.0.0", "/yamux/1.0.0"));
            byte[] expected = words("/multistream/1.0.0", "/yamux/1.0.0");
            var got = new ByteArrayOutputStream();
            while (got.size() < expected.length) {
                got.writeBytes(open());
            }
            // A frame may have come behind it.
            byte[] all = got.toByteArray();
            if (!Arrays.equals(Arrays.copyOf(all, expected.length), expected)) {
                throw new IOException("no yamux");
            }
            pending.writeBytes(Arrays.copyOfRange(all, expected.length, all.length));
        }
        Thread.ofVirtual().start(this::readAll);
        return this;
    }

    public static RawMuxer connect(int port, KeyPair identity, String... speaks)
            throws IOException {
        return new RawMuxer(port, identity, Greeting.USUAL, speaks).begin(false);
    }

    public static byte[] words(String... words) {
        var bytes = new ByteArrayOutputStream();
        for (String word : words) {
            int length = word.length() + 1;
            if (length > 127) {
                bytes.write((length & 0x7f) | 0x80);
                bytes.write(length >> 7);
            } else {
                bytes.write(length);
            }
            bytes.writeBytes(word.getBytes(US_ASCII));
            bytes.write('\n');
        }
        return bytes.toByteArray();
    }

    private void expect(String word) throws IOException {
        byte[] expected = words(word);
        byte[] got = new byte[expected.length];
        in.readFully(got);
        if (!Arrays.equals(got, expected)) {
            throw new IOException("not " + word + " but " + new String(got, US_ASCII));
        }
    }

    // Noise XX, the dialer's part.

    private void handshake(Greeting greeting) throws IOException, GeneralSecurityException {
        byte[] ephemeral = new byte[32];
        byte[] fixed = new byte[32];
        new Random(identity.publicKey()[0]).nextBytes(ephemeral);
        new Random(identity.publicKey()[1]).nextBytes(fixed);
        byte[] hash = sha256(NAME, new byte[0]);
        byte[] chain = NAME;
        byte[] payload =
                greeting == Greeting.PAYLOAD_IN_THE_FIRST_MESSAGE
                        ? "early".getBytes(US_ASCII)
                        : new byte[0];
        byte[] ephemeralPublic = publicOf(ephemeral);
        hash = sha256(sha256(hash, ephemeralPublic), payload);
        writeNoise(join(ephemeralPublic, payload));

        byte[] second = readNoise();
        byte[] theirEphemeral = Arrays.copyOf(second, 32);
        hash = sha256(hash, theirEphemeral);
        byte[][] keys = hkdf(chain, agree(ephemeral, theirEphemeral));
        byte[] sealedStatic = Arrays.copyOfRange(second, 32, 80);
        byte[] theirStatic = crypt(false, keys[1], 0, hash, sealedStatic);
        hash = sha256(hash, sealedStatic);
        keys = hkdf(keys[0], agree(ephemeral, theirStatic));
        byte[] sealedPayload = Arrays.copyOfRange(second, 80, second.length);
        crypt(false, keys[1], 0, hash, sealedPayload); // Throws if it is not what it should be.
        hash = sha256(hash, sealedPayload);

        byte[] fixedPublic = publicOf(fixed);
        byte[] third = crypt(true, keys[1], 1, hash, fixedPublic);
        hash = sha256(hash, third);
        keys = hkdf(keys[0], agree(fixed, theirEphemeral));
        byte[] proof = crypt(true, keys[1], 0, hash, payload(greeting, fixedPublic));
        writeNoise(join(third, proof));
        keys = hkdf(keys[0], new byte[0]);
        sendKey = keys[0];
        receiveKey = keys[1];
    }

    private byte[] payload(Greeting greeting, byte[] fixedPublic) {
        if (greeting == Greeting.EMPTY_PAYLOAD) {
            return new byte[0];
        }
        byte[] signed = join("noise-libp2p-static-key:".getBytes(US_ASCII), fixedPublic);
        byte[] signature = identity.sign(Domain.NONE, signed);
        if (greeting == Greeting.BAD_SIGNATURE) {
            signature[7] ^= 1;
        }
        byte[] fields =
                join(
                        join(HexFormat.of().parseHex("0a2408011220"), identity.publicKey()),
                        join(new byte[] {0x12, 0x40}, signature));
        byte[] muxer =
                greeting == Greeting.OTHER_MUXER
                        ? "/mplex/6.7.0".getBytes(US_ASCII)
                        : "/yamux/1.0.0".getBytes(US_ASCII);
        byte[] extensions =
                join(
                        new byte[] {0x22, (byte) (muxer.length + 2), 0x12, (byte) muxer.length},
                        muxer);
        return switch (greeting) {
            case NO_EXTENSIONS -> fields;
            case UNKNOWN_FIELD -> join(join(fields, extensions), new byte[] {0x4a, 1, 7});
            default -> join(fields, extensions);
        };
    }

    private static byte[] join(byte[] one, byte[] other) {
        byte[] joined = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, joined, one.length, other.length);
        return joined;
    }

    private static byte[] sha256(byte[] hash, byte[] more) throws GeneralSecurityException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(hash);
        return digest.digest(more);
    }

    private static byte[] publicOf(byte[] key) {
        byte[] point = new byte[32];
        X25519.generatePublicKey(key, 0, point, 0);
        return point;
    }

    private static byte[] agree(byte[] ours, byte[] theirs) {
        byte[] secret = new byte[32];
        X25519.calculateAgreement(ours, 0, theirs, 0, secret, 0);
        return secret;
    }

    private static byte[][] hkdf(byte[] chain, byte[] secret) throws GeneralSecurityException {
        byte[] extracted = hmac(chain, secret);
        byte[] first = hmac(extracted, new byte[] {1});
        return new byte[][] {first, hmac(extracted, join(first, new byte[] {2}))};
    }

    private static byte[] hmac(byte[] key, byte[] message) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(message);
    }

    private static byte[] crypt(
            boolean encrypt, byte[] key, long nonce, byte[] associated, byte[] bytes)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("ChaCha20-Poly1305");
        byte[] iv =
                ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putLong(4, nonce).array();
        cipher.init(
                encrypt ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE,
                new SecretKeySpec(key, "ChaCha20"),
                new IvParameterSpec(iv));
        cipher.updateAAD(associated);
        return cipher.doFinal(bytes);
    }

    private void writeNoise(byte[] message) throws IOException {
        socket.getOutputStream()
                .write(
                        join(
                                new byte[] {(byte) (message.length >> 8), (byte) message.length},
                                message));
    }

    private byte[] readNoise() throws IOException {
        byte[] message = new byte[in.readUnsignedShort()];
        in.readFully(message);
        return message;
    }

    private synchronized void seal(byte[] plain) throws IOException {
        try {
            for (int at = 0; at < plain.length; at += 65_519) {
                byte[] part = Arrays.copyOfRange(plain, at, Math.min(plain.length, at + 65_519));
                writeNoise(crypt(true, sendKey, sent++, new byte[0], part));
            }
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private byte[] open() throws IOException {
        try {
            return crypt(false, receiveKey, received++, new byte[0], readNoise());
        } catch (GeneralSecurityException wrong) {
            throw new IOException(wrong);
        }
    }

    // Yamux.

    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();

    private void readAll() {
        try {
            socket.setSoTimeout(0);
            byte[] bytes = pending.toByteArray();
            while (true) {
                int at = 0;
                while (bytes.length - at >= 12) {
                    ByteBuffer header = ByteBuffer.wrap(bytes, at, 12);
                    int type = header.get(at + 1);
                    int length = header.getInt(at + 8);
                    int body = type == DATA ? length : 0;
                    if (bytes.length - at - 12 < body) {
                        break;
                    }
                    arrived(
                            type,
                            header.getShort(at + 2),
                            header.getInt(at + 4),
                            length,
                            Arrays.copyOfRange(bytes, at + 12, at + 12 + body));
                    at += 12 + body;
                }
                bytes = join(Arrays.copyOfRange(bytes, at, bytes.length), open());
            }
        } catch (IOException ended) {
            synchronized (this) {
                closed = true;
                notifyAll();
            }
        }
    }

    private synchronized void arrived(int type, int flags, int id, int length, byte[] body)
            throws IOException {
        switch (type) {
            case PING -> {
                if ((flags & SYN) == 0) {
                    pongs.add(new int[] {flags, length});
                } else if (answersPings) {
                    frame(PING, ACK, 0, length);
                }
            }
            case GO_AWAY -> goneAway = true;
            default -> {
                Stream stream = streams.computeIfAbsent(id, fresh -> new Stream());
                stream.bytes.writeBytes(body);
                stream.acknowledged |= (flags & ACK) != 0;
                stream.finished |= (flags & FIN) != 0;
                if ((flags & RST) != 0) {
                    stream.reset = type == WINDOW ? length : 0;
                } else if (type == WINDOW) {
                    stream.granted += length;
                }
                if ((id & 1) == 0) {
                    negotiate(id, stream);
                }
            }
        }
        notifyAll();
    }

    /** Answers a stream that the other side opened. */
    private void negotiate(int id, Stream stream) throws IOException {
        while (stream.protocol.isEmpty()) {
            byte[] all = stream.bytes.toByteArray();
            int at = stream.negotiated;
            if (at == all.length || all.length - at - 1 < all[at]) {
                return;
            }
            String word = new String(all, at + 1, all[at] - 1, US_ASCII);
            stream.negotiated = at + 1 + all[at];
            if (word.startsWith("/multistream")) {
                data(id, 0, words(word));
            } else if (speaks.contains(word)) {
                data(id, 0, words(word));
                stream.protocol = word;
                stream.read = stream.negotiated;
            } else {
                data(id, 0, words("na"));
            }
        }
    }

    /** From now on pings go unanswered. */
    public synchronized void ignorePings() {
        answersPings = false;
    }

    public void frame(int type, int flags, int id, int length) throws IOException {
        seal(header(0, type, flags, id, length));
    }

    public static byte[] header(int version, int type, int flags, int id, int length) {
        return ByteBuffer.allocate(12)
                .put((byte) version)
                .put((byte) type)
                .putShort((short) flags)
                .putInt(id)
                .putInt(length)
                .array();
    }

    /** Bytes between frames, or anything else. */
    public void raw(byte[] bytes) throws IOException {
        seal(bytes);
    }

    public void data(int id, int flags, byte[] bytes) throws IOException {
        seal(join(header(0, DATA, flags, id, bytes.length), bytes));
    }

    /** An id that was not used yet. */
    public synchronized int newId() {
        int id = nextId;
        nextId += 2;
        return id;
    }

    /** Opens a stream and proposes a protocol; what it says next is behind the negotiation. */
    public int open(String protocol) throws IOException {
        int id = newId();
        frame(WINDOW, SYN, id, 0);
        data(id, 0, words("/multistream/1.0.0", protocol));
        byte[] expected = words("/multistream/1.0.0", protocol);
        byte[] got = read(id, expected.length);
        if (!Arrays.equals(got, expected)) {
            throw new IOException("refused: " + new String(got, US_ASCII));
        }
        return id;
    }

    /** The next bytes of a stream. */
    public byte[] read(int id, int length) throws IOException {
        await(
                "bytes of stream " + id,
                muxer -> {
                    Stream stream = muxer.streams.get(id);
                    return stream != null && stream.bytes.size() - stream.read >= length;
                });
        synchronized (this) {
            Stream stream = streams.get(id);
            byte[] all = stream.bytes.toByteArray();
            byte[] next = Arrays.copyOfRange(all, stream.read, stream.read + length);
            stream.read += length;
            return next;
        }
    }

    /** What has arrived on a stream and was not read yet, a character for each byte. */
    public synchronized String readAll(int id) {
        Stream stream = streams.get(id);
        byte[] all = stream.bytes.toByteArray();
        String rest = new String(all, stream.read, all.length - stream.read, ISO_8859_1);
        stream.read = all.length;
        return rest;
    }

    /** The stream that the other side opened for a protocol. */
    public int accepted(String protocol) throws IOException {
        await("a stream of " + protocol, muxer -> muxer.find(protocol) != 0);
        return find(protocol);
    }

    private synchronized int find(String protocol) {
        for (Map.Entry<Integer, Stream> entry : streams.entrySet()) {
            if (entry.getValue().protocol.equals(protocol)) {
                return entry.getKey();
            }
        }
        return 0;
    }

    public synchronized boolean isFinished(int id) {
        return streams.containsKey(id) && streams.get(id).finished;
    }

    /** The code of a reset; -1 if there was none. */
    public synchronized int resetOf(int id) {
        return streams.containsKey(id) ? streams.get(id).reset : -1;
    }

    public synchronized boolean isAcknowledged(int id) {
        return streams.containsKey(id) && streams.get(id).acknowledged;
    }

    public synchronized long granted(int id) {
        return streams.containsKey(id) ? streams.get(id).granted : 0;
    }

    /** Streams of ours that were reset. */
    public synchronized long resets() {
        return streams.entrySet().stream()
                .filter(entry -> (entry.getKey() & 1) == 1 && entry.getValue().reset >= 0)
                .count();
    }

    public synchronized boolean isGoneAway() {
        return goneAway;
    }

    public void awaitReset(int id) throws IOException {
        await("stream " + id + " is reset", muxer -> muxer.resetOf(id) >= 0);
    }

    public void awaitFinished(int id) throws IOException {
        await("stream " + id + " ends", muxer -> muxer.isFinished(id));
    }

    /** The connection is over. */
    public void awaitClosed() throws IOException {
        await("the connection ends", muxer -> muxer.closed);
    }

    /** A ping comes back: all that was said before has been looked at, and we are still there. */
    public void awaitPong() throws IOException {
        int value;
        synchronized (this) {
            value = 1_000_000 + pongs.size();
        }
        frame(PING, SYN, 0, value);
        await(
                "a pong",
                muxer -> muxer.pongs.stream().anyMatch(pong -> pong[1] == value && pong[0] == ACK));
    }

    private void await(String what, Predicate<RawMuxer> condition) throws IOException {
        long end = System.nanoTime() + WAIT_MILLIS * 1_000_000L;
        synchronized (this) {
            while (!condition.test(this)) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0 || (closed && !what.equals("the connection ends"))) {
                    throw new IOException(
                            "never: " + what + (closed ? "; the connection is over" : ""));
                }
                try {
                    wait(left);
                } catch (InterruptedException interrupted) {
                    throw new IOException(interrupted);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
