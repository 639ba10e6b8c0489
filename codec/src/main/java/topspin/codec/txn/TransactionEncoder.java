package topspin.codec.txn;

import static topspin.codec.txn.Keys.*;

import topspin.codec.Address;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;

import java.util.List;

/**
 * The canonical bytes of a transaction: its fields in key order, zero values left out, so that
 * equal transactions become equal bytes. Allocates nothing unless a text is not ASCII.
 */
public final class TransactionEncoder {
    private TransactionEncoder() {}

    /** The canonical bytes in an array of their own. */
    public static byte[] encode(Transaction txn) {
        var out = new CanonicalWriter();
        encode(txn, out);
        return out.toByteArray();
    }

    /** Appends the canonical bytes. */
    public static void encode(Transaction txn, CanonicalWriter out) {
        switch (txn) {
            case Payment payment -> encode(payment, out);
            case KeyRegistration registration -> encode(registration, out);
            case AssetConfig config -> encode(config, out);
            case AssetTransfer transfer -> encode(transfer, out);
            case AssetFreeze freeze -> encode(freeze, out);
            case ApplicationCall call -> encode(call, out);
            case StateProof proof -> encode(proof, out);
            case Heartbeat heartbeat -> encode(heartbeat, out);
            case Misfit misfit -> out.raw(misfit.encoding());
        }
    }

    private static void encode(Payment txn, CanonicalWriter out) {
        long map = out.openMap();
        out.uint(AMT, txn.amount());
        out.address(CLOSE, txn.closeTo());
        feeToLease(txn.header(), out);
        out.bytes(NOTE, txn.note());
        out.address(RCV, txn.receiver());
        out.address(REKEY, txn.rekeyTo());
        out.address(SND, txn.sender());
        out.text(TYPE, TransactionType.PAYMENT.wireKey());
        out.closeMap(map);
    }

    private static void encode(KeyRegistration txn, CanonicalWriter out) {
        long map = out.openMap();
        feeToLease(txn.header(), out);
        out.flag(NONPART, txn.nonParticipation());
        out.bytes(NOTE, txn.note());
        out.address(REKEY, txn.rekeyTo());
        out.digest(SELKEY, txn.selectionKey());
        out.address(SND, txn.sender());
        out.bytes(SPRFKEY, txn.stateProofKey());
        out.text(TYPE, TransactionType.KEY_REGISTRATION.wireKey());
        out.uint(VOTEFST, txn.voteFirst());
        out.uint(VOTEKD, txn.voteKeyDilution());
        out.digest(VOTEKEY, txn.voteKey());
        out.uint(VOTELST, txn.voteLast());
        out.closeMap(map);
    }

    private static void encode(AssetConfig txn, CanonicalWriter out) {
        long map = out.openMap();
        long params = out.openMapField(APAR);
        fields(txn.params(), out);
        out.closeMapField(APAR, params);
        out.uint(CAID, txn.asset());
        feeToLease(txn.header(), out);
        noteToType(txn, TransactionType.ASSET_CONFIG, out);
        out.closeMap(map);
    }

    private static void encode(AssetTransfer txn, CanonicalWriter out) {
        long map = out.openMap();
        out.uint(AAMT, txn.amount());
        out.address(ACLOSE, txn.closeTo());
        out.address(ARCV, txn.receiver());
        out.address(ASND, txn.assetSender());
        feeToLease(txn.header(), out);
        noteToType(txn, TransactionType.ASSET_TRANSFER, out);
        out.uint(XAID, txn.asset());
        out.closeMap(map);
    }

    private static void encode(AssetFreeze txn, CanonicalWriter out) {
        long map = out.openMap();
        out.flag(AFRZ, txn.frozen());
        out.address(FADD, txn.account());
        out.uint(FAID, txn.asset());
        feeToLease(txn.header(), out);
        noteToType(txn, TransactionType.ASSET_FREEZE, out);
        out.closeMap(map);
    }

    private static void encode(ApplicationCall txn, CanonicalWriter out) {
        long map = out.openMap();
        access(txn.access(), out);
        SignatureEncoder.byteStrings(APAA, txn.arguments(), out);
        out.uint(APAN, txn.onCompletion());
        out.bytes(APAP, txn.approvalProgram());
        out.uints(APAS, txn.foreignAssets());
        addresses(APAT, txn.accounts(), out);
        boxes(txn.boxes(), out);
        out.uint(APEP, txn.extraProgramPages());
        out.uints(APFA, txn.foreignApplications());
        schema(APGS, txn.globalSchema(), out);
        out.uint(APID, txn.application());
        schema(APLS, txn.localSchema(), out);
        out.uint(APRV, txn.rejectVersion());
        out.bytes(APSU, txn.clearProgram());
        feeToLease(txn.header(), out);
        noteToType(txn, TransactionType.APPLICATION_CALL, out);
        out.closeMap(map);
    }

    private static void encode(StateProof txn, CanonicalWriter out) {
        long map = out.openMap();
        feeToLease(txn.header(), out);
        out.bytes(NOTE, txn.note());
        out.address(REKEY, txn.rekeyTo());
        out.address(SND, txn.sender());
        if (!txn.proof().isEmpty()) {
            out.key(SP);
            out.raw(txn.proof());
        }
        long message = out.openMapField(SPMSG);
        fields(txn.message(), out);
        out.closeMapField(SPMSG, message);
        out.uint(SPTYPE, txn.proofType());
        out.text(TYPE, TransactionType.STATE_PROOF.wireKey());
        out.closeMap(map);
    }

    private static void encode(Heartbeat txn, CanonicalWriter out) {
        long map = out.openMap();
        TransactionHeader header = txn.header();
        feeToGroup(header, out);
        HeartbeatFields heartbeat = txn.fields();
        if (heartbeat != null) {
            // Present even if nothing in it is set.
            out.key(HB);
            long fields = out.openMap();
            fields(heartbeat, out);
            out.closeMap(fields);
        }
        out.uint(LV, header.lastValid());
        out.digest(LX, header.lease());
        noteToType(txn, TransactionType.HEARTBEAT, out);
        out.closeMap(map);
    }

    // Header fields, in the runs that no other key interrupts.

    private static void feeToLease(TransactionHeader header, CanonicalWriter out) {
        feeToGroup(header, out);
        out.uint(LV, header.lastValid());
        out.digest(LX, header.lease());
    }

    private static void feeToGroup(TransactionHeader header, CanonicalWriter out) {
        out.uint(FEE, header.fee());
        out.uint(FV, header.firstValid());
        out.text(GEN, header.genesisId());
        out.digest(GH, header.genesisHash());
        out.digest(GRP, header.group());
    }

    private static void noteToType(Transaction txn, TransactionType type, CanonicalWriter out) {
        out.bytes(NOTE, txn.note());
        out.address(REKEY, txn.rekeyTo());
        out.address(SND, txn.sender());
        out.text(TYPE, type.wireKey());
    }

    // Parts.

    /** Appends the map of an asset's parameters, empty if none is set. */
    public static void encode(AssetParams params, CanonicalWriter out) {
        long map = out.openMap();
        fields(params, out);
        out.closeMap(map);
    }

    private static void fields(AssetParams params, CanonicalWriter out) {
        out.digest(AM, params.metadataHash());
        out.text(AN, params.name());
        out.text(AU, params.url());
        out.address(C, params.clawback());
        out.uint(DC, params.decimals());
        out.flag(DF, params.defaultFrozen());
        out.address(F, params.freeze());
        out.address(M, params.manager());
        out.address(R, params.reserve());
        out.uint(T, params.total());
        out.text(UN, params.unitName());
    }

    private static void fields(StateProofMessage message, CanonicalWriter out) {
        out.uint(LN_PROVEN_WEIGHT, message.lnProvenWeight());
        out.bytes(B, message.blockHeadersCommitment());
        out.uint(F, message.firstAttestedRound());
        out.uint(L, message.lastAttestedRound());
        out.bytes(V, message.votersCommitment());
    }

    private static void fields(HeartbeatFields heartbeat, CanonicalWriter out) {
        out.address(A, heartbeat.address());
        out.flag(C, heartbeat.challengeDiscount());
        out.uint(KD, heartbeat.keyDilution());
        long map = out.openMapField(PRF);
        HeartbeatFields.Proof proof = heartbeat.proof();
        out.digest(P, proof.publicKey());
        out.bytes(P1S, proof.publicKeySignature());
        out.digest(P2, proof.batchKey());
        out.bytes(P2S, proof.batchKeySignature());
        out.bytes(S, proof.signature());
        out.closeMapField(PRF, map);
        out.digest(SD, heartbeat.seed());
        out.digest(VID, heartbeat.voteId());
    }

    private static void access(List<ResourceReference> access, CanonicalWriter out) {
        out.arrayHeader(AL, access.size());
        for (int index = 0; index < access.size(); index++) {
            ResourceReference resource = access.get(index);
            long element = out.openMap();
            long box = out.openMapField(B);
            fields(resource.box(), out);
            out.closeMapField(B, box);
            out.address(D, resource.address());
            long holding = out.openMapField(H);
            out.uint(D, resource.holding().address());
            out.uint(S, resource.holding().asset());
            out.closeMapField(H, holding);
            long locals = out.openMapField(L);
            out.uint(D, resource.locals().address());
            out.uint(P, resource.locals().application());
            out.closeMapField(L, locals);
            out.uint(P, resource.application());
            out.uint(S, resource.asset());
            out.closeMap(element);
        }
    }

    private static void boxes(List<BoxReference> boxes, CanonicalWriter out) {
        out.arrayHeader(APBX, boxes.size());
        for (int index = 0; index < boxes.size(); index++) {
            long element = out.openMap();
            fields(boxes.get(index), out);
            out.closeMap(element);
        }
    }

    private static void fields(BoxReference box, CanonicalWriter out) {
        out.uint(I, box.index());
        out.bytes(N, box.name());
    }

    private static void schema(Key key, StateSchema schema, CanonicalWriter out) {
        long map = out.openMapField(key);
        out.uint(NBS, schema.byteSlices());
        out.uint(NUI, schema.uints());
        out.closeMapField(key, map);
    }

    private static void addresses(Key key, List<Address> addresses, CanonicalWriter out) {
        out.arrayHeader(key, addresses.size());
        for (int index = 0; index < addresses.size(); index++) {
            out.writeAddress(addresses.get(index));
        }
    }
}
