package topspin.ledger.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import static topspin.ledger.TestNetwork.FEE_SINK;
import static topspin.ledger.TestNetwork.REWARDS_POOL;
import static topspin.ledger.TestNetwork.address;

import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.AssetFreeze;
import topspin.codec.txn.AssetParams;
import topspin.codec.txn.AssetTransfer;
import topspin.codec.txn.Heartbeat;
import topspin.codec.txn.HeartbeatFields;
import topspin.codec.txn.KeyRegistration;
import topspin.codec.txn.Misfit;
import topspin.codec.txn.Payment;
import topspin.codec.txn.StateProof;
import topspin.codec.txn.StateProofMessage;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionHeader;
import topspin.codec.txn.TransactionType;

import java.util.EnumSet;
import java.util.Objects;

/** Each rule of validation.md sections 3 and 4 with its text, and the nearest input that passes. */
class WellFormedTest {
    private static final Rules V42 =
            new Rules(
                    ConsensusVersions.V42,
                    Objects.requireNonNull(ConsensusVersions.builtIn().get(ConsensusVersions.V42)),
                    FEE_SINK,
                    REWARDS_POOL);
    private static final Address A = address(0);
    private static final Address B = address(1);
    private static final Digest KEY = key();

    private static Digest key() {
        byte[] bytes = new byte[32];
        bytes[0] = 1;
        return Digest.of(bytes, 0);
    }

    // The header.

    @Test
    void lifetimes() {
        refused("transaction invalid range (5--4)", pay(header(A, 5, 4)));
        passes(pay(header(A, 5, 5)));
        passes(pay(header(A, 0, 0)));
        passes(pay(header(A, 5, 1_005)));
        refused("transaction window size excessive (5--1006)", pay(header(A, 5, 1_006)));
        refused(
                "transaction window size excessive (0--18446744073709551615)",
                pay(header(A, 0, -1)));
        passes(pay(header(A, -1_001, -1)));
        refused("transaction invalid range (18446744073709551615--0)", pay(header(A, -1, 0)));
    }

    @Test
    void notes() {
        passes(pay(header(A).withNote(Bytes.of(new byte[4_096]))));
        refused(
                "transaction note too big: 4097 > 4096",
                pay(header(A).withNote(Bytes.of(new byte[4_097]))));
    }

    @Test
    void senders() {
        refused("transaction from incentive pool is invalid", pay(header(REWARDS_POOL)));
        Payment closing = new Payment(header(Address.ZERO), B, 1, B);
        refused("transaction cannot have zero sender", closing);
        refused(
                "transaction cannot close account to its sender " + Address.ZERO,
                pay(header(Address.ZERO)));
        passes(pay(header(A).withLease(KEY).withRekeyTo(A)));
    }

    @Test
    void typesThatMeanNothing() {
        refused(
                "unknown tx type foo",
                new Misfit(
                        header(A),
                        "foo",
                        EnumSet.noneOf(TransactionType.class),
                        null,
                        Bytes.EMPTY));
        refused(
                "transaction of type pay has non-zero fields for type axfer",
                foreign(pay(header(A)), TransactionType.ASSET_TRANSFER));
    }

    @Test
    void orderOfReports() {
        Payment closesToItself = new Payment(header(A, 5, 4), B, 1, A);
        refused(
                "transaction cannot close account to its sender " + A,
                foreign(closesToItself, TransactionType.ASSET_TRANSFER));
        refused(
                "transaction of type pay has non-zero fields for type axfer",
                foreign(pay(header(A, 5, 4)), TransactionType.ASSET_TRANSFER));
        refused(
                "transaction invalid range (5--4)",
                pay(header(A, 5, 4).withNote(Bytes.of(new byte[5_000]))));
        refused(
                "transaction window size excessive (5--2005)",
                pay(header(A, 5, 2_005).withNote(Bytes.of(new byte[5_000]))));
    }

    private static Misfit foreign(Payment own, TransactionType type) {
        return new Misfit(own.header(), "pay", EnumSet.of(type), own, Bytes.EMPTY);
    }

    // Payments.

    @Test
    void payments() {
        refused(
                "transaction cannot close account to its sender " + A,
                new Payment(header(A), B, 1, A));
        refused("cannot spend from fee sink address " + FEE_SINK, pay(header(FEE_SINK)));
        refused(
                "transaction cannot close account to its sender " + FEE_SINK,
                new Payment(header(FEE_SINK), B, 1, FEE_SINK));
        passes(new Payment(header(A), Address.ZERO, 0, Address.ZERO));
        passes(new Payment(header(A), A, 0, B));
        passes(new Payment(header(A), B, 0, B));
        passes(new Payment(header(A), FEE_SINK, 1, Address.ZERO));
        passes(new Payment(header(A), REWARDS_POOL, 1, Address.ZERO));
    }

    @Test
    void theFeeSinkWithoutPayoutsPaysThePoolOnly() {
        String json =
                ConsensusVersions.builtIn()
                        .write(java.util.List.of(ConsensusVersions.V42))
                        .replace("\"Enabled\": true", "\"Enabled\": false");
        Rules old =
                new Rules(
                        ConsensusVersions.V42,
                        Objects.requireNonNull(
                                ConsensusVersions.builtIn().with(json).get(ConsensusVersions.V42)),
                        FEE_SINK,
                        REWARDS_POOL);
        assertEquals(
                Reason.FEE_SINK_SPENDS_ELSEWHERE,
                reason(WellFormed.check(pay(header(FEE_SINK)), old)));
        assertNull(
                WellFormed.check(
                        new Payment(header(FEE_SINK), REWARDS_POOL, 1, Address.ZERO), old));
        assertEquals(
                Reason.FEE_SINK_CLOSES,
                reason(WellFormed.check(new Payment(header(FEE_SINK), REWARDS_POOL, 1, A), old)));
    }

    // Keys.

    @Test
    void keyRegistrations() {
        passes(keys(1, 2, 3));
        passes(offline());
        refused(
                "cannot register participation key for fee sink's address " + FEE_SINK,
                offline().withHeader(header(FEE_SINK)));
        refused(
                "transaction first voting round need to be less than its last voting round",
                keys(3, 2, 3));
        passes(keys(2, 2, 3));
        String together =
                "the following transaction fields need to be clear/set together : votekey,"
                        + " selkey, votekd";
        refused(together, keys(1, 2, 0));
        refused(
                together,
                new KeyRegistration(header(A), KEY, Digest.ZERO, stateProofKey(), 1, 2, 3, false));
        refused(
                together,
                new KeyRegistration(header(A), Digest.ZERO, KEY, stateProofKey(), 1, 2, 3, false));
        refused(
                "on going offline key registration transaction, the vote first and vote last"
                        + " fields should not be set",
                new KeyRegistration(
                        header(A), Digest.ZERO, Digest.ZERO, Bytes.EMPTY, 0, 1, 0, false));
        refused(
                "transaction tries to register keys to go online, but vote last is set to zero",
                keys(0, 0, 3));
        passes(keys(1_002, 2_000, 3)); // The last valid round is 1001.
        refused(
                "transaction tries to register keys to go online, but first voting round is"
                        + " beyond the round after last valid round",
                keys(1_003, 2_000, 3));
        refused(
                "transaction tries to register keys to go online, but nonparticipatory flag is"
                        + " set",
                new KeyRegistration(header(A), KEY, KEY, stateProofKey(), 1, 2, 3, true));
        passes(keys(1, 16_777_216, 3));
        refused("validity period for keyreg transaction is too long", keys(1, 16_777_217, 3));
        refused(
                "non participation keyreg transactions should contain empty stateProofPK",
                withoutKeys(stateProofKey(), true));
        passes(withoutKeys(Bytes.EMPTY, true));
        refused(
                "offline keyreg transactions should contain empty stateProofPK",
                withoutKeys(stateProofKey(), false));
        refused(
                "online keyreg transaction cannot have empty field StateProofPK",
                new KeyRegistration(header(A), KEY, KEY, Bytes.EMPTY, 1, 2, 3, false));
        passes(keys(1, 2, -1)); // Dilution has no bound.
    }

    private static KeyRegistration keys(long first, long last, long dilution) {
        return new KeyRegistration(
                header(A), KEY, KEY, stateProofKey(), first, last, dilution, false);
    }

    private static KeyRegistration offline() {
        return withoutKeys(Bytes.EMPTY, false);
    }

    private static KeyRegistration withoutKeys(Bytes stateProofKey, boolean forEver) {
        return new KeyRegistration(
                header(A), Digest.ZERO, Digest.ZERO, stateProofKey, 0, 0, 0, forEver);
    }

    private static Bytes stateProofKey() {
        byte[] key = new byte[64];
        key[63] = 1;
        return Bytes.of(key);
    }

    // Assets.

    @Test
    void assetNames() {
        passes(asset("12345678", "é".repeat(16), "u".repeat(96), 19)); // 32 bytes of UTF-8.
        refused("transaction asset name too big: 34 > 32", asset("", "é".repeat(17), "", 0));
        refused("transaction asset unit name too big: 9 > 8", asset("123456789", "", "", 0));
        refused("transaction asset url too big: 97 > 96", asset("", "", "u".repeat(97), 0));
        refused("transaction asset decimals is too high (max is 19)", asset("", "", "", 20));
        refused(
                "transaction asset name too big: 33 > 32",
                asset("123456789", "n".repeat(33), "u".repeat(97), 20));
        passes(new AssetConfig(header(A), 0, AssetParams.ZERO));
        passes(new AssetConfig(header(A), 7, AssetParams.ZERO));
    }

    @Test
    void anAssetNameNeedNotBeText() {
        byte[] name = new byte[32];
        java.util.Arrays.fill(name, (byte) 0xff);
        passes(new AssetConfig(header(A), 0, params(Bytes.EMPTY, Bytes.of(name), Bytes.EMPTY, 0)));
    }

    private static AssetConfig asset(String unit, String name, String url, long decimals) {
        return new AssetConfig(
                header(A),
                0,
                params(Bytes.utf8(unit), Bytes.utf8(name), Bytes.utf8(url), decimals));
    }

    private static AssetParams params(Bytes unit, Bytes name, Bytes url, long decimals) {
        return new AssetParams(
                0,
                decimals,
                false,
                unit,
                name,
                url,
                Digest.ZERO,
                Address.ZERO,
                Address.ZERO,
                Address.ZERO,
                Address.ZERO);
    }

    @Test
    void assetTransfers() {
        refused("asset ID cannot be zero", transfer(0, 1, Address.ZERO, Address.ZERO));
        passes(transfer(0, 0, Address.ZERO, Address.ZERO));
        refused("cannot close asset by clawback", transfer(5, 1, B, B));
        passes(transfer(5, 1, B, Address.ZERO));
        passes(transfer(5, 1, Address.ZERO, A));
    }

    private static AssetTransfer transfer(long asset, long amount, Address from, Address close) {
        return new AssetTransfer(header(A), asset, amount, from, B, close);
    }

    @Test
    void assetFreezes() {
        refused("asset ID cannot be zero", new AssetFreeze(header(A), B, 0, true));
        refused(
                "freeze account cannot be empty",
                new AssetFreeze(header(A), Address.ZERO, 5, true));
        passes(new AssetFreeze(header(A), A, 5, false));
    }

    // State proofs and heartbeats.

    @Test
    void stateProofs() {
        TransactionHeader special =
                new TransactionHeader(SpecialAccounts.STATE_PROOF_SENDER, 0, 1, 5, "", Digest.ZERO);
        assertEquals(
                "XM6FEYVJ2XDU2IBH4OT6VZGW75YM63CM4TC6AV6BD3JZXFJUIICYTVB5EU",
                SpecialAccounts.STATE_PROOF_SENDER.toString());
        passes(proof(special));
        refused("sender must be the state-proof sender", proof(header(A)));
        refused("fee must be zero in state-proof transaction", proof(special.withFee(1)));
        refused(
                "note must be empty in state-proof transaction",
                proof(special.withNote(Bytes.utf8("n"))));
        refused("group must be zero in state-proof transaction", proof(special.withGroup(KEY)));
        refused("rekey must be zero in state-proof transaction", proof(special.withRekeyTo(A)));
        refused("lease must be zero in state-proof transaction", proof(special.withLease(KEY)));
    }

    private static StateProof proof(TransactionHeader header) {
        return new StateProof(header, 0, Bytes.EMPTY, StateProofMessage.ZERO);
    }

    @Test
    void heartbeats() {
        refused("heartbeat transaction has no heartbeat fields", new Heartbeat(header(A), null));
        TransactionHeader noted = header(A).withNote(Bytes.utf8("n"));
        refused("tx.Note is set in discounted heartbeat", heartbeat(noted, true));
        passes(heartbeat(noted, false));
        refused(
                "tx.Lease is set in discounted heartbeat",
                heartbeat(header(A).withLease(KEY), true));
        refused(
                "tx.RekeyTo is set in discounted heartbeat",
                heartbeat(header(A).withRekeyTo(B), true));
        passes(heartbeat(header(A), true));
        HeartbeatFields.Proof proof = proof();
        refused("tx.HbProof is empty", fields(HeartbeatFields.Proof.ZERO, KEY, KEY, 1));
        refused("tx.HbSeed is empty", fields(proof, Digest.ZERO, KEY, 1));
        refused("tx.HbVoteID is empty", fields(proof, KEY, Digest.ZERO, 1));
        refused("tx.HbKeyDilution is zero", fields(proof, KEY, KEY, 0));
        passes(fields(proof, KEY, KEY, 1));
    }

    private static Heartbeat heartbeat(TransactionHeader header, boolean discount) {
        return new Heartbeat(header, new HeartbeatFields(A, discount, 1, proof(), KEY, KEY));
    }

    private static Heartbeat fields(
            HeartbeatFields.Proof proof, Digest seed, Digest voteId, long dilution) {
        return new Heartbeat(
                header(A), new HeartbeatFields(Address.ZERO, false, dilution, proof, seed, voteId));
    }

    private static HeartbeatFields.Proof proof() {
        return new HeartbeatFields.Proof(Bytes.EMPTY, KEY, Bytes.EMPTY, Digest.ZERO, Bytes.EMPTY);
    }

    private static void refused(String text, Transaction txn) {
        assertEquals(text, Objects.requireNonNull(WellFormed.check(txn, V42), "passes").text());
    }

    private static void passes(Transaction txn) {
        Refusal refusal = WellFormed.check(txn, V42);
        assertNull(refusal, () -> String.valueOf(refusal));
    }

    private static Reason reason(@org.jspecify.annotations.Nullable Refusal refusal) {
        return Objects.requireNonNull(refusal).reason();
    }

    private static Payment pay(TransactionHeader header) {
        return new Payment(header, B, 1, Address.ZERO);
    }

    private static TransactionHeader header(Address sender) {
        return header(sender, 1, 1_001);
    }

    private static TransactionHeader header(Address sender, long first, long last) {
        return new TransactionHeader(sender, 1_000, first, last, "", Digest.ZERO);
    }
}
