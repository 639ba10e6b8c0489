package topspin.node.commands;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import topspin.codec.Vectors;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** What agreement sends is named for what it is, as transactions and blocks are. */
class InspectCommandTest {
    @TempDir private Path folder;

    @Test
    void aProposalIsNamedWithItsBlockAndItsDigests() throws IOException {
        Vectors.Row row =
                Vectors.rows("reference/ledger/messages.jsonl.gz").stream()
                        .filter(message -> message.text("tag").equals("PP"))
                        .findFirst()
                        .orElseThrow();
        byte[] proposal = row.hex("plain_hex");
        Vectors.Row shown = inspect(proposal);
        assertThat(shown.text("kind")).isEqualTo("proposal");
        assertThat(shown.text("decode")).isEqualTo("accept");
        assertThat(shown.number("round")).isEqualTo(row.number("round"));
        assertThat(shown.flag("vote_names_it")).isTrue();
        Vectors.Row cut = inspect(Arrays.copyOf(proposal, proposal.length + 1));
        assertThat(cut.text("decode")).isEqualTo("reject");
        assertThat(cut.number("offset")).isEqualTo(proposal.length);
    }

    @Test
    void votesAndBundlesAreNamed() throws IOException {
        for (String tag : List.of("AV", "VB")) {
            Vectors.Row row =
                    Vectors.rows("reference/ledger/messages.jsonl.gz").stream()
                            .filter(message -> message.text("tag").equals(tag))
                            .findFirst()
                            .orElseThrow();
            Vectors.Row shown =
                    inspect(row.has("plain_hex") ? row.hex("plain_hex") : row.hex("wire_hex"));
            assertThat(shown.text("kind")).isEqualTo(tag.equals("AV") ? "vote" : "bundle");
            assertThat(shown.text("decode")).isEqualTo("accept");
            assertThat(shown.flag("canonical")).isTrue();
        }
    }

    private Vectors.Row inspect(byte[] object) throws IOException {
        Path file = Files.write(folder.resolve("object.msgp"), object);
        var printed = new ByteArrayOutputStream();
        try {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            assertThat(new CommandLine(new InspectCommand()).execute("--json", file.toString()))
                    .isZero();
        } finally {
            System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.out), true));
        }
        return Vectors.row(printed.toString(StandardCharsets.UTF_8));
    }
}
