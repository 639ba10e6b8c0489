package topspin.node.commands;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockHeader;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.LooseDecoder;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionDecoder;
import topspin.codec.txn.TransactionGroup;
import topspin.codec.vote.ProposalDecoder;
import topspin.codec.vote.ProposalEncoder;
import topspin.codec.vote.ProposalMessage;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.VoteDecoder;
import topspin.ledger.Genesis;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedCache;
import topspin.node.DataFolder;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.concurrent.Callable;

/**
 * {@code topspin inspect}: what a msgpack object is, whether its bytes are canonical, whether its
 * signature holds.
 */
@Command(
        name = "inspect",
        description =
                "Reads a transaction, group, block, vote, bundle, proposal or genesis and says"
                        + " what it is, its id, and whether it is canonical and signed.",
        footer = {
            "",
            "Examples:",
            "  topspin inspect payment.stxn",
            "  curl -s -H \"X-Algo-API-Token: $TOKEN\""
                    + " \"localhost:4001/v2/blocks/7?format=msgpack\" | topspin inspect",
            "  topspin inspect --vectors txns.jsonl"
        })
public final class InspectCommand implements Callable<Integer> {
    /** Three times the largest block, its certificate and hexadecimal included; fits the heap. */
    private static final int INPUT_BYTES_MAX = 16 << 20;

    /** A group's most; of what follows only the length is told. */
    private static final int OBJECTS_MAX = 16;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /**
     * A signed transaction that has nothing but a transaction: a map of one, its key {@code txn}.
     */
    private static final byte[] UNSIGNED_PREFIX = {(byte) 0x81, (byte) 0xa3, 't', 'x', 'n'};

    @Parameters(
            paramLabel = "FILE",
            arity = "0..1",
            description = "What to read (default: standard input).")
    private @Nullable Path file;

    /** How the input is written. */
    static final class Form {
        @Option(names = "--hex", description = "The input is hexadecimal text.")
        private boolean hex;

        @Option(names = "--base64", description = "The input is base64 text.")
        private boolean base64;
    }

    @ArgGroup private Form form = new Form();

    @Option(
            names = "--vectors",
            paramLabel = "FILE",
            description =
                    "A file of JSON lines with msgpack, stxn or bytes in hex: prints a verdict a"
                            + " line.")
    private @Nullable Path vectors;

    @Mixin private Output output = new Output();

    private final ConsensusParams params = currentParams();
    private final Signatures signatures =
            new Signatures(
                    new VerifiedCache(2, new SecureRandom()),
                    new SignatureEngine(new SecureRandom()),
                    64);

    @Override
    public Integer call() {
        try {
            if (vectors == null) {
                inspect(read());
                return 0;
            }
            if (file != null) {
                throw CommandFault.argument(
                        "FILE and --vectors cannot both be read; give one of them");
            }
            if (form.hex || form.base64) {
                throw CommandFault.argument(
                        "--vectors: its lines are hexadecimal always; leave --hex and --base64");
            }
            return inspectVectors(vectors) ? 0 : 1;
        } catch (IOException unreadable) {
            throw CommandFault.argument(
                    (vectors != null ? vectors : file != null ? file : "standard input")
                            + ": cannot be read: "
                            + DataFolder.reason(unreadable),
                    unreadable);
        }
    }

    private static ConsensusParams currentParams() {
        ConsensusParams current = ConsensusVersions.builtIn().get(ConsensusVersions.CURRENT);
        if (current == null) {
            throw new AssertionError("the current version is in the table");
        }
        return current;
    }

    private byte[] read() throws IOException {
        byte[] raw;
        try (InputStream in = file == null ? System.in : Files.newInputStream(file)) {
            raw = in.readNBytes(INPUT_BYTES_MAX + 1);
        } catch (java.nio.file.NoSuchFileException absent) {
            throw CommandFault.argument(file + ": no such file", absent);
        }
        if (raw.length > INPUT_BYTES_MAX) {
            throw CommandFault.argument("the input is larger than " + INPUT_BYTES_MAX + " bytes");
        }
        try {
            String text = new String(raw, StandardCharsets.ISO_8859_1).replaceAll("\\s", "");
            return form.hex
                    ? HexFormat.of().parseHex(text)
                    : form.base64 ? Base64.getDecoder().decode(text) : raw;
        } catch (IllegalArgumentException wrong) {
            throw CommandFault.argument(
                    "the input is not "
                            + (form.hex ? "hexadecimal" : "base64")
                            + ": "
                            + wrong.getMessage(),
                    wrong);
        }
    }

    private void inspect(byte[] bytes) {
        if (bytes.length == 0) {
            throw CommandFault.argument("the input is empty");
        }
        ObjectNode result = Output.newObject();
        if (bytes[0] == '{' || Character.isWhitespace(bytes[0])) {
            inspectGenesis(new String(bytes, StandardCharsets.UTF_8), result);
        } else {
            inspectMessagePack(bytes, result);
        }
        output.object(result);
        output.line(result.toPrettyString());
    }

    private static void inspectGenesis(String text, ObjectNode result) {
        try {
            Genesis genesis = Genesis.parse(text);
            result.put("kind", "genesis");
            result.put("id", genesis.id());
            result.put("hash", Base64.getEncoder().encodeToString(genesis.hash().toBytes()));
            result.set("object", JSON.readTree(genesis.json()));
        } catch (IllegalArgumentException | JsonProcessingException wrong) {
            throw CommandFault.argument("no genesis: " + wrong.getMessage(), wrong);
        }
    }

    private void inspectMessagePack(byte[] bytes, ObjectNode result) {
        MessagePackJson.Parsed parsed;
        try {
            parsed = MessagePackJson.parse(bytes, 0, (path, from, to) -> {});
        } catch (IOException wrong) {
            throw CommandFault.argument(String.valueOf(wrong.getMessage()), wrong);
        }
        JsonNode tree = parsed.tree();
        if (tree.has("txn") && tree.path("txn").isObject()) {
            inspectGroup(bytes, parsed.length() < bytes.length, result);
        } else if (tree.has("oprop") || tree.has("pv")) {
            inspectProposal(bytes, tree, result);
        } else if (tree.has("block") || tree.has("proto") && tree.has("gh")) {
            inspectBlock(bytes, tree, result);
        } else if (tree.has("type") || tree.has("snd")) {
            inspectUnsigned(bytes, tree, result);
        } else if (tree.has("cred") && tree.has("r")) {
            strictly(
                    "vote",
                    tree,
                    result,
                    () -> new VoteDecoder().decodeVote(bytes, 0, bytes.length));
        } else if (tree.has("vote") || tree.has("eqv")) {
            strictly(
                    "bundle",
                    tree,
                    result,
                    () -> new VoteDecoder().decodeBundle(bytes, 0, bytes.length));
        } else {
            result.put("kind", "unknown");
            result.set("object", tree);
            rest(bytes.length - parsed.length(), result);
        }
    }

    private static void rest(int bytes, ObjectNode result) {
        if (bytes > 0) {
            result.put("rest", bytes + " bytes behind what is shown");
        }
    }

    private void inspectGroup(byte[] bytes, boolean several, ObjectNode result) {
        result.put("kind", several ? "group" : "signed transaction");
        ArrayNode objects = result.putArray("objects");
        try {
            int at = 0;
            while (at < bytes.length && objects.size() < OBJECTS_MAX) {
                MessagePackJson.Parsed part =
                        MessagePackJson.parse(bytes, at, (path, from, to) -> {});
                objects.add(part.tree());
                at += part.length();
            }
            rest(bytes.length - at, result);
        } catch (IOException rest) {
            result.put("rest", rest.getMessage());
        }
        TransactionGroup group;
        try {
            group = new LooseDecoder().decodeGroup(bytes);
        } catch (MalformedMessage malformed) {
            result.put("decode", "reject");
            result.put("reason", malformed.reason());
            result.put("offset", malformed.offset());
            return;
        }
        result.put("decode", "accept");
        canonical(bytes, concatenated(group), result);
        ArrayNode members = result.putArray("transactions");
        for (SignedTransaction member : group) {
            ObjectNode node = members.addObject();
            node.put("txid", member.id().toString());
            node.put("type", member.txn().typeText());
            node.put("authorizer", member.authorizer().toString());
            if (!member.txn().group().isZero()) {
                node.put(
                        "group",
                        Base64.getEncoder().encodeToString(member.txn().group().toBytes()));
            }
            node.put("signature", signature(member));
        }
    }

    private void inspectUnsigned(byte[] bytes, JsonNode tree, ObjectNode result) {
        result.put("kind", "transaction");
        result.set("object", tree);
        Verdict verdict = judge(wrap(bytes));
        result.put("decode", verdict.decode());
        if (verdict.group() == null) {
            result.put("reason", verdict.reason());
            return;
        }
        SignedTransaction only = verdict.group().first();
        canonical(
                bytes,
                Arrays.copyOfRange(
                        only.bytes(), only.txnOffset(), only.txnOffset() + only.txnLength()),
                result);
        result.put("txid", only.id().toString());
        if (!only.txn().group().isZero()) {
            result.put("group", Base64.getEncoder().encodeToString(only.txn().group().toBytes()));
        }
    }

    private void inspectBlock(byte[] bytes, JsonNode tree, ObjectNode result) {
        byte[][] part = {bytes};
        if (tree.has("block")) {
            // As REST serves it, beside its certificate.
            try {
                MessagePackJson.parse(
                        bytes,
                        0,
                        (path, from, to) -> {
                            if (path.equals("block")) {
                                part[0] =
                                        Arrays.copyOfRange(
                                                bytes, (int) from + 1 + "block".length(), (int) to);
                            }
                        });
            } catch (IOException impossible) {
                throw new AssertionError("it was parsed a moment ago", impossible);
            }
        }
        Block block =
                strictly(
                        "block",
                        tree,
                        result,
                        () -> new BlockDecoder().decodeBlock(part[0], 0, part[0].length));
        if (block != null) {
            describe(block, result);
        }
    }

    private static void inspectProposal(byte[] bytes, JsonNode tree, ObjectNode result) {
        ProposalMessage message =
                strictly(
                        "proposal",
                        tree,
                        result,
                        () -> new ProposalDecoder().decode(bytes, 0, bytes.length));
        if (message != null) {
            describe(message.proposal().block(), result);
            ProposalValue value = ProposalEncoder.value(message.proposal());
            result.put("original_proposer", value.originalProposer().toString());
            result.put("original_period", Long.toUnsignedString(value.originalPeriod()));
            result.put("encoding_digest", value.encodingDigest().toString());
            if (message.vote() != null) {
                result.put("vote_names_it", message.vote().raw().value().equals(value));
            }
        }
    }

    private static void describe(Block block, ObjectNode result) {
        BlockHeader header = block.header();
        result.put("round", Long.toUnsignedString(header.round()));
        result.put("hash", BlockEncoder.hash(header).toString());
        result.put("transactions", block.transactions().size());
    }

    private interface Decoding<T> {
        T run() throws MalformedMessage;
    }

    /** What only its canonical bytes are taken for: the verdict, and the object if there is one. */
    private static <T> @Nullable T strictly(
            String kind, JsonNode tree, ObjectNode result, Decoding<T> decoding) {
        result.put("kind", kind);
        result.set("object", tree);
        try {
            T decoded = decoding.run();
            result.put("decode", "accept");
            result.put("canonical", true);
            return decoded;
        } catch (MalformedMessage malformed) {
            result.put("decode", "reject");
            result.put("reason", malformed.reason());
            result.put("offset", malformed.offset());
            return null;
        }
    }

    /**
     * Whether these are the canonical bytes; if not, the first byte that differs, and the field it
     * lies in.
     */
    private static void canonical(byte[] bytes, byte[] canonical, ObjectNode result) {
        int at = Arrays.mismatch(bytes, canonical);
        result.put("canonical", at < 0);
        if (at < 0) {
            return;
        }
        ObjectNode difference = result.putObject("first_difference");
        difference.put("offset", at);
        String[] field = {""};
        try {
            MessagePackJson.parse(
                    bytes,
                    0,
                    (path, from, to) -> {
                        if (field[0].isEmpty() && from <= at && at < to) {
                            field[0] = path;
                        }
                    });
        } catch (IOException partial) {
            // Then the fields seen so far have to do.
        }
        difference.put("field", field[0].isEmpty() ? "(outside any field)" : field[0]);
    }

    private static byte[] concatenated(TransactionGroup group) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (SignedTransaction member : group) {
            all.write(member.bytes(), member.offset(), member.length());
        }
        return all.toByteArray();
    }

    private static byte[] wrap(byte[] txn) {
        byte[] signed = Arrays.copyOf(UNSIGNED_PREFIX, UNSIGNED_PREFIX.length + txn.length);
        System.arraycopy(txn, 0, signed, UNSIGNED_PREFIX.length, txn.length);
        return signed;
    }

    private String signature(SignedTransaction member) {
        Refusal refusal = signatures.checkSignature(member, params);
        if (refusal == null) {
            return "valid";
        }
        return refusal.reason() == Reason.SIGNATURE_MISSING
                ? "absent"
                : refusal.kind() == Refusal.Kind.BEYOND_US ? "unsupported" : "invalid";
    }

    /**
     * What became of one input.
     *
     * @param group what it decodes to, canonically; null if it does not
     * @param canonical of the strict reader, on the bytes as given
     */
    private record Verdict(@Nullable TransactionGroup group, boolean canonical, String reason) {
        String decode() {
            return group == null ? "reject" : "accept";
        }
    }

    private static Verdict judge(byte[] signed) {
        TransactionGroup group;
        try {
            group = new LooseDecoder().decodeGroup(signed);
        } catch (MalformedMessage malformed) {
            return new Verdict(null, false, malformed.reason());
        }
        try {
            new TransactionDecoder().decodeGroup(signed, 0, signed.length);
            return new Verdict(group, true, "");
        } catch (MalformedMessage loose) {
            return new Verdict(group, false, loose.reason());
        }
    }

    /** Whether every line that gives a transaction id gives ours. */
    private boolean inspectVectors(Path path) throws IOException {
        boolean equal = true;
        try (BufferedReader lines = Files.newBufferedReader(path)) {
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                if (line.isBlank()) {
                    continue;
                }
                JsonNode row;
                try {
                    row = JSON.readTree(line);
                } catch (JsonProcessingException wrong) {
                    throw CommandFault.argument(path + ", line " + number + ": not JSON", wrong);
                }
                equal &= inspectRow(row, path + ", line " + number);
            }
        } catch (java.nio.file.NoSuchFileException absent) {
            throw CommandFault.argument(path + ": no such file", absent);
        }
        return equal;
    }

    private boolean inspectRow(JsonNode row, String where) {
        String key = row.has("stxn") ? "stxn" : row.has("bytes") ? "bytes" : "msgpack";
        if (!row.path(key).isTextual()) {
            throw CommandFault.argument(where + ": has neither msgpack nor stxn nor bytes");
        }
        byte[] bytes;
        try {
            bytes = HexFormat.of().parseHex(row.path(key).textValue());
        } catch (IllegalArgumentException wrong) {
            throw CommandFault.argument(where + ": " + key + " is not hexadecimal", wrong);
        }
        Verdict verdict = judge(key.equals("msgpack") ? wrap(bytes) : bytes);
        ObjectNode result = Output.newObject();
        if (row.has("id")) {
            result.set("id", row.path("id"));
        }
        result.put("decode", verdict.decode());
        result.put("canonical", verdict.canonical());
        String id = "";
        if (verdict.group() != null) {
            SignedTransaction first = verdict.group().first();
            id = first.id().toString();
            result.put("txid", id);
            result.put("signature", key.equals("msgpack") ? "absent" : signature(first));
        }
        if (!verdict.reason().isEmpty()) {
            result.put("reason", verdict.reason());
        }
        System.out.println(result);
        return !row.path("txid").isTextual() || row.path("txid").textValue().equals(id);
    }
}
