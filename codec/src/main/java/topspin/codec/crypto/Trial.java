package topspin.codec.crypto;

import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * One comparison of the vector engine with the scalar one, on signatures of known worth. Runs both
 * in turn until both have stopped getting faster, or the time is up; one different result ends it.
 * For one thread.
 */
final class Trial {
    /**
     * Signatures and digests of a round: enough for every path of the engine, few enough where it
     * is emulated.
     */
    private static final int ENTRIES = 32;

    /** Every so manieth signature of the mixed batch is bad. */
    private static final int BAD_EVERY = 5;

    /**
     * Rounds whose best time counts, since compilation and the machine's other work only ever add.
     */
    private static final int WINDOW = 64;

    /** Windows without an improvement by a twentieth before the engine counts as warm. */
    private static final int STEADY_WINDOWS = 3;

    /**
     * Where one vector of signatures takes more than this share of the time, a whole round would
     * overrun it by far: vectors are emulated, and slower by orders of magnitude.
     */
    private static final int VECTOR_SHARE = 100;

    /** Bytes of a signed payment's transaction, about. */
    private static final int MESSAGE_BYTES = 160;

    private final int lanes;
    private final long nanosMax;
    private final LongSupplier nanoClock;
    private final BatchVerifier scalar;
    private final BatchVerifier lane;
    private final BatchHasher scalarHasher;
    private final BatchHasher laneHasher;
    private final Claims few = new Claims(2);
    private final Claims good = new Claims(ENTRIES);
    private final Claims mixed = new Claims(ENTRIES);
    private final boolean[] expected = new boolean[ENTRIES];
    private final boolean[] verdicts = new boolean[ENTRIES];
    private final Messages messages = new Messages(ENTRIES);
    private final byte[] digests = new byte[ENTRIES * HashFunction.SHA512_256.bytes()];
    private final byte[] expectedDigests = new byte[digests.length];
    private boolean signaturesDiffer;
    private boolean digestsDiffer;

    // The best of the current window, in nanoseconds per round.
    private long scalarNanos;
    private long laneNanos;
    private long scalarDigestNanos;
    private long laneDigestNanos;

    Trial(SignatureEngine engine, int lanes, long nanosMax, LongSupplier nanoClock) {
        this.lanes = lanes;
        this.nanosMax = nanosMax;
        this.nanoClock = nanoClock;
        scalar = engine.newVerifier(SignatureEngine.Mode.SCALAR, ENTRIES);
        lane = engine.newVerifier(SignatureEngine.Mode.LANES, ENTRIES);
        scalarHasher =
                SignatureEngine.newHasher(SignatureEngine.Mode.SCALAR, HashFunction.SHA512_256);
        laneHasher = SignatureEngine.newHasher(SignatureEngine.Mode.LANES, HashFunction.SHA512_256);
        for (int i = 0; i < ENTRIES; i++) {
            addEntry(i);
        }
    }

    /**
     * The signatures are of known keys and messages: there is nothing secret or random about them.
     */
    private void addEntry(int i) {
        var seed = new byte[Ed25519.SEED_BYTES];
        seed[0] = (byte) i;
        var message = new byte[MESSAGE_BYTES + i];
        Arrays.fill(message, (byte) i);
        messages.add(Domain.TX, message, 0, message.length);
        try (var pair = Ed25519.KeyPair.fromSeed(seed)) {
            byte[] key = pair.publicKey();
            byte[] signature = pair.sign(Domain.TX, message);
            good.add(key, 0, signature, 0, Domain.TX, message, 0, message.length);
            expected[i] = i % BAD_EVERY != 0;
            if (!expected[i]) {
                spoil(i / BAD_EVERY, key, signature);
            }
            mixed.add(key, 0, signature, 0, Domain.TX, message, 0, message.length);
            if (i < 2) {
                few.add(key, 0, signature, 0, Domain.TX, message, 0, message.length);
            }
        }
    }

    /**
     * One kind of badness after another: of the equation, of S, of R's encoding, of A's order, of
     * A's being a point.
     */
    private static void spoil(int kind, byte[] key, byte[] signature) {
        switch (kind % 6) {
            case 0 -> signature[32] ^= 1;
            case 1 -> key[1] ^= 1;
            case 2 -> signature[63] |= (byte) 0xf0;
            case 3 -> Arrays.fill(signature, 0, 32, (byte) 0xff);
            case 4 -> Arrays.fill(key, (byte) 0);
            default -> signature[0] ^= 2;
        }
    }

    Calibration run() {
        long start = nanoClock.getAsLong();
        if (isEmulated(start)) {
            return outcomes();
        }
        long deadline = start + nanosMax;
        long previousLane = Long.MAX_VALUE;
        long previousScalar = Long.MAX_VALUE;
        int steady = 0;
        boolean timeIsUp = false;
        while (!timeIsUp && steady < STEADY_WINDOWS && !signaturesDiffer) {
            timeIsUp = runWindow(deadline);
            boolean faster =
                    laneNanos < previousLane - previousLane / 20
                            || scalarNanos < previousScalar - previousScalar / 20;
            steady = faster ? 0 : steady + 1;
            previousLane = Math.min(previousLane, laneNanos);
            previousScalar = Math.min(previousScalar, scalarNanos);
        }
        return outcomes();
    }

    /**
     * Whether a single vector still takes too long when half of the time is up, interpreted though
     * it may be at first.
     */
    private boolean isEmulated(long start) {
        while (true) {
            long before = nanoClock.getAsLong();
            lane.verify(few, verdicts);
            long after = nanoClock.getAsLong();
            signaturesDiffer |= verdicts[0] != expected[0] || verdicts[1] != expected[1];
            laneNanos = (after - before) * ENTRIES / 2;
            if (after - before <= nanosMax / VECTOR_SHARE) {
                return false;
            }
            if (after - start > nanosMax / 2) {
                return true;
            }
        }
    }

    private Calibration outcomes() {
        return new Calibration(
                lanes,
                outcome(signaturesDiffer, scalarNanos, laneNanos),
                scalarNanos / ENTRIES,
                laneNanos / ENTRIES,
                outcome(digestsDiffer, scalarDigestNanos, laneDigestNanos),
                scalarDigestNanos / ENTRIES,
                laneDigestNanos / ENTRIES);
    }

    private static Calibration.Outcome outcome(boolean differs, long scalarNanos, long laneNanos) {
        if (differs) {
            return Calibration.Outcome.DIFFERENT;
        }
        return laneNanos < scalarNanos ? Calibration.Outcome.FASTER : Calibration.Outcome.SLOWER;
    }

    /** Runs a window of rounds, at least one, and returns whether the time is up. */
    private boolean runWindow(long deadline) {
        scalarNanos = laneNanos = scalarDigestNanos = laneDigestNanos = Long.MAX_VALUE;
        for (int round = 0; round < WINDOW; round++) {
            laneDigestNanos = Math.min(laneDigestNanos, timeDigests(laneHasher, digests));
            scalarDigestNanos =
                    Math.min(scalarDigestNanos, timeDigests(scalarHasher, expectedDigests));
            digestsDiffer |= !Arrays.equals(digests, expectedDigests);
            laneNanos = Math.min(laneNanos, timeSignatures(lane));
            if (round % 4 == 0) { // Compiles sooner, and its time is the more easily known.
                scalarNanos = Math.min(scalarNanos, timeSignatures(scalar));
            }
            lane.verify(mixed, verdicts);
            signaturesDiffer |= !Arrays.equals(verdicts, expected);
            if (nanoClock.getAsLong() - deadline >= 0) {
                return true;
            }
        }
        return false;
    }

    private long timeSignatures(BatchVerifier verifier) {
        Arrays.fill(verdicts, false);
        long start = nanoClock.getAsLong();
        verifier.verify(good, verdicts);
        long nanos = nanoClock.getAsLong() - start;
        for (boolean verdict : verdicts) {
            signaturesDiffer |= !verdict;
        }
        return nanos;
    }

    private long timeDigests(BatchHasher hasher, byte[] target) {
        long start = nanoClock.getAsLong();
        hasher.digest(messages, target, 0);
        return nanoClock.getAsLong() - start;
    }
}
