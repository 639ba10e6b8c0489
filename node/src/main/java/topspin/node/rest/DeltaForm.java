package topspin.node.rest;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.block.BlockHeader;
import topspin.ledger.StateDelta;
import topspin.ledger.StateDelta.AccountChange;
import topspin.ledger.StateDelta.AssetChange;
import topspin.ledger.StateDelta.CommittedId;
import topspin.ledger.StateDelta.HoldingChange;
import topspin.ledger.StateDelta.Lease;
import topspin.ledger.account.Account;
import topspin.ledger.account.AccountTotals;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.StateReader;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * What a block or a group changed, in the form of the reference's own structure (rest.md section 3,
 * deltas): names of its fields, lists in the order of its evaluator's first writes, nil for most of
 * what is empty.
 *
 * @param delta the changes
 * @param header as the evaluator had it
 * @param assets the assets that {@link #assetsOf} found
 */
record DeltaForm(StateDelta delta, BlockHeader header, List<AssetEntry> assets) {

    static DeltaForm of(StateDelta delta, BlockHeader header, StateReader after) {
        return new DeltaForm(delta, header, assetsOf(delta, after));
    }

    /**
     * An account's part in an asset, as far as it was touched: what it holds and, if it made the
     * asset, the parameters, whether or not they are what changed.
     */
    record AssetEntry(
            Address address,
            long asset,
            boolean holdingGone,
            @Nullable Holding holding,
            boolean paramsGone,
            @Nullable AssetRecord params,
            int turn) {}

    private record Place(Address address, long asset) implements Comparable<Place> {
        @Override
        public int compareTo(Place that) {
            int byAddress = address.compareTo(that.address);
            return byAddress != 0 ? byAddress : Long.compareUnsigned(asset, that.asset);
        }
    }

    private static List<AssetEntry> assetsOf(StateDelta delta, StateReader after) {
        TreeMap<Place, AssetEntry> entries = new TreeMap<>();
        for (HoldingChange change : delta.holdings()) {
            AssetRecord record = after.asset(change.asset());
            boolean made = record != null && record.creator().equals(change.address());
            entries.put(
                    new Place(change.address(), change.asset()),
                    new AssetEntry(
                            change.address(),
                            change.asset(),
                            change.after() == null,
                            change.after(),
                            false,
                            made ? record : null,
                            change.turn()));
        }
        for (AssetChange change : delta.assets()) {
            AssetRecord known = change.after() != null ? change.after() : change.before();
            if (known == null) {
                continue; // Made and destroyed at once: nothing was there, and nothing is.
            }
            Place place = new Place(known.creator(), change.asset());
            AssetEntry held = entries.get(place);
            Holding holding =
                    held == null ? after.holding(known.creator(), change.asset()) : held.holding;
            entries.put(
                    place,
                    new AssetEntry(
                            known.creator(),
                            change.asset(),
                            held != null && held.holdingGone,
                            holding,
                            change.after() == null,
                            change.after(),
                            held == null ? change.turn() : Math.min(held.turn, change.turn())));
        }
        List<AssetEntry> sorted = new ArrayList<>(entries.values());
        sorted.sort(Comparator.comparingInt(AssetEntry::turn));
        return List.copyOf(sorted);
    }

    /** Writes all that a block changed. */
    void write(boolean withLeases, long previousTimestamp, TwinWriter out) {
        out.map(9);
        accounts(out);
        out.name("Creatables");
        creatables(out);
        out.name("Hdr").header(header);
        out.name("KvMods").nil();
        out.name("PrevTimestamp").uint(previousTimestamp);
        out.name("StateProofNext").uint(0);
        out.name("Totals");
        totals(out);
        out.name("Txids");
        ids(0, out);
        out.name("Txleases");
        leases(withLeases, out);
        out.endMap();
    }

    /**
     * Writes what a group changed, without what is empty.
     *
     * @param first the place in the block of its first member
     */
    void writeSubset(boolean withLeases, int first, TwinWriter out) {
        boolean creatables = delta.assets().stream().anyMatch(DeltaForm::isMadeOrGone);
        boolean leases = withLeases && !delta.leases().isEmpty();
        out.map(3 + (creatables ? 1 : 0) + (leases ? 1 : 0));
        accounts(out);
        if (creatables) {
            out.name("Creatables");
            creatables(out);
        }
        out.name("Hdr").header(header);
        out.name("Txids");
        ids(first, out);
        if (leases) {
            out.name("Txleases");
            leases(true, out);
        }
        out.endMap();
    }

    private void accounts(TwinWriter out) {
        List<AccountChange> changes = new ArrayList<>(delta.accounts());
        changes.sort(Comparator.comparingInt(AccountChange::turn));
        out.name("Accts").map(3).name("Accts");
        if (changes.isEmpty()) {
            out.nil();
        } else {
            out.list(changes.size());
            for (AccountChange change : changes) {
                Account after = change.after();
                out.map(1 + AccountForm.BARE_FIELDS).name("Addr").address(change.address());
                AccountForm.writeBareFields(
                        after, after.balance(), after.rewarded(), after.rewardsBase(), out);
                out.endMap();
            }
            out.endList();
        }
        out.name("AppResources").nil();
        out.name("AssetResources");
        if (assets.isEmpty()) {
            out.nil();
        } else {
            out.list(assets.size());
            assets.forEach(entry -> asset(entry, out));
            out.endList();
        }
        out.endMap();
    }

    private static void asset(AssetEntry entry, TwinWriter out) {
        out.map(4).name("Addr").address(entry.address);
        out.name("Aidx").uint(entry.asset);
        out.name("Holding").map(2).name("Deleted").flag(entry.holdingGone).name("Holding");
        Holding holding = entry.holding;
        if (holding == null) {
            out.nil();
        } else {
            boolean some = holding.amount() != 0;
            out.map((some ? 1 : 0) + (holding.frozen() ? 1 : 0));
            if (some) {
                out.name("a").uint(holding.amount());
            }
            if (holding.frozen()) {
                out.name("f").flag(true);
            }
            out.endMap();
        }
        out.endMap();
        out.name("Params").map(2).name("Deleted").flag(entry.paramsGone).name("Params");
        if (entry.params == null) {
            out.nil();
        } else {
            out.assetParams(entry.params.params());
        }
        out.endMap().endMap();
    }

    private static boolean isMadeOrGone(AssetChange change) {
        return (change.before() == null) != (change.after() == null);
    }

    private void creatables(TwinWriter out) {
        List<AssetChange> changes =
                delta.assets().stream()
                        .filter(DeltaForm::isMadeOrGone)
                        .sorted((a, b) -> Long.compareUnsigned(a.asset(), b.asset()))
                        .toList();
        if (changes.isEmpty()) {
            out.nil();
            return;
        }
        out.map(changes.size());
        for (AssetChange change : changes) {
            AssetRecord made = change.after();
            AssetRecord known = made != null ? made : change.before();
            if (known != null) {
                out.name(change.asset()).map(4);
                out.name("Created").flag(made != null);
                out.name("Creator").address(known.creator());
                out.name("Ctype").uint(0);
                out.name("Ndeltas").uint(0).endMap();
            }
        }
        out.endMap();
    }

    private void totals(TwinWriter out) {
        AccountTotals totals = delta.totals();
        boolean level = totals.rewardsLevel() != 0;
        int sums = 0;
        for (AccountTotals.Sum sum :
                List.of(totals.notParticipating(), totals.offline(), totals.online())) {
            sums += isZero(sum) ? 0 : 1;
        }
        out.map(sums + (level ? 1 : 0));
        sum("notpart", totals.notParticipating(), out);
        sum("offline", totals.offline(), out);
        sum("online", totals.online(), out);
        if (level) {
            out.name("rwdlvl").uint(totals.rewardsLevel());
        }
        out.endMap();
    }

    private static boolean isZero(AccountTotals.Sum sum) {
        return sum.money() == 0 && sum.rewardUnits() == 0;
    }

    private static void sum(String name, AccountTotals.Sum sum, TwinWriter out) {
        if (isZero(sum)) {
            return;
        }
        out.name(name).map((sum.money() == 0 ? 0 : 1) + (sum.rewardUnits() == 0 ? 0 : 1));
        if (sum.money() != 0) {
            out.name("mon").uint(sum.money());
        }
        if (sum.rewardUnits() != 0) {
            out.name("rwd").uint(sum.rewardUnits());
        }
        out.endMap();
    }

    private record PlacedId(CommittedId id, int place) {}

    private void ids(int first, TwinWriter out) {
        List<PlacedId> placed = new ArrayList<>();
        for (CommittedId id : delta.ids()) {
            placed.add(new PlacedId(id, first + placed.size()));
        }
        placed.sort(Comparator.comparing(each -> each.id.id()));
        out.map(placed.size());
        for (PlacedId each : placed) {
            out.name(each.id.id().toBytes()).map(2);
            out.name("Intra").uint(each.place);
            out.name("LastValid").uint(each.id.lastValid()).endMap();
        }
        out.endMap();
    }

    /** Their keys are maps, which JSON has no form for. */
    private void leases(boolean withLeases, TwinWriter out) {
        if (!withLeases || delta.leases().isEmpty()) {
            out.nil();
            return;
        }
        List<Lease> leases = new ArrayList<>(delta.leases());
        leases.sort(Comparator.comparing(Lease::lease).thenComparing(Lease::sender));
        out.map(leases.size());
        for (Lease lease : leases) {
            out.map(2).name("Lease").bytes(lease.lease().toBytes());
            out.name("Sender").address(lease.sender()).endMap();
            out.uint(lease.lastValid());
        }
        out.endMap();
    }
}
