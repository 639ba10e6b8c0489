package topspin.codec.txn;

import static topspin.codec.txn.Keys.*;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.msgpack.CanonicalWriter;

import java.util.List;

/** Writes what a transaction did, in two parts: signatures stand between them. */
final class ApplyDataEncoder {
    private ApplyDataEncoder() {}

    static void encodeBeforeSignatures(ApplyData applied, CanonicalWriter out) {
        out.uint(ACA, applied.assetClosingAmount());
        out.uint(APID, applied.createdApplication());
        out.uint(CA, applied.closingAmount());
        out.uint(CAID, applied.createdAsset());
        EvalDelta delta = applied.evalDelta();
        if (delta != null) {
            long map = out.openMapField(DT);
            encode(delta, out);
            out.closeMapField(DT, map);
        }
    }

    static void encodeRewards(ApplyData applied, CanonicalWriter out) {
        out.uint(RC, applied.closeRewards());
        out.uint(RR, applied.receiverRewards());
        out.uint(RS, applied.senderRewards());
    }

    private static void encode(EvalDelta delta, CanonicalWriter out) {
        if (!delta.globalDelta().isEmpty()) {
            out.key(GD);
            encode(delta.globalDelta(), out);
        }
        out.arrayHeader(ITX, delta.inner().size());
        for (EvalDelta.InnerTransaction inner : delta.inner()) {
            encode(inner, out);
        }
        if (!delta.localDeltas().isEmpty()) {
            out.key(LD);
            out.writeMapHeader(delta.localDeltas().size());
            for (EvalDelta.LocalDelta local : delta.localDeltas()) {
                out.writeUint(local.account());
                encode(local.keys(), out);
            }
        }
        out.arrayHeader(LG, delta.logs().size());
        for (Bytes log : delta.logs()) {
            out.writeText(log.array(), log.offset(), log.length());
        }
        out.arrayHeader(SA, delta.sharedAccounts().size());
        for (Address account : delta.sharedAccounts()) {
            out.writeAddress(account);
        }
    }

    private static void encode(List<EvalDelta.KeyDelta> keys, CanonicalWriter out) {
        out.writeMapHeader(keys.size());
        for (EvalDelta.KeyDelta change : keys) {
            Bytes key = change.key();
            out.writeText(key.array(), key.offset(), key.length());
            long map = out.openMap();
            out.uint(AT, change.action());
            out.text(BS, change.bytes());
            out.uint(UI, change.uint());
            out.closeMap(map);
        }
    }

    private static void encode(EvalDelta.InnerTransaction inner, CanonicalWriter out) {
        SignedTransaction signed = inner.signed();
        long map = out.openMap();
        encodeBeforeSignatures(inner.applied(), out);
        SignatureEncoder.encodeBeforeSigner(
                signed.logicSignature(), signed.multisig(), signed.pqSignature(), out);
        encodeRewards(inner.applied(), out);
        SignatureEncoder.encodeSigner(signed.signer(), signed.signature(), out);
        out.key(TXN);
        out.raw(signed.bytes(), signed.txnOffset(), signed.txnLength());
        out.closeMap(map);
    }
}
