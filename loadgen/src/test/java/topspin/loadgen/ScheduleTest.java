package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

import org.junit.jupiter.api.Test;

final class ScheduleTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void errorsDoNotAddUp() {
        var schedule = new Schedule(0, 5 * SECOND, 3_000, 1);
        assertThat(schedule.dueNanos(0)).isEqualTo(5 * SECOND);
        assertThat(schedule.dueNanos(1)).isEqualTo(5 * SECOND + 333_334);
        assertThat(schedule.dueNanos(3_000L * 86_400)).isEqualTo(86_405 * SECOND);
        assertThat(schedule.slotsDue(86_405 * SECOND)).isEqualTo(3_000L * 86_400 + 1);
    }

    @Test
    void nothingIsDueBeforeTheStart() {
        var schedule = new Schedule(7, 5 * SECOND, 1_000, 1);
        assertThat(schedule.slotsDue(5 * SECOND - 1)).isEqualTo(7);
        assertThat(schedule.slotsDue(5 * SECOND)).isEqualTo(8);
    }

    @Test
    void aSlotOfAGroupIsDueAsOftenAsItsTransactionsAsk() {
        var schedule = new Schedule(0, 0, 1_600, 16);
        assertThat(schedule.dueNanos(100)).isEqualTo(SECOND);
    }

    @Property
    void aSlotIsDueFromItsTimeOn(
            @ForAll @LongRange(min = 1, max = 1_000_000) long tps,
            @ForAll @IntRange(min = 1, max = 16) int groupSize,
            @ForAll @LongRange(min = 0, max = 100_000_000) long slot) {
        var schedule = new Schedule(0, 123, tps, groupSize);
        long due = schedule.dueNanos(slot);
        assertThat(schedule.slotsDue(due)).isGreaterThan(slot);
        assertThat(schedule.slotsDue(due - 1)).isLessThanOrEqualTo(slot);
    }

    @Property
    void aChangeOfRateMovesNoSlotBeforeIt(
            @ForAll @LongRange(min = 1, max = 100_000) long before,
            @ForAll @LongRange(min = 1, max = 100_000) long after,
            @ForAll @LongRange(min = 1, max = 10_000) long change) {
        var schedule = new Schedule(0, 0, before, 1);
        long due = schedule.dueNanos(change);
        long dueBefore = schedule.dueNanos(change - 1);
        schedule.changeRate(change, after);
        assertThat(schedule.dueNanos(change)).isEqualTo(due);
        assertThat(schedule.dueNanos(change - 1)).isEqualTo(dueBefore);
        assertThat(schedule.dueNanos(change + after)).isEqualTo(due + SECOND);
        assertThat(schedule.slotsDue(due)).isEqualTo(change + 1);
        assertThat(schedule.slotsDue(due - 1)).isEqualTo(change);
    }

    @Test
    void nothingIsDueBehindTheEnd() {
        var schedule = new Schedule(0, 0, 1_000, 1);
        schedule.endAt(10);
        assertThat(schedule.slotsDue(SECOND)).isEqualTo(10);
    }

    @Test
    void ratesChangeInOrder() {
        var schedule = new Schedule(0, 0, 1_000, 1);
        schedule.changeRate(10, 2_000);
        assertThatThrownBy(() -> schedule.changeRate(10, 3_000))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
