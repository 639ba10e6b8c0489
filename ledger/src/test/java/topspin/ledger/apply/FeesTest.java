package topspin.ledger.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import static topspin.ledger.TestNetwork.FEE_SINK;
import static topspin.ledger.TestNetwork.address;
import static topspin.ledger.TestNetwork.sign;

import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Longs;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.ApplicationCall;
import topspin.codec.txn.Heartbeat;
import topspin.codec.txn.HeartbeatFields;
import topspin.codec.txn.LogicSignature;
import topspin.codec.txn.Payment;
import topspin.codec.txn.PqSignature;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.StateProof;
import topspin.codec.txn.StateProofMessage;
import topspin.codec.txn.StateSchema;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.TestNetwork;
import topspin.ledger.rules.Refusal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/** validation.md sections 7 and 12.1. */
class FeesTest {
    private static final ConsensusParams V42 =
            Objects.requireNonNull(ConsensusVersions.builtIn().get(ConsensusVersions.V42));
    private static final ConsensusParams V41 =
            Objects.requireNonNull(ConsensusVersions.builtIn().get(ConsensusVersions.V41));

    private final TestNetwork net = new TestNetwork(3);

    @Test
    void notesAreFreeUpToAKilobyteAndThenCostByTheByte() {
        needs(1_000_000, 1_000, noted(0));
        needs(1_000_000, 1_000, noted(1_024));
        needs(1_000_100, 1_001, noted(1_025));
        needs(1_001_000, 1_001, noted(1_034));
        needs(1_001_100, 1_002, noted(1_035));
        needs(1_102_400, 1_103, noted(2_048));
        needs(1_307_200, 1_308, noted(4_096));
    }

    @Test
    void aGroupIsRoundedOnce() {
        needs(4_307_300, 4_308, noted(0), noted(1_024), noted(1_025), noted(4_096));
        needs(16_000_000, 16_000, Collections.nCopies(16, noted(0)).toArray(Transaction[]::new));
    }

    @Test
    void programsAreFreeUpToAThousandBytesAMember() {
        SignedTransaction logic =
                SignedTransaction.of(
                        noted(0),
                        null,
                        null,
                        new LogicSignature(
                                Bytes.of(new byte[1_500]), List.of(), null, null, null, null),
                        null,
                        Address.ZERO);
        assertEquals(1_050_000, Fees.usage(TransactionGroup.of(logic), V42));
        assertEquals(1_050, Fees.required(1_050_000, V42));
        TransactionGroup two = TransactionGroup.of(List.of(logic, sign(net.pay(0, 1, 5))));
        assertEquals(2_000_000, Fees.usage(two, V42));
    }

    @Test
    void aPostQuantumSignatureCostsTwoFeesMore() {
        SignedTransaction signed =
                SignedTransaction.of(
                        noted(0),
                        null,
                        null,
                        null,
                        new PqSignature(Bytes.utf8("f1"), 0, Bytes.EMPTY, Bytes.EMPTY),
                        Address.ZERO);
        assertEquals(3_000_000, Fees.usage(TransactionGroup.of(signed), V42));
        SignedTransaction noted = SignedTransaction.unsigned(noted(4_096));
        SignedTransaction transfer = SignedTransaction.unsigned(net.transfer(0, 1, 1, 0));
        TransactionGroup mixed = TransactionGroup.of(List.of(noted, transfer, signed));
        assertEquals(5_307_200, Fees.usage(mixed, V42));
        assertEquals(5_308, Fees.required(5_307_200, V42));
    }

    @Test
    void applicationsPayForLongArgumentsAndPrograms() {
        List<Bytes> arguments = List.of(Bytes.of(new byte[2_000]), Bytes.of(new byte[50]));
        needs(1_000_200, 1_001, call(arguments, 0, 0));
        needs(1_080_800, 1_081, call(List.of(), 8_000, 1_000));
        needs(1_000_000, 1_000, call(List.of(), 8_000, 192));
    }

    @Test
    void stateProofsAndAskedForHeartbeatsAreFree() {
        Transaction proof = new StateProof(net.header(0), 0, Bytes.EMPTY, StateProofMessage.ZERO);
        assertEquals(0, Fees.usage(unsigned(proof), V42));
        HeartbeatFields asked =
                new HeartbeatFields(
                        address(0), true, 1, HeartbeatFields.Proof.ZERO, Digest.ZERO, Digest.ZERO);
        assertEquals(0, Fees.usage(unsigned(new Heartbeat(net.header(0), asked)), V42));
        TransactionGroup withAnother =
                TransactionGroup.of(
                        List.of(
                                SignedTransaction.unsigned(new Heartbeat(net.header(0), asked)),
                                SignedTransaction.unsigned(noted(0))));
        assertEquals(1_000_000, Fees.usage(withAnother, V42));
    }

    @Test
    void v41ChargesNoBytes() {
        assertEquals(1_000_000, Fees.usage(unsigned(noted(4_096)), V41));
    }

    @Test
    void anyMemberMayPay() {
        paid(true, fee(noted(0), 0), fee(noted(1_025), 2_001));
        paid(false, fee(noted(0), 0), fee(noted(1_025), 2_000));
        Transaction[] sixteen = new Transaction[16];
        for (int i = 0; i < 16; i++) {
            sixteen[i] = fee(noted(i), i == 9 ? 16_000 : 0);
        }
        paid(true, sixteen);
        sixteen[9] = fee(noted(9), 15_999);
        paid(false, sixteen);
    }

    @Test
    void theTextSaysWhatIsMissing() {
        assertEquals(
                "txgroup with 2mA fees is less than 2.001mA (usage=2.000100 * base=1mA)",
                text(fee(noted(0), 0), fee(noted(1_025), 2_000)));
        assertEquals(
                "txgroup with 999uA fees is less than 1mA (usage=1.000000 * base=1mA)",
                text(fee(noted(0), 999)));
        assertEquals(
                "txgroup with 0.0A fees is less than 1mA (usage=1.000000 * base=1mA)",
                text(fee(noted(0), 0)));
    }

    @Test
    void feesSaturateRatherThanWrap() {
        assertEquals(-1, Fees.required(-1, withMinFee(-1L)));
        assertNull(Fees.check(unsigned(fee(noted(0), -1), fee(noted(0), -1)), V42));
    }

    @Test
    void whatIsOfferedIsTakenWhole() {
        net.confirm(fee(net.pay(0, 1, 0), 5_000_000));
        assertEquals(TestNetwork.FUNDS - 5_000_000, net.account(0).balance());
        assertEquals(5_100_000, net.state().account(FEE_SINK).balance());
    }

    private void needs(long usage, long fee, Transaction... members) {
        TransactionGroup group = unsigned(members);
        assertEquals(usage, Fees.usage(group, V42));
        assertEquals(fee, Fees.required(usage, V42));
    }

    private static void paid(boolean enough, Transaction... members) {
        Refusal refusal = Fees.check(unsigned(members), V42);
        assertEquals(enough, refusal == null, () -> String.valueOf(refusal));
    }

    private static String text(Transaction... members) {
        return Objects.requireNonNull(Fees.check(unsigned(members), V42)).text();
    }

    private static TransactionGroup unsigned(Transaction... members) {
        List<SignedTransaction> signed = new ArrayList<>();
        for (Transaction member : members) {
            signed.add(SignedTransaction.unsigned(member));
        }
        return TransactionGroup.of(signed);
    }

    private Payment noted(int bytes) {
        Payment payment = net.pay(0, 1, 5);
        return payment.withHeader(payment.header().withNote(Bytes.of(new byte[bytes])));
    }

    private static Payment fee(Payment payment, long fee) {
        return payment.withHeader(payment.header().withFee(fee));
    }

    private ApplicationCall call(List<Bytes> arguments, int approval, int clear) {
        return new ApplicationCall(
                net.header(0),
                0,
                0,
                arguments,
                List.of(),
                Longs.EMPTY,
                Longs.EMPTY,
                List.of(),
                List.of(),
                StateSchema.ZERO,
                StateSchema.ZERO,
                Bytes.of(new byte[approval]),
                Bytes.of(new byte[clear]),
                4,
                0);
    }

    private static ConsensusParams withMinFee(long fee) {
        String json =
                ConsensusVersions.builtIn()
                        .write(List.of(ConsensusVersions.V42))
                        .replace("\"MinTxnFee\": 1000", "\"MinTxnFee\": " + (fee & Long.MAX_VALUE));
        return Objects.requireNonNull(
                ConsensusVersions.builtIn().with(json).get(ConsensusVersions.V42));
    }
}
