package topspin.ledger;

import static topspin.ledger.TestNetwork.address;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.txn.Payment;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionHeader;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Blocks of random transactions of every kind on a {@link TestNetwork}: what the rules refuse stays
 * out, the rest goes in. One seed, one history.
 */
public final class RandomHistory {
    private static final int LEASES = 3;

    private final TestNetwork net;
    private final int accounts;
    private final Random random;
    private final List<Long> assets = new ArrayList<>();
    private final Set<StateDelta.CommittedId> ids = new HashSet<>();

    public RandomHistory(TestNetwork net, int accounts, long seed) {
        this.net = net;
        this.accounts = accounts;
        this.random = new Random(seed);
    }

    /** Up to a dozen attempts at transactions, and groups of them. */
    public EvaluatedBlock nextBlock() {
        int attempts = random.nextInt(13);
        for (int i = 0; i < attempts; i++) {
            if (random.nextInt(4) == 0) {
                net.submit(transaction(), transaction());
            } else {
                net.submit(transaction());
            }
        }
        EvaluatedBlock made = net.nextBlock();
        ids.addAll(made.delta().ids());
        for (StateDelta.AssetChange change : made.delta().assets()) {
            if (change.before() == null) {
                assets.add(change.asset());
            }
        }
        return made;
    }

    /** Numbers of all assets that were ever created. */
    public List<Long> assets() {
        return assets;
    }

    public Set<StateDelta.CommittedId> ids() {
        return ids;
    }

    /** The leases that transactions of this history may take. */
    public List<Digest> leases() {
        List<Digest> leases = new ArrayList<>();
        for (int i = 0; i < LEASES; i++) {
            leases.add(lease(i));
        }
        return leases;
    }

    private Transaction transaction() {
        int a = random.nextInt(accounts);
        int b = random.nextInt(accounts);
        long asset = assets.isEmpty() ? 0 : assets.get(random.nextInt(assets.size()));
        return switch (random.nextInt(14)) {
            case 0 -> net.create(a, 1000);
            case 1, 2 -> net.optIn(a, asset);
            case 3, 4 -> net.transfer(a, b, asset, random.nextInt(50));
            case 5 -> net.closeOut(a, b, asset);
            case 6 -> net.freeze(a, b, asset, random.nextBoolean());
            case 7 -> net.clawBack(a, b, a, asset, random.nextInt(5));
            case 8 -> net.goOnline(a, net.round() + 1 + random.nextInt(400));
            case 9 -> net.goOffline(a, random.nextInt(50) == 0);
            case 10, 11 -> leased(a, b);
            case 12 -> random.nextInt(5) == 0 ? net.close(a, b) : net.pay(a, b, 1);
            default -> net.pay(a, b, random.nextInt(10_000_000));
        };
    }

    /** A payment that holds a lease for a few rounds. */
    private Payment leased(int from, int to) {
        var header =
                new TransactionHeader(
                        address(from),
                        TestNetwork.FEE,
                        net.round(),
                        net.round() + random.nextInt(6),
                        Bytes.EMPTY,
                        net.genesis().id(),
                        net.genesis().hash(),
                        Digest.ZERO,
                        lease(random.nextInt(LEASES)),
                        Address.ZERO);
        return new Payment(header, address(to), random.nextInt(1000), Address.ZERO);
    }

    private static Digest lease(int number) {
        var bytes = new byte[Digest.BYTES];
        bytes[31] = (byte) (number + 1);
        return Digest.of(bytes, 0);
    }
}
