package topspin.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import topspin.codec.Vectors;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.txn.LooseDecoder;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedGroup;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** 193 submissions to the reference node, with what it answered. */
class RecordedErrorsTest {
    /** The pool's own to answer. */
    private static final String CAPACITY = "capacity ";

    private static final Pattern FRAME = Pattern.compile("(?s)^transaction \\{.*} invalid : ");
    private static final Pattern DUMP = Pattern.compile("(?s)data \\{.*}, tried");

    private record Answer(String stage, String text, boolean beyondUs) {}

    @Test
    void weAnswerAsTheReferenceDid() throws MalformedMessage {
        Set<String> beyondUs = new TreeSet<>();
        List<String> different = new ArrayList<>();
        int same = 0;
        try (RecordedChain chain = RecordedChain.at("chain", 150)) {
            for (Vectors.Row row : Vectors.rows("reference/ledger/errors.jsonl")) {
                String name = row.text("case");
                if (name.startsWith(CAPACITY)) {
                    continue;
                }
                Answer ours = answer(chain, row);
                Answer theirs =
                        new Answer(
                                row.text("stage"), comparable(row.textOrNull("error_text")), false);
                if (ours.beyondUs) {
                    beyondUs.add(name);
                } else if (ours.equals(theirs)) {
                    same++;
                } else {
                    different.add(name + "\n  theirs: " + theirs + "\n  ours:   " + ours);
                }
            }
        }
        assertEquals(List.of(), different);
        assertEquals(BEYOND_US, beyondUs);
        assertEquals(190 - BEYOND_US.size(), same);
    }

    /** Logic signatures, heartbeats and Falcon, as far as a node without them cannot tell. */
    private static final Set<String> BEYOND_US =
            new TreeSet<>(
                    List.of(
                            "delegated by sig ok",
                            "falcon garbage signature",
                            "hb grouped with asset reconfiguration"));

    private static Answer answer(RecordedChain chain, Vectors.Row row) throws MalformedMessage {
        BlockEvaluator evaluator =
                new BlockEvaluator(
                        chain.view(), chain.versions(), chain.view().header().timestamp() + 4);
        if (row.has("pre")) {
            for (Object group : row.list("pre")) {
                Answer before = answer(chain, evaluator, HexFormat.of().parseHex((String) group));
                assertEquals("ok", before.stage, before.text);
            }
        }
        return answer(chain, evaluator, row.hex("stxn_hex"));
    }

    private static Answer answer(RecordedChain chain, BlockEvaluator evaluator, byte[] bytes)
            throws MalformedMessage {
        TransactionGroup group = new LooseDecoder().decodeGroup(bytes);
        Signatures.Outcome outcome = chain.signatures().verify(group, evaluator.rules());
        VerifiedGroup verified = outcome.verified();
        if (verified == null) {
            return refused("verify", Objects.requireNonNull(outcome.refusal()));
        }
        Refusal refusal = evaluator.add(verified);
        return refusal == null ? new Answer("ok", "", false) : refused("pool", refusal);
    }

    private static Answer refused(String stage, Refusal refusal) {
        String prefix = stage.equals("pool") ? "TransactionPool.Remember: " : "";
        return new Answer(
                stage,
                comparable(prefix + refusal.text()),
                refusal.kind() == Refusal.Kind.BEYOND_US);
    }

    /** The text without the reference's struct dumps and what stands for them in ours. */
    private static String comparable(@Nullable String text) {
        if (text == null) {
            return "";
        }
        String framed = FRAME.matcher(text).replaceFirst("");
        return DUMP.matcher(framed).replaceFirst("data {}, tried");
    }
}
