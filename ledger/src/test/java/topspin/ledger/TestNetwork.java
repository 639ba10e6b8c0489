package topspin.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.block.BlockEncoder;
import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.AssetConfig;
import topspin.codec.txn.AssetFreeze;
import topspin.codec.txn.AssetParams;
import topspin.codec.txn.AssetTransfer;
import topspin.codec.txn.GroupId;
import topspin.codec.txn.KeyRegistration;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionGroup;
import topspin.codec.txn.TransactionHeader;
import topspin.ledger.account.Account;
import topspin.ledger.account.Holding;
import topspin.ledger.rules.Reason;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Rules;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedCache;
import topspin.ledger.rules.VerifiedGroup;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A dev-mode network in memory for tests: accounts with known keys, one evaluator at the tip. Every
 * block that it makes is also judged as another's, by a second evaluator that has to find the same.
 */
public final class TestNetwork {
    public static final long FEE = 1_000;
    public static final long FUNDS = 1_000_000_000;

    private static final int CLAIMS_MAX = 64;

    private static final Map<Integer, Ed25519.KeyPair> KEYS = new ConcurrentHashMap<>();
    private static final Map<Address, Ed25519.KeyPair> OWNERS = new ConcurrentHashMap<>();

    /** Fees go here; it owns 100,000 microAlgos at first. */
    public static final Address FEE_SINK = address(1_000);

    /** With exactly the minimum balance, so that there are no rewards. */
    public static final Address REWARDS_POOL = address(1_001);

    private final ConsensusVersions versions;
    private final SignatureEngine engine = new SignatureEngine(new SecureRandom());
    private final Signatures signatures = signatures();
    private final Genesis genesis;
    private MemoryState state;
    private BlockEvaluator evaluator;
    private long now = 1_700_000_000;

    /**
     * A network under v42 whose accounts 0, 1, … below {@code accounts} own {@link #FUNDS} each.
     */
    public TestNetwork(int accounts) {
        this(accounts, 100_000, ConsensusVersions.builtIn(), ConsensusVersions.V42);
    }

    /**
     * @param rewardsPool what the pool owns, in microAlgos
     */
    public TestNetwork(
            int accounts, long rewardsPool, ConsensusVersions versions, String protocol) {
        this.versions = versions;
        List<Genesis.Allocation> allocations = new ArrayList<>();
        allocations.add(
                new Genesis.Allocation(
                        REWARDS_POOL, "", Genesis.State.notParticipating(rewardsPool)));
        allocations.add(
                new Genesis.Allocation(FEE_SINK, "", Genesis.State.notParticipating(100_000)));
        for (int i = 0; i < accounts; i++) {
            allocations.add(new Genesis.Allocation(address(i), "", Genesis.State.offline(FUNDS)));
        }
        genesis =
                new Genesis(
                        allocations, "", true, FEE_SINK, REWARDS_POOL, "v1", "test", protocol, 0);
        state = MemoryState.genesis(genesis, versions);
        evaluator = nextEvaluator();
    }

    /** The key of test account number {@code i}. */
    public static Ed25519.KeyPair key(int i) {
        return KEYS.computeIfAbsent(i, TestNetwork::newKey);
    }

    private static Ed25519.KeyPair newKey(int i) {
        byte[] seed = new byte[32];
        Arrays.fill(seed, (byte) 7);
        seed[0] = (byte) i;
        seed[1] = (byte) (i >> 8);
        seed[2] = (byte) (i >> 16);
        Ed25519.KeyPair key = Ed25519.KeyPair.fromSeed(seed);
        OWNERS.put(Address.fromBytes(key.publicKey()), key);
        return key;
    }

    public static Address address(int i) {
        return Address.fromBytes(key(i).publicKey());
    }

    public Genesis genesis() {
        return genesis;
    }

    public MemoryState state() {
        return state;
    }

    public ConsensusVersions versions() {
        return versions;
    }

    /** The evaluator of the block that is being made. */
    public BlockEvaluator evaluator() {
        return evaluator;
    }

    /** The round of the block that is being made. */
    public long round() {
        return evaluator.round();
    }

    public Rules rules() {
        return evaluator.rules();
    }

    public Account account(int i) {
        return state.account(address(i));
    }

    public @Nullable Holding holding(int i, long asset) {
        return state.holding(address(i), asset);
    }

    // Making transactions.

    /** A header that the next block may carry: minimum fee, valid for a thousand rounds. */
    public TransactionHeader header(int sender) {
        return new TransactionHeader(
                address(sender),
                FEE,
                round(),
                round() + 1_000,
                state.header().genesisId(),
                state.header().genesisHash());
    }

    public Payment pay(int from, int to, long amount) {
        return new Payment(header(from), address(to), amount, Address.ZERO);
    }

    public Payment close(int from, int to) {
        return new Payment(header(from), address(to), 0, address(to));
    }

    /** Creates an asset all of whose four addresses are the sender's. */
    public AssetConfig create(int creator, long total) {
        return new AssetConfig(header(creator), 0, params(total, address(creator)));
    }

    public static AssetParams params(long total, Address all) {
        return new AssetParams(
                total,
                0,
                false,
                Bytes.utf8("unit"),
                Bytes.utf8("name"),
                Bytes.EMPTY,
                Digest.ZERO,
                all,
                all,
                all,
                all);
    }

    public AssetTransfer transfer(int from, int to, long asset, long amount) {
        return new AssetTransfer(
                header(from), asset, amount, Address.ZERO, address(to), Address.ZERO);
    }

    public AssetTransfer optIn(int who, long asset) {
        return transfer(who, who, asset, 0);
    }

    public AssetTransfer closeOut(int from, int to, long asset) {
        return new AssetTransfer(header(from), asset, 0, Address.ZERO, Address.ZERO, address(to));
    }

    public AssetTransfer clawBack(int by, int from, int to, long asset, long amount) {
        return new AssetTransfer(
                header(by), asset, amount, address(from), address(to), Address.ZERO);
    }

    public AssetFreeze freeze(int by, int whom, long asset, boolean frozen) {
        return new AssetFreeze(header(by), address(whom), asset, frozen);
    }

    /** Keys that are good from round 0 to {@code last}. */
    public KeyRegistration goOnline(int who, long last) {
        byte[] keys = new byte[64];
        Arrays.fill(keys, (byte) (who + 1));
        return new KeyRegistration(
                header(who),
                Digest.of(keys, 0),
                Digest.of(keys, 32),
                Bytes.of(keys),
                0,
                last,
                10,
                false);
    }

    public KeyRegistration goOffline(int who, boolean forEver) {
        return new KeyRegistration(
                header(who), Digest.ZERO, Digest.ZERO, Bytes.EMPTY, 0, 0, 0, forEver);
    }

    /** Signed by the sender's own key. */
    public static SignedTransaction sign(Transaction txn) {
        return SignedTransaction.sign(txn, keyOf(txn.sender()));
    }

    private static Ed25519.KeyPair keyOf(Address address) {
        return Objects.requireNonNull(OWNERS.get(address), "not a test account");
    }

    /** Members with their group id, each signed by its sender. */
    public static TransactionGroup group(Transaction... members) {
        List<SignedTransaction> signed = new ArrayList<>();
        for (Transaction member : GroupId.assign(List.of(members))) {
            signed.add(sign(member));
        }
        return TransactionGroup.of(signed);
    }

    /**
     * A group, or one transaction alone, signed by whoever the last round says authorizes each
     * sender.
     */
    public TransactionGroup authorized(Transaction... txns) {
        List<Transaction> members =
                txns.length == 1 ? List.of(txns) : GroupId.assign(List.of(txns));
        List<SignedTransaction> signed = new ArrayList<>();
        for (Transaction member : members) {
            Address authorizer = state.account(member.sender()).authorizer();
            signed.add(
                    SignedTransaction.sign(
                            member, keyOf(authorizer.isZero() ? member.sender() : authorizer)));
        }
        return TransactionGroup.of(signed);
    }

    // Sending them.

    /** One transaction alone, signed by its sender. */
    public VerifiedGroup verified(Transaction txn) {
        TransactionGroup group = TransactionGroup.of(sign(txn));
        return Objects.requireNonNull(signatures.verify(group, rules()).verified());
    }

    /** Verifies a group and adds it to the block; null when it is in. */
    public @Nullable Refusal submit(TransactionGroup group) {
        Signatures.Outcome outcome = signatures.verify(group, rules());
        VerifiedGroup verified = outcome.verified();
        return verified == null ? outcome.refusal() : evaluator.add(verified);
    }

    public @Nullable Refusal submit(SignedTransaction signed) {
        return submit(TransactionGroup.of(signed));
    }

    /** One transaction alone, or several as a group, signed by their senders. */
    public @Nullable Refusal submit(Transaction... txns) {
        return txns.length == 1 ? submit(sign(txns[0])) : submit(group(txns));
    }

    /** Submits what has to go in. */
    public void accept(Transaction... txns) {
        Refusal refusal = submit(txns);
        assertNull(refusal, () -> String.valueOf(refusal));
    }

    /** Submits what has to be refused, for this reason; returns the text without transaction. */
    public String refuse(Reason reason, Transaction... txns) {
        Refusal refusal = Objects.requireNonNull(submit(txns), "accepted");
        assertEquals(reason, refusal.reason(), refusal::text);
        return refusal.bareText();
    }

    /** Accepts one transaction in a block of its own. */
    public EvaluatedBlock confirm(Transaction... txns) {
        accept(txns);
        return nextBlock();
    }

    /** Finishes the block, has it judged as another's, and goes on to the next. */
    public EvaluatedBlock nextBlock() {
        return nextBlock(BlockMaker.devMode(state));
    }

    public EvaluatedBlock nextBlock(BlockMaker maker) {
        EvaluatedBlock made = evaluator.finish(maker);
        BlockEvaluator.Origin origin =
                maker.proposer().isZero()
                        ? BlockEvaluator.Origin.DEV_MODE
                        : BlockEvaluator.Origin.AGREEMENT;
        BlockEvaluator.Outcome judged =
                BlockEvaluator.validate(made.block(), state, versions, signatures(), origin);
        Refusal refusal = judged.refusal();
        assertNull(refusal, () -> String.valueOf(refusal));
        EvaluatedBlock same = Objects.requireNonNull(judged.block());
        assertEquals(made.delta(), same.delta());
        assertEquals(
                Bytes.of(BlockEncoder.encodeBlock(made.block())),
                Bytes.of(BlockEncoder.encodeBlock(same.block())));
        state = state.after(made, versions);
        now += 3;
        evaluator = nextEvaluator();
        return made;
    }

    /** Makes empty blocks until the next one is of this round. */
    public void advanceTo(long round) {
        while (round() < round) {
            nextBlock();
        }
    }

    /** Verifies with nothing remembered. */
    public Signatures signatures() {
        return new Signatures(
                new VerifiedCache(VerifiedCache.GROUPS_MAX, new Random(1)), engine, CLAIMS_MAX);
    }

    private BlockEvaluator nextEvaluator() {
        return new BlockEvaluator(state, versions, now);
    }
}
