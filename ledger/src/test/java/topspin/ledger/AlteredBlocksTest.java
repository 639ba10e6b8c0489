package topspin.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import topspin.codec.Vectors;
import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.msgpack.MalformedMessage;
import topspin.ledger.BlockEvaluator.Origin;
import topspin.ledger.rules.Refusal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** 318 blocks of the recorded chains with one field altered, judged where they belong. */
class AlteredBlocksTest {
    private static final BlockDecoder DECODER = new BlockDecoder();

    @Test
    void ofEachAlteredBlockWeSayWhatTheReferenceSaid() {
        Map<String, Map<Long, List<Vectors.Row>>> byPlace = new TreeMap<>();
        for (Vectors.Row row : Vectors.rows("reference/ledger/blocks_altered.jsonl.gz")) {
            byPlace.computeIfAbsent(row.text("chain"), name -> new TreeMap<>())
                    .computeIfAbsent(row.number("round"), round -> new ArrayList<>())
                    .add(row);
        }
        List<String> different = new ArrayList<>();
        int judged = 0;
        for (Map.Entry<String, Map<Long, List<Vectors.Row>>> chain : byPlace.entrySet()) {
            long last = chain.getValue().keySet().stream().reduce(0L, Math::max);
            try (RecordedChain replayed = new RecordedChain(chain.getKey())) {
                for (long round = 1; round <= last; round++) {
                    for (Vectors.Row row : chain.getValue().getOrDefault(round, List.of())) {
                        judge(replayed, row, different);
                        judged++;
                    }
                    replayed.addOrCarryNext();
                }
            }
        }
        assertEquals(List.of(), different);
        assertEquals(318, judged);
    }

    private static void judge(RecordedChain chain, Vectors.Row row, List<String> different) {
        boolean valid = row.flag("valid");
        String ours;
        try {
            Block block = DECODER.decodeBlock(row.hex("block_hex"));
            Refusal refusal =
                    BlockEvaluator.validate(
                                    block,
                                    chain.view(),
                                    chain.versions(),
                                    chain.signatures(),
                                    Origin.AGREEMENT)
                            .refusal();
            ours = refusal == null ? "" : refusal.toString();
        } catch (MalformedMessage malformed) {
            ours = Objects.requireNonNull(malformed.getMessage());
        }
        if (valid != ours.isEmpty()) {
            different.add(
                    row.text("chain")
                            + " "
                            + row.number("round")
                            + " "
                            + row.text("mutation")
                            + ": "
                            + ours
                            + " / "
                            + row.textOrNull("error_text"));
        }
    }

    @Test
    void loadAndCongestionOfAFullBlock() {
        List<Vectors.Row> rows = Vectors.rows("reference/ledger/congestion.jsonl");
        var params =
                Objects.requireNonNull(
                        topspin.codec.params.ConsensusVersions.builtIn()
                                .get(topspin.codec.params.ConsensusVersions.V42));
        boolean congested = false;
        for (int i = 1; i < rows.size(); i++) {
            Vectors.Row before = rows.get(i - 1).object("header");
            Vectors.Row header = rows.get(i).object("header");
            if (rows.get(i).number("round") != rows.get(i - 1).number("round") + 1) {
                continue;
            }
            var previous = new topspin.codec.block.BlockHeader.Draft();
            previous.load = before.has("ld") ? before.number("ld") : 0;
            previous.congestionTax = before.has("ct") ? before.number("ct") : 0;
            long tax = header.has("ct") ? header.number("ct") : 0;
            assertEquals(tax, NextHeader.congestionTax(previous.build()));
            congested |= tax > 0;
        }
        assertTrue(congested);
        assertEquals(1_000_000, NextHeader.load(5_242_880, params));
        assertEquals(39, NextHeader.load(206, params)); // block.md section 11.
    }
}
