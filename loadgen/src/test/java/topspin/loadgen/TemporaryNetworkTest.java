package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

final class TemporaryNetworkTest {
    @TempDir private Path folder;

    @AfterEach
    void forgetTheLauncher() {
        System.clearProperty(TemporaryNetwork.LAUNCHER);
    }

    /** A launcher that writes down how it was called, and does as the script says. */
    private Path launcher(String script) throws IOException {
        Path calls = folder.resolve("calls");
        Path launcher = folder.resolve("launcher");
        Files.writeString(launcher, "#!/bin/sh\necho \"$*\" >> '" + calls + "'\n" + script + "\n");
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
        System.setProperty(TemporaryNetwork.LAUNCHER, launcher.toString());
        return calls;
    }

    private static TemporaryNetwork.Wish wish() {
        return new TemporaryNetwork.Wish(3, "interval:1s", null, null, null, 0);
    }

    @Test
    void goesUpAndComesDownAndLeavesNothing() throws IOException {
        Path calls = launcher("touch \"$5/file\"");
        Path network;
        try (var temporary = TemporaryNetwork.start(wish())) {
            network = temporary.folder();
            assertThat(network.resolve("file")).exists();
        }
        assertThat(network).doesNotExist();
        assertThat(Files.readAllLines(calls))
                .isEqualTo(
                        List.of(
                                "network up --detach --dir "
                                        + network
                                        + " --port 0 --nodes 3 --blocks interval:1s",
                                "network down --dir " + network));
    }

    @Test
    void aFolderOfTheUsersIsKept() throws IOException {
        launcher("exit 0");
        Path kept = Files.createDirectory(folder.resolve("kept"));
        TemporaryNetwork.start(new TemporaryNetwork.Wish(2, null, "v42", null, kept, 0)).close();
        assertThat(kept).isDirectory();
    }

    @Test
    void whatTheLauncherSaysOfAFailureIsPassedOnWithItsStatus() throws IOException {
        for (int status : List.of(LoadFault.BAD_ARGUMENT, LoadFault.MACHINE_REFUSED)) {
            launcher("echo 'topspin: port 4001 is taken' >&2; exit " + status);
            assertThatThrownBy(() -> TemporaryNetwork.start(wish()))
                    .isInstanceOfSatisfying(
                            LoadFault.class,
                            fault -> assertThat(fault.exitStatus()).isEqualTo(status))
                    .hasMessage("port 4001 is taken");
        }
        launcher("echo gone; exit 137");
        assertThatThrownBy(() -> TemporaryNetwork.start(wish()))
                .hasMessage("network up: exit status 137: gone");
    }

    @Test
    void aNetworkThatItDidNotStartIsLeftAlone() throws IOException {
        Path calls = launcher("exit 3");
        Path running = Files.createDirectory(folder.resolve("running"));
        assertThatThrownBy(
                        () ->
                                TemporaryNetwork.start(
                                        new TemporaryNetwork.Wish(2, null, null, null, running, 0)))
                .isInstanceOf(LoadFault.class);
        assertThat(Files.readAllLines(calls)).singleElement().asString().startsWith("network up");
        assertThat(running).isDirectory();
    }

    @Test
    void withoutALauncherItSaysHowToGoOn() {
        System.clearProperty(TemporaryNetwork.LAUNCHER);
        assertThatThrownBy(() -> TemporaryNetwork.start(wish()))
                .isInstanceOf(LoadFault.class)
                .hasMessageContaining("--network or --url");
    }
}
