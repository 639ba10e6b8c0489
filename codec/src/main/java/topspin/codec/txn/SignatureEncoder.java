package topspin.codec.txn;

import static topspin.codec.txn.Keys.*;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;

import java.util.List;

/**
 * Writes what authorizes a transaction, in two parts: a block puts fields of its own between them.
 */
final class SignatureEncoder {
    private SignatureEncoder() {}

    static void encodeBeforeSigner(
            @Nullable LogicSignature logic,
            @Nullable MultisigSignature multisig,
            @Nullable PqSignature pq,
            CanonicalWriter out) {
        if (logic != null) {
            long map = out.openMapField(LSIG);
            encode(logic, out);
            out.closeMapField(LSIG, map);
        }
        multisig(MSIG, multisig, out);
        pq(PQSIG, pq, out);
    }

    static void encodeSigner(Address signer, @Nullable Bytes signature, CanonicalWriter out) {
        out.address(SGNR, signer);
        signature(SIG, signature, out);
    }

    private static void encode(LogicSignature logic, CanonicalWriter out) {
        byteStrings(ARG, logic.arguments(), out);
        out.bytes(L, logic.program());
        multisig(LMSIG, logic.logicMultisig(), out);
        multisig(MSIG, logic.multisig(), out);
        pq(PQSIG, logic.pqSignature(), out);
        signature(SIG, logic.signature(), out);
    }

    private static void multisig(
            Key key, @Nullable MultisigSignature multisig, CanonicalWriter out) {
        if (multisig == null) {
            return;
        }
        long map = out.openMapField(key);
        out.arrayHeader(SUBSIG, multisig.keys().size());
        for (MultisigSignature.Subsignature share : multisig.keys()) {
            long element = out.openMap();
            out.digest(PK, share.publicKey());
            signature(S, share.signature(), out);
            out.closeMap(element);
        }
        out.uint(THR, multisig.threshold());
        out.uint(V, multisig.version());
        out.closeMapField(key, map);
    }

    private static void pq(Key key, @Nullable PqSignature pq, CanonicalWriter out) {
        if (pq == null) {
            return;
        }
        long map = out.openMapField(key);
        out.bytes(PK, pq.publicKey());
        out.bytes(SCH, pq.scheme());
        out.bytes(SIG, pq.signature());
        out.uint(SLT, pq.salt());
        out.closeMapField(key, map);
    }

    private static void signature(Key key, @Nullable Bytes signature, CanonicalWriter out) {
        if (signature != null) {
            out.bytes(key, signature);
        }
    }

    static void byteStrings(Key key, List<Bytes> values, CanonicalWriter out) {
        out.arrayHeader(key, values.size());
        for (int index = 0; index < values.size(); index++) {
            out.writeBytes(values.get(index));
        }
    }
}
