package topspin.loadgen;

import org.HdrHistogram.Histogram;

import topspin.loadgen.client.SubmitListener;

import java.util.Map;

/**
 * What became of each submission. The event loop writes; the tallies are for anyone, reasons and
 * histograms for the loop alone.
 */
final class Outcomes implements SubmitListener {
    private final Schedule schedule;
    private final Segments segments;
    private final Window window;
    private final int groupSize;
    private final Tally all = new Tally();
    private final Tally measured = new Tally();
    private final Reasons reasons = new Reasons();
    private final Reasons silences = new Reasons();
    private final Histogram submitMicros = Latencies.histogram();
    private final Histogram latenessMicros = Latencies.histogram();

    Outcomes(Schedule schedule, Segments segments, Window window, int groupSize) {
        this.schedule = schedule;
        this.segments = segments;
        this.window = window;
        this.groupSize = groupSize;
    }

    /** Everything since the clock started. */
    Tally all() {
        return all;
    }

    /** The window's slots only. */
    Tally measured() {
        return measured;
    }

    /** Why transactions of the window were refused or not sent. Event loop only. */
    Map<String, Long> reasons() {
        return reasons.counts();
    }

    /** Why transactions of the window have no answer; some may be in a block. Event loop only. */
    Map<String, Long> silences() {
        return silences.counts();
    }

    /** From the intended send time to the answer, accepted ones of the window. Event loop only. */
    Histogram submitMicros() {
        return submitMicros;
    }

    /** From the intended send time to the sending, the window's slots. Event loop only. */
    Histogram latenessMicros() {
        return latenessMicros;
    }

    /** A slot was handed to a socket at {@code atNanos}. */
    void sent(long slot, long atNanos) {
        long latenessNanos = atNanos - schedule.dueNanos(slot);
        boolean late = latenessNanos > Sender.LATE_NANOS;
        all.offered.add(groupSize);
        all.lateSlots.add(late ? 1 : 0);
        if (window.contains(slot)) {
            measured.offered.add(groupSize);
            measured.lateSlots.add(late ? 1 : 0);
            Latencies.record(latenessMicros, latenessNanos);
        }
    }

    /** A slot that was due could not be sent. It is not tried again, and not forgotten either. */
    void unsent(long slot, String reason) {
        mark(slot, Segment.UNSENT);
        all.unsent.add(groupSize);
        if (window.contains(slot)) {
            measured.unsent.add(groupSize);
            reasons.add(reason, groupSize);
        }
    }

    @Override
    public void accepted(long slot, long atNanos) {
        mark(slot, Segment.ACCEPTED);
        all.accepted.add(groupSize);
        if (window.contains(slot)) {
            measured.accepted.add(groupSize);
            Latencies.record(submitMicros, atNanos - schedule.dueNanos(slot));
        }
    }

    @Override
    public void refused(long slot, int status, String message) {
        mark(slot, Segment.REFUSED);
        all.refused.add(groupSize);
        if (window.contains(slot)) {
            measured.refused.add(groupSize);
            reasons.add(Reasons.of(status, message), groupSize);
        }
    }

    @Override
    public void unanswered(long slot, String reason) {
        mark(slot, Segment.UNANSWERED);
        all.unanswered.add(groupSize);
        if (window.contains(slot)) {
            measured.unanswered.add(groupSize);
            silences.add(reason, groupSize);
        }
    }

    /** Before the count: who sees all counted must find all marked. */
    private void mark(long slot, byte answer) {
        Segment segment = segments.at(slot);
        if (segment != null) { // Null only for a slot that was due before it was signed.
            segment.answer(slot, answer);
        }
    }
}
