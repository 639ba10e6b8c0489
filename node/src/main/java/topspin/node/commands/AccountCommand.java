package topspin.node.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import topspin.node.NodeFault;
import topspin.node.WalletFile;

import java.nio.file.Path;
import java.security.SecureRandom;

/** {@code topspin account}: keys, mnemonics, balances. */
@Command(
        name = "account",
        description = "Makes and imports keys, shows balances.",
        subcommands = {
            AccountCommand.New.class,
            AccountCommand.Import.class,
            AccountCommand.Show.class
        },
        footer = {"", "Example:", "  topspin account new"})
public final class AccountCommand {
    private AccountCommand() {}

    /** {@code account new}. */
    @Command(
            name = "new",
            description = "Makes a key and prints its address and 25 words; keeps nothing.",
            footer = {"", "Example:", "  topspin account new --json"})
    static final class New implements Runnable {
        @Mixin private Output output = new Output();

        @Override
        public void run() {
            byte[] seed = new byte[32];
            new SecureRandom().nextBytes(seed);
            WalletFile.Entry entry = WalletFile.Entry.ofSeed("", seed);
            output.line("address   " + entry.address());
            output.line("mnemonic  " + entry.mnemonic());
            output.object(
                    Output.newObject()
                            .put("address", entry.address().toString())
                            .put("mnemonic", entry.mnemonic()));
        }
    }

    /** {@code account import}. */
    @Command(
            name = "import",
            description = "Adds an account to the network's wallet.json, for 'send --from'.",
            footer = {
                "",
                "Example:",
                "  topspin account import --mnemonic-file words.txt --name alice"
            })
    static final class Import implements Runnable {
        @Option(
                names = "--mnemonic-file",
                paramLabel = "FILE",
                description = "File with the account's 25 words.",
                required = true)
        private Path mnemonicFile = Path.of("");

        @Option(
                names = "--name",
                paramLabel = "NAME",
                description = "What to call it.",
                defaultValue = "")
        private String name = "";

        @Mixin private Target target = new Target();
        @Mixin private Output output = new Output();

        @Override
        public void run() {
            WalletFile.Entry unnamed = SendCommand.ofMnemonic(mnemonicFile);
            WalletFile.Entry entry =
                    new WalletFile.Entry(name, unnamed.address(), unnamed.mnemonic());
            try {
                target.network().wallet().add(entry);
            } catch (NodeFault fault) {
                throw CommandFault.of(fault);
            }
            output.line("imported " + entry.address());
            output.object(
                    Output.newObject()
                            .put("address", entry.address().toString())
                            .put("name", name));
        }
    }

    /** {@code account show}. */
    @Command(
            name = "show",
            description = "Shows what a node knows of an account.",
            footer = {"", "Example:", "  topspin account show wallet01"})
    static final class Show implements Runnable {
        @Parameters(
                paramLabel = "ADDRESS",
                description = "Address, or name of an account in the network's wallet.json.")
        private String account = "";

        @Mixin private Target target = new Target();
        @Mixin private Output output = new Output();

        @Override
        public void run() {
            String address =
                    account.length() == 58 ? SendCommand.address(account).toString() : named();
            JsonNode state = target.client().json("/v2/accounts/" + address);
            output.line("address      " + address);
            output.line("amount       " + state.path("amount").asText() + " microalgos");
            output.line("min balance  " + state.path("min-balance").asText());
            output.line("status       " + state.path("status").asText());
            output.line("assets       " + state.path("total-assets-opted-in").asText());
            output.line("round        " + state.path("round").asText());
            if (state.has("auth-addr")) {
                output.line("rekeyed to   " + state.path("auth-addr").asText());
            }
            if (state instanceof ObjectNode object) {
                output.object(object);
            }
        }

        private String named() {
            return SendCommand.wallet(target)
                    .find(account)
                    .orElseThrow(
                            () ->
                                    CommandFault.argument(
                                            "'"
                                                    + account
                                                    + "' is neither an address nor a name in "
                                                    + target.directory().resolve("wallet.json")))
                    .address()
                    .toString();
        }
    }
}
