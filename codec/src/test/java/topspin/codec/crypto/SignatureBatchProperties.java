package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import topspin.codec.crypto.SignatureEngine.Mode;

import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * A batch says of each of its signatures what single verification says, and both what the rule
 * says.
 */
class SignatureBatchProperties {
    private static final int CAPACITY = 80;
    private static final BigInteger L = Scalar25519.L;

    /** What a signature is made to be. */
    enum Kind {
        VALID(true),
        OTHER_MESSAGE(false),
        FLIPPED_R(false),
        FLIPPED_S(false),
        FLIPPED_KEY(false),
        S_NOT_REDUCED(false),
        /** The key is a point plus one of order 8, and so is R; only the cofactor makes it hold. */
        MIXED_ORDER(true),
        SMALL_ORDER_KEY(false),
        /** R = 0 is legal: S = k·a. */
        SMALL_ORDER_R(true),
        /** R is 1, written as p + 1. */
        NON_CANONICAL_R(false),
        /** The key is 0, written as p: small as well, which must not matter. */
        NON_CANONICAL_KEY(false),
        /** R is x = 0, y = 1 with the sign bit set. */
        NEGATIVE_ZERO_R(false);

        private final boolean isAccepted;

        Kind(boolean isAccepted) {
            this.isAccepted = isAccepted;
        }
    }

    record Entry(Kind kind, byte[] key, byte[] signature, byte[] message) {
        @Override
        public String toString() {
            HexFormat hex = HexFormat.of();
            return "%s key %s signature %s message %s"
                    .formatted(
                            kind,
                            hex.formatHex(key),
                            hex.formatHex(signature),
                            hex.formatHex(message));
        }
    }

    @Provide
    Arbitrary<List<Entry>> mixedBatches() {
        return entries(Arbitraries.of(Kind.class)).list().ofMinSize(1).ofMaxSize(CAPACITY);
    }

    @Provide
    Arbitrary<List<Entry>> acceptedBatches() {
        return entries(Arbitraries.of(Kind.VALID, Kind.MIXED_ORDER, Kind.SMALL_ORDER_R))
                .list()
                .ofMinSize(1)
                .ofMaxSize(CAPACITY);
    }

    private static Arbitrary<Entry> entries(Arbitrary<Kind> kinds) {
        return kinds.flatMap(
                kind ->
                        Arbitraries.longs()
                                .flatMap(
                                        seed ->
                                                Arbitraries.bytes()
                                                        .array(byte[].class)
                                                        .ofMaxSize(300)
                                                        .map(bytes -> make(kind, seed, bytes))));
    }

    private static Entry make(Kind kind, long seed, byte[] message) {
        BigInteger a = hash("a" + seed);
        BigInteger r = hash("r" + seed);
        int flip = Math.floorMod(seed, 255);
        byte[] key = encode(point(a));
        byte[] commitment = encode(point(r));
        switch (kind) {
            case VALID, OTHER_MESSAGE, FLIPPED_R, FLIPPED_S, FLIPPED_KEY, S_NOT_REDUCED -> {}
            case MIXED_ORDER -> {
                key = encode(plus(point(a), ORDER_EIGHT));
                commitment = encode(plus(point(r), plus(ORDER_EIGHT, ORDER_EIGHT)));
            }
            case SMALL_ORDER_KEY -> {
                a = BigInteger.ZERO;
                key = encode(ORDER_EIGHT);
            }
            case SMALL_ORDER_R -> {
                r = BigInteger.ZERO;
                commitment = encode(ORDER_EIGHT);
            }
            case NON_CANONICAL_R -> {
                r = BigInteger.ZERO;
                commitment = littleEndian(Field25519.P.add(BigInteger.ONE));
            }
            case NON_CANONICAL_KEY -> {
                a = BigInteger.ZERO;
                key = littleEndian(Field25519.P);
            }
            case NEGATIVE_ZERO_R -> {
                r = BigInteger.ZERO;
                commitment = littleEndian(BigInteger.ONE.setBit(255));
            }
        }
        MessageDigest sha512 = HashFunction.SHA512.newDigest();
        sha512.update(commitment);
        sha512.update(key);
        sha512.update(Domain.MX.bytes());
        byte[] digest = sha512.digest(message);
        BigInteger s = r.add(fromLittleEndian(digest).multiply(a)).mod(L);
        byte[] signature = Arrays.copyOf(commitment, 64);
        BigInteger written = kind == Kind.S_NOT_REDUCED ? s.add(L) : s;
        System.arraycopy(littleEndian(written), 0, signature, 32, 32);
        byte[] claimed = message;
        switch (kind) {
            case OTHER_MESSAGE -> claimed = Arrays.copyOf(message, message.length + 1);
            case FLIPPED_R -> signature[flip / 8] ^= (byte) (1 << flip % 8);
            case FLIPPED_S -> signature[32 + flip / 8] ^= (byte) (1 << flip % 8);
            case FLIPPED_KEY -> key[flip / 8] ^= (byte) (1 << flip % 8);
            case VALID,
                    S_NOT_REDUCED,
                    MIXED_ORDER,
                    SMALL_ORDER_KEY,
                    SMALL_ORDER_R,
                    NON_CANONICAL_R,
                    NON_CANONICAL_KEY,
                    NEGATIVE_ZERO_R -> {}
        }
        return new Entry(kind, key, signature, claimed);
    }

    private static final long[] ORDER_EIGHT = new long[Edwards25519.POINT];

    static {
        byte[] y =
                littleEndian(
                        new BigInteger(
                                "7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7",
                                16));
        assertThat(Edwards25519.decompress(ORDER_EIGHT, 0, y, 0, new long[Edwards25519.WORK]))
                .isTrue();
    }

    private static BigInteger hash(String text) {
        return fromLittleEndian(HashFunction.SHA512.newDigest().digest(text.getBytes(US_ASCII)))
                .mod(L);
    }

    private static long[] point(BigInteger scalar) {
        var point = new long[Edwards25519.POINT];
        new SecretMultiplier().multiply(point, 0, Edwards25519.BASE, 0, Scalar25519.of(scalar), 0);
        return point;
    }

    private static long[] plus(long[] a, long[] b) {
        var cached = new long[Edwards25519.POINT];
        var sum = new long[Edwards25519.POINT];
        Edwards25519.cache(cached, 0, b, 0);
        Edwards25519.add(sum, 0, a, 0, cached, 0, new long[Edwards25519.WORK]);
        return sum;
    }

    private static byte[] encode(long[] point) {
        var bytes = new byte[32];
        Edwards25519.compress(point, 0, bytes, 0, new long[Edwards25519.WORK]);
        return bytes;
    }

    private static byte[] littleEndian(BigInteger value) {
        var bytes = new byte[32];
        Scalar25519.toBytes(Scalar25519.of(value), 0, bytes, 0);
        return bytes;
    }

    private static BigInteger fromLittleEndian(byte[] bytes) {
        var reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return new BigInteger(1, reversed);
    }

    private final Map<Mode, BatchVerifier> verifiers = new EnumMap<>(Mode.class);

    @Property(tries = 150)
    void mixedBatchesAreJudgedOneByOne(@ForAll("mixedBatches") List<Entry> entries) {
        check(entries);
    }

    @Property(tries = 50)
    void acceptedSignaturesPassTogether(@ForAll("acceptedBatches") List<Entry> entries) {
        check(entries);
    }

    private void check(List<Entry> entries) {
        var claims = new Claims(entries.size());
        var expected = new ArrayList<Boolean>();
        for (Entry entry : entries) {
            claims.add(
                    entry.key,
                    0,
                    entry.signature,
                    0,
                    Domain.MX,
                    entry.message,
                    0,
                    entry.message.length);
            boolean single = Ed25519.verify(entry.key, entry.signature, Domain.MX, entry.message);
            assertThat(single).as("%s", entry).isEqualTo(entry.kind.isAccepted);
            assertThat(single).as("%s", entry).isEqualTo(bouncyCastle(entry));
            expected.add(single);
        }
        for (Mode mode : Mode.values()) {
            var verdicts = new boolean[entries.size()];
            verifiers
                    .computeIfAbsent(
                            mode,
                            m -> new SignatureEngine(new SecureRandom()).newVerifier(m, CAPACITY))
                    .verify(claims, verdicts);
            for (int i = 0; i < verdicts.length; i++) {
                assertThat(verdicts[i])
                        .as("%s by %s, %d of %d", entries.get(i), mode, i, verdicts.length)
                        .isEqualTo(expected.get(i));
            }
        }
    }

    /** A second opinion, of code that shares nothing with ours. */
    private static boolean bouncyCastle(Entry entry) {
        byte[] signed = Domain.MX.prepend(entry.message, 0, entry.message.length);
        return org.bouncycastle.math.ec.rfc8032.Ed25519.verify(
                entry.signature, 0, entry.key, 0, signed, 0, signed.length);
    }
}
