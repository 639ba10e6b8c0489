package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class IdTableTest {
    /** Few ids in a small table: they collide, wrap around and leave gaps. */
    @Property
    void holdsWhatAMapHolds(
            @ForAll @Size(max = 400) List<@LongRange(min = -40, max = 40) Long> steps) {
        var table = new IdTable(8);
        Map<Long, Long> model = new HashMap<>();
        long value = 0;
        for (long step : steps) {
            long id = Math.abs(step) * 0x1_0000_0007L + (Math.abs(step) % 3);
            if (step >= 0) {
                table.put(id, value);
                model.put(id == 0 ? 1 : id, value++);
            } else {
                Long expected = model.remove(id == 0 ? 1 : id);
                assertThat(table.remove(id))
                        .isEqualTo(expected == null ? IdTable.ABSENT : expected);
            }
            assertThat(table.size()).isEqualTo(model.size());
        }
        model.forEach((id, expected) -> assertThat(table.remove(id)).isEqualTo(expected));
        assertThat(table.size()).isZero();
    }

    @Test
    void growsAndForgetsNothing() {
        var table = new IdTable(8);
        for (long id = 1; id <= 100_000; id++) {
            table.put(id * 0x9e3779b97f4a7c15L, id);
        }
        for (long id = 1; id <= 100_000; id++) {
            assertThat(table.remove(id * 0x9e3779b97f4a7c15L)).isEqualTo(id);
        }
    }
}
