package topspin.ledger;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.ledger.StateDelta.AccountChange;
import topspin.ledger.StateDelta.AssetChange;
import topspin.ledger.StateDelta.CommittedId;
import topspin.ledger.StateDelta.HoldingChange;
import topspin.ledger.StateDelta.Lease;
import topspin.ledger.account.Account;
import topspin.ledger.account.AccountTotals;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.StoredForm;

import java.util.ArrayList;
import java.util.List;

/**
 * A round's changes as bytes, for those who ask for them after the node was started again: lists in
 * the order of {@link StateDelta}'s fields, records in their {@link StoredForm}, none of them as no
 * bytes. One per thread; it owns buffers.
 */
final class StoredDelta {
    /** A record in its stored form is far below. */
    private static final int RECORD_BYTES_MAX = 1 << 16;

    private static final int CHANGES_MAX = Integer.MAX_VALUE; // What is left bounds them.
    private static final byte[] NONE = new byte[0];

    private final StoredForm form = new StoredForm();
    private final CanonicalWriter out = new CanonicalWriter();
    private final MsgpackReader in = new MsgpackReader();

    byte[] encode(StateDelta delta) {
        out.reset();
        out.writeArrayHeader(6);
        out.writeArrayHeader(delta.accounts().size());
        for (AccountChange change : delta.accounts()) {
            out.writeAddress(change.address());
            record(bytes(change.before()));
            record(bytes(change.after()));
            out.writeUint(change.turn());
        }
        out.writeArrayHeader(delta.holdings().size());
        for (HoldingChange change : delta.holdings()) {
            out.writeAddress(change.address());
            out.writeUint(change.asset());
            record(bytes(change.before()));
            record(bytes(change.after()));
            out.writeUint(change.turn());
        }
        out.writeArrayHeader(delta.assets().size());
        for (AssetChange change : delta.assets()) {
            out.writeUint(change.asset());
            record(bytes(change.before()));
            record(bytes(change.after()));
            out.writeUint(change.turn());
        }
        out.writeArrayHeader(delta.ids().size());
        for (CommittedId id : delta.ids()) {
            out.writeDigest(id.id());
            out.writeUint(id.lastValid());
        }
        out.writeArrayHeader(delta.leases().size());
        for (Lease lease : delta.leases()) {
            out.writeAddress(lease.sender());
            out.writeDigest(lease.lease());
            out.writeUint(lease.lastValid());
        }
        AccountTotals totals = delta.totals();
        out.writeArrayHeader(7);
        sum(totals.online());
        sum(totals.offline());
        sum(totals.notParticipating());
        out.writeUint(totals.rewardsLevel());
        return out.toByteArray();
    }

    private void record(byte[] bytes) {
        out.writeBytes(bytes, 0, bytes.length);
    }

    private void sum(AccountTotals.Sum sum) {
        out.writeUint(sum.money());
        out.writeUint(sum.rewardUnits());
    }

    private byte[] bytes(Account account) {
        return account.isEmpty() ? NONE : form.encode(account);
    }

    private byte[] bytes(@Nullable Holding holding) {
        return holding == null ? NONE : form.encode(holding);
    }

    private byte[] bytes(@Nullable AssetRecord asset) {
        return asset == null ? NONE : form.encode(asset);
    }

    /**
     * @throws MalformedMessage when these are not the bytes that {@link #encode} writes: the store
     *     is damaged
     */
    StateDelta decode(long round, byte[] bytes) throws MalformedMessage {
        in.reset(bytes, 0, bytes.length);
        lists(6);
        List<AccountChange> accounts = new ArrayList<>();
        for (int left = in.readArrayHeader(CHANGES_MAX); left > 0; left--) {
            accounts.add(new AccountChange(in.readAddress(), account(), account(), turn()));
        }
        List<HoldingChange> holdings = new ArrayList<>();
        for (int left = in.readArrayHeader(CHANGES_MAX); left > 0; left--) {
            Address address = in.readAddress();
            long asset = in.readUint();
            holdings.add(new HoldingChange(address, asset, holding(), holding(), turn()));
        }
        List<AssetChange> assets = new ArrayList<>();
        for (int left = in.readArrayHeader(CHANGES_MAX); left > 0; left--) {
            assets.add(new AssetChange(in.readUint(), asset(), asset(), turn()));
        }
        List<CommittedId> ids = new ArrayList<>();
        for (int left = in.readArrayHeader(CHANGES_MAX); left > 0; left--) {
            ids.add(new CommittedId(in.readDigest(), in.readUint()));
        }
        List<Lease> leases = new ArrayList<>();
        for (int left = in.readArrayHeader(CHANGES_MAX); left > 0; left--) {
            Address sender = in.readAddress();
            Digest lease = in.readDigest();
            leases.add(new Lease(sender, lease, in.readUint()));
        }
        lists(7);
        AccountTotals totals = new AccountTotals(sum(), sum(), sum(), in.readUint());
        if (!in.atEnd()) {
            throw in.malformed("bytes after the end", in.position());
        }
        return new StateDelta(round, accounts, holdings, assets, ids, leases, totals);
    }

    private void lists(int count) throws MalformedMessage {
        int start = in.position();
        if (in.readArrayHeader(count) != count) {
            throw in.malformed("not " + count + " parts", start);
        }
    }

    private int turn() throws MalformedMessage {
        int start = in.position();
        long turn = in.readUint();
        if (turn < 0 || turn > Integer.MAX_VALUE) {
            throw in.malformed("no place among writes", start);
        }
        return (int) turn;
    }

    private AccountTotals.Sum sum() throws MalformedMessage {
        return new AccountTotals.Sum(in.readUint(), in.readUint());
    }

    private byte[] record() throws MalformedMessage {
        return in.readBytes(RECORD_BYTES_MAX).toArray();
    }

    private Account account() throws MalformedMessage {
        byte[] bytes = record();
        return bytes.length == 0 ? Account.EMPTY : form.decodeAccount(bytes);
    }

    private @Nullable Holding holding() throws MalformedMessage {
        byte[] bytes = record();
        return bytes.length == 0 ? null : form.decodeHolding(bytes);
    }

    private @Nullable AssetRecord asset() throws MalformedMessage {
        byte[] bytes = record();
        return bytes.length == 0 ? null : form.decodeAsset(bytes);
    }
}
