package topspin.ledger.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import static topspin.ledger.TestNetwork.sign;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import topspin.codec.crypto.SignatureEngine;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.TestNetwork;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** Whoever verifies, and however many they are: the same verdicts in the same order. */
class ParallelSignaturesTest {
    private final TestNetwork net = new TestNetwork(3);
    private final SignatureEngine engine = new SignatureEngine(new SecureRandom());

    /** No group, too few to share, one more than a share, shares that do not go up. */
    @ParameterizedTest
    @CsvSource({"1, 600", "2, 0", "2, 256", "2, 257", "3, 600", "8, 513"})
    void eachGroupHasItsVerdictInItsPlace(int threads, int count) {
        List<TransactionGroup> groups = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            SignedTransaction signed = sign(net.pay(0, 1, i));
            groups.add(TransactionGroup.of(i % 97 == 5 ? SignaturesTest.flipped(signed) : signed));
        }
        var cache = new VerifiedCache(VerifiedCache.GROUPS_MAX, new Random(1));
        try (var signatures = new ParallelSignatures(threads, cache, engine)) {
            for (int again = 0; again < 2; again++) { // The second time most are known.
                List<Signatures.Outcome> outcomes = signatures.verify(groups, net.rules());
                assertEquals(count, outcomes.size());
                for (int i = 0; i < count; i++) {
                    Signatures.Outcome outcome = outcomes.get(i);
                    if (i % 97 == 5) {
                        assertEquals(
                                Reason.SIGNATURE_INVALID,
                                Objects.requireNonNull(outcome.refusal()).reason());
                    } else {
                        assertNotNull(outcome.verified(), "group " + i);
                        assertSame(groups.get(i), outcome.verified().group());
                    }
                }
            }
        }
        assertThrows(
                IllegalArgumentException.class, () -> new ParallelSignatures(0, cache, engine));
    }

    /** Whoever failed, nobody is still at work on the old groups when the next call begins. */
    @Test
    void afterAFailureTheNextVerdictsAreRight() {
        List<TransactionGroup> groups = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            groups.add(TransactionGroup.of(sign(net.pay(0, 1, i))));
        }
        var failing = new SignatureEngine(new SignaturesTest.FailingOnce());
        var cache = new VerifiedCache(VerifiedCache.GROUPS_MAX, new Random(1));
        try (var signatures = new ParallelSignatures(2, cache, failing)) {
            assertThrows(RuntimeException.class, () -> signatures.verify(groups, net.rules()));
            for (Signatures.Outcome outcome : signatures.verify(groups, net.rules())) {
                assertNotNull(outcome.verified());
            }
        }
    }
}
