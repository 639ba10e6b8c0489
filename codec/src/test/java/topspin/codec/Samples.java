package topspin.codec;

import topspin.codec.block.Block;
import topspin.codec.block.BlockHeader;
import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.OneTimeSignature;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;
import topspin.codec.txn.ApplicationCall;
import topspin.codec.txn.ApplyData;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.AssetFreeze;
import topspin.codec.txn.AssetParams;
import topspin.codec.txn.AssetTransfer;
import topspin.codec.txn.BlockTransaction;
import topspin.codec.txn.BoxReference;
import topspin.codec.txn.EvalDelta;
import topspin.codec.txn.Heartbeat;
import topspin.codec.txn.HeartbeatFields;
import topspin.codec.txn.KeyRegistration;
import topspin.codec.txn.LogicSignature;
import topspin.codec.txn.MultisigSignature;
import topspin.codec.txn.Payment;
import topspin.codec.txn.PqSignature;
import topspin.codec.txn.ResourceReference;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.StateProof;
import topspin.codec.txn.StateProofMessage;
import topspin.codec.txn.StateSchema;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionHeader;
import topspin.codec.txn.TransactionType;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.Proposal;
import topspin.codec.vote.ProposalMessage;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;
import topspin.codec.vote.Vote;
import topspin.codec.vote.VoteSignature;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Made-up values, the same for the same seed: fields come and go, and numbers gather around the
 * places where encodings change their length. They are well-formed on the wire and mostly not by
 * the rules of validity. Not for several threads.
 */
public final class Samples {
    /** The network that samples belong to. */
    public static final String GENESIS_ID = "sample-v1";

    public static final Digest GENESIS_HASH = new Samples(7).digest();

    private static final int[] LENGTHS = {0, 1, 7, 8, 31, 32, 33, 255, 256, 1000};

    private final Random random;

    public Samples(long seed) {
        random = new Random(seed);
    }

    /** A payment as most are: a fee, a window, a short note, nothing else. */
    public Payment plainPayment() {
        var header =
                new TransactionHeader(
                        address(),
                        1000,
                        30_000_000 + random.nextInt(1000),
                        30_001_000 + random.nextInt(1000),
                        GENESIS_ID,
                        GENESIS_HASH);
        return new Payment(
                header.withNote(bytes(8)), address(), 1 + random.nextInt(1_000_000), Address.ZERO);
    }

    /** {@link #plainPayment}, signed by a key of its own. */
    public SignedTransaction signedPayment() {
        return signed(plainPayment());
    }

    /** A transaction, signed by the key that its sender becomes. */
    public SignedTransaction signed(Transaction txn) {
        try (var keys = Ed25519.KeyPair.fromSeed(bytes(32).toArray())) {
            TransactionHeader header = txn.header();
            var sender =
                    new TransactionHeader(
                            Address.fromBytes(keys.publicKey()),
                            header.fee(),
                            header.firstValid(),
                            header.lastValid(),
                            header.note(),
                            header.genesisId(),
                            header.genesisHash(),
                            header.group(),
                            header.lease(),
                            header.rekeyTo());
            return SignedTransaction.sign(txn.withHeader(sender), keys);
        }
    }

    /** A transaction of any type. */
    public Transaction transaction() {
        TransactionType[] types = TransactionType.values();
        return transaction(types[random.nextInt(types.length)]);
    }

    /** A transaction of {@code type}. */
    public Transaction transaction(TransactionType type) {
        TransactionHeader header = header();
        return switch (type) {
            case PAYMENT -> new Payment(header, address(), number(), maybeAddress());
            case KEY_REGISTRATION ->
                    new KeyRegistration(
                            header,
                            maybeDigest(),
                            maybeDigest(),
                            maybe() ? bytes(64) : Bytes.EMPTY,
                            number(),
                            number(),
                            number(),
                            maybe());
            case ASSET_CONFIG ->
                    new AssetConfig(header, number(), maybe() ? params() : AssetParams.ZERO);
            case ASSET_TRANSFER ->
                    new AssetTransfer(
                            header,
                            number(),
                            number(),
                            maybeAddress(),
                            maybeAddress(),
                            maybeAddress());
            case ASSET_FREEZE -> new AssetFreeze(header, maybeAddress(), number(), maybe());
            case APPLICATION_CALL -> call(header);
            case STATE_PROOF ->
                    new StateProof(
                            header,
                            number(),
                            maybe() ? stateProof() : Bytes.EMPTY,
                            maybe()
                                    ? new StateProofMessage(
                                            bytes(32), bytes(64), number(), 256, number())
                                    : StateProofMessage.ZERO);
            case HEARTBEAT -> new Heartbeat(header, maybe() ? heartbeat() : null);
        };
    }

    /** A transaction of any type, authorized in any way; nothing of it holds. */
    public SignedTransaction authorized() {
        return authorized(transaction());
    }

    private SignedTransaction authorized(Transaction txn) {
        int way = random.nextInt(5);
        return SignedTransaction.of(
                txn,
                way == 0 ? bytes(64) : null,
                way == 1 ? multisig() : null,
                way == 2 ? logic() : null,
                way == 3 ? pq() : null,
                maybeAddress());
    }

    /** What a transaction did, sometimes with inner transactions. */
    public ApplyData applied() {
        return applied(2);
    }

    private ApplyData applied(int depth) {
        return new ApplyData(
                number(),
                number(),
                number(),
                number(),
                number(),
                number(),
                number(),
                depth > 0 && maybe() ? delta(depth - 1) : null);
    }

    /** A transaction in a block of the samples' network. */
    public BlockTransaction blockTransaction() {
        return BlockTransaction.of(authorized(), applied());
    }

    /** A block of the samples' network. */
    public Block block(int transactions) {
        List<BlockTransaction> payset = new ArrayList<>();
        for (int index = 0; index < transactions; index++) {
            Transaction txn = transaction();
            String id = maybe() ? GENESIS_ID : "";
            Transaction own = txn.withHeader(txn.header().withGenesis(id, GENESIS_HASH));
            payset.add(BlockTransaction.of(authorized(own), applied()));
        }
        return new Block(blockHeader(), payset);
    }

    // Agreement.

    /** A vote, of which nothing holds. */
    public Vote vote() {
        return new Vote(
                rawVote(), maybe() ? bytes(80) : Bytes.EMPTY, maybe() ? voteSignature() : null);
    }

    private RawVote rawVote() {
        return new RawVote(maybeAddress(), number(), number(), number(), proposalValue());
    }

    private ProposalValue proposalValue() {
        return maybe()
                ? ProposalValue.BOTTOM
                : new ProposalValue(number(), maybeAddress(), maybeDigest(), maybeDigest());
    }

    private VoteSignature voteSignature() {
        var oneTime =
                new OneTimeSignature(bytes(64), maybeDigest(), bytes(64), digest(), bytes(64));
        return new VoteSignature(oneTime, maybe() ? bytes(64) : Bytes.EMPTY);
    }

    /** A bundle, of which nothing holds. */
    public Bundle bundle() {
        List<Bundle.Member> votes = new ArrayList<>();
        for (int count = random.nextInt(4); count > 0; count--) {
            votes.add(
                    new Bundle.Member(
                            maybeAddress(),
                            maybe() ? bytes(80) : Bytes.EMPTY,
                            maybe() ? voteSignature() : null));
        }
        List<Bundle.Pair> pairs = new ArrayList<>();
        for (int count = random.nextInt(3); count > 0; count--) {
            pairs.add(
                    new Bundle.Pair(
                            maybeAddress(),
                            bytes(80),
                            proposalValue(),
                            proposalValue(),
                            voteSignature(),
                            voteSignature()));
        }
        return new Bundle(number(), number(), number(), proposalValue(), votes, pairs);
    }

    /** A proposal as it travels, of which nothing holds. */
    public ProposalMessage proposal() {
        var proposal =
                new Proposal(
                        block(random.nextInt(3)),
                        number(),
                        maybeAddress(),
                        maybe() ? bytes(80) : Bytes.EMPTY);
        return new ProposalMessage(
                proposal, maybe() ? new Vote(rawVote(), bytes(80), voteSignature()) : null);
    }

    /** A block header with most fields set. */
    public BlockHeader blockHeader() {
        var draft = new BlockHeader.Draft();
        draft.round = number();
        draft.previous = maybeDigest();
        draft.previous512 = maybe() ? bytes(64) : Bytes.EMPTY;
        draft.seed = maybeDigest();
        draft.transactionRoot = maybeDigest();
        draft.sha256Root = maybeDigest();
        draft.sha512Root = maybe() ? bytes(64) : Bytes.EMPTY;
        draft.timestamp = maybe() ? random.nextLong() : random.nextInt(300) - 150;
        draft.genesisId = GENESIS_ID;
        draft.genesisHash = GENESIS_HASH;
        draft.proposer = maybeAddress();
        draft.feesCollected = number();
        draft.bonus = number();
        draft.payout = number();
        draft.feeSink = maybeAddress();
        draft.rewardsPool = maybeAddress();
        draft.rewardsLevel = number();
        draft.rewardsRate = number();
        draft.rewardsResidue = number();
        draft.rewardsRecalculationRound = number();
        draft.protocol = maybe() ? "future" : "";
        draft.nextProtocol = maybe() ? "pr\u00f6to" : "";
        draft.nextProtocolApprovals = number();
        draft.nextProtocolVoteBefore = number();
        draft.nextProtocolSwitchOn = number();
        draft.upgradePropose = maybe() ? "next" : "";
        draft.upgradeDelay = number();
        draft.upgradeApprove = maybe();
        draft.transactionCounter = number();
        draft.stateProofTracking =
                maybe()
                        ? List.of(
                                new BlockHeader.StateProofTracking(
                                        0, number(), number(), maybe() ? bytes(64) : Bytes.EMPTY))
                        : List.of();
        draft.expiredAccounts = addresses(4);
        draft.absentAccounts = addresses(4);
        draft.load = number();
        draft.congestionTax = number();
        return draft.build();
    }

    // Parts.

    private TransactionHeader header() {
        return new TransactionHeader(
                address(),
                number(),
                number(),
                number(),
                bytesUpTo(1000),
                maybe() ? GENESIS_ID : "",
                maybe() ? GENESIS_HASH : maybeDigest(),
                maybeDigest(),
                maybeDigest(),
                maybeAddress());
    }

    private AssetParams params() {
        return new AssetParams(
                1 + (number() >>> 1),
                random.nextInt(20),
                maybe(),
                bytesUpTo(8),
                bytesUpTo(32),
                bytesUpTo(96),
                maybeDigest(),
                maybeAddress(),
                maybeAddress(),
                maybeAddress(),
                maybeAddress());
    }

    private ApplicationCall call(TransactionHeader header) {
        List<Bytes> arguments = new ArrayList<>();
        for (int count = random.nextInt(6); count > 0; count--) {
            arguments.add(maybe() ? bytesUpTo(300) : maybe() ? Bytes.NIL : Bytes.EMPTY);
        }
        List<BoxReference> boxes = new ArrayList<>();
        for (int count = random.nextInt(4); count > 0; count--) {
            boxes.add(new BoxReference(number(), bytesUpTo(64)));
        }
        return new ApplicationCall(
                header,
                number(),
                random.nextInt(6),
                arguments,
                addresses(9),
                Longs.of(random.longs(random.nextInt(9)).toArray()),
                Longs.of(random.longs(random.nextInt(20)).toArray()),
                boxes,
                access(),
                maybe() ? StateSchema.ZERO : new StateSchema(number(), 1),
                maybe() ? StateSchema.ZERO : new StateSchema(1, number()),
                bytesUpTo(1000),
                bytesUpTo(1000),
                random.nextInt(8),
                number());
    }

    private List<ResourceReference> access() {
        List<ResourceReference> access = new ArrayList<>();
        for (int count = random.nextInt(4); count > 0; count--) {
            access.add(
                    new ResourceReference(
                            maybeAddress(),
                            number(),
                            number(),
                            maybe()
                                    ? ResourceReference.HoldingReference.ZERO
                                    : new ResourceReference.HoldingReference(number(), 1),
                            maybe()
                                    ? ResourceReference.LocalsReference.ZERO
                                    : new ResourceReference.LocalsReference(1, number()),
                            maybe() ? BoxReference.ZERO : new BoxReference(1, bytesUpTo(64))));
        }
        return access;
    }

    private HeartbeatFields heartbeat() {
        return new HeartbeatFields(
                maybeAddress(),
                maybe(),
                number(),
                maybe()
                        ? HeartbeatFields.Proof.ZERO
                        : new HeartbeatFields.Proof(
                                bytes(64), digest(), bytes(64), digest(), bytes(64)),
                maybeDigest(),
                maybeDigest());
    }

    /** A state proof with every kind of part, of which nothing is true. */
    private Bytes stateProof() {
        var out = new CanonicalWriter(8192);
        long map = out.openMap();
        merkleProof("P", out);
        merkleProof("S", out);
        out.bytes(Key.of("c"), bytes(64));
        out.key(Key.of("pr"));
        out.writeArrayHeader(2);
        out.writeUint(number());
        out.writeUint(number());
        out.key(Key.of("r"));
        out.writeMapHeader(2);
        reveal(random.nextInt(100), out);
        reveal(100 + (number() >>> 1), out);
        out.uint(Key.of("v"), random.nextInt(256));
        out.uint(Key.of("w"), number());
        out.closeMap(map);
        return Bytes.of(out.toByteArray());
    }

    private void reveal(long position, CanonicalWriter out) {
        out.writeUint(position);
        long reveal = out.openMap();
        long participant = out.openMapField(Key.of("p"));
        long key = out.openMapField(Key.of("p"));
        out.bytes(Key.of("cmt"), bytes(64));
        out.uint(Key.of("lf"), number());
        out.closeMapField(Key.of("p"), key);
        out.uint(Key.of("w"), number());
        out.closeMapField(Key.of("p"), participant);
        long slot = out.openMapField(Key.of("s"));
        out.uint(Key.of("l"), number());
        long signature = out.openMapField(Key.of("s"));
        out.uint(Key.of("idx"), number());
        merkleProof("prf", out);
        out.bytes(Key.of("sig"), bytes(1 + random.nextInt(1538)));
        long verifier = out.openMapField(Key.of("vkey"));
        out.bytes(Key.of("k"), bytes(1793));
        out.closeMapField(Key.of("vkey"), verifier);
        out.closeMapField(Key.of("s"), signature);
        out.closeMapField(Key.of("s"), slot);
        out.closeMap(reveal);
    }

    private void merkleProof(String name, CanonicalWriter out) {
        long proof = out.openMapField(Key.of(name));
        long hash = out.openMapField(Key.of("hsh"));
        out.uint(Key.of("t"), random.nextInt(4));
        out.closeMapField(Key.of("hsh"), hash);
        int levels = random.nextInt(4);
        out.arrayHeader(Key.of("pth"), levels);
        for (int level = 0; level < levels; level++) {
            out.writeBytes(maybe() ? bytes(64) : maybe() ? Bytes.NIL : Bytes.EMPTY);
        }
        out.uint(Key.of("td"), random.nextInt(256));
        out.closeMapField(Key.of(name), proof);
    }

    private MultisigSignature multisig() {
        List<MultisigSignature.Subsignature> keys = new ArrayList<>();
        for (int count = 1 + random.nextInt(20); count > 0; count--) {
            keys.add(new MultisigSignature.Subsignature(maybeDigest(), maybe() ? bytes(64) : null));
        }
        return new MultisigSignature(1, 1 + random.nextInt(255), keys);
    }

    private LogicSignature logic() {
        int way = random.nextInt(5);
        return new LogicSignature(
                bytes(1 + random.nextInt(300)),
                maybe() ? List.of() : List.of(Bytes.NIL, Bytes.EMPTY, bytesUpTo(300)),
                way == 0 ? bytes(64) : null,
                way == 1 ? multisig() : null,
                way == 2 ? multisig() : null,
                way == 3 ? pq() : null);
    }

    private PqSignature pq() {
        return new PqSignature(
                Bytes.utf8("f1"),
                random.nextInt(256),
                bytes(1793),
                bytes(1 + random.nextInt(1423)));
    }

    private EvalDelta delta(int depth) {
        List<EvalDelta.InnerTransaction> inner = new ArrayList<>();
        for (int count = random.nextInt(3); count > 0; count--) {
            inner.add(
                    new EvalDelta.InnerTransaction(
                            SignedTransaction.unsigned(transaction()), applied(depth)));
        }
        List<Bytes> logs = new ArrayList<>();
        for (int count = 1 + random.nextInt(3); count > 0; count--) {
            logs.add(bytesUpTo(300));
        }
        List<EvalDelta.LocalDelta> locals = new ArrayList<>();
        for (int account = 0; account < random.nextInt(4); account++) {
            locals.add(new EvalDelta.LocalDelta(account, keyDeltas()));
        }
        return new EvalDelta(keyDeltas(), locals, logs, addresses(4), inner);
    }

    private List<EvalDelta.KeyDelta> keyDeltas() {
        List<EvalDelta.KeyDelta> keys = new ArrayList<>();
        for (int index = 0; index < random.nextInt(4); index++) {
            Bytes key = Bytes.of((byte) (index * 80), (byte) random.nextInt());
            keys.add(new EvalDelta.KeyDelta(key, 1 + random.nextInt(3), bytesUpTo(100), number()));
        }
        keys.sort((one, other) -> one.key().compareTo(other.key()));
        return keys;
    }

    private List<Address> addresses(int countBelow) {
        List<Address> addresses = new ArrayList<>();
        for (int count = random.nextInt(countBelow); count > 0; count--) {
            addresses.add(maybeAddress());
        }
        return addresses;
    }

    // Values.

    /** A number, often zero, often next to where the encoding grows. */
    public long number() {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> random.nextInt(300);
            case 2 -> (1L << random.nextInt(64)) - random.nextInt(2);
            default -> random.nextLong();
        };
    }

    public Address address() {
        return Address.of(bytes(32).array(), 0);
    }

    public Digest digest() {
        return Digest.of(bytes(32).array(), 0);
    }

    /** That many bytes. */
    public Bytes bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    private Bytes bytesUpTo(int max) {
        return bytes(Math.min(max, LENGTHS[random.nextInt(LENGTHS.length)]));
    }

    private Address maybeAddress() {
        return maybe() ? address() : Address.ZERO;
    }

    private Digest maybeDigest() {
        return maybe() ? digest() : Digest.ZERO;
    }

    private boolean maybe() {
        return random.nextBoolean();
    }
}
