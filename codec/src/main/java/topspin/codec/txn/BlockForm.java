package topspin.codec.txn;

import static topspin.codec.txn.Keys.*;

import topspin.codec.Bytes;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;

/**
 * Takes genesis id and hash out of a transaction that enters a block, and puts them back
 * (transactions.md section 7). Both fields stand side by side in key order, so each way is one cut
 * through the canonical bytes.
 */
final class BlockForm {
    private BlockForm() {}

    /** The in-block form of {@code signed}, which did {@code applied}. */
    static BlockTransaction strip(SignedTransaction signed, ApplyData applied) {
        var out = new CanonicalWriter(signed.length() + 128);
        boolean hasGenesisId = !signed.txn().genesisId().isEmpty();
        long map = out.openMap();
        ApplyDataEncoder.encodeBeforeSignatures(applied, out);
        out.flag(HGI, hasGenesisId);
        SignatureEncoder.encodeBeforeSigner(
                signed.logicSignature(), signed.multisig(), signed.pqSignature(), out);
        ApplyDataEncoder.encodeRewards(applied, out);
        SignatureEncoder.encodeSigner(signed.signer(), signed.signature(), out);
        out.key(TXN);
        without(signed.bytes(), signed.txnOffset(), signed.txnLength(), GEN, GH, out);
        out.closeMap(map);
        return new BlockTransaction(
                signed, applied, hasGenesisId, false, true, Bytes.of(out.toByteArray()));
    }

    /**
     * Copies a canonical transaction but for the fields {@code first} and {@code second}, which
     * must be neighbours in key order.
     */
    static void without(
            byte[] bytes, int offset, int length, Key first, Key second, CanonicalWriter out) {
        var in = new MsgpackReader().reset(bytes, offset, length);
        try {
            int fields = in.readMapHeader();
            int body = in.position();
            int left = fields;
            int cutFrom = -1;
            int cutTo = -1;
            int dropped = 0;
            while (left > 0) {
                int start = in.position();
                boolean drop = in.startsWith(first) || in.startsWith(second);
                if (dropped > 0 && !drop) {
                    break;
                }
                in.skip();
                in.skip();
                left--;
                if (drop) {
                    cutFrom = dropped == 0 ? start : cutFrom;
                    cutTo = in.position();
                    dropped++;
                }
            }
            int end = offset + length;
            out.writeMapHeader(fields - dropped);
            if (dropped == 0) {
                out.raw(bytes, body, end - body);
            } else {
                out.raw(bytes, body, cutFrom - body);
                out.raw(bytes, cutTo, end - cutTo);
            }
        } catch (MalformedMessage e) {
            throw new IllegalArgumentException("not a canonical transaction", e);
        }
    }
}
