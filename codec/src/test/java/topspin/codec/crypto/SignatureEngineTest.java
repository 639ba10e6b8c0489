package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Allocation;
import topspin.codec.crypto.SignatureEngine.Mode;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

class SignatureEngineTest {
    private static final byte[] MESSAGE = new byte[150];

    private static SignatureBatch filled(SignatureEngine engine, int size) {
        SignatureBatch batch = engine.newBatch(size);
        fill(batch, size, Ed25519.KeyPair.fromSeed(new byte[32]));
        return batch;
    }

    private static void fill(SignatureBatch batch, int size, Ed25519.KeyPair pair) {
        byte[] key = pair.publicKey();
        byte[] signature = pair.sign(Domain.TX, MESSAGE);
        for (int i = 0; i < size; i++) {
            batch.add(key, 0, signature, 0, Domain.TX, MESSAGE, 0, MESSAGE.length);
        }
    }

    @Test
    void aBatchIsBoundedAndSaysWhatItIsUsedWrongly() {
        SignatureBatch batch = filled(new SignatureEngine(new SecureRandom()), 2);
        assertThatThrownBy(() -> batch.isValid(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> fill(batch, 1, Ed25519.KeyPair.fromSeed(new byte[32])))
                .hasMessageContaining("full");
        assertThat(batch.verify()).isTrue();
        assertThat(batch.isValid(1)).isTrue();
        assertThatThrownBy(() -> batch.isValid(2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> fill(batch, 1, Ed25519.KeyPair.fromSeed(new byte[32])))
                .hasMessageContaining("clear");
        batch.clear();
        assertThat(batch.size()).isZero();
        assertThat(batch.verify()).isTrue();
    }

    @Test
    void batchesFollowTheEngineThatProvedItself() {
        var engine = new SignatureEngine(new SecureRandom());
        SignatureBatch batch = filled(engine, 16);
        DigestBatch digests = new DigestBatch(HashFunction.SHA512_256, 8);
        digests.add(Domain.TX, MESSAGE, 0, MESSAGE.length);
        assertThat(engine.signatureMode()).isEqualTo(Mode.SCALAR);
        var before = new byte[32];
        digests.digest(before, 0);
        Calibration calibration = engine.calibrate(200_000_000L, System::nanoTime);
        assertThat(calibration.signatures())
                .isIn(Calibration.Outcome.FASTER, Calibration.Outcome.SLOWER);
        assertThat(calibration.digests())
                .isIn(Calibration.Outcome.FASTER, Calibration.Outcome.SLOWER);
        assertThat(engine.signatureMode())
                .isEqualTo(
                        calibration.signatures() == Calibration.Outcome.FASTER
                                ? Mode.LANES
                                : Mode.SCALAR);
        assertThat(calibration.toString()).startsWith("signatures: ").doesNotContain("\n");
        assertThat(batch.verify()).isTrue();
        var after = new byte[32];
        digests.digest(after, 0);
        assertThat(after).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void verifyingAllocatesNextToNothing(Mode mode) {
        int entries = 16;
        int bytesMax = 100; // A signature.
        var claims = new Claims(entries);
        for (int i = 0; i < entries; i++) {
            var seed = new byte[32];
            seed[0] = (byte) i;
            try (var pair = Ed25519.KeyPair.fromSeed(seed)) {
                byte[] key = pair.publicKey();
                byte[] signature = pair.sign(Domain.TX, MESSAGE);
                claims.add(key, 0, signature, 0, Domain.TX, MESSAGE, 0, MESSAGE.length);
            }
        }
        var verdicts = new boolean[entries];
        BatchVerifier verifier = new SignatureEngine(new SecureRandom()).newVerifier(mode, entries);
        // Until compiled, vectors are boxed: so as many windows as the compiler needs, which is
        // busy.
        long bytes = Long.MAX_VALUE;
        for (int window = 0; window < 500 && bytes > (long) bytesMax * entries; window++) {
            bytes = Allocation.smallestWindow(1, 20, () -> verifier.verify(claims, verdicts));
        }
        assertThat(verdicts).doesNotContain(false);
        assertThat(bytes / entries).isLessThanOrEqualTo(bytesMax);
    }

    /**
     * JVMs in which vectors are absent or emulated: right verdicts, no vectors, and a line that
     * says why.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--add-modules jdk.incubator.vector -XX:MaxVectorSize=16",
                "--add-modules jdk.incubator.vector -XX:UseAVX=1",
                "--add-modules jdk.incubator.vector -XX:TieredStopAtLevel=1",
                "--add-modules jdk.incubator.vector -XX:-UseFMA"
            })
    @Timeout(120)
    void withoutFastVectorsTheEngineStaysScalar(String options) throws Exception {
        String output = runProbe(options, 2, 0);
        assertThat(output).contains("verdicts right", "digests right", "signatures SCALAR");
        assertThat(output.lines().filter(line -> line.startsWith("engine: ")).distinct())
                .as("what is found twice is the same line, which a node says once")
                .hasSize(1);
        assertThat(output)
                .contains(
                        options.isEmpty()
                                ? "signatures and digests: scalar, for want of --add-modules"
                                : "scalar, as");
    }

    @Test
    @Timeout(120)
    void withVectorsTheVerdictsAreTheSame() throws Exception {
        assertThat(runProbe("--add-modules jdk.incubator.vector", 1, 0))
                .contains("verdicts right", "digests right", "signatures: ");
    }

    /** What a node under load is: the compiler and the trial get a share of the processors only. */
    @Test
    @Tag("long")
    @Timeout(300)
    void onABusyMachineVectorsProveThemselvesLater() throws Exception {
        String output =
                runProbe(
                        "--add-modules jdk.incubator.vector",
                        20,
                        2 * Runtime.getRuntime().availableProcessors());
        assumeFalse(output.contains("no vectors"), "this machine has no wide vectors");
        assertThat(output).contains("signatures LANES", "verdicts right", "digests right");
    }

    private static String runProbe(String options, int trials, int busy)
            throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:+IgnoreUnrecognizedVMOptions");
        command.addAll(options.isEmpty() ? List.of() : List.of(options.split(" ")));
        command.addAll(List.of("-ea", "-cp", System.getProperty("java.class.path")));
        command.add(EngineProbe.class.getName());
        command.addAll(List.of(String.valueOf(trials), String.valueOf(busy)));
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var output = child.getInputStream()) {
            String text = new String(output.readAllBytes(), UTF_8);
            assertThat(child.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(child.exitValue()).as(text).isZero();
            return text;
        } finally {
            child.destroyForcibly();
        }
    }
}
