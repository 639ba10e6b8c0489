package topspin.node.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/**
 * The official SDKs, as published, against a network of ours. Needs node and npm: absent, it fails.
 */
@Tag("interop")
final class SdkIT {
    @Test
    void theJavaScriptSdkPaysThroughTheSecondNode(@TempDir Path temporary) throws Exception {
        Path scripts = temporary.resolve("javascript");
        Files.createDirectories(scripts);
        for (String file : List.of("package.json", "package-lock.json", ".npmrc", "payment.mjs")) {
            Files.copy(
                    Launcher.root().resolve("node/src/test/sdk/javascript").resolve(file),
                    scripts.resolve(file),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        Launcher.run(scripts, Map.of(), List.of("npm", "ci", "--silent")).expectSuccess();
        try (Launcher.Network network = Launcher.Network.up(temporary.resolve("network"))) {
            Launcher.Outcome outcome =
                    Launcher.run(
                            scripts,
                            Map.of(),
                            List.of(
                                    "node",
                                    "payment.mjs",
                                    network.mnemonic(),
                                    network.url(1),
                                    network.url(2)));
            assertThat(outcome.expectSuccess().json().path("payment").path("round").asLong())
                    .isPositive();
        }
    }
}
