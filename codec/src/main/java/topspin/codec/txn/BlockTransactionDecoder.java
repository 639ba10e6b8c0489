package topspin.codec.txn;

import static topspin.codec.txn.Keys.*;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads transactions as they stand in a block (transactions.md section 7), from a reader that its
 * owner positions. Inner transactions are bounded in number and depth.
 */
public final class BlockTransactionDecoder {
    private final MsgpackReader in;
    private final PartDecoder parts;
    private final TransactionDecoder transactions;

    public BlockTransactionDecoder(MsgpackReader in) {
        this.in = in;
        this.parts = new PartDecoder(in);
        this.transactions = new TransactionDecoder(in);
    }

    /** Reads one element of a payset, and puts back what the block's header says for it. */
    public BlockTransaction read(String genesisId, Digest genesisHash) throws MalformedMessage {
        int start = in.position();
        int outer = in.openMap();
        AppliedTransaction applied = readFields(start, 0, true);
        in.closeElement(outer);
        return BlockForm.perThread()
                .restore(
                        applied.signed(),
                        applied.applied(),
                        applied.hasGenesisId(),
                        applied.hasGenesisHash(),
                        Bytes.of(in.array(), start, in.position() - start),
                        genesisId,
                        genesisHash);
    }

    /** What the map holds: the transaction as it stands there, its span being of the whole map. */
    private record AppliedTransaction(
            SignedTransaction signed,
            ApplyData applied,
            boolean hasGenesisId,
            boolean hasGenesisHash) {}

    private AppliedTransaction readFields(int start, int depth, boolean inBlock)
            throws MalformedMessage {
        long assetClosingAmount = in.uint(ACA);
        long createdApplication = in.uint(APID);
        long closingAmount = in.uint(CA);
        long createdAsset = in.uint(CAID);
        EvalDelta delta = evalDelta(depth);
        boolean hasGenesisHash = inBlock && in.flag(HGH);
        boolean hasGenesisId = inBlock && in.flag(HGI);
        LogicSignature logicSignature = parts.logicSignature(LSIG);
        MultisigSignature multisig = parts.multisig(MSIG);
        PqSignature pqSignature = parts.pqSignature(PQSIG);
        long closeRewards = in.uint(RC);
        long receiverRewards = in.uint(RR);
        long senderRewards = in.uint(RS);
        Address signer = in.address(SGNR);
        Bytes signature = parts.signature(SIG);
        if (!in.at(TXN)) {
            throw in.malformed("required field txn missing", start);
        }
        int txnStart = in.position();
        Transaction txn = transactions.readTransaction();
        int txnLength = in.position() - txnStart;
        in.endField();
        var signed =
                new SignedTransaction(
                        in.array(),
                        start,
                        in.position() - start,
                        txnStart,
                        txnLength,
                        txn,
                        signature,
                        multisig,
                        logicSignature,
                        pqSignature,
                        signer);
        ApplyData applied =
                ApplyData.of(
                        closingAmount,
                        assetClosingAmount,
                        senderRewards,
                        receiverRewards,
                        closeRewards,
                        createdAsset,
                        createdApplication,
                        delta);
        return new AppliedTransaction(signed, applied, hasGenesisId, hasGenesisHash);
    }

    private @Nullable EvalDelta evalDelta(int depth) throws MalformedMessage {
        if (!in.atMap(DT)) {
            return null;
        }
        int outer = in.openMap();
        List<EvalDelta.KeyDelta> globalDelta = List.of();
        if (in.atMap(GD)) {
            globalDelta = keyDeltas();
            in.endField();
        }
        List<EvalDelta.InnerTransaction> inner = inner(depth + 1);
        List<EvalDelta.LocalDelta> localDeltas = localDeltas();
        List<Bytes> logs = logs();
        List<Address> sharedAccounts = parts.addresses(SA, Limits.DELTA_ACCOUNTS);
        in.closeMap(outer);
        return new EvalDelta(globalDelta, localDeltas, logs, sharedAccounts, inner);
    }

    private List<EvalDelta.InnerTransaction> inner(int depth) throws MalformedMessage {
        int listStart = in.position();
        int size = in.array(ITX, Limits.INNER_TRANSACTIONS);
        if (size == 0) {
            return List.of();
        }
        if (depth > Limits.INNER_DEPTH) {
            throw in.malformed("inner transactions nested too deep", listStart);
        }
        List<EvalDelta.InnerTransaction> inner = new ArrayList<>(size);
        for (int index = 0; index < size; index++) {
            int start = in.position();
            int outer = in.openMap();
            AppliedTransaction applied = readFields(start, depth, false);
            in.closeElement(outer);
            SignedTransaction standing = applied.signed();
            SignedTransaction signed =
                    SignedTransaction.around(
                            standing.txn(),
                            standing.txnEncoding(),
                            standing.signature(),
                            standing.multisig(),
                            standing.logicSignature(),
                            standing.pqSignature(),
                            standing.signer());
            inner.add(new EvalDelta.InnerTransaction(signed, applied.applied()));
        }
        in.endField();
        return inner;
    }

    private List<EvalDelta.LocalDelta> localDeltas() throws MalformedMessage {
        if (!in.atMap(LD)) {
            return List.of();
        }
        int size = mapSize(Limits.DELTA_ACCOUNTS);
        List<EvalDelta.LocalDelta> deltas = new ArrayList<>(size);
        long last = 0;
        for (int index = 0; index < size; index++) {
            int start = in.position();
            long account = in.readUint();
            if (index > 0 && Long.compareUnsigned(last, account) >= 0) {
                throw in.malformed("repeated or misplaced key", start);
            }
            last = account;
            deltas.add(new EvalDelta.LocalDelta(account, keyDeltas()));
        }
        in.endField();
        return deltas;
    }

    private List<EvalDelta.KeyDelta> keyDeltas() throws MalformedMessage {
        int size = mapSize(Limits.DELTA_KEYS);
        List<EvalDelta.KeyDelta> deltas = new ArrayList<>(size);
        Bytes last = Bytes.EMPTY;
        for (int index = 0; index < size; index++) {
            int start = in.position();
            Bytes key = in.readText(Integer.MAX_VALUE);
            if (index > 0 && last.compareTo(key) >= 0) {
                throw in.malformed("repeated or misplaced key", start);
            }
            last = key;
            int outer = in.openMap();
            long action = in.uint(AT);
            Bytes bytes = in.text(BS, Limits.DELTA_VALUE_BYTES);
            long uint = in.uint(UI);
            in.closeElement(outer);
            deltas.add(new EvalDelta.KeyDelta(key, action, bytes, uint));
        }
        return deltas;
    }

    private List<Bytes> logs() throws MalformedMessage {
        int size = in.array(LG, Limits.DELTA_LOGS);
        if (size == 0) {
            return List.of();
        }
        List<Bytes> logs = new ArrayList<>(size);
        for (int index = 0; index < size; index++) {
            logs.add(in.readText(Integer.MAX_VALUE));
        }
        in.endField();
        return logs;
    }

    /** The size of a map whose keys are data. */
    private int mapSize(int max) throws MalformedMessage {
        int start = in.position();
        int size = in.readMapHeader();
        if (size > max) {
            throw in.malformed(size + " over the limit of " + max, start);
        }
        return size;
    }
}
