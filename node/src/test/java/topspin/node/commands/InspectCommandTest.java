package topspin.node.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.ArrayList;
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

    @Test
    void whatStandsBehindAnObjectIsToldAndCostsNothing() throws IOException {
        Vectors.Row number = inspect(new byte[2_000_000]);
        assertThat(number.text("kind")).isEqualTo("unknown");
        assertThat(number.text("rest")).isEqualTo("1999999 bytes behind what is shown");
        byte[] transaction = {(byte) 0x81, (byte) 0xa3, 't', 'x', 'n', (byte) 0x80};
        Vectors.Row group = inspect(Arrays.copyOf(transaction, 2_000_000));
        assertThat(group.text("kind")).isEqualTo("group");
        // Sixteen objects: the map, and fifteen zeros behind it.
        assertThat(group.text("rest"))
                .isEqualTo(2_000_000 - transaction.length - 15 + " bytes behind what is shown");
    }

    @Test
    void whatIsCutOffIsRefusedWithItsLength() throws IOException {
        for (byte[] cut :
                List.of(
                        new byte[] {(byte) 0x92, 1},
                        new byte[] {(byte) 0xa9, 'a'},
                        new byte[] {(byte) 0xc6, 0x7f, -1, -1, -1, 0},
                        new byte[] {(byte) 0xdd, 0x7f, -1, -1, -1},
                        new byte[] {(byte) 0xdf, -1, -1, -1, -1, 1})) {
            assertThatThrownBy(() -> MessagePackJson.parse(cut, 0, (path, from, to) -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageNotContaining("null");
        }
    }

    @Test
    void vectorsTakeNoForm() throws IOException {
        Path file = Files.writeString(folder.resolve("rows.jsonl"), "");
        var line = new CommandLine(new InspectCommand());
        var thrown = new ArrayList<Exception>();
        line.setExecutionExceptionHandler(
                (fault, command, parsed) -> {
                    thrown.add(fault);
                    return 2;
                });
        assertThat(line.execute("--hex", "--vectors", file.toString())).isEqualTo(2);
        assertThat(thrown).singleElement().isInstanceOf(CommandFault.class);
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
