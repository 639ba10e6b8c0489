package topspin.codec.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Vectors;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.HashFunction;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.BlockTransactionDecoder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Headers, blocks and commitments that others made. */
class BlockVectorsTest {
    private final BlockDecoder decoder = new BlockDecoder();

    @Test
    void randomHeadersGoBackToTheirBytesAndHaveTheirHashes() throws MalformedMessage {
        int headers = 0;
        for (Vectors.Row row : Vectors.rows("headers_random.jsonl")) {
            byte[] bytes = row.hex("header_msgpack");
            BlockHeader header = decoder.decodeHeader(bytes);
            assertThat(BlockEncoder.encodeHeader(header)).as(row.id()).isEqualTo(bytes);
            assertThat(BlockEncoder.hash(header).toBytes()).as(row.id()).isEqualTo(row.hex("prev"));
            assertThat("blk-" + BlockEncoder.hash(header)).isEqualTo(row.text("prev_b32"));
            assertThat(BlockEncoder.hash512(header)).as(row.id()).isEqualTo(row.hex("prev512"));
            byte[] sha256 = new byte[32];
            BlockEncoder.hash(header, HashFunction.SHA256, sha256, 0);
            assertThat(sha256).as(row.id()).isEqualTo(row.hex("sha256"));
            // Light headers are for those who make or check state proofs, which Topspin does not.
            headers++;
        }
        assertThat(headers).isEqualTo(60);
    }

    @Test
    void commitmentsAndProofsAreTheReferences() throws MalformedMessage {
        int trees = 0;
        for (Vectors.Row row : Vectors.rows("payset_commitments.jsonl")) {
            List<BlockTransaction> payset = payset(row);
            TransactionRoot root = TransactionRoot.of(payset);
            assertThat(root.sha512_256().toBytes()).as(row.id()).isEqualTo(row.hex("txn"));
            assertThat(root.sha256().toBytes()).as(row.id()).isEqualTo(row.hex("txn256"));
            assertThat(root.sha512().toArray()).as(row.id()).isEqualTo(row.hex("txn512"));
            assertThat(payset.stream().map(txn -> txn.signed().id().toString()).toList())
                    .as(row.id())
                    .isEqualTo(row.list("txids"));
            if (!payset.isEmpty()) {
                // Without transactions the row is of a list that is nil, ours is an empty one.
                assertThat(TransactionRoot.flat(payset).toBytes()).isEqualTo(row.hex("flat"));
            }
            for (Vectors.Row proof : row.rows("proofs")) {
                if (!proof.text("of").equals("txn512")) { // The REST API proves by two of three.
                    assertProof(payset, proof, row);
                }
            }
            for (String of : List.of("txn", "txn256", "txn512")) {
                trees += assertTree(of, row) ? 1 : 0;
            }
        }
        assertThat(trees).isGreaterThan(9);
    }

    /** The whole tree from the row's leaves, where it names them all. */
    private static boolean assertTree(String of, Vectors.Row row) {
        List<Vectors.Row> proofs =
                row.rows("proofs").stream().filter(proof -> proof.text("of").equals(of)).toList();
        if (proofs.isEmpty() || proofs.size() < row.number("n")) {
            return false;
        }
        HashFunction hash =
                switch (of) {
                    case "txn" -> HashFunction.SHA512_256;
                    case "txn256" -> HashFunction.SHA256;
                    default -> HashFunction.SHA512;
                };
        byte[] leaves = new byte[proofs.size() * hash.bytes()];
        for (Vectors.Row proof : proofs) {
            int at = (int) proof.number("index") * hash.bytes();
            System.arraycopy(proof.hex("leaf_hash"), 0, leaves, at, hash.bytes());
        }
        MerkleTree tree =
                of.equals("txn")
                        ? MerkleTree.plain(hash, leaves)
                        : MerkleTree.vectorCommitment(hash, leaves);
        assertThat(tree.root()).as(row.id()).isEqualTo(row.hex(of));
        for (Vectors.Row proof : proofs) {
            MerkleProof ours = tree.prove((int) proof.number("index"));
            assertThat(ours.concatenated()).as(row.id()).isEqualTo(proof.hex("proof"));
            assertThat((long) ours.depth()).as(row.id()).isEqualTo(proof.number("tree_depth"));
        }
        return true;
    }

    private static void assertProof(
            List<BlockTransaction> payset, Vectors.Row expected, Vectors.Row row) {
        boolean plain = expected.text("of").equals("txn");
        HashFunction hash = plain ? HashFunction.SHA512_256 : HashFunction.SHA256;
        int index = (int) expected.number("index");
        TransactionRoot.Proof proof = TransactionRoot.prove(hash, payset, index);
        assertThat(proof.proof().concatenated()).as(row.id()).isEqualTo(expected.hex("proof"));
        assertThat((long) proof.proof().depth()).isEqualTo(expected.number("tree_depth"));
        assertThat(expected.text("leaf_input")).endsWith(proof.stibHash().toString());
        Map<Long, byte[]> leaf = Map.of((long) index, expected.hex("leaf_hash"));
        Bytes root = Bytes.of(row.hex(expected.text("of")));
        assertThat(
                        plain
                                ? proof.proof().verify(root, leaf)
                                : proof.proof().verifyVectorCommitment(root, leaf))
                .isTrue();
    }

    private static List<BlockTransaction> payset(Vectors.Row row) throws MalformedMessage {
        List<BlockTransaction> payset = new ArrayList<>();
        for (Object text : row.list("payset")) {
            byte[] bytes = HexFormat.of().parseHex((String) text);
            var in = new MsgpackReader().reset(bytes, 0, bytes.length);
            payset.add(
                    new BlockTransactionDecoder(in)
                            .read(
                                    row.text("genesis_id"),
                                    Digest.fromBytes(row.hex("genesis_hash"))));
            assertThat(in.atEnd()).isTrue();
        }
        return payset;
    }

    @Test
    void blocksWithTheseCommitmentsGoBackToTheirBytes() throws MalformedMessage {
        for (Vectors.Row row : Vectors.rows("payset_commitments.jsonl")) {
            if (row.has("block_msgpack")) {
                byte[] bytes = row.hex("block_msgpack");
                Block block = decoder.decodeBlock(bytes);
                assertThat(BlockEncoder.encodeBlock(block)).as(row.id()).isEqualTo(bytes);
                assertThat(BlockEncoder.hash(block.header()).toBytes())
                        .isEqualTo(row.hex("block_hash"));
            }
        }
    }

    @Test
    void merkleProofsHoldExactlyWhenTheReferenceSaysSo() {
        List<Vectors.Row> rows = Vectors.rows("merkle_verify.jsonl");
        assertThat(rows).hasSize(556);
        for (Vectors.Row row : rows) {
            HashFunction hash =
                    switch (row.text("hash")) {
                        case "sha512_256" -> HashFunction.SHA512_256;
                        case "sha256" -> HashFunction.SHA256;
                        default -> HashFunction.SHA512;
                    };
            List<Bytes> path = new ArrayList<>();
            for (Object text : row.list("path")) {
                path.add(
                        text == null
                                ? Bytes.EMPTY
                                : Bytes.of(HexFormat.of().parseHex((String) text)));
            }
            Map<Long, byte[]> leaves = new HashMap<>();
            for (Vectors.Row element : row.rows("elements")) {
                byte[] leaf = element.hex("leaf");
                leaves.put(element.number("index"), hash.digest(Domain.TL, leaf, 0, leaf.length));
            }
            var proof = new MerkleProof(hash, path, (int) row.number("tree_depth"));
            Bytes root = Bytes.of(row.hex("root"));
            boolean holds =
                    row.text("shape").equals("plain")
                            ? proof.verify(root, leaves)
                            : proof.verifyVectorCommitment(root, leaves);
            assertThat(holds).as(row.id() + " " + row.text("why")).isEqualTo(row.flag("accept"));
        }
    }

    @Test
    void innerTransactionsNestAsDeepAsTheReferenceLetsThem() {
        List<Vectors.Row> rows = Vectors.rows("inner_depth.jsonl");
        assertThat(rows).hasSize(5);
        for (Vectors.Row row : rows) {
            byte[] bytes = row.hex("msgpack");
            var in = new MsgpackReader().reset(bytes, 0, bytes.length);
            var transactions = new BlockTransactionDecoder(in);
            if (row.flag("accept")) {
                assertThat(catchMalformed(() -> transactions.read("", Digest.ZERO))).isNull();
            } else {
                assertThatThrownBy(() -> transactions.read("", Digest.ZERO))
                        .isInstanceOf(MalformedMessage.class)
                        .hasMessageContaining("too deep");
            }
        }
    }

    @Test
    void publishedBlocksGoBackToTheirBytesAndHaveTheirHashes() throws Exception {
        Path folder = Vectors.file("blocks");
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(file -> file.toString().endsWith(".msgp")).sorted().toList();
        }
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            String name = file.getFileName().toString().replace(".msgp", "");
            Vectors.Row row = Vectors.document("blocks/" + name + ".json");
            byte[] bytes = Files.readAllBytes(file);
            byte[] block = blockWithin(bytes);
            if (!row.flag("go.decodes")) {
                assertThatThrownBy(() -> decoder.decodeBlock(block))
                        .as(name)
                        .hasMessageContaining("limit");
                continue;
            }
            Block decoded = decoder.decodeBlock(block);
            assertThat(BlockEncoder.encodeBlock(decoded)).as(name).isEqualTo(block);
            assertThat(BlockEncoder.encodeHeader(decoded.header()))
                    .as(name)
                    .isEqualTo(row.hex("header_msgpack"));
            assertThat(BlockEncoder.hash(decoded.header()).toBytes())
                    .as(name)
                    .isEqualTo(row.hex("go.header_hash_hex"));
            assertThat(BlockEncoder.hash512(decoded.header()))
                    .as(name)
                    .isEqualTo(row.hex("go.header_hash512_hex"));
            TransactionRoot root = TransactionRoot.of(decoded.transactions());
            if (row.has("go.native_commitment") && !decoded.transactions().isEmpty()) {
                // An old protocol's block without transactions commits to a nil list instead.
                assertThat(root.sha512_256().toBytes())
                        .as(name)
                        .isEqualTo(row.hex("go.native_commitment"));
            }
            if (row.has("go.sha256_commitment") && !decoded.header().sha256Root().isZero()) {
                assertThat(root.sha256().toBytes())
                        .as(name)
                        .isEqualTo(row.hex("go.sha256_commitment"));
            }
            if (row.has("go.sha512_commitment") && !decoded.header().sha512Root().isEmpty()) {
                // Older protocols have none, and the row says zero.
                assertThat(root.sha512().toArray())
                        .as(name)
                        .isEqualTo(row.hex("go.sha512_commitment"));
            }
        }
    }

    @Test
    void blocksOfAnExecutedNetworkGoBackToTheirBytes() throws MalformedMessage {
        for (String chain : List.of("chain", "chain_fast")) {
            for (Vectors.Row row : Vectors.rows("reference/ledger/" + chain + "/blocks.jsonl.gz")) {
                byte[] bytes = row.hex("block_msgpack_hex");
                Block block = decoder.decodeBlock(bytes);
                String round = chain + " " + row.number("round");
                assertThat(BlockEncoder.encodeBlock(block)).as(round).isEqualTo(bytes);
                assertThat(BlockEncoder.hash(block.header()))
                        .as(round)
                        .hasToString(row.text("block_hash"));
                if (row.number("round") > 0) {
                    TransactionRoot root = TransactionRoot.of(block.transactions());
                    assertThat(root.sha512_256())
                            .as(round)
                            .isEqualTo(block.header().transactionRoot());
                    assertThat(root.sha256()).as(round).isEqualTo(block.header().sha256Root());
                    assertThat(root.sha512()).as(round).isEqualTo(block.header().sha512Root());
                } else {
                    assertThat(TransactionRoot.flat(block.transactions()))
                            .isEqualTo(block.header().transactionRoot());
                }
                if (row.has("txids")) {
                    assertTransactionIds(block, row.list("txids"));
                }
                for (BlockTransaction transaction : block.transactions()) {
                    // What our own blocks would hold for the same transaction.
                    assertThat(BlockTransaction.of(transaction.signed(), transaction.applied()))
                            .as(round)
                            .isEqualTo(transaction);
                }
            }
        }
    }

    private static void assertTransactionIds(Block block, List<?> expected) {
        for (int index = 0; index < expected.size(); index++) {
            if (expected.get(index).equals("...")) {
                return; // The row leaves the rest out.
            }
            assertThat(block.transactions().get(index).signed().id())
                    .hasToString((String) expected.get(index));
        }
    }

    private static byte[] blockWithin(byte[] file) throws MalformedMessage, IOException {
        var in = new MsgpackReader().reset(file, 0, file.length);
        int fields = in.readMapHeader();
        for (int index = 0; index < fields; index++) {
            String key = in.readText(100).toText();
            int start = in.position();
            in.skip();
            if (key.equals("block") || key.equals("Blk")) {
                return Bytes.of(file, start, in.position() - start).toArray();
            }
        }
        return file;
    }

    private interface Decoding {
        Object run() throws MalformedMessage;
    }

    private static @Nullable MalformedMessage catchMalformed(Decoding decoding) {
        try {
            decoding.run();
            return null;
        } catch (MalformedMessage e) {
            return e;
        }
    }
}
