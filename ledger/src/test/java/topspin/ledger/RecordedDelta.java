package topspin.ledger;

import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.ImmutableValue;
import org.msgpack.value.Value;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.txn.AssetParams;
import topspin.ledger.account.Account;
import topspin.ledger.account.AccountTotals;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.Participation;
import topspin.ledger.account.Resources;
import topspin.ledger.account.Status;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The changes of a round as the reference node reported them, read with another msgpack library.
 *
 * @param accounts that it wrote
 * @param holdings by account and asset; null where one ended
 * @param assets null where one was destroyed
 * @param ids with their last valid rounds
 */
record RecordedDelta(
        Map<Address, Account> accounts,
        Map<HoldingKey, @Nullable Holding> holdings,
        Map<Long, @Nullable AssetRecord> assets,
        Map<Digest, Long> ids,
        AccountTotals totals) {

    record HoldingKey(Address address, long asset) implements Comparable<HoldingKey> {
        @Override
        public int compareTo(HoldingKey that) {
            int byAddress = address.compareTo(that.address);
            return byAddress != 0 ? byAddress : Long.compareUnsigned(asset, that.asset);
        }
    }

    static RecordedDelta read(byte[] msgpack) {
        Fields delta;
        try (MessageUnpacker in = MessagePack.newDefaultUnpacker(msgpack)) {
            ImmutableValue value = in.unpackValue();
            delta = new Fields(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Fields accounts = delta.at("Accts");
        Map<Address, Account> written = new TreeMap<>();
        for (Fields account : accounts.list("Accts")) {
            written.put(account.address("Addr"), account(account));
        }
        Map<HoldingKey, @Nullable Holding> holdings = new TreeMap<>();
        Map<Long, @Nullable AssetRecord> assets = new TreeMap<>();
        for (Fields resource : accounts.list("AssetResources")) {
            resource(resource, holdings, assets);
        }
        Map<Digest, Long> ids = new TreeMap<>();
        delta.at("Txids")
                .forEach(
                        (id, included) ->
                                ids.put(
                                        Digest.fromBytes(id.asRawValue().asByteArray()),
                                        included.number("LastValid")));
        return new RecordedDelta(written, holdings, assets, ids, totals(delta.at("Totals")));
    }

    private static Account account(Fields in) {
        Fields schema = in.at("TotalAppSchema");
        return new Account(
                Status.ofCode(in.number("Status")),
                in.number("MicroAlgos"),
                in.number("RewardsBase"),
                in.number("RewardedMicroAlgos"),
                in.address("AuthAddr"),
                new Participation(
                        in.digest("VoteID"),
                        in.digest("SelectionID"),
                        zeroIsNone(in.bytes("StateProofID")),
                        in.number("VoteFirstValid"),
                        in.number("VoteLastValid"),
                        in.number("VoteKeyDilution")),
                new Resources(
                        in.number("TotalAssets"),
                        in.number("TotalAssetParams"),
                        in.number("TotalAppParams"),
                        in.number("TotalAppLocalStates"),
                        schema.number("nui"),
                        schema.number("nbs"),
                        in.number("TotalExtraAppPages"),
                        in.number("TotalBoxes"),
                        in.number("TotalBoxBytes")),
                in.flag("IncentiveEligible"),
                in.number("LastProposed"),
                in.number("LastHeartbeat"));
    }

    private static Bytes zeroIsNone(Bytes bytes) {
        return bytes.equals(Bytes.of(new byte[bytes.length()])) ? Bytes.EMPTY : bytes;
    }

    private static void resource(
            Fields in,
            Map<HoldingKey, @Nullable Holding> holdings,
            Map<Long, @Nullable AssetRecord> assets) {
        Address address = in.address("Addr");
        long asset = in.number("Aidx");
        Fields holding = in.at("Holding");
        if (holding.flag("Deleted")) {
            holdings.put(new HoldingKey(address, asset), null);
        } else if (holding.has("Holding")) {
            Fields held = holding.at("Holding");
            holdings.put(
                    new HoldingKey(address, asset), new Holding(held.number("a"), held.flag("f")));
        }
        Fields params = in.at("Params");
        if (params.flag("Deleted")) {
            assets.put(asset, null);
        } else if (params.has("Params")) {
            assets.put(asset, new AssetRecord(address, params(params.at("Params"))));
        }
    }

    private static AssetParams params(Fields in) {
        return new AssetParams(
                in.number("t"),
                in.number("dc"),
                in.flag("df"),
                in.bytes("un"),
                in.bytes("an"),
                in.bytes("au"),
                in.digest("am"),
                in.address("m"),
                in.address("r"),
                in.address("f"),
                in.address("c"));
    }

    private static AccountTotals totals(Fields in) {
        return new AccountTotals(
                sum(in.at("online")),
                sum(in.at("offline")),
                sum(in.at("notpart")),
                in.number("rwdlvl"));
    }

    private static AccountTotals.Sum sum(Fields in) {
        return new AccountTotals.Sum(in.number("mon"), in.number("rwd"));
    }

    /** These changes as ours, to carry a ledger over a round that it cannot judge. */
    StateDelta onto(LedgerView before, long round) {
        List<StateDelta.AccountChange> accountChanges = new ArrayList<>();
        accounts.forEach(
                (address, after) ->
                        accountChanges.add(
                                new StateDelta.AccountChange(
                                        address, before.account(address), after)));
        List<StateDelta.HoldingChange> holdingChanges = new ArrayList<>();
        holdings.forEach(
                (key, after) ->
                        holdingChanges.add(
                                new StateDelta.HoldingChange(
                                        key.address,
                                        key.asset,
                                        before.holding(key.address, key.asset),
                                        after)));
        List<StateDelta.AssetChange> assetChanges = new ArrayList<>();
        assets.forEach(
                (asset, after) ->
                        assetChanges.add(
                                new StateDelta.AssetChange(asset, before.asset(asset), after)));
        List<StateDelta.CommittedId> committed = new ArrayList<>();
        ids.forEach((id, last) -> committed.add(new StateDelta.CommittedId(id, last)));
        return new StateDelta(
                round, accountChanges, holdingChanges, assetChanges, committed, List.of(), totals);
    }

    /** A map of msgpack; what is absent or nil counts as zero. */
    private record Fields(@Nullable Value value) {
        private @Nullable Value get(String name) {
            if (value == null || !value.isMapValue()) {
                return null;
            }
            for (Map.Entry<Value, Value> entry : value.asMapValue().entrySet()) {
                if (entry.getKey().isRawValue()
                        && entry.getKey().asRawValue().asString().equals(name)) {
                    return entry.getValue().isNilValue() ? null : entry.getValue();
                }
            }
            return null;
        }

        boolean has(String name) {
            return get(name) != null;
        }

        Fields at(String name) {
            return new Fields(get(name));
        }

        List<Fields> list(String name) {
            List<Fields> found = new ArrayList<>();
            Value list = get(name);
            if (list != null) {
                list.asArrayValue().forEach(item -> found.add(new Fields(item)));
            }
            return found;
        }

        void forEach(java.util.function.BiConsumer<Value, Fields> action) {
            if (value != null) {
                value.asMapValue()
                        .entrySet()
                        .forEach(
                                entry ->
                                        action.accept(
                                                entry.getKey(), new Fields(entry.getValue())));
            }
        }

        long number(String name) {
            Value number = get(name);
            return number == null ? 0 : number.asIntegerValue().toBigInteger().longValue();
        }

        boolean flag(String name) {
            Value flag = get(name);
            return flag != null && flag.asBooleanValue().getBoolean();
        }

        Bytes bytes(String name) {
            Value bytes = get(name);
            return bytes == null ? Bytes.EMPTY : Bytes.of(bytes.asRawValue().asByteArray());
        }

        Address address(String name) {
            Bytes bytes = bytes(name);
            return bytes.isEmpty() ? Address.ZERO : Address.fromBytes(bytes.toArray());
        }

        Digest digest(String name) {
            Bytes bytes = bytes(name);
            return bytes.isEmpty() ? Digest.ZERO : Digest.fromBytes(bytes.toArray());
        }
    }

    /** Our changes in the same form; what was written and did not change is left out. */
    static RecordedDelta of(StateDelta delta) {
        Map<Address, Account> accounts = new TreeMap<>();
        delta.accounts().forEach(change -> accounts.put(change.address(), change.after()));
        Map<HoldingKey, @Nullable Holding> holdings = new TreeMap<>();
        delta.holdings().stream()
                .filter(change -> !Objects.equals(change.before(), change.after()))
                .forEach(
                        change ->
                                holdings.put(
                                        new HoldingKey(change.address(), change.asset()),
                                        change.after()));
        Map<Long, @Nullable AssetRecord> assets = new TreeMap<>();
        delta.assets().forEach(change -> assets.put(change.asset(), change.after()));
        Map<Digest, Long> ids = new TreeMap<>();
        delta.ids().forEach(id -> ids.put(id.id(), id.lastValid()));
        return new RecordedDelta(accounts, holdings, assets, ids, delta.totals());
    }
}
