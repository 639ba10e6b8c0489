package topspin.codec.crypto;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The secrets behind an account's {@link OneTimeSignature}s (agreement.md 2.5): a key for each
 * batch of rounds, and, for the batch under way, one for each round of it. What was deleted cannot
 * sign again, so that whoever takes the machine over cannot rewrite the past.
 *
 * <p>A round is named by its batch and the offset within: the round divided by the key's dilution,
 * and the remainder; all numbers are unsigned. One thread at a time. {@link #close} wipes the
 * secrets, and deletion wipes what it deletes.
 */
public final class OneTimeSecrets implements AutoCloseable {
    /** Most batches that {@link #generate} makes: about 1 GiB as stored. */
    public static final int BATCHES_MAX = 1 << 22;

    /** Most rounds of a batch that {@link #deleteBefore} takes apart: about 4 minutes. */
    public static final int DILUTION_MAX = 1 << 20;

    private static final Key FIRST = Key.of("First");
    private static final Key SUB = Key.of("Sub");
    private static final Key FIRST_OFFSET = Key.of("firstoff");
    private static final Key OFFSET_KEYS = Key.of("offkeys");
    private static final Key BATCH_KEY = Key.of("offpk2");
    private static final Key BATCH_KEY_SIGNATURE = Key.of("offpk2sig");

    /** Longer than any {@link Key}. */
    private static final byte[] VERIFIER = "OneTimeSignatureVerifier".getBytes(US_ASCII);

    private static final Key PK = Key.of("PK");
    private static final Key PKSIG = Key.of("PKSig");
    private static final Key SK = Key.of("SK");
    private static final Key SIG2 = Key.of("sig2");

    /** What a round takes of {@link #encodeRounds}, and its head. */
    public static final int ROUND_BYTES =
            Ed25519.SEED_BYTES + Ed25519.PUBLIC_KEY_BYTES + Ed25519.SIGNATURE_BYTES;

    /** "rounds" and a version. */
    private static final long ROUNDS_MAGIC = 0x726f_756e_6473_0001L;

    private static final int SECRET_BYTES = Ed25519.SEED_BYTES + Ed25519.PUBLIC_KEY_BYTES;
    private static final Bytes NO_SIGNATURE = Bytes.of(new byte[Ed25519.SIGNATURE_BYTES]);

    /** A key that was made to sign: once, if it is an offset's. */
    private record SubKey(Digest publicKey, byte[] seed, Bytes signature) {
        private void wipe() {
            Arrays.fill(seed, (byte) 0);
        }

        private Bytes sign(Domain domain, byte[] message) {
            try (var pair = Ed25519.KeyPair.fromSeed(seed)) {
                return Bytes.of(pair.sign(domain, message));
            }
        }
    }

    private final SecureRandom random;
    private final Digest masterKey;

    /** The first whole batch. The one before it is the batch under way, if there are offsets. */
    private long firstBatch;

    private final List<SubKey> batches = new ArrayList<>();

    // The batch under way.
    private long firstOffset;
    private final List<SubKey> offsets = new ArrayList<>();
    private Digest batchKey = Digest.ZERO;
    private Bytes batchKeySignature = Bytes.EMPTY;

    /** Keys of the rounds of the next batch, made before they are needed; or null. */
    private @Nullable Ahead ahead;

    /** Keys of a batch's rounds, from the first on. */
    private record Ahead(long batch, long first, long dilution, List<SubKey> offsets) {
        boolean isOf(long batch, long first, long dilution) {
            return this.batch == batch && this.first == first && this.dilution == dilution;
        }

        void wipe() {
            offsets.forEach(SubKey::wipe);
        }
    }

    private OneTimeSecrets(Digest masterKey, SecureRandom random) {
        this.masterKey = masterKey;
        this.random = random;
    }

    /**
     * Makes fresh secrets: about 0.2 ms a batch. The master key signs the batch keys and is
     * forgotten.
     *
     * @param count of batches, from {@code firstBatch} on
     * @throws IllegalArgumentException if there are none, or more than {@link #BATCHES_MAX}
     */
    public static OneTimeSecrets generate(long firstBatch, int count, SecureRandom random) {
        if (count < 1 || count > BATCHES_MAX) {
            throw new IllegalArgumentException("1 to " + BATCHES_MAX + " batches, not " + count);
        }
        try (var master = Ed25519.KeyPair.generate(random)) {
            var secrets = new OneTimeSecrets(Digest.fromBytes(master.publicKey()), random);
            secrets.firstBatch = firstBatch;
            for (int index = 0; index < count; index++) {
                long batch = firstBatch + index;
                secrets.batches.add(
                        newSubKey(
                                random,
                                master,
                                Domain.OT1,
                                key -> OneTimeSignature.batchIdentity(batch, key)));
            }
            return secrets;
        }
    }

    private interface Identity {
        byte[] of(Digest key);
    }

    private static SubKey newSubKey(
            SecureRandom random, Ed25519.KeyPair signer, Domain domain, Identity identity) {
        try (var pair = Ed25519.KeyPair.generate(random)) {
            Digest key = Digest.fromBytes(pair.publicKey());
            Bytes signature = Bytes.of(signer.sign(domain, identity.of(key)));
            return new SubKey(key, pair.seed(), signature);
        }
    }

    /** The key by which an account registers: all signatures hold under it. */
    public Digest masterKey() {
        return masterKey;
    }

    /**
     * Signs the domain's prefix and the message for a round. Of a batch that is still whole, a
     * fresh key signs, so that two signatures of one message differ.
     *
     * @return null if the round's key was deleted, or never was
     */
    public @Nullable OneTimeSignature sign(long batch, long offset, Domain domain, byte[] message) {
        long place = offset - firstOffset;
        if (batch + 1 == firstBatch && isBelow(place, offsets.size())) {
            SubKey key = offsets.get((int) place);
            return new OneTimeSignature(
                    key.sign(domain, message),
                    key.publicKey(),
                    key.signature(),
                    batchKey,
                    batchKeySignature);
        }
        if (!isBelow(batch - firstBatch, batches.size())) {
            return null;
        }
        SubKey whole = batches.get((int) (batch - firstBatch));
        SubKey fresh;
        try (var signer = Ed25519.KeyPair.fromSeed(whole.seed())) {
            fresh = offsetKey(signer, batch, offset);
        }
        try {
            return new OneTimeSignature(
                    fresh.sign(domain, message),
                    fresh.publicKey(),
                    fresh.signature(),
                    whole.publicKey(),
                    whole.signature());
        } finally {
            fresh.wipe();
        }
    }

    /**
     * Makes the keys of rounds that {@link #deleteBefore} with the same arguments would make, so
     * that it has not to. While the one thread that deletes is at this, another may sign.
     *
     * @throws IllegalArgumentException as {@link #deleteBefore} does
     */
    public void makeAhead(long batch, long offset, long dilution) {
        check(batch, offset, dilution);
        boolean isWhole = isBelow(batch - firstBatch, batches.size());
        if (!isWhole || (ahead != null && ahead.isOf(batch, offset, dilution))) {
            return;
        }
        dropAhead();
        SubKey whole = batches.get((int) (batch - firstBatch));
        ahead = new Ahead(batch, offset, dilution, roundKeys(whole, batch, offset, dilution));
    }

    private void dropAhead() {
        if (ahead != null) {
            ahead.wipe();
            ahead = null;
        }
    }

    /**
     * Deletes all that could sign for rounds before this one. In a batch that was whole until now,
     * makes the keys of its rounds from {@code offset} on, about 0.2 ms each, unless {@link
     * #makeAhead} has.
     *
     * @param dilution rounds a batch, 1 to {@link #DILUTION_MAX}
     * @throws IllegalArgumentException if it is not, or the offset is none of such a batch
     */
    public void deleteBefore(long batch, long offset, long dilution) {
        check(batch, offset, dilution);
        int order = Long.compareUnsigned(batch + 1, firstBatch);
        if (order == 0) {
            if (Long.compareUnsigned(offset, firstOffset) > 0) {
                int passed = (int) least(offset - firstOffset, offsets.size());
                drop(offsets, passed);
                firstOffset += passed;
            }
        } else if (order > 0) {
            drop(offsets, offsets.size());
            boolean hadBatches = !batches.isEmpty();
            drop(batches, (int) least(batch - firstBatch, batches.size()));
            if (hadBatches) {
                firstBatch = batch;
            }
            if (batches.isEmpty()) {
                dropAhead();
            } else {
                expand(batch, offset, dilution);
            }
        }
    }

    private static void check(long batch, long offset, long dilution) {
        if (dilution < 1 || dilution > DILUTION_MAX) {
            throw new IllegalArgumentException(
                    "1 to " + DILUTION_MAX + " rounds a batch, not " + dilution);
        }
        if (!isBelow(offset, dilution)) {
            throw new IllegalArgumentException(
                    Long.toUnsignedString(offset)
                            + " of a batch of "
                            + Long.toUnsignedString(dilution));
        }
    }

    /** Takes the first whole batch apart into keys for each of its rounds. */
    private void expand(long batch, long offset, long dilution) {
        makeAhead(batch, offset, dilution);
        SubKey whole = batches.getFirst();
        offsets.addAll(Objects.requireNonNull(ahead).offsets());
        ahead = null;
        firstOffset = offset;
        batchKey = whole.publicKey();
        batchKeySignature = whole.signature();
        drop(batches, 1);
        firstBatch++;
    }

    private List<SubKey> roundKeys(SubKey whole, long batch, long offset, long dilution) {
        List<SubKey> keys = new ArrayList<>();
        try (var signer = Ed25519.KeyPair.fromSeed(whole.seed())) {
            for (long next = offset; isBelow(next, dilution); next++) {
                keys.add(offsetKey(signer, batch, next));
            }
        }
        return keys;
    }

    private SubKey offsetKey(Ed25519.KeyPair signer, long batch, long offset) {
        return newSubKey(
                random,
                signer,
                Domain.OT2,
                key -> OneTimeSignature.offsetIdentity(batch, offset, key));
    }

    private static void drop(List<SubKey> keys, int count) {
        List<SubKey> passed = keys.subList(0, count);
        passed.forEach(SubKey::wipe);
        passed.clear();
    }

    private static boolean isBelow(long value, long bound) {
        return Long.compareUnsigned(value, bound) < 0;
    }

    private static long least(long a, long b) {
        return isBelow(a, b) ? a : b;
    }

    /**
     * How far deletion has come.
     *
     * @param firstBatch the first whole batch
     * @param firstOffset of the batch before it, the first that can sign
     * @param rounds of that batch that can sign, 0 if none is under way
     */
    public record Position(long firstBatch, long firstOffset, int rounds) {}

    public Position position() {
        return new Position(firstBatch, firstOffset, offsets.size());
    }

    /**
     * The batch under way in pieces of {@link #ROUND_BYTES}, of which a stored one can be erased in
     * its place: a head, then for each round, ascending, 32 bytes of secret, 32 of public key, 64
     * of signature. The caller wipes them when done.
     */
    public byte[] encodeRounds() {
        var out = ByteBuffer.allocate((1 + offsets.size()) * ROUND_BYTES);
        out.putLong(ROUNDS_MAGIC).putLong(firstBatch - 1).putLong(firstOffset);
        out.put(batchKey.toBytes());
        if (!batchKeySignature.isEmpty()) {
            out.put(batchKeySignature.toArray());
        }
        for (int i = 0; i < offsets.size(); i++) {
            SubKey key = offsets.get(i);
            out.position((1 + i) * ROUND_BYTES);
            out.put(key.seed()).put(key.publicKey().toBytes()).put(key.signature().toArray());
        }
        return out.array();
    }

    /**
     * Takes over a batch under way that {@link #encodeRounds} gave; whole batches up to it are
     * deleted. What is older than these secrets is let be. Rounds whose secret is erased are over.
     *
     * @throws MalformedMessage if it is none
     */
    public void takeRounds(byte[] stored) throws MalformedMessage {
        var in = ByteBuffer.wrap(stored);
        int count = stored.length / ROUND_BYTES - 1;
        if (count < 0 || stored.length % ROUND_BYTES != 0 || in.getLong() != ROUNDS_MAGIC) {
            throw new MalformedMessage("no keys of rounds", 0);
        }
        long batch = in.getLong();
        long first = in.getLong();
        if (Long.compareUnsigned(batch + 1, firstBatch) < 0) {
            return;
        }
        drop(offsets, offsets.size());
        drop(batches, (int) least(batch + 1 - firstBatch, batches.size()));
        firstBatch = batch + 1;
        batchKey = Digest.of(stored, in.position());
        batchKeySignature = signature(stored, in.position() + Digest.BYTES);
        int erased = 0;
        for (int i = 0; i < count; i++) {
            int at = (1 + i) * ROUND_BYTES;
            byte[] seed = Arrays.copyOfRange(stored, at, at + Ed25519.SEED_BYTES);
            if (offsets.isEmpty() && Arrays.equals(seed, new byte[Ed25519.SEED_BYTES])) {
                erased++;
                continue;
            }
            int key = at + Ed25519.SEED_BYTES;
            Bytes signature = signature(stored, key + Ed25519.PUBLIC_KEY_BYTES);
            offsets.add(new SubKey(Digest.of(stored, key), seed, signature));
        }
        firstOffset = first + erased;
    }

    private static Bytes signature(byte[] from, int at) {
        return Bytes.of(Arrays.copyOfRange(from, at, at + Ed25519.SIGNATURE_BYTES));
    }

    /** Wipes all secrets; nothing can be signed then. */
    @Override
    public void close() {
        dropAhead();
        drop(offsets, offsets.size());
        drop(batches, batches.size());
    }

    /**
     * The secrets as the reference stores them, about 270 bytes for each key; the caller wipes them
     * when done.
     */
    public byte[] encode() {
        return encode(firstOffset, offsets, batchKey, batchKeySignature);
    }

    /**
     * As {@link #encode}, without the batch under way, which {@link #encodeRounds} gives. The
     * caller wipes them when done.
     */
    public byte[] encodeBatches() {
        return encode(0, List.of(), Digest.ZERO, Bytes.EMPTY);
    }

    private byte[] encode(
            long firstOffset, List<SubKey> offsets, Digest batchKey, Bytes batchKeySignature) {
        var out = new CanonicalWriter(512 + 300 * (batches.size() + offsets.size()));
        long map = out.openMap();
        out.uint(FIRST, firstBatch);
        out.longKey(VERIFIER);
        out.writeDigest(masterKey);
        encode(SUB, batches, out);
        out.uint(FIRST_OFFSET, firstOffset);
        encode(OFFSET_KEYS, offsets, out);
        out.digest(BATCH_KEY, batchKey);
        out.bytes(BATCH_KEY_SIGNATURE, batchKeySignature);
        out.closeMap(map);
        byte[] encoded = out.toByteArray();
        Arrays.fill(out.array(), (byte) 0);
        return encoded;
    }

    private static void encode(Key name, List<SubKey> keys, CanonicalWriter out) {
        out.arrayHeader(name, keys.size());
        for (SubKey key : keys) {
            long map = out.openMap();
            out.key(PK);
            out.writeDigest(key.publicKey());
            out.key(PKSIG);
            out.writeBytes(NO_SIGNATURE);
            out.key(SK);
            byte[] secret = Arrays.copyOf(key.seed(), SECRET_BYTES);
            key.publicKey().writeTo(secret, Ed25519.SEED_BYTES);
            out.writeBytes(secret, 0, SECRET_BYTES);
            Arrays.fill(secret, (byte) 0);
            out.key(SIG2);
            out.writeBytes(key.signature());
            out.closeMap(map);
        }
    }

    /**
     * Reads what {@link #encode} or the reference wrote, copying the secrets. That each secret
     * belongs to its public key is not checked, which would take 0.05 ms each.
     *
     * @param random makes the keys of rounds to come
     * @throws MalformedMessage if it is not that, to the byte
     */
    public static OneTimeSecrets decode(byte[] bytes, int offset, int length, SecureRandom random)
            throws MalformedMessage {
        var in = new MsgpackReader().reset(bytes, offset, length);
        int fields = in.readMapHeader();
        long firstBatch = 0;
        int start = in.position();
        if (fields > 0 && in.startsWith(FIRST)) {
            in.skip();
            firstBatch = in.readUint();
            if (firstBatch == 0) {
                throw in.malformed("zero value present under key " + FIRST, start);
            }
            fields--;
            start = in.position();
        }
        if (fields == 0 || !in.readText(VERIFIER.length).equals(Bytes.of(VERIFIER))) {
            throw in.malformed("no one-time secrets", start);
        }
        var secrets = new OneTimeSecrets(in.readDigest(), random);
        secrets.firstBatch = firstBatch;
        int outer = in.openFields(fields - 1);
        decode(SUB, in, secrets.batches);
        secrets.firstOffset = in.uint(FIRST_OFFSET);
        decode(OFFSET_KEYS, in, secrets.offsets);
        secrets.batchKey = in.digest(BATCH_KEY);
        Bytes signature = in.fixed(BATCH_KEY_SIGNATURE, Ed25519.SIGNATURE_BYTES);
        secrets.batchKeySignature = signature.compact();
        in.closeElement(outer);
        if (!in.atEnd()) {
            throw in.malformed("bytes behind the end", in.position());
        }
        return secrets;
    }

    private static void decode(Key name, MsgpackReader in, List<SubKey> into)
            throws MalformedMessage {
        int size = in.array(name, Integer.MAX_VALUE);
        for (int index = 0; index < size; index++) {
            int start = in.position();
            int outer = in.openMap();
            Digest publicKey = in.digest(PK);
            boolean blank =
                    in.at(PKSIG) && in.readFixed(Ed25519.SIGNATURE_BYTES).equals(NO_SIGNATURE);
            if (!blank) {
                throw in.malformed("no blank signature of the old style", start);
            }
            in.endField();
            Bytes secret = in.fixed(SK, SECRET_BYTES);
            Bytes signature = in.fixed(SIG2, Ed25519.SIGNATURE_BYTES);
            in.closeElement(outer);
            if (secret.isEmpty()
                    || signature.isEmpty()
                    || !publicKey.isAt(secret.array(), secret.offset() + Ed25519.SEED_BYTES)) {
                throw in.malformed("no one-time key", start);
            }
            byte[] seed =
                    Arrays.copyOfRange(
                            secret.array(), secret.offset(), secret.offset() + Ed25519.SEED_BYTES);
            into.add(new SubKey(publicKey, seed, signature.compact()));
        }
        if (size > 0) {
            in.endField();
        }
    }
}
