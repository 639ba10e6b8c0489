package topspin.node.keys;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.OneTimeSecrets;
import topspin.codec.crypto.SumHash512;
import topspin.codec.crypto.Vrf;
import topspin.codec.msgpack.CanonicalWriter;

import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Makes participation keys. State-proof keys are left out: what is registered in their place is the
 * root of an empty tree, so that no state proof will ever ask for them.
 */
public final class KeyGenerator {
    /** Longest range of rounds, which key registrations are held to (validation.md section 4). */
    public static final long ROUNDS_MAX = (1L << 24) - 1;

    /** Batches that are made: some 13 seconds' worth, and 16 MB of them. */
    static final int BATCHES_MAX = 1 << 16;

    private static final byte[] NO_SIGNATURE = new byte[Ed25519.SIGNATURE_BYTES];

    private final SecureRandom random;

    public KeyGenerator(SecureRandom random) {
        this.random = random;
    }

    /**
     * Keys for a range of rounds. Takes 0.2 ms for each batch of {@code dilution} rounds.
     *
     * @param first first round, not negative
     * @param last last round, at least {@code first}
     * @param dilution rounds that share a batch key; 0 for the square root of the range, and one
     * @throws KeyFault when there are no such rounds
     */
    public ParticipationKeys generate(Address account, long first, long last, long dilution)
            throws KeyFault {
        if (first < 0 || last < first) {
            throw new KeyFault("first round " + first + " is after last round " + last);
        }
        if (last - first > ROUNDS_MAX) {
            throw new KeyFault(
                    "the validity period for mss is too large: the limit is " + ROUNDS_MAX);
        }
        long batchRounds = dilution != 0 ? dilution : 1 + (long) Math.sqrt((double) (last - first));
        if (batchRounds < 1 || batchRounds > OneTimeSecrets.DILUTION_MAX) {
            throw new KeyFault(
                    "a dilution is 1 to "
                            + OneTimeSecrets.DILUTION_MAX
                            + " rounds, not "
                            + Long.toUnsignedString(batchRounds));
        }
        if (last / batchRounds - first / batchRounds >= BATCHES_MAX) {
            throw new KeyFault(
                    "a dilution of "
                            + batchRounds
                            + " rounds would take more than "
                            + BATCHES_MAX
                            + " batches");
        }
        byte[] seed = new byte[Ed25519.SEED_BYTES];
        random.nextBytes(seed);
        try (Ed25519.KeyPair master = Ed25519.KeyPair.generate(random);
                Vrf.KeyPair vrf = Vrf.KeyPair.fromSeed(seed)) {
            byte[] vrfSecret = Arrays.copyOf(seed, ParticipationKeys.VRF_SECRET_BYTES);
            byte[] vrfKey = vrf.publicKey();
            System.arraycopy(vrfKey, 0, vrfSecret, seed.length, vrfKey.length);
            return ParticipationKeys.of(
                    account,
                    first,
                    last,
                    batchRounds,
                    Bytes.of(vrfSecret),
                    Digest.fromBytes(master.publicKey()),
                    Bytes.of(voting(master, first / batchRounds, last / batchRounds)),
                    Bytes.of(emptyTree()));
        } finally {
            Arrays.fill(seed, (byte) 0);
        }
    }

    /** The secrets of one-time signatures, one batch after the other, signed by the master key. */
    private byte[] voting(Ed25519.KeyPair master, long firstBatch, long lastBatch) {
        CanonicalWriter out = new CanonicalWriter();
        out.writeMapHeader(firstBatch == 0 ? 2 : 3);
        if (firstBatch != 0) {
            out.writeText("First");
            out.writeUint(firstBatch);
        }
        out.writeText("OneTimeSignatureVerifier");
        write(master.publicKey(), out);
        out.writeText("Sub");
        out.writeArrayHeader((int) (lastBatch - firstBatch + 1));
        for (long batch = firstBatch; batch <= lastBatch; batch++) {
            try (Ed25519.KeyPair pair = Ed25519.KeyPair.generate(random)) {
                byte[] key = pair.publicKey();
                byte[] secret = Arrays.copyOf(pair.seed(), 2 * Ed25519.SEED_BYTES);
                System.arraycopy(key, 0, secret, Ed25519.SEED_BYTES, key.length);
                out.writeMapHeader(4);
                out.writeText("PK");
                write(key, out);
                out.writeText("PKSig");
                write(NO_SIGNATURE, out);
                out.writeText("SK");
                write(secret, out);
                out.writeText("sig2");
                write(master.sign(Domain.OT1, batchIdentity(batch, key)), out);
                Arrays.fill(secret, (byte) 0);
            }
        }
        return out.toByteArray();
    }

    private static byte[] batchIdentity(long batch, byte[] key) {
        CanonicalWriter out = new CanonicalWriter();
        out.writeMapHeader(2);
        out.writeText("batch");
        out.writeUint(batch);
        out.writeText("pk");
        write(key, out);
        return out.toByteArray();
    }

    private static byte[] emptyTree() {
        byte[] nothing = {'M', 'B'};
        return SumHash512.digest(nothing, 0, nothing.length);
    }

    private static void write(byte[] bytes, CanonicalWriter out) {
        out.writeBytes(bytes, 0, bytes.length);
    }
}
