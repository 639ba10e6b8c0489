package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

final class SecondTest {
    private static List<Second> pools(double... transactions) {
        ProcessSample process = ProcessSample.UNKNOWN;
        List<Second> series = new ArrayList<>();
        for (double pool : transactions) {
            List<NodeMetrics> nodes =
                    List.of(
                            new NodeMetrics(process, pool / 2, 0, 0),
                            new NodeMetrics(process, pool, 0, 0));
            series.add(new Second(series.size(), 0, 0, 0, 0, 0, 0, nodes, process));
        }
        return series;
    }

    @Test
    void aPoolsLevelIsTheLeastOfItsLastSeconds() {
        assertThat(Second.poolLevel(pools(100, 4800, 2500, 3100, 3600, 4200))).isEqualTo(2500);
        assertThat(Second.poolLevel(pools(4800, 2500))).isEqualTo(2500);
    }

    @Test
    void aPoolThatGrowsHasALevelThatGrows() {
        assertThat(Second.poolLevel(pools(0, 1000, 9000, 8000, 12000, 11000, 15000)))
                .isEqualTo(8000);
    }

    @Test
    void whatNoNodeTellsIsUnknown() {
        assertThat(Second.poolLevel(pools(Double.NaN, Double.NaN))).isNaN();
        assertThat(Second.poolLevel(pools(Double.NaN, 7))).isEqualTo(7);
        assertThat(Second.poolLevel(List.of())).isNaN();
    }
}
