package topspin.ledger.account;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.msgpack.MsgpackReader;
import topspin.codec.txn.AssetParams;
import topspin.codec.txn.Limits;
import topspin.codec.txn.TransactionEncoder;

/**
 * How accounts, holdings and assets are kept on disk: canonical msgpack maps, fields in key order,
 * zero values left out. One per thread; it owns a buffer.
 *
 * <p>A change of any key or meaning needs the next {@link topspin.ledger.store.Column#FORMAT}.
 */
public final class StoredForm {
    // Accounts. Keys that account views have too are named alike.
    private static final Key ALGO = Key.of("algo");
    private static final Key EBASE = Key.of("ebase");
    private static final Key ERN = Key.of("ern");
    private static final Key IE = Key.of("ie");
    private static final Key LHB = Key.of("lhb");
    private static final Key LPR = Key.of("lpr");
    private static final Key ONL = Key.of("onl");
    private static final Key RES = Key.of("res");
    private static final Key SEL = Key.of("sel");
    private static final Key SPEND = Key.of("spend");
    private static final Key STPRF = Key.of("stprf");
    private static final Key VOTE = Key.of("vote");
    private static final Key VOTE_FST = Key.of("voteFst");
    private static final Key VOTE_KD = Key.of("voteKD");
    private static final Key VOTE_LST = Key.of("voteLst");

    // What an account answers for.
    private static final Key ASSETS = Key.of("a");
    private static final Key BOXES = Key.of("b");
    private static final Key BOX_BYTES = Key.of("bb");
    private static final Key CREATED_ASSETS = Key.of("ca");
    private static final Key CREATED_APPS = Key.of("cp");
    private static final Key EXTRA_PAGES = Key.of("ep");
    private static final Key OPTED_IN_APPS = Key.of("op");
    private static final Key SCHEMA_BYTE_SLICES = Key.of("sb");
    private static final Key SCHEMA_UINTS = Key.of("su");

    // Holdings.
    private static final Key AMOUNT = Key.of("a");
    private static final Key FROZEN = Key.of("f");

    // Assets.
    private static final Key CREATOR = Key.of("c");
    private static final Key PARAMS = Key.of("p");

    // Parameters of an asset.
    private static final Key METADATA_HASH = Key.of("am");
    private static final Key NAME = Key.of("an");
    private static final Key URL = Key.of("au");
    private static final Key CLAWBACK = Key.of("c");
    private static final Key DECIMALS = Key.of("dc");
    private static final Key DEFAULT_FROZEN = Key.of("df");
    private static final Key FREEZE = Key.of("f");
    private static final Key MANAGER = Key.of("m");
    private static final Key RESERVE = Key.of("r");
    private static final Key TOTAL = Key.of("t");
    private static final Key UNIT_NAME = Key.of("un");

    private final CanonicalWriter out = new CanonicalWriter();
    private final MsgpackReader in = new MsgpackReader();

    public byte[] encode(Account account) {
        Participation keys = account.participation();
        out.reset();
        long map = out.openMap();
        out.uint(ALGO, account.balance());
        out.uint(EBASE, account.rewardsBase());
        out.uint(ERN, account.rewarded());
        out.flag(IE, account.incentiveEligible());
        out.uint(LHB, account.lastHeartbeat());
        out.uint(LPR, account.lastProposed());
        out.uint(ONL, account.status().code());
        long resources = out.openMapField(RES);
        fields(account.resources());
        out.closeMapField(RES, resources);
        out.digest(SEL, keys.selectionKey());
        out.address(SPEND, account.authorizer());
        out.bytes(STPRF, keys.stateProofKey());
        out.digest(VOTE, keys.voteKey());
        out.uint(VOTE_FST, keys.voteFirst());
        out.uint(VOTE_KD, keys.voteKeyDilution());
        out.uint(VOTE_LST, keys.voteLast());
        out.closeMap(map);
        return out.toByteArray();
    }

    private void fields(Resources held) {
        out.uint(ASSETS, held.assets());
        out.uint(BOXES, held.boxes());
        out.uint(BOX_BYTES, held.boxBytes());
        out.uint(CREATED_ASSETS, held.createdAssets());
        out.uint(CREATED_APPS, held.createdApps());
        out.uint(EXTRA_PAGES, held.extraPages());
        out.uint(OPTED_IN_APPS, held.optedInApps());
        out.uint(SCHEMA_BYTE_SLICES, held.schemaByteSlices());
        out.uint(SCHEMA_UINTS, held.schemaUints());
    }

    public byte[] encode(Holding holding) {
        out.reset();
        long map = out.openMap();
        out.uint(AMOUNT, holding.amount());
        out.flag(FROZEN, holding.frozen());
        out.closeMap(map);
        return out.toByteArray();
    }

    public byte[] encode(AssetRecord asset) {
        out.reset();
        long map = out.openMap();
        out.address(CREATOR, asset.creator());
        if (!asset.params().isZero()) {
            out.key(PARAMS);
            TransactionEncoder.encode(asset.params(), out);
        }
        out.closeMap(map);
        return out.toByteArray();
    }

    /**
     * @throws MalformedMessage when these are not the bytes that {@link #encode(Account)} writes:
     *     the store is damaged
     */
    public Account decodeAccount(byte[] bytes) throws MalformedMessage {
        in.reset(bytes, 0, bytes.length);
        int map = in.openMap();
        long balance = in.uint(ALGO);
        long rewardsBase = in.uint(EBASE);
        long rewarded = in.uint(ERN);
        boolean eligible = in.flag(IE);
        long lastHeartbeat = in.uint(LHB);
        long lastProposed = in.uint(LPR);
        Status status = Status.ofCode(in.uint(ONL, Status.NOT_PARTICIPATING.code()));
        Resources resources = in.atMap(RES) ? decodeResources() : Resources.NONE;
        Digest selectionKey = in.digest(SEL);
        Address authorizer = in.address(SPEND);
        var stateProofKey = in.fixed(STPRF, Participation.STATE_PROOF_KEY_BYTES);
        Digest voteKey = in.digest(VOTE);
        long voteFirst = in.uint(VOTE_FST);
        long voteKeyDilution = in.uint(VOTE_KD);
        long voteLast = in.uint(VOTE_LST);
        in.closeElement(map);
        requireEnd();
        Participation keys =
                new Participation(
                        voteKey,
                        selectionKey,
                        stateProofKey.compact(),
                        voteFirst,
                        voteLast,
                        voteKeyDilution);
        return new Account(
                status,
                balance,
                rewardsBase,
                rewarded,
                authorizer,
                keys.equals(Participation.NONE) ? Participation.NONE : keys,
                resources,
                eligible,
                lastProposed,
                lastHeartbeat);
    }

    private Resources decodeResources() throws MalformedMessage {
        int map = in.openMap();
        long assets = in.uint(ASSETS);
        long boxes = in.uint(BOXES);
        long boxBytes = in.uint(BOX_BYTES);
        long createdAssets = in.uint(CREATED_ASSETS);
        long createdApps = in.uint(CREATED_APPS);
        long extraPages = in.uint(EXTRA_PAGES);
        long optedInApps = in.uint(OPTED_IN_APPS);
        long byteSlices = in.uint(SCHEMA_BYTE_SLICES);
        long uints = in.uint(SCHEMA_UINTS);
        in.closeMap(map);
        return new Resources(
                assets,
                createdAssets,
                createdApps,
                optedInApps,
                uints,
                byteSlices,
                extraPages,
                boxes,
                boxBytes);
    }

    /**
     * @throws MalformedMessage when the store is damaged
     */
    public Holding decodeHolding(byte[] bytes) throws MalformedMessage {
        in.reset(bytes, 0, bytes.length);
        int map = in.openMap();
        long amount = in.uint(AMOUNT);
        boolean frozen = in.flag(FROZEN);
        in.closeElement(map);
        requireEnd();
        return new Holding(amount, frozen);
    }

    /**
     * As {@link #decodeAccount}.
     *
     * @throws MalformedMessage when the store is damaged
     */
    public AssetRecord decodeAsset(byte[] bytes) throws MalformedMessage {
        in.reset(bytes, 0, bytes.length);
        int map = in.openMap();
        Address creator = in.address(CREATOR);
        AssetParams params = in.atMap(PARAMS) ? decodeParams() : AssetParams.ZERO;
        in.closeElement(map);
        requireEnd();
        return new AssetRecord(creator, params);
    }

    /** The keys are those of an asset's parameters in a transaction. */
    private AssetParams decodeParams() throws MalformedMessage {
        int map = in.openMap();
        Digest metadataHash = in.digest(METADATA_HASH);
        Bytes name = in.text(NAME, Limits.ASSET_NAME_BYTES).compact();
        Bytes url = in.text(URL, Limits.ASSET_URL_BYTES).compact();
        Address clawback = in.address(CLAWBACK);
        long decimals = in.uint(DECIMALS);
        boolean defaultFrozen = in.flag(DEFAULT_FROZEN);
        Address freeze = in.address(FREEZE);
        Address manager = in.address(MANAGER);
        Address reserve = in.address(RESERVE);
        long total = in.uint(TOTAL);
        Bytes unitName = in.text(UNIT_NAME, Limits.ASSET_UNIT_NAME_BYTES).compact();
        in.closeMap(map);
        return new AssetParams(
                total,
                decimals,
                defaultFrozen,
                unitName,
                name,
                url,
                metadataHash,
                manager,
                reserve,
                freeze,
                clawback);
    }

    private void requireEnd() throws MalformedMessage {
        if (!in.atEnd()) {
            throw new MalformedMessage("bytes after the end", in.position());
        }
    }
}
