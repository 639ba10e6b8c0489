package topspin.node.rest;

import topspin.codec.Address;
import topspin.codec.txn.ApplicationCall;
import topspin.codec.txn.ApplyData;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.AssetFreeze;
import topspin.codec.txn.AssetTransfer;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.Heartbeat;
import topspin.codec.txn.KeyRegistration;
import topspin.codec.txn.Misfit;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.StateProof;
import topspin.codec.txn.Transaction;
import topspin.node.pool.PoolEntry;

import java.util.ArrayList;
import java.util.List;

/**
 * What REST tells of one transaction (rest.md section 3, the pending-transaction object).
 *
 * @param poolError why it left the pool; empty unless that was for a fault
 * @param confirmedRound 0 when it is in no block
 * @param applied what it did, zero while it is in no block
 */
record TransactionForm(
        SignedTransaction signed, String poolError, long confirmedRound, ApplyData applied) {

    static TransactionForm of(PoolEntry entry) {
        String error =
                switch (entry) {
                    case PoolEntry.Waiting waiting -> "";
                    case PoolEntry.Evicted evicted -> evicted.error();
                };
        return new TransactionForm(entry.transaction(), error, 0, ApplyData.ZERO);
    }

    static TransactionForm of(BlockTransaction transaction, long round) {
        return new TransactionForm(transaction.signed(), "", round, transaction.applied());
    }

    /** A named number that is left out when it is zero. */
    record Figure(String name, long value) {}

    /** The numbers that are not zero, in order of name. */
    List<Figure> figures() {
        List<Figure> figures = new ArrayList<>();
        figures.add(new Figure("application-index", applied.createdApplication()));
        figures.add(new Figure("asset-closing-amount", applied.assetClosingAmount()));
        figures.add(new Figure("asset-index", shownAsset()));
        figures.add(new Figure("close-rewards", applied.closeRewards()));
        figures.add(new Figure("closing-amount", applied.closingAmount()));
        figures.add(new Figure("confirmed-round", confirmedRound));
        figures.add(new Figure("receiver-rewards", applied.receiverRewards()));
        figures.add(new Figure("sender-rewards", applied.senderRewards()));
        figures.removeIf(figure -> figure.value == 0);
        return figures;
    }

    /** The reference shows no index for an asset made without any parameter, once it is made. */
    private long shownAsset() {
        return confirmedRound != 0
                        && signed.txn() instanceof AssetConfig made
                        && made.params().isZero()
                ? 0
                : applied.createdAsset();
    }

    /** Writes it with its keys in order. */
    void write(TwinWriter out) {
        List<Figure> figures = figures();
        out.map(2 + figures.size());
        int next = 0;
        while (next < figures.size() && figures.get(next).name.compareTo("pool-error") < 0) {
            write(figures.get(next++), out);
        }
        out.name("pool-error").text(poolError);
        while (next < figures.size() && figures.get(next).name.compareTo("txn") < 0) {
            write(figures.get(next++), out);
        }
        out.name("txn").transaction(signed).endMap();
    }

    private static void write(Figure figure, TwinWriter out) {
        out.name(figure.name).uint(figure.value);
    }

    /**
     * Whether a pending transaction is listed for an account: as its sender, or as one who gets or
     * gives something by it. Neither the target of a freeze nor that of a rekey counts.
     */
    static boolean concerns(Transaction txn, Address account) {
        if (txn.header().sender().equals(account)) {
            return true;
        }
        return switch (txn) {
            case Payment pay -> pay.receiver().equals(account) || pay.closeTo().equals(account);
            case AssetTransfer transfer ->
                    transfer.receiver().equals(account)
                            || transfer.closeTo().equals(account)
                            || transfer.assetSender().equals(account);
            case Heartbeat heartbeat ->
                    heartbeat.fields() != null && heartbeat.fields().address().equals(account);
            case KeyRegistration other -> false;
            case AssetConfig other -> false;
            case AssetFreeze other -> false;
            case ApplicationCall other -> false;
            case StateProof other -> false;
            case Misfit other -> false;
        };
    }
}
