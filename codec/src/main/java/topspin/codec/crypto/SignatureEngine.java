package topspin.codec.crypto;

import topspin.codec.lanes.Lanes;

import java.security.SecureRandom;
import java.util.function.LongSupplier;

/**
 * Makes the batches in which signatures are verified, and knows which way is the fastest on this
 * machine, for them and for every {@link DigestBatch}. It starts without vectors; {@link
 * #calibrate} changes over once the vector engine has proved itself, and batches already made
 * follow at their next use. Any thread may call.
 */
public final class SignatureEngine {
    private static final String VECTOR_MODULE = "jdk.incubator.vector";

    /** How work is done: one item after another, or side by side in the lanes of vectors. */
    public enum Mode {
        SCALAR,
        LANES
    }

    private final SecureRandom random;
    private volatile Mode signatureMode = Mode.SCALAR;

    /**
     * An engine that works without vectors until calibrated.
     *
     * @param random where the factors of batch equations come from; it must be unforeseeable
     */
    public SignatureEngine(SecureRandom random) {
        this.random = random;
    }

    /**
     * An empty batch of signatures.
     *
     * @param capacity entries, 1 to {@link SignatureBatch#CAPACITY_MAX}
     */
    public SignatureBatch newBatch(int capacity) {
        return new SignatureBatch(this, capacity);
    }

    /** How signatures are verified now. */
    public Mode signatureMode() {
        return signatureMode;
    }

    /**
     * Tries the vector engine on signatures of known worth, good and bad, and on digests, and
     * changes over to it where its results are equal and it is faster, back where they are not.
     * Takes until it runs at full speed, or the time is up. Meant for a background thread, as the
     * engine can be used meanwhile; and to be repeated if vectors were slower, since on a busy
     * machine the compiler may not have come to them yet.
     *
     * @param nanosMax the time it may take; a few seconds
     * @param nanoClock how long the calling thread has run: a clock on the wall would count what
     *     the machine did for others, which hits whoever runs at that moment
     * @return what came of it, whose text is a line for the log
     */
    public Calibration calibrate(long nanosMax, LongSupplier nanoClock) {
        if (ModuleLayer.boot().findModule(VECTOR_MODULE).isEmpty()) {
            return Calibration.without(Calibration.Outcome.NO_MODULE);
        }
        return Vectors.calibrate(this, nanosMax, nanoClock);
    }

    BatchVerifier newVerifier(Mode mode, int capacity) {
        return switch (mode) {
            case SCALAR -> new ScalarBatch(capacity, random);
            case LANES -> Vectors.newVerifier(capacity, random);
        };
    }

    static BatchHasher newHasher(Mode mode, HashFunction function) {
        return mode == Mode.LANES && function != HashFunction.SHA256
                ? Vectors.newHasher(function)
                : (messages, target, offset) ->
                        messages.digest(function, 0, messages.size(), target, offset);
    }

    /** All that touches the vector module, in a class that is not loaded where there is none. */
    private static final class Vectors {
        private Vectors() {}

        static BatchVerifier newVerifier(int capacity, SecureRandom random) {
            return Lanes.newVerifier(capacity, random);
        }

        static BatchHasher newHasher(HashFunction function) {
            return Lanes.newHasher(function);
        }

        static Calibration calibrate(
                SignatureEngine engine, long nanosMax, LongSupplier nanoClock) {
            if (!Lanes.isWideEnough()) {
                return Calibration.without(Calibration.Outcome.NO_WIDE_VECTORS);
            }
            var trial = new Trial(engine, Lanes.width(), nanosMax, nanoClock);
            Calibration calibration = trial.run();
            engine.signatureMode = mode(calibration.signatures());
            boolean isSound = calibration.signatures() != Calibration.Outcome.DIFFERENT;
            DigestBatch.use(isSound ? mode(calibration.digests()) : Mode.SCALAR);
            return calibration;
        }

        private static Mode mode(Calibration.Outcome outcome) {
            return outcome == Calibration.Outcome.FASTER ? Mode.LANES : Mode.SCALAR;
        }
    }
}
