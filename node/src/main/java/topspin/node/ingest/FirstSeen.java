package topspin.node.ingest;

import topspin.codec.Digest;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * When this node first met some of the transactions: one id in 64, chosen by the id itself, so that
 * every node of a network picks the same ones and their times can be compared. The last {@value
 * #SAMPLES_MAX} are kept. The ingest thread adds, any thread reads.
 */
public final class FirstSeen {
    static final int SAMPLES_MAX = 8192;

    /** An id whose hash has these bits zero is sampled. */
    private static final int SAMPLE_MASK = 63;

    /**
     * One sample.
     *
     * @param epochMicros microseconds since 1970 by this machine's clock
     */
    public record Sample(Digest id, long epochMicros) {}

    private final InstantSource clock;
    private final Sample[] samples = new Sample[SAMPLES_MAX];
    private long count;

    FirstSeen(InstantSource clock) {
        this.clock = clock;
    }

    /** Whether an id is one of those sampled. */
    public static boolean isSampled(Digest id) {
        return (id.toBytes()[Digest.BYTES - 1] & SAMPLE_MASK) == 0;
    }

    void note(Digest id) {
        if (isSampled(id)) {
            long micros = nowEpochMicros();
            synchronized (this) {
                samples[(int) (count++ % SAMPLES_MAX)] = new Sample(id, micros);
            }
        }
    }

    /** What a sample taken now would be noted with. */
    public long nowEpochMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
    }

    /** The samples, oldest first. An id may occur twice when it was submitted twice. */
    public synchronized List<Sample> samples() {
        int kept = (int) Math.min(count, SAMPLES_MAX);
        List<Sample> all = new ArrayList<>(kept);
        for (long i = count - kept; i < count; i++) {
            all.add(samples[(int) (i % SAMPLES_MAX)]);
        }
        return all;
    }
}
