package topspin.ledger.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import topspin.codec.Vectors;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.LooseDecoder;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionDecoder;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.TestNetwork;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/** The reference node's verdicts on form, groups and signatures. */
class RulesVectorsTest {
    private static final Rules V42 = rules(ConsensusVersions.V42);
    private static final Rules V41 = rules(ConsensusVersions.V41);

    private final TransactionDecoder decoder = new TransactionDecoder();
    private final Signatures signatures =
            new Signatures(
                    new VerifiedCache(2, new Random(1)),
                    new SignatureEngine(new SecureRandom()),
                    32);

    private static Rules rules(String protocol) {
        return new Rules(
                protocol,
                Objects.requireNonNull(ConsensusVersions.builtIn().get(protocol)),
                TestNetwork.FEE_SINK,
                TestNetwork.REWARDS_POOL);
    }

    @Test
    void formOfEachTransaction() throws MalformedMessage {
        List<String> different = new ArrayList<>();
        int wellFormed = 0;
        for (Vectors.Row row : Vectors.rows("txns.jsonl")) {
            byte[] bytes = row.hex("msgpack");
            Transaction txn = decoder.decodeTransaction(bytes, 0, bytes.length);
            String error = row.textOrNull("go.wellformed_error");
            compare(row, error, WellFormed.check(txn, V42), different);
            boolean differs = row.has("go.wellformed_v41");
            String error41 = differs ? row.textOrNull("go.wellformed_error_v41") : error;
            compare(row, error41, WellFormed.check(txn, V41), different);
            wellFormed += error == null ? 1 : 0;
        }
        assertEquals(List.of(), different);
        assertEquals(311, wellFormed);
    }

    private static void compare(
            Vectors.Row row,
            @Nullable String theirs,
            @Nullable Refusal refusal,
            List<String> different) {
        String ours = refusal == null ? null : refusal.text();
        if (!Objects.equals(theirs, ours)) {
            different.add(row.id() + " theirs: " + theirs + " ours: " + ours);
        }
    }

    @Test
    void membersOfGroups() throws MalformedMessage {
        List<String> different = new ArrayList<>();
        int checked = 0;
        for (Vectors.Row row : Vectors.rows("groups.jsonl")) {
            List<SignedTransaction> members = new ArrayList<>();
            for (Vectors.Row member : row.rows("txns")) {
                byte[] bytes = member.hex("msgpack");
                members.add(
                        SignedTransaction.unsigned(
                                decoder.decodeTransaction(bytes, 0, bytes.length)));
            }
            if (members.size() > 16) { // No group of ours can be that large.
                assertEquals("accept", row.text("check_txn_group"));
                continue;
            }
            Refusal refusal = GroupRules.check(TransactionGroup.of(members), V42);
            compare(row, cut(row.textOrNull("check_txn_group_error")), cut(refusal), different);
            checked++;
        }
        assertEquals(List.of(), different);
        assertEquals(122, checked);
    }

    private static void compare(
            Vectors.Row row,
            @Nullable String theirs,
            @Nullable String ours,
            List<String> different) {
        if (!Objects.equals(theirs, ours)) {
            different.add(row.id() + "\n theirs: " + theirs + "\n ours:   " + ours);
        }
    }

    private static @Nullable String cut(@Nullable Refusal refusal) {
        return refusal == null ? null : cut(refusal.text());
    }

    /** Long texts are cut in the vectors. */
    private static @Nullable String cut(@Nullable String text) {
        if (text == null) {
            return null;
        }
        return text.substring(0, Math.min(text.length(), 200));
    }

    @ParameterizedTest
    @CsvSource({
        "signed.jsonl, stxn, accept_p2p, 1044",
        "signature_rules.jsonl, bytes, accept_p2p, 73",
        "decode_rules.jsonl, bytes, accept_p2p, 141",
        "decode_mutations.jsonl, bytes, accept_p2p, 1502",
        "txns_random.jsonl, stxn, accept, 400"
    })
    void whatAPeerSends(String file, String bytes, String verdict, int rows) {
        List<String> different = new ArrayList<>();
        Map<Reason, Integer> beyondUs = new EnumMap<>(Reason.class);
        int judged = 0;
        for (Vectors.Row row : Vectors.rows(file)) {
            boolean expected = row.flag(verdict);
            judge(row, row.hex(bytes), V42, expected, different, beyondUs);
            String old = verdict + "_v41";
            boolean expectedBefore = row.has(old) ? row.flag(old) : expected;
            judge(row, row.hex(bytes), V41, expectedBefore, different, new EnumMap<>(Reason.class));
            judged++;
        }
        assertEquals(List.of(), different, () -> different.size() + " differ");
        assertEquals(rows, judged);
        assertEquals(BEYOND_US.get(file), beyondUs);
    }

    /** Rows that only a node with programs, Falcon, heartbeats or state proofs can judge. */
    private static final Map<String, Map<Reason, Integer>> BEYOND_US =
            Map.of(
                    "signed.jsonl",
                    Map.of(Reason.HEARTBEAT_UNSUPPORTED, 2, Reason.LOGIC_UNSUPPORTED, 93),
                    "signature_rules.jsonl",
                    Map.of(Reason.HEARTBEAT_UNSUPPORTED, 5, Reason.LOGIC_UNSUPPORTED, 22),
                    "decode_rules.jsonl",
                    Map.of(),
                    "decode_mutations.jsonl",
                    Map.of(Reason.LOGIC_UNSUPPORTED, 15),
                    "txns_random.jsonl",
                    Map.of());

    /** Refused whole by our REST: a transaction cut off behind one that is whole. */
    private static final List<String> TAILS_CUT_OFF =
            List.of(
                    "shared-drule-123",
                    "shared-drule-124",
                    "shared-drule-125",
                    "shared-dmut-0512",
                    "shared-dmut-0515",
                    "shared-dmut-0517",
                    "shared-dmut-0520",
                    "shared-dmut-0528",
                    "shared-dmut-0541",
                    "shared-dmut-0542");

    /**
     * The text without the id in front, which the column leaves out; up to a byte that the vectors
     * write in their way and we in ours; and without the one of several foreign types that the
     * reference names by chance, as it walks a hash map.
     */
    private static @Nullable String comparable(String text) {
        String rule = text.replaceFirst("transaction \\{[A-Z2-7]{52}} invalid : ", "");
        rule = rule.replaceFirst("(has non-zero fields for type ).*", "$1");
        return cut(rule.replaceAll("(\\\\x[0-9a-f]{2}|[^ -~]).*", ""));
    }

    /**
     * What the reference says of forms that its REST takes and no peer may send: among them lists
     * that are there, but empty, which the canonical form does not show.
     */
    @ParameterizedTest
    @CsvSource({
        "signed.jsonl, stxn, go.rest_verify, 116",
        "decode_rules.jsonl, bytes, rest_verify, 19",
        "decode_mutations.jsonl, bytes, rest_verify, 47",
        "txns_random.jsonl, stxn, go.rest_verify, 63"
    })
    void whatIsSubmittedInALooseForm(String file, String bytes, String column, int rows)
            throws MalformedMessage {
        List<String> different = new ArrayList<>();
        LooseDecoder loose = new LooseDecoder();
        int judged = 0;
        for (Vectors.Row row : Vectors.rows(file)) {
            if (!row.has(column) || TAILS_CUT_OFF.contains(row.id())) {
                continue;
            }
            TransactionGroup group = loose.decodeGroup(row.hex(bytes));
            Refusal refusal = signatures.verify(group, V42).refusal();
            judged++;
            if (refusal != null && refusal.kind() == Refusal.Kind.BEYOND_US) {
                assertEquals("shared-rnd-134", row.id()); // A delegation that we do not judge.
                continue;
            }
            String ours = refusal == null ? "pass" : "fail: " + refusal.text();
            compare(row, comparable(row.text(column)), comparable(ours), different);
        }
        assertEquals(List.of(), different);
        assertEquals(rows, judged);
    }

    /** No vector has it alone: a signature that holds beside a list of keys that is empty. */
    @ParameterizedTest
    @CsvSource({
        "83 a46d736967 81 a6737562736967 90, signedtxn should have only one type of signature",
        "83 a46c736967 81 a46d736967 81 a6737562736967 90, LogicSig fields without LogicSig"
                + " program",
        "83 a46c736967 81 a56c6d736967 81 a6737562736967 90, LogicSig fields without LogicSig"
                + " program",
        "83 a46d736967 81 a6737562736967 c0, pass"
    })
    void anEmptyListOfKeysCountsAsAMultisignature(String before, String verdict)
            throws MalformedMessage {
        Vectors.Row signed =
                Vectors.rows("signed.jsonl").stream()
                        .filter(
                                row ->
                                        row.flag("accept_p2p")
                                                && row.text("stxn").startsWith("82a3"))
                        .findFirst()
                        .orElseThrow();
        String body = before.replace(" ", "") + signed.text("stxn").substring(2);
        TransactionGroup group = new LooseDecoder().decodeGroup(HexFormat.of().parseHex(body));
        assertEquals(signed.text("txid"), group.first().id().toString());
        Refusal refusal = signatures.verify(group, V42).refusal();
        assertEquals(verdict, refusal == null ? "pass" : comparable(refusal.text()));
    }

    private void judge(
            Vectors.Row row,
            byte[] bytes,
            Rules rules,
            boolean expected,
            List<String> different,
            Map<Reason, Integer> beyondUs) {
        String ours;
        try {
            TransactionGroup group = decoder.decodeGroup(bytes, 0, bytes.length);
            Refusal refusal = signatures.verify(group, rules).refusal();
            if (refusal != null && refusal.kind() == Refusal.Kind.BEYOND_US) {
                beyondUs.merge(refusal.reason(), 1, Integer::sum);
                return;
            }
            ours = refusal == null ? "" : refusal.text();
        } catch (MalformedMessage malformed) {
            ours = Objects.requireNonNull(malformed.getMessage());
        }
        if (expected != ours.isEmpty()) {
            different.add(row.get("id") + " " + row.get("why") + " ours: " + ours);
        }
    }
}
