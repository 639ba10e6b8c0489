package topspin.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.codec.Vectors;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** The profile {@code fast} in config/consensus.json. */
final class ProfileTest {
    /** The rows of the table in agreement.md 11.1 that differ from v42. */
    private static final Set<String> CHANGED =
            Set.of(
                    "agreementFilterTimeoutPeriod0",
                    "agreementFilterTimeout",
                    "agreementDeadlineTimeoutPeriod0",
                    "fastRecoveryLambda",
                    "dynamicFilterTimeout",
                    "softCommitteeSize",
                    "softCommitteeThreshold",
                    "certCommitteeSize",
                    "certCommitteeThreshold",
                    "nextCommitteeSize",
                    "nextCommitteeThreshold",
                    "lateCommitteeSize",
                    "lateCommitteeThreshold",
                    "redoCommitteeSize",
                    "redoCommitteeThreshold",
                    "downCommitteeSize",
                    "downCommitteeThreshold");

    private static ConsensusVersions ours() throws IOException {
        Path file = Path.of(System.getProperty("topspin.root", ".."), "config/consensus.json");
        return ConsensusVersions.builtIn().with(Files.readString(file));
    }

    @Test
    void fastIsV42WithShorterTimesAndLargerCommittees() throws Exception {
        ConsensusParams stock = ours().get(ConsensusVersions.V42);
        ConsensusParams fast = ours().get("fast");
        Set<String> changed = new TreeSet<>();
        for (var component : ConsensusParams.class.getRecordComponents()) {
            Object before = component.getAccessor().invoke(stock);
            if (!before.equals(component.getAccessor().invoke(fast))) {
                changed.add(component.getName());
            }
        }
        // Size and threshold of down: the size is 6000 in both.
        assertThat(changed)
                .isSubsetOf(CHANGED)
                .hasSize(CHANGED.size() - 1)
                .doesNotContain("downCommitteeSize");
    }

    @Test
    void fastIsWhatTheReferenceNodeRan() throws Exception {
        Path recorded = Vectors.file("reference/ledger/chain_fast/consensus.json");
        assertThat(ours().get("fast"))
                .isEqualTo(
                        ConsensusVersions.builtIn().with(Files.readString(recorded)).get("fast"));
    }
}
