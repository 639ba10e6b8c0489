package topspin.ledger.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static topspin.ledger.TestNetwork.address;
import static topspin.ledger.TestNetwork.group;
import static topspin.ledger.TestNetwork.key;
import static topspin.ledger.TestNetwork.sign;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.txn.LogicSignature;
import topspin.codec.txn.MultisigSignature;
import topspin.codec.txn.MultisigSignature.Subsignature;
import topspin.codec.txn.Payment;
import topspin.codec.txn.PqSignature;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionEncoder;
import topspin.codec.txn.TransactionGroup;
import topspin.codec.txn.TransactionHeader;
import topspin.ledger.TestNetwork;

import java.security.ProviderException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** validation.md sections 5 and 6, and 12.4. */
class SignaturesTest {
    private final TestNetwork net = new TestNetwork(3);
    private final Rules rules = net.rules();
    private final VerifiedCache cache = new VerifiedCache(8, new Random(1));
    private final Signatures signatures =
            new Signatures(cache, new SignatureEngine(new SecureRandom()), 4);

    // One signature.

    @Test
    void theSendersOwnKeySigns() {
        assertVerified(sign(net.pay(0, 1, 5)));
        assertRefused(Reason.SIGNATURE_INVALID, signedBy(1, net.pay(0, 1, 5)));
        assertRefused(Reason.SIGNATURE_INVALID, flipped(sign(net.pay(0, 1, 5))));
    }

    @Test
    void anotherMayBeNamedAsTheSignerAndTheLedgerDecides() {
        assertVerified(SignedTransaction.sign(net.pay(0, 1, 5), key(2)));
        Payment payment = net.pay(0, 1, 5);
        Bytes own = Objects.requireNonNull(sign(payment).signature());
        assertRefused(
                Reason.SIGNATURE_INVALID,
                SignedTransaction.of(payment, own, null, null, null, address(2)));
        assertRefused(
                Reason.SIGNER_IS_SENDER,
                SignedTransaction.of(payment, own, null, null, null, address(0)));
        assertRefused(
                Reason.SIGNER_IS_SENDER,
                SignedTransaction.of(payment, null, null, null, null, address(0)));
    }

    @Test
    void exactlyOneKindOfSignature() {
        Payment payment = net.pay(0, 1, 5);
        assertRefused(Reason.SIGNATURE_MISSING, SignedTransaction.unsigned(payment));
        Bytes own = Objects.requireNonNull(sign(payment).signature());
        MultisigSignature multisig = multisig(payment, 1, List.of(0), List.of(0));
        assertRefused(
                Reason.SIGNATURES_OF_SEVERAL_KINDS,
                SignedTransaction.of(payment, own, multisig, null, null, Address.ZERO));
    }

    /** The machine failed, not a group: what it left unjudged is nobody's fault later. */
    @Test
    void whatAFailureLeftBehindAccusesNobody() {
        var failing = new FailingOnce();
        var own = new Signatures(cache, new SignatureEngine(failing), 4);
        TransactionGroup bad = TransactionGroup.of(flipped(sign(net.pay(0, 1, 5))));
        TransactionGroup good = TransactionGroup.of(sign(net.pay(0, 1, 6)));
        assertThrows(ProviderException.class, () -> own.verify(List.of(bad, good), rules));
        assertNotNull(own.verify(good, rules).verified());
        assertNull(own.verify(bad, rules).verified());
    }

    static final class FailingOnce extends SecureRandom {
        private static final long serialVersionUID = 1L;
        private boolean hasFailed;

        @Override
        public void nextBytes(byte[] bytes) {
            if (!hasFailed) {
                hasFailed = true;
                throw new ProviderException("no entropy");
            }
            super.nextBytes(bytes);
        }
    }

    @Test
    void aBadGroupSpoilsNoOther() {
        List<TransactionGroup> groups = new ArrayList<>();
        for (int i = 0; i < 11; i++) { // More than the batch holds, so it settles in between.
            SignedTransaction signed = sign(net.pay(0, 1, i));
            groups.add(TransactionGroup.of(i % 3 == 1 ? flipped(signed) : signed));
        }
        List<Signatures.Outcome> outcomes = signatures.verify(groups, rules);
        for (int i = 0; i < 11; i++) {
            assertEquals(i % 3 == 1, outcomes.get(i).refusal() != null, "group " + i);
        }
    }

    @Test
    void oneBadMemberSpoilsItsGroup() {
        TransactionGroup good = group(net.pay(0, 1, 5), net.pay(1, 0, 5));
        assertNotNull(signatures.verify(good, rules).verified());
        TransactionGroup bad = TransactionGroup.of(List.of(good.get(0), flipped(good.get(1))));
        assertEquals(
                Reason.SIGNATURE_INVALID,
                Objects.requireNonNull(signatures.verify(bad, rules).refusal()).reason());
    }

    // Several: section 6.4.

    @Test
    void thresholds() {
        assertMultisig(null, 2, List.of(0, 1, 2), List.of(0, 2));
        assertMultisig(null, 2, List.of(0, 1, 2), List.of(0, 1, 2));
        assertMultisig(Reason.MULTISIG_COUNT, 2, List.of(0, 1, 2), List.of(1));
        assertMultisig(Reason.MULTISIG_COUNT, 2, List.of(0, 1, 2), List.of());
        assertMultisig(Reason.MULTISIG_THRESHOLD, 4, List.of(0, 1, 2), List.of(0, 1, 2));
        assertMultisig(Reason.MULTISIG_THRESHOLD, 0, List.of(0, 1, 2), List.of(0, 1, 2));
    }

    @Test
    void aKeyMayHaveSeveralPlaces() {
        assertMultisig(null, 2, List.of(0, 1, 0), List.of(0, 2));
        assertMultisig(Reason.MULTISIG_COUNT, 2, List.of(0, 1, 0), List.of(0));
    }

    @Test
    void everySignatureThatIsThereMustHold() {
        Address owner = multisigAddress(2, List.of(0, 1, 2));
        Payment payment = from(owner);
        MultisigSignature good = multisig(payment, 2, List.of(0, 1, 2), List.of(0, 1, 2));
        List<Subsignature> shares = new ArrayList<>(good.keys());
        Subsignature last = shares.get(2);
        byte[] wrong = Objects.requireNonNull(last.signature()).toArray();
        wrong[0] ^= 1;
        shares.set(2, new Subsignature(last.publicKey(), Bytes.of(wrong)));
        assertRefused(
                Reason.SIGNATURE_INVALID,
                withMultisig(payment, new MultisigSignature(1, 2, shares)));
    }

    @Test
    void formOfMultisignatures() {
        Address owner = multisigAddress(2, List.of(0, 1, 2));
        Payment payment = from(owner);
        MultisigSignature good = multisig(payment, 2, List.of(0, 1, 2), List.of(0, 1, 2));
        assertVerified(withMultisig(payment, good));
        assertRefused(
                Reason.MULTISIG_VERSION,
                withMultisig(payment, new MultisigSignature(2, 2, good.keys())));
        assertRefused(
                Reason.MULTISIG_ADDRESS,
                withMultisig(payment, multisig(payment, 2, List.of(1, 0, 2), List.of(0, 1))));
        List<Subsignature> firstBlank = new ArrayList<>(good.keys());
        firstBlank.set(0, new Subsignature(Digest.ZERO, null));
        assertRefused(
                Reason.MULTISIG_COUNT,
                withMultisig(payment, new MultisigSignature(2, 9, firstBlank)));
        assertRefused(
                Reason.MULTISIG_COUNT,
                withMultisig(payment, new MultisigSignature(1, 1, List.of())));
    }

    private void assertMultisig(
            @Nullable Reason expected, int threshold, List<Integer> keys, List<Integer> signing) {
        Payment payment = from(multisigAddress(threshold, keys));
        SignedTransaction signed =
                withMultisig(payment, multisig(payment, threshold, keys, signing));
        if (expected == null) {
            assertVerified(signed);
        } else {
            assertRefused(expected, signed);
        }
    }

    private static SignedTransaction withMultisig(Payment payment, MultisigSignature multisig) {
        return SignedTransaction.of(payment, null, multisig, null, null, Address.ZERO);
    }

    private Payment from(Address sender) {
        TransactionHeader header =
                new TransactionHeader(
                        sender,
                        1_000,
                        1,
                        100,
                        net.state().header().genesisId(),
                        net.state().header().genesisHash());
        return new Payment(header, address(1), 5, Address.ZERO);
    }

    /**
     * @param signing which places are filled, each by the key that stands there
     */
    private static MultisigSignature multisig(
            Transaction txn, int threshold, List<Integer> keys, List<Integer> signing) {
        byte[] message = TransactionEncoder.encode(txn);
        List<Subsignature> shares = new ArrayList<>();
        for (int place = 0; place < keys.size(); place++) {
            var signer = key(keys.get(place));
            Bytes signature =
                    signing.contains(place) ? Bytes.of(signer.sign(Domain.TX, message)) : null;
            shares.add(new Subsignature(Digest.fromBytes(signer.publicKey()), signature));
        }
        return new MultisigSignature(1, threshold, shares);
    }

    private static Address multisigAddress(int threshold, List<Integer> keys) {
        byte[] preimage = new byte[2 + 32 * keys.size()];
        preimage[0] = 1;
        preimage[1] = (byte) threshold;
        for (int i = 0; i < keys.size(); i++) {
            System.arraycopy(key(keys.get(i)).publicKey(), 0, preimage, 2 + 32 * i, 32);
        }
        return Address.fromBytes(Sha512_256.digest(Domain.MULTISIG_ADDR, preimage));
    }

    // What this node does not judge: sections 6.5 and 6.6.

    @Test
    void logicSignaturesAreBeyondUsUnlessPlainlyWrong() {
        Bytes program = Bytes.of((byte) 6, (byte) 0x81, (byte) 1);
        assertRefused(Reason.LOGIC_NOT_SIGNED, logic(program, List.of()));
        assertRefused(Reason.LOGIC_BAD_VERSION, logic(Bytes.of((byte) 0x80), List.of()));
        assertRefused(Reason.LOGIC_VERSION_TOO_NEW, logic(Bytes.of((byte) 14), List.of()));
        assertRefused(Reason.LOGIC_TOO_LONG, logic(Bytes.of(new byte[16_001]), List.of()));
        assertRefused(Reason.LOGIC_WITHOUT_PROGRAM, logic(Bytes.EMPTY, List.of(Bytes.EMPTY)));
        assertRefused(
                Reason.LOGIC_ARGUMENTS_TOO_LONG,
                logic(program, List.of(Bytes.of(new byte[1_001]))));
        Payment payment =
                from(Address.fromBytes(Sha512_256.digest(Domain.PROGRAM, program.toArray())));
        Refusal refusal =
                assertRefused(
                        Reason.LOGIC_UNSUPPORTED,
                        SignedTransaction.of(
                                payment,
                                null,
                                null,
                                new LogicSignature(program, List.of(), null, null, null, null),
                                null,
                                Address.ZERO));
        assertEquals(Refusal.Kind.BEYOND_US, refusal.kind());
        assertTrue(refusal.text().endsWith("logic signatures are not supported by this node"));
    }

    private SignedTransaction logic(Bytes program, List<Bytes> arguments) {
        return SignedTransaction.of(
                net.pay(0, 1, 5),
                null,
                null,
                new LogicSignature(program, arguments, null, null, null, null),
                null,
                Address.ZERO);
    }

    @Test
    void falconSignaturesAreBeyondUsUnlessPlainlyWrong() {
        Bytes publicKey = Bytes.of(new byte[1_793]);
        byte[] preimage = new byte[3 + 1_793];
        preimage[0] = 'f';
        preimage[1] = '1';
        Payment payment = from(Address.fromBytes(Sha512_256.digest(Domain.PQA, preimage)));
        Bytes f1 = Bytes.utf8("f1");
        Bytes some = Bytes.of((byte) 0xba);
        assertRefused(
                Reason.PQ_SCHEME_UNKNOWN,
                pq(payment, new PqSignature(Bytes.utf8("f2"), 0, publicKey, some)));
        assertRefused(Reason.PQ_AUTHORIZER, pq(payment, new PqSignature(f1, 1, publicKey, some)));
        assertRefused(Reason.PQ_EMPTY, pq(payment, new PqSignature(f1, 0, publicKey, Bytes.EMPTY)));
        Refusal refusal =
                assertRefused(
                        Reason.PQ_UNSUPPORTED,
                        pq(payment, new PqSignature(f1, 0, publicKey, some)));
        assertEquals(Refusal.Kind.BEYOND_US, refusal.kind());
    }

    private static SignedTransaction pq(Payment payment, PqSignature signature) {
        return SignedTransaction.of(payment, null, null, null, signature, Address.ZERO);
    }

    // The cache.

    @Test
    void whatWasVerifiedIsRememberedByItsSignedBytes() {
        SignedTransaction honest = sign(net.pay(0, 1, 5));
        TransactionGroup group = TransactionGroup.of(honest);
        assertFalse(cache.contains(cache.key(group, rules.protocol())));
        assertVerified(honest);
        assertTrue(cache.contains(cache.key(group, rules.protocol())));
        assertFalse(cache.contains(cache.key(group, "another version")));
        SignedTransaction forged = flipped(honest);
        assertEquals(honest.id(), forged.id());
        assertFalse(cache.contains(cache.key(TransactionGroup.of(forged), rules.protocol())));
        assertRefused(Reason.SIGNATURE_INVALID, forged);
        assertFalse(cache.contains(cache.key(TransactionGroup.of(forged), rules.protocol())));
    }

    @Test
    void theCacheForgetsTheOldestHalf() {
        TransactionGroup first = TransactionGroup.of(sign(net.pay(0, 1, 0)));
        for (int i = 0; i < 8; i++) {
            assertVerified(sign(net.pay(0, 1, i)));
        }
        assertTrue(cache.contains(cache.key(first, rules.protocol())));
        assertVerified(sign(net.pay(0, 1, 8)));
        assertFalse(cache.contains(cache.key(first, rules.protocol())));
        assertTrue(
                cache.contains(
                        cache.key(TransactionGroup.of(sign(net.pay(0, 1, 4))), rules.protocol())));
    }

    private void assertVerified(SignedTransaction signed) {
        Signatures.Outcome outcome = signatures.verify(TransactionGroup.of(signed), rules);
        assertNull(outcome.refusal(), () -> String.valueOf(outcome.refusal()));
    }

    private Refusal assertRefused(Reason reason, SignedTransaction signed) {
        Refusal refusal = signatures.verify(TransactionGroup.of(signed), rules).refusal();
        assertEquals(reason, Objects.requireNonNull(refusal, "verified").reason());
        return refusal;
    }

    private static SignedTransaction signedBy(int key, Payment payment) {
        byte[] message = TransactionEncoder.encode(payment);
        return SignedTransaction.of(payment, Bytes.of(key(key).sign(Domain.TX, message)));
    }

    static SignedTransaction flipped(SignedTransaction signed) {
        byte[] wrong = Objects.requireNonNull(signed.signature()).toArray();
        wrong[40] ^= 1;
        return SignedTransaction.of(signed.txn(), Bytes.of(wrong));
    }
}
