package topspin.node.rest;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Records where this process allocates, by the JDK's flight recorder, one recording at a time. The
 * last few files are kept in a folder. Any thread; a call may take a second.
 */
public final class Recordings implements AutoCloseable {
    private static final String SAMPLE = "jdk.ObjectAllocationSample";
    private static final String OURS = "topspin.";
    private static final int SITES_MAX = 25;
    private static final int FILES_MAX = 8;
    private static final long BYTES_MAX = 64 << 20;

    /** A recording that nobody stops ends here. */
    private static final Duration TIME_MAX = Duration.ofHours(1);

    private final Path folder;
    private final InstantSource clock;
    private @Nullable Recording running;

    /**
     * A place that allocates.
     *
     * @param site class, method and line: the first of ours on the stack, else its top
     * @param bytes estimated from samples
     * @param share of all bytes sampled, 0 to 1
     */
    record Site(String site, long bytes, double share) {}

    /**
     * What a recording tells.
     *
     * @param file where it was kept
     * @param millis how long it ran
     */
    record Result(Path file, long millis, List<Site> topAllocations) {}

    /** The folder is made when the first recording stops. */
    public Recordings(Path folder, InstantSource clock) {
        this.folder = folder;
        this.clock = clock;
    }

    /**
     * Starts one.
     *
     * @throws RequestFault 409 when one runs already
     */
    synchronized void start() {
        if (running != null) {
            throw new RequestFault(409, "a recording is running already");
        }
        Recording recording = new Recording();
        recording.setName("topspin");
        recording.setToDisk(true);
        recording.setMaxSize(BYTES_MAX);
        recording.setDuration(TIME_MAX);
        recording.enable(SAMPLE).with("throttle", "150/s").withStackTrace();
        recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(20));
        recording.enable("jdk.GCPhasePause");
        recording.enable("jdk.GCHeapSummary");
        recording.start();
        running = recording;
    }

    /**
     * Stops the one that runs and reads it.
     *
     * @throws RequestFault 409 when none runs
     */
    synchronized Result stop() throws IOException {
        Recording recording = running;
        if (recording == null) {
            throw new RequestFault(409, "no recording is running");
        }
        running = null;
        try (recording) {
            if (recording.getStopTime() == null) {
                recording.stop();
            }
            Files.createDirectories(folder);
            makeRoom();
            Path file = folder.resolve("allocations-" + clock.millis() + ".jfr");
            recording.dump(file);
            Duration time = Duration.between(recording.getStartTime(), recording.getStopTime());
            return new Result(file, time.toMillis(), sites(file));
        }
    }

    @Override
    public synchronized void close() {
        if (running != null) {
            running.close();
            running = null;
        }
    }

    private void makeRoom() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(file -> file.toString().endsWith(".jfr")).sorted().toList();
        }
        for (int i = 0; i <= files.size() - FILES_MAX; i++) {
            Files.deleteIfExists(files.get(i));
        }
    }

    private static List<Site> sites(Path file) throws IOException {
        Map<String, Long> bytes = new HashMap<>();
        long all = 0;
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                if (event.getEventType().getName().equals(SAMPLE)) {
                    long weight = event.getLong("weight");
                    bytes.merge(site(event.getStackTrace()), weight, Long::sum);
                    all += weight;
                }
            }
        }
        List<Site> sites = new ArrayList<>();
        for (Map.Entry<String, Long> entry : bytes.entrySet()) {
            sites.add(new Site(entry.getKey(), entry.getValue(), (double) entry.getValue() / all));
        }
        sites.sort(Comparator.comparingLong(Site::bytes).reversed().thenComparing(Site::site));
        return List.copyOf(sites.subList(0, Math.min(SITES_MAX, sites.size())));
    }

    private static String site(@Nullable RecordedStackTrace stack) {
        if (stack == null || stack.getFrames().isEmpty()) {
            return "unknown";
        }
        for (RecordedFrame frame : stack.getFrames()) {
            if (frame.getMethod().getType().getName().startsWith(OURS)) {
                return describe(frame);
            }
        }
        return describe(stack.getFrames().getFirst());
    }

    private static String describe(RecordedFrame frame) {
        return frame.getMethod().getType().getName()
                + "."
                + frame.getMethod().getName()
                + ":"
                + frame.getLineNumber();
    }
}
