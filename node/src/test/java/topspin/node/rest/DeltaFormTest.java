package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.Vectors;
import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.ledger.BlockEvaluator;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.Genesis;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerConfig;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedCache;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.zip.GZIPInputStream;

/** The changes of the reference's recorded chain, in the reference's own form. */
final class DeltaFormTest {
    private static final String CHAIN = "reference/ledger/chain/";

    /** What comes later has application calls, which this node does not judge. */
    private static final long LAST_ROUND = 112;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Map<Long, JsonNode> recorded = new HashMap<>();
    private int compared;
    private int storedCompared;

    @Test
    void areThoseOfTheReference(@TempDir Path folder) throws Exception {
        readDeltas();
        Genesis genesis = Genesis.parse(Files.readString(Vectors.file(CHAIN + "genesis.json")));
        Signatures signatures =
                new Signatures(
                        new VerifiedCache(2, new Random(1)),
                        new SignatureEngine(new SecureRandom()),
                        64);
        LedgerConfig keeping = LedgerConfig.DEFAULT.withKeepDeltas(RecentDeltas.ROUNDS_MAX);
        try (Ledger ledger = Ledger.open(folder, genesis, keeping)) {
            ledger.addListener(
                    (view, block, delta) ->
                            compare(
                                    DeltaForm.of(delta, block.header(), view),
                                    view.header(view.round() - 1).timestamp()));
            for (Vectors.Row row : Vectors.rows(CHAIN + "blocks.jsonl.gz")) {
                long round = row.number("round");
                if (round == 0 || round > LAST_ROUND) {
                    continue;
                }
                Block block = new BlockDecoder().decodeBlock(row.hex("block_msgpack_hex"));
                EvaluatedBlock evaluated =
                        Objects.requireNonNull(
                                BlockEvaluator.validate(
                                                block,
                                                ledger.view(),
                                                ledger.versions(),
                                                signatures,
                                                BlockEvaluator.Origin.AGREEMENT)
                                        .block());
                ledger.add(evaluated.block(), row.hex("cert_msgpack_hex"), evaluated.delta());
                compareStored(ledger);
            }
        }
        assertThat(compared).isEqualTo(35 + storedCompared);
        assertThat(storedCompared).isGreaterThan(100);
    }

    /** What a node that is started now tells of the rounds before. */
    private void compareStored(Ledger ledger) {
        RecentDeltas stored =
                new RecentDeltas(ledger, ledger.versions(), false, InstantSource.system());
        long latest = ledger.view().round();
        long first = Math.max(1, latest - RecentDeltas.ROUNDS_MAX + 1);
        assertThat(stored.before()).isEqualTo(first - 1);
        int before = compared;
        for (long round = first; round <= latest; round++) {
            RecentDeltas.Round found = Objects.requireNonNull(stored.round(round));
            compare(found.form(), found.previousTimestamp());
        }
        storedCompared += compared - before;
    }

    private void readDeltas() throws IOException {
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(
                                new GZIPInputStream(
                                        Files.newInputStream(
                                                Vectors.file(CHAIN + "deltas.jsonl.gz"))),
                                StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonNode row = JSON.readTree(line);
                recorded.put(row.get("round").longValue(), row);
            }
        }
    }

    private void compare(DeltaForm form, long previousTimestamp) {
        long round = form.header().round();
        JsonNode row = recorded.get(round);
        if (row == null) {
            return;
        }
        compared++;
        CanonicalWriter out = new CanonicalWriter();
        form.write(true, previousTimestamp, new TwinWriter.Msgpack(out));
        HexFormat hex = HexFormat.of();
        assertThat(hex.formatHex(out.toByteArray()))
                .as("round " + round)
                .isEqualTo(row.get("msgpack_hex").textValue());

        ByteBuf json = Unpooled.buffer();
        form.write(false, previousTimestamp, new TwinWriter.Json(new JsonWriter(json)));
        try {
            JsonNode have = JSON.readTree(json.toString(StandardCharsets.UTF_8));
            assertThat(have).as("round " + round).isEqualTo(row.get("json"));
        } catch (IOException malformed) {
            throw new AssertionError("round " + round, malformed);
        }
    }
}
