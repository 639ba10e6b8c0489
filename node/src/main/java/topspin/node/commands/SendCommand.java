package topspin.node.commands;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import topspin.codec.Address;
import topspin.codec.crypto.Mnemonic;
import topspin.node.DataFolder;
import topspin.node.NodeFault;
import topspin.node.WalletFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code topspin send}: one payment. */
@Command(
        name = "send",
        description = "Pays from one account to another and waits for the round that holds it.",
        footer = {
            "",
            "Example:",
            "  topspin send --from wallet01 --to"
                    + " QE4XODVIPULV6VVDKRTMGTD6ZTFY3CURWTXDPIS56YHVXD6JWOKORTLPBU --amount 1000000"
        })
public final class SendCommand implements Runnable {
    /** Whose key signs. */
    static final class Source {
        @Option(
                names = "--from",
                paramLabel = "ACCOUNT",
                description = "Address or name of an account in the network's wallet.json.")
        private @Nullable String from;

        @Option(
                names = "--mnemonic-file",
                paramLabel = "FILE",
                description = "File with the 25 words of the paying account.")
        private @Nullable Path mnemonicFile;
    }

    @ArgGroup(multiplicity = "1")
    private Source source = new Source();

    @Option(names = "--to", paramLabel = "ADDRESS", description = "Who is paid.", required = true)
    private String to = "";

    @Option(
            names = "--amount",
            paramLabel = "MICROALGOS",
            description = "How much.",
            required = true)
    private String amount = "";

    @Mixin private Target target = new Target();
    @Mixin private Output output = new Output();

    @Override
    public void run() {
        pay(target, output, payer(), to, amount);
    }

    private WalletFile.Entry payer() {
        if (source.mnemonicFile != null) {
            return ofMnemonic(source.mnemonicFile);
        }
        String from = String.valueOf(source.from);
        return wallet(target)
                .find(from)
                .orElseThrow(
                        () ->
                                CommandFault.argument(
                                        "--from "
                                                + from
                                                + ": no such account in "
                                                + target.directory().resolve("wallet.json")
                                                + "; 'account import' adds one"));
    }

    static WalletFile wallet(Target target) {
        try {
            return target.network().wallet();
        } catch (NodeFault fault) {
            throw CommandFault.of(fault);
        }
    }

    static WalletFile.Entry ofMnemonic(Path file) {
        try {
            return WalletFile.Entry.ofSeed("", Mnemonic.toSeed(Files.readString(file).strip()));
        } catch (IOException unreadable) {
            throw CommandFault.argument(
                    file + ": cannot be read: " + DataFolder.reason(unreadable), unreadable);
        } catch (IllegalArgumentException wrong) {
            throw CommandFault.argument(file + ": " + wrong.getMessage(), wrong);
        }
    }

    static void pay(
            Target target, Output output, WalletFile.Entry payer, String to, String amount) {
        Address receiver = address(to);
        long microalgos = microalgos(amount);
        Payments.Receipt receipt = Payments.pay(target.client(), payer, receiver, microalgos);
        output.line(receipt.id() + " in round " + receipt.round());
        output.object(
                Output.newObject()
                        .put("txid", receipt.id())
                        .put("round", receipt.round())
                        .put("from", payer.address().toString())
                        .put("to", receiver.toString())
                        .put("amount", Long.toUnsignedString(microalgos)));
    }

    static Address address(String text) {
        try {
            return Address.parse(text);
        } catch (IllegalArgumentException wrong) {
            throw CommandFault.argument(
                    "'" + text + "' is no address: " + wrong.getMessage(), wrong);
        }
    }

    private static long microalgos(String text) {
        try {
            return Long.parseUnsignedLong(text);
        } catch (NumberFormatException wrong) {
            throw CommandFault.argument(
                    "--amount: a whole number of microalgos from 0 to 18446744073709551615, not '"
                            + text
                            + "'",
                    wrong);
        }
    }
}
