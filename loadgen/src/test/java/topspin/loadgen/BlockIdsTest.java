package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.Test;

import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

final class BlockIdsTest {
    /** Text {@code gh}, then bin of 32. */
    private static final String GENESIS_HASH_KEY = "a26768c420";

    private static List<String> ids(BlockIds blockIds, byte[] served) throws IOException {
        var ids = new ArrayList<String>();
        int count =
                blockIds.read(served, served.length, id -> ids.add(Digest.of(id, 0).toString()));
        assertThat(count).isEqualTo(ids.size());
        return ids;
    }

    private static byte[] served(StubChain chain, Workload workload, List<String> ids) {
        for (long slot = 0; slot < 50; slot++) {
            TransactionGroup group = workload.group(slot, 10);
            chain.submit(group);
            for (SignedTransaction member : group) {
                ids.add(member.id().toString());
            }
        }
        chain.produce();
        return chain.block(chain.round());
    }

    private static Workload workload() {
        var shape = new Shape(1, Mix.parse("pay=70,keyreg=30"), 2, 300, 0, 0, 0, false, false);
        return new Workload(
                shape,
                new Accounts(1, 10),
                Workload.Assets.NONE,
                StubChain.GENESIS_ID,
                StubChain.GENESIS_HASH);
    }

    @Test
    void findsTheIdsThatWereSubmitted() throws IOException, MalformedMessage {
        try (var chain = new StubChain()) {
            var expected = new ArrayList<String>();
            byte[] served = served(chain, workload(), expected);
            var blockIds = new BlockIds(StubChain.GENESIS_ID, StubChain.GENESIS_HASH.toBytes());
            assertThat(ids(blockIds, served)).isEqualTo(expected);
            // Before the block its key and the map's header, behind it a certificate of nothing.
            Block block = new BlockDecoder().decodeBlock(served, 7, served.length - 7 - 6);
            assertThat(blockIds.transactionBytes())
                    .isEqualTo(
                            block.transactions().stream()
                                    .mapToLong(transaction -> transaction.encoding().length())
                                    .sum());
        }
    }

    @Test
    void refusesABlockCutAnywhere() throws IOException {
        try (var chain = new StubChain()) {
            byte[] served = served(chain, workload(), new ArrayList<>());
            var blockIds = new BlockIds(StubChain.GENESIS_ID, StubChain.GENESIS_HASH.toBytes());
            for (int length = 0; length < served.length; length += 1 + length / 50) {
                byte[] cut = Arrays.copyOf(served, length);
                assertThatThrownBy(() -> blockIds.read(cut, cut.length, id -> {}))
                        .isInstanceOf(IOException.class);
            }
        }
    }

    /** Blocks of real networks, with applications, inner transactions and state proofs. */
    @Test
    void findsTheIdsOfPublishedBlocks() throws IOException {
        Path folder = Path.of(System.getProperty("topspin.vectors", "none"), "blocks");
        assumeTrue(Files.isDirectory(folder), "no published blocks here");
        int compared = 0;
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".msgp")).toList()) {
                compared += compare(file);
            }
        }
        assertThat(compared).isPositive();
    }

    private static int compare(Path file) throws IOException {
        Path facts = Path.of(file.toString().replace(".msgp", ".json"));
        JsonNode json = JsonMapper.builder().build().readTree(facts.toFile());
        if (file.getFileName().toString().startsWith("validated")) {
            return 0; // Another shape.
        }
        String header = json.path("header_msgpack").asText();
        int hashStart = header.indexOf(GENESIS_HASH_KEY) + GENESIS_HASH_KEY.length();
        byte[] hash = HexFormat.of().parseHex(header, hashStart, hashStart + 64);
        var blockIds = new BlockIds(json.path("genesis_id").asText(), hash);
        var texts = new ArrayList<String>();
        for (JsonNode transaction : json.path("transactions")) {
            texts.add(transaction.path("txid_assuming_genesis_hash_required").asText());
        }
        if (!json.path("top_level_keys").toString().contains("cert")) {
            return 0; // A header alone.
        }
        assertThat(ids(blockIds, Files.readAllBytes(file))).as("%s", file).isEqualTo(texts);
        return texts.size();
    }
}
