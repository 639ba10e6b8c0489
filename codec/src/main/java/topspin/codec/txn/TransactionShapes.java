package topspin.codec.txn;

import static topspin.codec.msgpack.Shape.*;

import topspin.codec.msgpack.Shape;

/**
 * What the reference's data types around transactions look like, fields in the order of their
 * declaration (transactions.md sections 2 to 4 and 7).
 */
public final class TransactionShapes {
    private static final Struct SCHEMA = struct(field("nui", uint64()), field("nbs", uint64()));

    private static final Struct BOX =
            struct(field("i", uint64()), field("n", new Blob(Limits.BOX_NAME_BYTES)));

    private static final Struct RESOURCE =
            struct(
                    field("d", address()),
                    field("s", uint64()),
                    field("p", uint64()),
                    field("h", struct(field("d", uint64()), field("s", uint64()))),
                    field("l", struct(field("d", uint64()), field("p", uint64()))),
                    field("b", BOX));

    static final Struct ASSET_PARAMS =
            struct(
                    field("t", uint64()),
                    field("dc", uint32()),
                    field("df", new Flag()),
                    field("un", new Text(Limits.ASSET_UNIT_NAME_BYTES)),
                    field("an", new Text(Limits.ASSET_NAME_BYTES)),
                    field("au", new Text(Limits.ASSET_URL_BYTES)),
                    field("am", fixed(32)),
                    field("m", address()),
                    field("r", address()),
                    field("f", address()),
                    field("c", address()));

    private static final Struct MERKLE_PROOF =
            struct(
                    field("pth", new ListOf(new Blob(64), 1 << 15, "[]crypto.GenericDigest")),
                    field("hsh", struct(field("t", uint16(3)))),
                    field("td", uint8()));

    private static final Struct MERKLE_SIGNATURE =
            struct(
                    field("sig", new Blob(Limits.PQ_SIGNATURE_BYTES)),
                    field("idx", uint64()),
                    field("prf", MERKLE_PROOF),
                    field("vkey", struct(field("k", fixed(Limits.PQ_KEY_BYTES)))));

    private static final Struct REVEAL =
            struct(
                    field("s", struct(field("s", MERKLE_SIGNATURE), field("l", uint64()))),
                    required(
                            "p",
                            struct(
                                    required(
                                            "p",
                                            struct(field("cmt", fixed(64)), field("lf", uint64()))),
                                    field("w", uint64()))));

    /** Most positions that a state proof may reveal. */
    private static final int REVEALS_MAX = 640;

    static final Struct STATE_PROOF =
            struct(
                    field("c", new Blob(64)),
                    field("w", uint64()),
                    field("S", MERKLE_PROOF),
                    field("P", MERKLE_PROOF),
                    field("v", uint8()),
                    field("r", new MapOf(uint64(), REVEAL, REVEALS_MAX)),
                    field("pr", new ListOf(uint64(), REVEALS_MAX, "[]uint64")));

    private static final Struct HEARTBEAT =
            struct(
                    field("a", address()),
                    field(
                            "prf",
                            struct(
                                    field("s", fixed(64)),
                                    field("p", fixed(32)),
                                    field("p2", fixed(32)),
                                    field("p1s", fixed(64)),
                                    field("p2s", fixed(64)))),
                    field("sd", fixed(32)),
                    field("vid", fixed(32)),
                    field("kd", uint64()),
                    field("c", new Flag()));

    static final Struct TRANSACTION =
            struct(
                    required("type", new Text(Limits.TYPE_BYTES)),
                    required("snd", address()),
                    field("fee", uint64()),
                    field("fv", uint64()),
                    field("lv", uint64()),
                    field("note", new Blob(Limits.NOTE_BYTES)),
                    field("gen", new Text(Limits.GENESIS_ID_BYTES)),
                    field("gh", fixed(32)),
                    field("grp", fixed(32)),
                    field("lx", fixed(32)),
                    field("rekey", address()),
                    field("votekey", fixed(32)),
                    field("selkey", fixed(32)),
                    field("sprfkey", fixed(64)),
                    field("votefst", uint64()),
                    field("votelst", uint64()),
                    field("votekd", uint64()),
                    field("nonpart", new Flag()),
                    field("rcv", address()),
                    field("amt", uint64()),
                    field("close", address()),
                    field("caid", uint64()),
                    field("apar", ASSET_PARAMS),
                    field("xaid", uint64()),
                    field("aamt", uint64()),
                    field("asnd", address()),
                    field("arcv", address()),
                    field("aclose", address()),
                    field("fadd", address()),
                    field("faid", uint64()),
                    field("afrz", new Flag()),
                    field("apid", uint64()),
                    field("apan", uint64()),
                    field(
                            "apaa",
                            new ListOf(
                                    new Blob(NO_BOUND), Limits.APPLICATION_ARGUMENTS, "[][]uint8")),
                    field("apat", references(address(), "[]basics.Address")),
                    field("apas", references(uint64(), "[]basics.AssetIndex")),
                    field("apfa", references(uint64(), "[]basics.AppIndex")),
                    field(
                            "al",
                            new ListOf(
                                    RESOURCE,
                                    Limits.APPLICATION_ACCESS,
                                    "[]transactions.ResourceRef")),
                    field("apbx", references(BOX, "[]transactions.BoxRef")),
                    field("apls", SCHEMA),
                    field("apgs", SCHEMA),
                    field("apap", new Blob(Limits.APPLICATION_PROGRAM_BYTES)),
                    field("apsu", new Blob(Limits.APPLICATION_PROGRAM_BYTES)),
                    field("apep", uint32()),
                    field("aprv", uint64()),
                    field("sptype", uint64()),
                    field("sp", STATE_PROOF),
                    field(
                            "spmsg",
                            struct(
                                    field("b", new Blob(Limits.STATE_PROOF_HEADERS_BYTES)),
                                    field("v", new Blob(Limits.STATE_PROOF_VOTERS_BYTES)),
                                    field("P", uint64()),
                                    field("f", uint64()),
                                    field("l", uint64()))),
                    pointer("hb", HEARTBEAT));

    static final Struct MULTISIG =
            struct(
                    required("v", uint8()),
                    required("thr", uint8()),
                    required(
                            "subsig",
                            new ListOf(
                                    struct(field("pk", fixed(32)), field("s", fixed(64))),
                                    Limits.MULTISIG_KEYS,
                                    "[]crypto.MultisigSubsig")));

    private static final Struct PQ =
            struct(
                    field("sch", fixed(Limits.PQ_SCHEME_BYTES)),
                    field("slt", uint8()),
                    field("pk", new Blob(Limits.PQ_KEY_BYTES)),
                    field("sig", new Blob(Limits.PQ_SIGNATURE_BYTES)));

    static final Struct LOGIC =
            struct(
                    field("l", new Blob(Limits.LOGIC_PROGRAM_BYTES)),
                    field("sig", fixed(64)),
                    field("msig", MULTISIG),
                    field("lmsig", MULTISIG),
                    field("pqsig", PQ),
                    field(
                            "arg",
                            new ListOf(
                                    new Blob(Limits.LOGIC_ARGUMENT_BYTES),
                                    Limits.LOGIC_ARGUMENTS,
                                    "[][]uint8")));

    /** A signed transaction as it travels. */
    public static final Struct SIGNED =
            struct(
                    field("sig", fixed(64)),
                    field("msig", MULTISIG),
                    field("lsig", LOGIC),
                    field("pqsig", PQ),
                    required("txn", TRANSACTION),
                    field("sgnr", address()));

    private static final Shape DELTAS =
            new MapOf(
                    new Text(NO_BOUND),
                    struct(
                            field("at", uint64()),
                            field("bs", new Text(Limits.DELTA_VALUE_BYTES)),
                            field("ui", uint64())),
                    Limits.DELTA_KEYS);

    private static final Struct EVAL_DELTA =
            struct(
                    field("gd", DELTAS),
                    field("ld", new MapOf(uint64(), DELTAS, Limits.DELTA_ACCOUNTS)),
                    field("sa", new ListOf(address(), Limits.DELTA_ACCOUNTS, "[]basics.Address")),
                    field("lg", new ListOf(new Text(NO_BOUND), Limits.DELTA_LOGS, "[]string")),
                    field(
                            "itx",
                            new ListOf(
                                    new Later(() -> TransactionShapes.WITH_APPLY_DATA),
                                    Limits.INNER_TRANSACTIONS,
                                    "[]transactions.SignedTxnWithAD")));

    private static final Struct APPLY_DATA =
            struct(
                    field("ca", uint64()),
                    field("aca", uint64()),
                    field("rs", uint64()),
                    field("rr", uint64()),
                    field("rc", uint64()),
                    field("dt", EVAL_DELTA),
                    field("caid", uint64()),
                    field("apid", uint64()));

    /** An inner transaction with what it did. */
    public static final Struct WITH_APPLY_DATA = flattened(SIGNED, APPLY_DATA);

    /** A transaction as it stands in a block. */
    public static final Struct IN_BLOCK =
            flattened(WITH_APPLY_DATA, struct(field("hgi", new Flag()), field("hgh", new Flag())));

    private TransactionShapes() {}

    private static Shape references(Shape element, String typeName) {
        return new ListOf(element, Limits.APPLICATION_REFERENCES, typeName);
    }
}
