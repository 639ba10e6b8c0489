package topspin.codec.bench;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.regex.Pattern;

class BenchProcessTest {
    /** Name, rounds, nanoseconds, bytes. */
    private static final Pattern LINE =
            Pattern.compile("Benchmarkvrf/(prove|verify)\t3\t[0-9.]+ ns/op\t[0-9]+ B/op");

    private final ByteArrayOutputStream results = new ByteArrayOutputStream();
    private final ByteArrayOutputStream remarks = new ByteArrayOutputStream();

    private int run(List<String> names, BenchReport.Form form) throws Exception {
        return BenchProcess.run(
                names,
                true,
                form,
                new PrintStream(results, false, UTF_8),
                new PrintStream(remarks, false, UTF_8));
    }

    @Test
    void aNameThatIsNoneListsThoseThatAre() throws Exception {
        assertThat(run(List.of("txids"), BenchReport.Form.TEXT)).isEqualTo(2);
        assertThat(remarks.toString(UTF_8))
                .contains("txids")
                .contains("commitments, decode, signatures, sortition, txid, txid-batch, vrf");
        assertThat(results.size()).isZero();
    }

    @Test
    @Timeout(120)
    void eachForkOfEachRivalIsALineForBenchstat() throws Exception {
        assertThat(run(List.of("vrf"), BenchReport.Form.GO)).as(remarks.toString(UTF_8)).isZero();
        assertThat(results.toString(UTF_8).lines())
                .hasSize(6)
                .allMatch(line -> LINE.matcher(line).matches());
    }
}
