package topspin.node.commands;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import topspin.codec.Address;
import topspin.node.DataFolder;
import topspin.node.NodeFault;
import topspin.node.keys.KeyFault;
import topspin.node.keys.KeyGenerator;
import topspin.node.keys.KeyStore;
import topspin.node.keys.KeyUse;
import topspin.node.keys.ParticipationKeys;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;

/** {@code topspin keys}: participation keys of a node. */
@Command(
        name = "keys",
        description = "Makes, lists and installs participation keys.",
        subcommands = {
            KeysCommand.Generate.class,
            KeysCommand.ListKeys.class,
            KeysCommand.Install.class
        },
        footer = {"", "Example:", "  topspin keys list --data ./node1"})
public final class KeysCommand {
    private static final String KEYS = "/v2/participation";

    private static final int FILE_BYTES_MAX = 1 << 30;

    private KeysCommand() {}

    /** {@code keys generate}. */
    @Command(
            name = "generate",
            description = {
                "Makes participation keys of an account, as a file or in a node.",
                "Key registrations of protocol v31 and later name a state-proof key. None is made"
                        + " here: its place takes the root of an empty key tree (sumhash512 of"
                        + " 'MB'), with which the account signs no state proof."
            },
            footer = {
                "",
                "Examples:",
                "  topspin keys generate ADDRESS --first 1000 --last 1001000 --out mine.partkey",
                "  topspin keys generate ADDRESS --last 3000000 --data ./node1"
            })
    static final class Generate implements Runnable {
        @Parameters(paramLabel = "ADDRESS", description = "Whose keys they are.")
        private String account = "";

        @Option(
                names = "--first",
                paramLabel = "ROUND",
                description = "First round they are good for (default: ${DEFAULT-VALUE}).",
                defaultValue = "0")
        private long first;

        @Option(
                names = "--last",
                paramLabel = "ROUND",
                required = true,
                description = "Last round, at most 16777215 after the first.")
        private long last;

        @Option(
                names = "--dilution",
                paramLabel = "N",
                description =
                        "Rounds that share a batch key (default: the square root of their"
                                + " number).",
                defaultValue = "0")
        private long dilution;

        @Option(
                names = "--out",
                paramLabel = "FILE",
                description = "File to write instead of installing them, mode 0600.")
        private @Nullable Path out;

        @Mixin private Target target = new Target();
        @Mixin private Output output = new Output();

        @Override
        public void run() {
            ParticipationKeys keys;
            try {
                Address address = Address.parse(account);
                keys =
                        new KeyGenerator(new SecureRandom())
                                .generate(address, first, last, dilution);
            } catch (IllegalArgumentException wrong) {
                throw CommandFault.argument(account + ": " + wrong.getMessage(), wrong);
            } catch (KeyFault wrong) {
                throw CommandFault.argument(wrong.reason(), wrong);
            }
            if (out != null) {
                write(keys.toFile(), out);
            } else {
                install(keys.toFile(), target);
            }
            Base64.Encoder base64 = Base64.getEncoder();
            ObjectNode root =
                    Output.newObject()
                            .put("id", keys.id().toString())
                            .put("address", keys.account().toString())
                            .put("vote-key", base64.encodeToString(keys.voteKey().toBytes()))
                            .put(
                                    "selection-key",
                                    base64.encodeToString(keys.selectionKey().toBytes()))
                            .put(
                                    "state-proof-key",
                                    base64.encodeToString(keys.stateProofKey().toArray()))
                            .put("vote-first", keys.firstValid())
                            .put("vote-last", keys.lastValid())
                            .put("vote-key-dilution", keys.dilution());
            output.line(out == null ? "made and installed" : "made " + out);
            root.properties()
                    .forEach(
                            field ->
                                    output.line(
                                            "  "
                                                    + field.getKey()
                                                    + "  "
                                                    + field.getValue().asText()));
            output.object(root);
        }

        private static void write(byte[] file, Path to) {
            try {
                Files.createFile(
                        to,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
                Files.write(to, file, StandardOpenOption.WRITE);
            } catch (FileAlreadyExistsException there) {
                throw CommandFault.argument("--out " + to + ": a file is there already", there);
            } catch (IOException refused) {
                throw CommandFault.machine(
                        to + ": cannot be written: " + DataFolder.reason(refused), refused);
            }
        }
    }

    /** {@code keys list}. */
    @Command(
            name = "list",
            description = "Lists the participation keys of a node.",
            footer = {"", "Example:", "  topspin keys list --data ./node1 --json"})
    static final class ListKeys implements Runnable {
        @Mixin private Target target = new Target();
        @Mixin private Output output = new Output();

        @Override
        public void run() {
            ArrayNode all = Output.newObject().arrayNode();
            if (target.isStopped()) {
                withStore(
                        target.data(),
                        store ->
                                store.list()
                                        .forEach(
                                                keys ->
                                                        add(
                                                                describe(
                                                                        keys,
                                                                        store.uses().of(keys.id())),
                                                                all)));
            } else {
                target.client().json(KEYS).forEach(keys -> add(describe(keys), all));
            }
            if (all.isEmpty()) {
                output.line("no keys");
            }
            ObjectNode root = Output.newObject();
            root.set("keys", all);
            output.object(root);
        }

        private void add(ObjectNode keys, ArrayNode all) {
            output.line(keys.path("id").asText() + "  " + keys.path("address").asText());
            output.line(
                    "  rounds "
                            + keys.path("vote-first").asLong()
                            + " to "
                            + keys.path("vote-last").asLong()
                            + ", dilution "
                            + keys.path("vote-key-dilution").asLong());
            output.line("  " + use(keys));
            all.add(keys);
        }

        private static String use(ObjectNode keys) {
            if (!keys.has("effective-last")) {
                return "not voted with here";
            }
            return "in effect from round %d to %d, last vote in %s, last block proposed in %s"
                    .formatted(
                            keys.path("effective-first").asLong(),
                            keys.path("effective-last").asLong(),
                            keys.path("last-vote").asText("none"),
                            keys.path("last-block-proposal").asText("none"));
        }

        private static ObjectNode describe(ParticipationKeys keys, KeyUse use) {
            ObjectNode described =
                    Output.newObject()
                            .put("id", keys.id().toString())
                            .put("address", keys.account().toString())
                            .put("vote-first", keys.firstValid())
                            .put("vote-last", keys.lastValid())
                            .put("vote-key-dilution", keys.dilution());
            if (use.lastEffective() != 0) {
                described.put("effective-first", use.firstEffective());
                described.put("effective-last", use.lastEffective());
            }
            if (use.lastVote() != 0) {
                described.put("last-vote", use.lastVote());
            }
            if (use.lastProposal() != 0) {
                described.put("last-block-proposal", use.lastProposal());
            }
            return described;
        }

        private static ObjectNode describe(JsonNode keys) {
            JsonNode key = keys.path("key");
            ObjectNode described =
                    Output.newObject()
                            .put("id", keys.path("id").asText())
                            .put("address", keys.path("address").asText())
                            .put("vote-first", key.path("vote-first-valid").asLong())
                            .put("vote-last", key.path("vote-last-valid").asLong())
                            .put("vote-key-dilution", key.path("vote-key-dilution").asLong());
            copy(keys, "effective-first-valid", described, "effective-first");
            copy(keys, "effective-last-valid", described, "effective-last");
            copy(keys, "last-vote", described, "last-vote");
            copy(keys, "last-block-proposal", described, "last-block-proposal");
            return described;
        }

        private static void copy(JsonNode from, String name, ObjectNode to, String as) {
            if (from.has(name)) {
                to.put(as, from.path(name).asLong());
            }
        }
    }

    /** {@code keys install}. */
    @Command(
            name = "install",
            description = {
                "Gives a node the keys of a .partkey file, as this ecosystem's tools write them.",
                "State-proof secrets in the file are not used, and not kept once the node votes."
            },
            footer = {"", "Example:", "  topspin keys install mine.partkey --data ./node1"})
    static final class Install implements Runnable {
        @Parameters(paramLabel = "FILE", description = "The file of keys.")
        private Path file = Path.of("");

        @Mixin private Target target = new Target();
        @Mixin private Output output = new Output();

        @Override
        public void run() {
            String id = install(read(file), target);
            output.line("installed " + id);
            output.object(Output.newObject().put("id", id));
        }

        private static byte[] read(Path file) {
            try {
                if (Files.size(file) > FILE_BYTES_MAX) {
                    throw CommandFault.argument(file + ": larger than " + FILE_BYTES_MAX);
                }
                return Files.readAllBytes(file);
            } catch (IOException unreadable) {
                throw CommandFault.argument(
                        file + ": cannot be read: " + DataFolder.reason(unreadable), unreadable);
            }
        }
    }

    /** Gives keys to the node: by REST if it runs, else into its folder. Their id. */
    private static String install(byte[] file, Target target) {
        if (target.isStopped()) {
            String[] id = {""};
            withStore(target.data(), store -> id[0] = store.install(file).id().toString());
            return id[0];
        }
        NodeClient node = target.client();
        try {
            NodeClient.Answer answer = node.post(KEYS, file);
            if (!answer.isOk()) {
                throw CommandFault.argument(answer.message());
            }
            return answer.json().path("partId").asText();
        } catch (IOException unreachable) {
            throw node.unreachable(unreachable);
        }
    }

    private interface Work {
        void with(KeyStore store) throws KeyFault;
    }

    /** The keys of a node that does not run, and does not start meanwhile. */
    private static void withStore(Path data, Work work) {
        try (DataFolder folder = DataFolder.open(data)) {
            work.with(KeyStore.open(folder.keys()));
        } catch (KeyFault wrong) {
            throw CommandFault.argument(wrong.reason(), wrong);
        } catch (NodeFault fault) {
            throw CommandFault.of(fault);
        } catch (IOException refused) {
            throw CommandFault.machine(data + ": " + DataFolder.reason(refused), refused);
        }
    }
}
