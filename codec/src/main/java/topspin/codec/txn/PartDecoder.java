package topspin.codec.txn;

import static topspin.codec.txn.Keys.*;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.Items;
import topspin.codec.msgpack.Key;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.msgpack.ShapeChecker;

import java.util.List;

/**
 * Reads the nested parts of transactions and of what authorizes them, each if it is the field at
 * hand.
 */
final class PartDecoder {
    private static final int BYTE_MAX = 0xff;

    private final MsgpackReader in;

    PartDecoder(MsgpackReader in) {
        this.in = in;
    }

    // What authorizes.

    @Nullable Bytes signature(Key key) throws MalformedMessage {
        return in.at(key) ? in.fixed(key, Limits.SIGNATURE_BYTES) : null;
    }

    @Nullable MultisigSignature multisig(Key key) throws MalformedMessage {
        if (!in.atMap(key)) {
            return null;
        }
        int start = in.position();
        int outer = in.openMap();
        int size = in.array(SUBSIG, Limits.MULTISIG_KEYS);
        var keys = new MultisigSignature.Subsignature[size];
        if (size > 0) {
            for (int index = 0; index < size; index++) {
                int element = in.openMap();
                Digest publicKey = in.digest(PK);
                Bytes signature = signature(S);
                in.closeElement(element);
                keys[index] = new MultisigSignature.Subsignature(publicKey, signature);
            }
            in.endField();
        }
        int threshold = (int) in.uint(THR, BYTE_MAX);
        int version = (int) in.uint(V, BYTE_MAX);
        in.closeMap(outer);
        if (in.isBounded() && (size == 0 || threshold == 0 || version == 0)) {
            throw in.malformed("required field of " + key + " missing", start);
        }
        return new MultisigSignature(version, threshold, Items.of(keys));
    }

    @Nullable PqSignature pqSignature(Key key) throws MalformedMessage {
        if (!in.atMap(key)) {
            return null;
        }
        int outer = in.openMap();
        Bytes publicKey = in.bytes(PK, Limits.PQ_KEY_BYTES);
        Bytes scheme = in.fixed(SCH, Limits.PQ_SCHEME_BYTES);
        Bytes signature = in.bytes(SIG, Limits.PQ_SIGNATURE_BYTES);
        int salt = (int) in.uint(SLT, BYTE_MAX);
        in.closeMap(outer);
        return new PqSignature(scheme, salt, publicKey, signature);
    }

    @Nullable LogicSignature logicSignature(Key key) throws MalformedMessage {
        if (!in.atMap(key)) {
            return null;
        }
        int outer = in.openMap();
        List<Bytes> arguments =
                byteStrings(ARG, Limits.LOGIC_ARGUMENTS, Limits.LOGIC_ARGUMENT_BYTES);
        Bytes program = in.bytes(L, Limits.LOGIC_PROGRAM_BYTES);
        MultisigSignature logicMultisig = multisig(LMSIG);
        MultisigSignature multisig = multisig(MSIG);
        PqSignature pqSignature = pqSignature(PQSIG);
        Bytes signature = signature(SIG);
        in.closeMap(outer);
        return new LogicSignature(
                program, arguments, signature, multisig, logicMultisig, pqSignature);
    }

    // Parts of transactions.

    AssetParams assetParams(Key key) throws MalformedMessage {
        if (!in.atMap(key)) {
            return AssetParams.ZERO;
        }
        int outer = in.openMap();
        Digest metadataHash = in.digest(AM);
        Bytes name = in.text(AN, Limits.ASSET_NAME_BYTES);
        Bytes url = in.text(AU, Limits.ASSET_URL_BYTES);
        Address clawback = in.address(C);
        long decimals = in.uint(DC, 0xffff_ffffL);
        boolean defaultFrozen = in.flag(DF);
        Address freeze = in.address(F);
        Address manager = in.address(M);
        Address reserve = in.address(R);
        long total = in.uint(T);
        Bytes unitName = in.text(UN, Limits.ASSET_UNIT_NAME_BYTES);
        in.closeMap(outer);
        return new AssetParams(
                total,
                decimals,
                defaultFrozen,
                unitName,
                name,
                url,
                metadataHash,
                manager,
                reserve,
                freeze,
                clawback);
    }

    StateSchema schema(Key key) throws MalformedMessage {
        if (!in.atMap(key)) {
            return StateSchema.ZERO;
        }
        int outer = in.openMap();
        long byteSlices = in.uint(NBS);
        long uints = in.uint(NUI);
        in.closeMap(outer);
        return new StateSchema(uints, byteSlices);
    }

    List<BoxReference> boxes(Key key) throws MalformedMessage {
        int size = in.array(key, Limits.APPLICATION_REFERENCES);
        if (size == 0) {
            return List.of();
        }
        var boxes = new BoxReference[size];
        for (int index = 0; index < size; index++) {
            int element = in.openMap();
            boxes[index] = boxFields();
            in.closeElement(element);
        }
        in.endField();
        return Items.of(boxes);
    }

    private BoxReference boxFields() throws MalformedMessage {
        long index = in.uint(I);
        Bytes name = in.bytes(N, Limits.BOX_NAME_BYTES);
        return new BoxReference(index, name);
    }

    List<ResourceReference> access(Key key) throws MalformedMessage {
        int size = in.array(key, Limits.APPLICATION_ACCESS);
        if (size == 0) {
            return List.of();
        }
        var access = new ResourceReference[size];
        for (int index = 0; index < size; index++) {
            access[index] = resource();
        }
        in.endField();
        return Items.of(access);
    }

    private ResourceReference resource() throws MalformedMessage {
        int element = in.openMap();
        BoxReference box = BoxReference.ZERO;
        if (in.atMap(B)) {
            int outer = in.openMap();
            box = boxFields();
            in.closeMap(outer);
        }
        Address address = in.address(D);
        var holding = ResourceReference.HoldingReference.ZERO;
        if (in.atMap(H)) {
            int outer = in.openMap();
            holding = new ResourceReference.HoldingReference(in.uint(D), in.uint(S));
            in.closeMap(outer);
        }
        var locals = ResourceReference.LocalsReference.ZERO;
        if (in.atMap(L)) {
            int outer = in.openMap();
            locals = new ResourceReference.LocalsReference(in.uint(D), in.uint(P));
            in.closeMap(outer);
        }
        long application = in.uint(P);
        long asset = in.uint(S);
        in.closeElement(element);
        return new ResourceReference(address, asset, application, holding, locals, box);
    }

    /** The heartbeat's fields, which may all be zero; null if the field is absent. */
    @Nullable HeartbeatFields heartbeat(Key key) throws MalformedMessage {
        if (!in.at(key)) {
            return null;
        }
        int outer = in.openMap();
        Address address = in.address(A);
        boolean challengeDiscount = in.flag(C);
        long keyDilution = in.uint(KD);
        HeartbeatFields.Proof proof = heartbeatProof();
        Digest seed = in.digest(SD);
        Digest voteId = in.digest(VID);
        in.closeMap(outer);
        return new HeartbeatFields(address, challengeDiscount, keyDilution, proof, seed, voteId);
    }

    private HeartbeatFields.Proof heartbeatProof() throws MalformedMessage {
        if (!in.atMap(PRF)) {
            return HeartbeatFields.Proof.ZERO;
        }
        int outer = in.openMap();
        Digest publicKey = in.digest(P);
        Bytes publicKeySignature = in.fixed(P1S, Limits.SIGNATURE_BYTES);
        Digest batchKey = in.digest(P2);
        Bytes batchKeySignature = in.fixed(P2S, Limits.SIGNATURE_BYTES);
        Bytes signature = in.fixed(S, Limits.SIGNATURE_BYTES);
        in.closeMap(outer);
        return new HeartbeatFields.Proof(
                signature, publicKey, publicKeySignature, batchKey, batchKeySignature);
    }

    Bytes stateProof(Key key) throws MalformedMessage {
        if (!in.atMap(key)) {
            return Bytes.EMPTY;
        }
        int start = in.position();
        ShapeChecker.check(TransactionShapes.STATE_PROOF, in);
        Bytes proof = Bytes.of(in.array(), start, in.position() - start);
        in.endField();
        return proof;
    }

    StateProofMessage stateProofMessage(Key key) throws MalformedMessage {
        if (!in.atMap(key)) {
            return StateProofMessage.ZERO;
        }
        int outer = in.openMap();
        long lnProvenWeight = in.uint(LN_PROVEN_WEIGHT);
        Bytes blockHeadersCommitment = in.bytes(B, Limits.STATE_PROOF_HEADERS_BYTES);
        long firstAttestedRound = in.uint(F);
        long lastAttestedRound = in.uint(L);
        Bytes votersCommitment = in.bytes(V, Limits.STATE_PROOF_VOTERS_BYTES);
        in.closeMap(outer);
        return new StateProofMessage(
                blockHeadersCommitment,
                votersCommitment,
                lnProvenWeight,
                firstAttestedRound,
                lastAttestedRound);
    }

    // Lists: a claimed size was compared with the bytes left, of which each item takes some.

    /** A list of byte strings, nil told from empty. */
    List<Bytes> byteStrings(Key key, int sizeMax, int bytesMax) throws MalformedMessage {
        int size = in.array(key, sizeMax);
        if (size == 0) {
            return List.of();
        }
        var values = new Bytes[size];
        for (int index = 0; index < size; index++) {
            values[index] = in.readBytesOrNil(bytesMax);
        }
        in.endField();
        return Items.of(values);
    }

    List<Address> addresses(Key key, int max) throws MalformedMessage {
        int size = in.array(key, max);
        if (size == 0) {
            return List.of();
        }
        var values = new Address[size];
        for (int index = 0; index < size; index++) {
            values[index] = in.readAddress();
        }
        in.endField();
        return Items.of(values);
    }
}
