package topspin.codec.params;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.util.Objects.requireNonNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

final class ConsensusVersionsTest {
    private static final ConsensusVersions KNOWN = ConsensusVersions.builtIn();

    @Test
    void v42HasTheValuesOfTheSpecification() {
        ConsensusParams v42 = v42();
        assertThat(v42.minTxnFee()).isEqualTo(1000);
        assertThat(v42.maxTxnLife()).isEqualTo(1000);
        assertThat(v42.maxTxnBytesPerBlock()).isEqualTo(5_242_880);
        assertThat(v42.maxAbsoluteTxnNoteBytes()).isEqualTo(4096);
        assertThat(v42.certCommitteeThreshold()).isEqualTo(1112);
        assertThat(v42.fastRecoveryLambda()).isEqualTo(300_000_000_000L);
        assertThat(v42.balanceLookback()).isEqualTo(320);
        assertThat(v42.payouts().minBalance()).isEqualTo(30_000_000_000L);
        assertThat(v42.bonus().baseAmount()).isEqualTo(10_000_000);
        assertThat(v42.enforceAuthAddrSenderDiff()).isTrue();
    }

    @Test
    void v41MayBecomeV42() {
        ConsensusParams v41 = requireNonNull(KNOWN.get(ConsensusVersions.V41));
        assertThat(v41.approvedUpgrades()).containsOnlyKeys(ConsensusVersions.V42);
        assertThat(v41.enforceAuthAddrSenderDiff()).isFalse();
        assertThat(v41.perByteTxnSurcharge()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"consensus_v41.json", "consensus_v42.json"})
    void builtInVersionsEqualWhatTheReferenceNodeReports(String file) throws IOException {
        // The dump is {"params": {...}, "version": name}; wrapped as {name: {...}} it is
        // consensus.json.
        String dump = Files.readString(recorded("chain/" + file));
        var version = Pattern.compile(",\\s*\"version\": \"([^\"]*)\"\\s*}\\s*$").matcher(dump);
        assertThat(version.find()).isTrue();
        String name = version.group(1);
        String params = dump.substring(dump.indexOf(':') + 1, version.start());
        ConsensusVersions read = KNOWN.with("{\"copy\":" + params + "}");
        assertThat(read.get("copy")).isEqualTo(KNOWN.get(name));
    }

    @Test
    void fileOfARealNetworkIsWrittenBackAsItCame() throws IOException {
        String file = Files.readString(recorded("chain_fast/consensus.json"));
        ConsensusVersions read = KNOWN.with(file);
        assertThat(read.write(List.of("fast")).strip()).isEqualTo(file.strip());
        assertThat(requireNonNull(read.get("fast")).agreementFilterTimeoutPeriod0())
                .isEqualTo(800_000_000);
    }

    @Test
    void whatIsWrittenReadsBackEqual() {
        ConsensusVersions again = KNOWN.with(KNOWN.write(KNOWN.names()));
        for (String name : KNOWN.names()) {
            assertThat(again.get(name)).isEqualTo(KNOWN.get(name));
        }
    }

    @Test
    void keyLeftOutIsZeroAndNotTheBuiltInValue() {
        String file = privateCopy().replaceFirst("\"MaxAssetDecimals\" ?: 19,", "");
        assertThat(requireNonNull(KNOWN.with(file).get("private")).maxAssetDecimals()).isZero();
    }

    @Test
    void versionWithoutApprovedUpgradesIsRemoved() {
        ConsensusVersions added = KNOWN.with(privateCopy());
        assertThat(added.get("private")).isNotNull();
        String without =
                privateCopy()
                        .replaceFirst(
                                "\"ApprovedUpgrades\" ?: \\{ ?}", "\"ApprovedUpgrades\": null");
        assertThat(added.with(without).get("private")).isNull();
        assertThat(added.with("{\"private\": {}}").get("private")).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"x\": {\"ApprovedUpgrades\": {}, \"MinTxnFees\": 1}} | x: MinTxnFees is no parameter this node knows",
                "{\"x\": {\"ApprovedUpgrades\": {}, \"MinTxnFee\": -1}} | x: MinTxnFee must be a whole number from 0",
                "{\"x\": {\"ApprovedUpgrades\": {}, \"MinTxnFee\": 1.5}} | x: MinTxnFee must be a whole number from 0",
                "{\"x\": {\"ApprovedUpgrades\": {}, \"MaxTxGroupSize\": 4294967296}} | x: MaxTxGroupSize must be a whole number",
                "{\"x\": {\"ApprovedUpgrades\": {}, \"MinTxnFee\": 18446744073709551616}} | x: MinTxnFee must be a whole number",
                "{\"x\": {\"ApprovedUpgrades\": {}, \"Asset\": 1}} | x: Asset must be true or false",
                "{\"x\": {\"ApprovedUpgrades\": [], \"Asset\": true}} | x: ApprovedUpgrades must be an object",
                "{\"x\": {\"ApprovedUpgrades\": {}, \"Bonus\": 3}} | x: Bonus must be an object",
                "{\"x\": {\"MinTxnFee\": 1, \"MinTxnFee\": 2}} | Duplicate field 'MinTxnFee'",
                "[] | consensus parameters are a JSON object of versions",
                "{} {} | more after the consensus parameters",
                "{\"x\": | consensus parameters: ",
            })
    void badFileIsRefusedByName(String json, String text) {
        assertThatThrownBy(() -> KNOWN.with(json))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(text);
    }

    @Test
    void ruleThatNoCodeObeysIsRefusedByName() {
        String file = privateCopy().replaceFirst("\"PaysetCommit\" ?: 2", "\"PaysetCommit\": 1");
        assertThatThrownBy(() -> KNOWN.with(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("private: PaysetCommit must be 2");
    }

    @Test
    void nameOfAVersionHasAtMost128Bytes() {
        assertThat(KNOWN.with("{\"" + "x".repeat(128) + "\": {}}").names())
                .isEqualTo(KNOWN.names());
        assertThatThrownBy(() -> KNOWN.with("{\"" + "x".repeat(129) + "\": {}}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("longer than 128 bytes");
    }

    private static ConsensusParams v42() {
        return requireNonNull(KNOWN.get(ConsensusVersions.V42));
    }

    /** v42 under another name. */
    private static String privateCopy() {
        return KNOWN.write(List.of(ConsensusVersions.V42))
                .replaceFirst("\"[^\"]*\"", "\"private\"");
    }

    private static Path recorded(String file) {
        Path path = Path.of(System.getProperty("topspin.vectors"), "reference", "ledger", file);
        assumeTrue(Files.exists(path), () -> "absent: " + path);
        return path;
    }
}
