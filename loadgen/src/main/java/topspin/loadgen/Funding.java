package topspin.loadgen;

import com.fasterxml.jackson.databind.JsonNode;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.Ed25519;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.AssetParams;
import topspin.codec.txn.AssetTransfer;
import topspin.codec.txn.GroupId;
import topspin.codec.txn.KeyRegistration;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionGroup;
import topspin.codec.txn.TransactionHeader;
import topspin.loadgen.client.NodeClient;
import topspin.loadgen.client.Reply;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Gives the accounts what a run will take from them, before its clock starts: money from the
 * richest of the wallet's accounts, assets where the mix moves them. What an account has already
 * stays. Blocks.
 */
final class Funding {
    private static final long HOLDING_MINIMUM = 100_000;
    private static final int GROUP_SIZE = 16;
    private static final int ROUNDS_MAX = 20;
    private static final Duration ROUND_TIME_MAX = Duration.ofSeconds(60);
    private static final long LIFETIME_ROUNDS = 50;
    private static final long ASSET_UNITS = 1_000_000_000_000_000L;
    private static final Bytes NOTE = Bytes.utf8("pingpong: preparing");

    /** A transaction that lacks its validity, and who signs it. */
    private record Order(
            Function<TransactionHeader, Transaction> transaction, Accounts.Account by) {}

    private final Session session;
    private final Accounts accounts;
    private final List<Accounts.Account> wallet;

    /**
     * @param wallet whose money is spent; not empty
     */
    Funding(Session session, Accounts accounts, List<Ed25519.KeyPair> wallet) {
        this.session = session;
        this.accounts = accounts;
        this.wallet = wallet.stream().map(Accounts.Account::new).toList();
    }

    /**
     * Sees to it that no account runs low during so many transactions.
     *
     * @param transactions of the run, over all accounts
     * @throws LoadFault if the wallet has too little, or the node refuses
     */
    void ensure(long transactions, Shape shape) {
        long holdings =
                (shape.mix().has(Kind.AXFER) ? 1 : 0) + (shape.mix().hasOwnAssets() ? 1 : 0);
        long sends = transactions / accounts.size() + 2;
        long setUp = 4 * session.params().minFee();
        // Who makes the shared asset hands it to all others.
        long handingOut =
                shape.mix().has(Kind.AXFER) ? accounts.size() * session.params().minFee() : 0;
        long use = (holdings + 1) * HOLDING_MINIMUM + setUp + sends * (shape.fee() + amount(shape));
        var orders = new ArrayList<Order>();
        Accounts.Account payer = richest();
        long spent = 0;
        List<Queries.Balance> balances = balances(accounts.all());
        for (int i = 0; i < balances.size(); i++) {
            long needed = balances.get(i).minimum() + use + (i == 0 ? handingOut : 0);
            long missing = needed - balances.get(i).amount();
            if (missing > 0) {
                Address receiver = accounts.get(i).address();
                spent += missing + session.params().minFee();
                orders.add(
                        new Order(
                                header -> new Payment(header, receiver, missing, Address.ZERO),
                                payer));
            }
        }
        long has = balances(List.of(payer)).getFirst().spare();
        if (spent > has) {
            throw new LoadFault(
                    LoadFault.BAD_ARGUMENT,
                    "the richest account of the wallet, "
                            + payer.address()
                            + ", has "
                            + has
                            + " microalgos to spare; this run needs "
                            + spent
                            + ": ask for a lower --tps, a shorter --duration or fewer --accounts");
        }
        carryOut(orders, "funding");
    }

    /** What a send costs its sender at most, apart from the fee. */
    private static long amount(Shape shape) {
        return shape.mix().has(Kind.PAY) ? shape.amountMax() : 0;
    }

    /**
     * Makes the assets that the mix needs.
     *
     * @throws LoadFault naming the kind that the node does not take
     */
    Workload.Assets prepare(Mix mix) {
        long shared = 0;
        long[] own = new long[0];
        if (mix.has(Kind.AXFER)) {
            shared = sharedAsset();
        }
        if (mix.hasOwnAssets()) {
            List<Order> orders =
                    accounts.all().stream()
                            .map(
                                    account ->
                                            create(
                                                    account,
                                                    Workload.Assets.created(account.address())))
                            .toList();
            own = carryOut(orders, refusing(mix.has(Kind.ACFG) ? Kind.ACFG : Kind.AFRZ));
        }
        if (mix.has(Kind.KEYREG)) {
            Accounts.Account first = accounts.get(0);
            carryOut(List.of(new Order(Funding::offline, first)), refusing(Kind.KEYREG));
        }
        return new Workload.Assets(shared, own);
    }

    private long sharedAsset() {
        Accounts.Account creator = accounts.get(0);
        AssetParams params =
                new AssetParams(
                        Long.MAX_VALUE,
                        0,
                        false,
                        Bytes.utf8("PONG"),
                        Bytes.utf8("pingpong shared"),
                        Bytes.EMPTY,
                        Digest.ZERO,
                        creator.address(),
                        Address.ZERO,
                        Address.ZERO,
                        Address.ZERO);
        long asset = carryOut(List.of(create(creator, params)), refusing(Kind.AXFER))[0];
        List<Accounts.Account> others = accounts.all().subList(1, accounts.size());
        carryOut(
                others.stream().map(holder -> transfer(asset, holder, holder, 0)).toList(),
                refusing(Kind.AXFER));
        carryOut(
                others.stream()
                        .map(holder -> transfer(asset, creator, holder, ASSET_UNITS))
                        .toList(),
                refusing(Kind.AXFER));
        return asset;
    }

    private static String refusing(Kind kind) {
        return "--mix " + kind.wireName() + ": preparing";
    }

    private static Order create(Accounts.Account by, AssetParams params) {
        return new Order(header -> new AssetConfig(header, 0, params), by);
    }

    private static Order transfer(
            long asset, Accounts.Account from, Accounts.Account to, long amount) {
        return new Order(
                header ->
                        new AssetTransfer(
                                header, asset, amount, Address.ZERO, to.address(), Address.ZERO),
                from);
    }

    private static Transaction offline(TransactionHeader header) {
        return new KeyRegistration(header, Digest.ZERO, Digest.ZERO, Bytes.EMPTY, 0, 0, 0, false);
    }

    private Accounts.Account richest() {
        List<Queries.Balance> balances = balances(wallet);
        int best =
                IntStream.range(0, balances.size())
                        .boxed()
                        .max(Comparator.comparingLong(i -> balances.get(i).spare()))
                        .orElseThrow();
        return wallet.get(best);
    }

    private List<Queries.Balance> balances(List<Accounts.Account> of) {
        NodeClient node = session.nodes().getFirst();
        List<CompletableFuture<Queries.Balance>> asked =
                of.stream().map(account -> Queries.balance(node, account.address())).toList();
        return asked.stream().map(Queries::await).toList();
    }

    /** Sends the orders in groups, all at once, and waits until all are in blocks. */
    private long[] carryOut(List<Order> orders, String purpose) {
        long round = session.rounds().highest();
        var groups = new ArrayList<TransactionGroup>();
        for (int from = 0; from < orders.size(); from += GROUP_SIZE) {
            int to = Math.min(from + GROUP_SIZE, orders.size());
            groups.add(sign(orders.subList(from, to), round));
        }
        List<CompletableFuture<Reply>> replies =
                IntStream.range(0, groups.size())
                        .mapToObj(i -> nodeFor(i).post("/v2/transactions", bytes(groups.get(i))))
                        .toList();
        for (CompletableFuture<Reply> future : replies) {
            Reply reply = Queries.await(future);
            if (!reply.ok()) {
                throw new LoadFault(
                        LoadFault.BAD_ARGUMENT, purpose + ": the node refuses: " + reply.message());
            }
        }
        long[] created = new long[orders.size()];
        for (int i = 0; i < groups.size(); i++) {
            for (int member = 0; member < groups.get(i).size(); member++) {
                // A group is confirmed as a whole: its first is asked for, the rest only for
                // assets.
                boolean makes = groups.get(i).get(member).txn() instanceof AssetConfig;
                if (member == 0 || makes) {
                    SignedTransaction transaction = groups.get(i).get(member);
                    created[i * GROUP_SIZE + member] = confirmed(i, transaction, round, purpose);
                }
            }
        }
        return created;
    }

    private NodeClient nodeFor(int group) {
        return session.nodes().get(group % session.nodes().size());
    }

    private TransactionGroup sign(List<Order> orders, long round) {
        var plain = new ArrayList<Transaction>();
        for (Order order : orders) {
            var header =
                    new TransactionHeader(
                                    order.by().address(),
                                    session.params().minFee(),
                                    Math.max(1, round),
                                    round + LIFETIME_ROUNDS,
                                    session.params().genesisId(),
                                    session.params().genesisHash())
                            .withNote(NOTE);
            plain.add(order.transaction().apply(header));
        }
        List<Transaction> grouped = plain.size() == 1 ? plain : GroupId.assign(plain);
        var signed = new ArrayList<SignedTransaction>();
        for (int i = 0; i < grouped.size(); i++) {
            signed.add(SignedTransaction.sign(grouped.get(i), orders.get(i).by().keys()));
        }
        return TransactionGroup.of(signed);
    }

    private static byte[] bytes(TransactionGroup group) {
        return Arrays.copyOfRange(
                group.bytes(), group.offset(), group.offset() + group.signedLength());
    }

    /** Waits for a transaction; answers the asset it made, or 0. */
    private long confirmed(int group, SignedTransaction transaction, long since, String purpose) {
        NodeClient node = nodeFor(group);
        while (session.rounds().highest() <= since + ROUNDS_MAX) {
            JsonNode state =
                    Queries.json(
                            Queries.await(node.get("/v2/transactions/pending/" + transaction.id())),
                            node);
            String error = state.path("pool-error").asText();
            if (!error.isEmpty()) {
                throw new LoadFault(LoadFault.BAD_ARGUMENT, purpose + ": " + error);
            }
            if (state.path("confirmed-round").asLong() > 0) {
                return state.path("asset-index").asLong();
            }
            try {
                if (!session.rounds().await(session.rounds().lowest() + 1, ROUND_TIME_MAX)) {
                    break;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new LoadFault(LoadFault.NOT_REACHED, "interrupted", e);
            }
        }
        throw new LoadFault(
                LoadFault.MACHINE_REFUSED,
                purpose + ": not in a block after " + ROUNDS_MAX + " rounds, or no rounds come");
    }
}
