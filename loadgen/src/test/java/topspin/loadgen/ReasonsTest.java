package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReasonsTest {
    private static final String ID = "PVAG2NDPPIGWB2VQT7LDVWTY6DFWCIITPN5ASGFI66JJO2BXFNMA";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "400|TransactionPool.Remember: transaction already in ledger: "
                        + ID
                        + "|transaction already in ledger: …",
                "400|TransactionPool.Remember: txn dead: round 12 outside of 1--11"
                        + "|txn dead: round N outside of N--N",
                "503|backlog full|HTTP 503 backlog full",
                "429||HTTP 429",
                "400|overspend (account X, data {a {b} 1}, tried)|overspend (account X, data {…}, tried)",
            })
    void whatDiffersFromOneToTheNextIsLeftOut(int status, String message, String reason) {
        assertThat(Reasons.of(status, message == null ? "" : message)).isEqualTo(reason);
    }

    @Test
    void reasonsWithoutEndAreCountedTogether() {
        var reasons = new Reasons();
        for (int i = 0; i < 1_000; i++) {
            reasons.add("reason " + i, 2);
        }
        assertThat(reasons.counts()).hasSize(Reasons.REASONS_MAX + 1).containsEntry("reason 0", 2L);
        assertThat(reasons.counts().values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(2_000);
    }
}
