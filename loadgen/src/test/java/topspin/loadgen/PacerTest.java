package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

final class PacerTest {
    private static final long SECOND = 1_000_000_000L;

    /** Time that passes when waited for, and jumps when told. */
    private static final class TestClock implements Clock {
        private long now;
        private long jumpAt = Long.MAX_VALUE;
        private long jump;

        /** From {@code at} on nobody runs for so long. */
        void pause(long at, long nanos) {
            jumpAt = at;
            jump = nanos;
        }

        @Override
        public long nanos() {
            return now;
        }

        @Override
        public void parkUntil(long deadlineNanos) {
            now = Math.max(now, deadlineNanos);
            if (now >= jumpAt) {
                now += jump;
                jumpAt = Long.MAX_VALUE;
            }
        }
    }

    private record Told(long slotEnd, long atNanos) {}

    private static List<Told> run(Schedule schedule, TestClock clock) {
        var told = new ArrayList<Told>();
        new Pacer(schedule, clock, slotEnd -> told.add(new Told(slotEnd, clock.nanos()))).run();
        return told;
    }

    @Test
    void everySlotIsToldOfWithinAQuantumOfItsTime() {
        var schedule = new Schedule(0, SECOND, 12_000, 1);
        schedule.endAt(24_000);
        long next = 0;
        for (Told told : run(schedule, new TestClock())) {
            for (; next < told.slotEnd(); next++) {
                long lateness = told.atNanos() - schedule.dueNanos(next);
                assertThat(lateness).isBetween(0L, Pacer.QUANTUM_NANOS);
            }
        }
        assertThat(next).isEqualTo(24_000);
    }

    @Test
    void afterAPauseWhatBecameDueIsToldOfAtOnceAndNothingIsSkipped() {
        var schedule = new Schedule(0, 0, 1_000, 1);
        schedule.endAt(5_000);
        var clock = new TestClock();
        clock.pause(SECOND, 2 * SECOND);
        List<Told> told = run(schedule, clock);
        Told after = told.stream().filter(t -> t.atNanos() >= 3 * SECOND).findFirst().orElseThrow();
        assertThat(after.atNanos()).isLessThan(3 * SECOND + 2 * Pacer.QUANTUM_NANOS);
        assertThat(after.slotEnd()).isGreaterThanOrEqualTo(3_000);
        assertThat(told.getLast().slotEnd()).isEqualTo(5_000);
        assertThat(told.getLast().atNanos())
                .as("the schedule is not put off by the pause")
                .isLessThan(5 * SECOND + Pacer.QUANTUM_NANOS);
    }

    @Test
    void wakesNoMoreOftenThanTheQuantumAsks() {
        var schedule = new Schedule(0, 0, 100_000, 1);
        schedule.endAt(100_000);
        int wakeUps = run(schedule, new TestClock()).size();
        assertThat(wakeUps).isLessThanOrEqualTo((int) (SECOND / Pacer.QUANTUM_NANOS) + 1);
    }
}
