package topspin.ledger;

import static topspin.ledger.TestNetwork.address;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.AssetParams;
import topspin.codec.txn.Payment;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionHeader;

import java.util.ArrayList;
import java.util.Arrays;
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
    private int accepted;

    public RandomHistory(TestNetwork net, int accounts, long seed) {
        this.net = net;
        this.accounts = accounts;
        this.random = new Random(seed);
    }

    /** Up to a dozen attempts at transactions, and groups of them. */
    public EvaluatedBlock nextBlock() {
        int attempts = random.nextInt(13);
        for (int i = 0; i < attempts; i++) {
            var members = new Transaction[random.nextInt(4) == 0 ? 2 + random.nextInt(3) : 1];
            Arrays.setAll(members, member -> transaction());
            accepted += net.submit(net.authorized(members)) == null ? 1 : 0;
        }
        EvaluatedBlock made = net.nextBlock(maker());
        ids.addAll(made.delta().ids());
        for (StateDelta.AssetChange change : made.delta().assets()) {
            if (change.before() == null) {
                assets.add(change.asset());
            }
        }
        return made;
    }

    /** Half of the blocks have a proposer, half of whom are paid. */
    private BlockMaker maker() {
        if (random.nextBoolean()) {
            return BlockMaker.devMode(net.state());
        }
        return new BlockMaker(
                net.state().headerHash(),
                address(random.nextInt(accounts)),
                random.nextBoolean(),
                address -> false);
    }

    /** Groups that went in. */
    public int accepted() {
        return accepted;
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

    private int amount(int bound) {
        return random.nextInt(20) == 0 ? Integer.MAX_VALUE : random.nextInt(bound);
    }

    private Transaction transaction() {
        int a = random.nextInt(accounts);
        int b = random.nextInt(accounts);
        long asset = assets.isEmpty() ? 0 : assets.get(random.nextInt(assets.size()));
        return switch (random.nextInt(16)) {
            case 0 -> net.create(a, 1000);
            case 1, 2 -> net.optIn(a, asset);
            case 3, 4 -> net.transfer(a, b, asset, random.nextInt(50));
            case 5 -> net.closeOut(a, b, asset);
            case 6 -> net.freeze(a, b, asset, random.nextBoolean());
            case 7 -> net.clawBack(a, b, a, asset, random.nextInt(5));
            case 8 -> goOnline(a);
            case 9 -> net.goOffline(a, random.nextInt(50) == 0);
            case 10, 11 -> leased(a, b);
            case 12 -> random.nextInt(5) == 0 ? net.close(a, b) : net.pay(a, b, 1);
            case 13 -> rekey(a, random.nextInt(3) == 0 ? b : a);
            case 14 -> reconfigure(a, b, asset);
            default -> net.pay(a, b, amount(10_000_000));
        };
    }

    private Transaction goOnline(int who) {
        var keys = net.goOnline(who, net.round() + 1 + random.nextInt(400));
        long fee = random.nextInt(3) == 0 ? 2_000_000 : TestNetwork.FEE;
        return keys.withHeader(keys.header().withFee(fee));
    }

    private Transaction rekey(int whom, int to) {
        Payment nothing = net.pay(whom, whom, 0);
        return nothing.withHeader(nothing.header().withRekeyTo(address(to)));
    }

    /** Changes an asset's addresses, or destroys it. */
    private Transaction reconfigure(int manager, int next, long asset) {
        AssetParams wanted =
                random.nextInt(4) == 0 ? AssetParams.ZERO : TestNetwork.params(1, address(next));
        return new AssetConfig(net.header(manager), asset, wanted);
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
