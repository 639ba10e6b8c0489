package topspin.node;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.crypto.Ed25519.KeyPair;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.GroupId;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionGroup;
import topspin.codec.txn.TransactionHeader;
import topspin.ledger.Genesis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A dev-mode genesis with funded accounts, and payments between them. Keys come from fixed seeds,
 * so every run sees the same addresses and ids.
 */
public final class Funds {
    /** What each account begins with: a thousand Algos. */
    public static final long BALANCE = 1_000_000_000;

    public static final long FEE = 1_000;

    private static final byte SINK_SEED = 101;
    private static final byte POOL_SEED = 102;

    private final KeyPair[] keys;
    private final Genesis genesis;
    private long notes;

    public Funds(int accounts) {
        this(accounts, ConsensusVersions.CURRENT);
    }

    public Funds(int accounts, String protocol) {
        keys = new KeyPair[accounts];
        List<Genesis.Allocation> allocations = new ArrayList<>();
        for (int i = 0; i < accounts; i++) {
            keys[i] = key((byte) (i + 1));
            allocations.add(
                    new Genesis.Allocation(
                            address(keys[i]), "account " + i, Genesis.State.offline(BALANCE)));
        }
        Address sink = address(key(SINK_SEED));
        Address pool = address(key(POOL_SEED));
        allocations.add(
                new Genesis.Allocation(sink, "sink", Genesis.State.notParticipating(BALANCE)));
        // Exactly the minimum, so that there are no rewards.
        allocations.add(
                new Genesis.Allocation(pool, "pool", Genesis.State.notParticipating(100_000)));
        genesis = new Genesis(allocations, "", true, sink, pool, "v1", "test", protocol, 0);
    }

    public Genesis genesis() {
        return genesis;
    }

    public KeyPair key(int account) {
        return keys[account];
    }

    public Address address(int account) {
        return address(keys[account]);
    }

    /** An unsigned payment valid in rounds 1 to 1000; each has another note. */
    public Payment unsigned(int from, int to, long amount) {
        TransactionHeader header =
                new TransactionHeader(address(from), FEE, 1, 1000, genesis.id(), genesis.hash())
                        .withNote(Bytes.utf8("payment " + notes++));
        return new Payment(header, address(to), amount, Address.ZERO);
    }

    /** A payment with another lifetime. */
    public SignedTransaction payment(int from, int to, long firstValid, long lastValid) {
        Payment usual = unsigned(from, to, 1);
        TransactionHeader header =
                new TransactionHeader(
                                address(from),
                                FEE,
                                firstValid,
                                lastValid,
                                genesis.id(),
                                genesis.hash())
                        .withNote(usual.header().note());
        return sign(from, usual.withHeader(header));
    }

    public SignedTransaction payment(int from, int to, long amount) {
        return sign(from, unsigned(from, to, amount));
    }

    public SignedTransaction sign(int account, Transaction txn) {
        return SignedTransaction.sign(txn, keys[account]);
    }

    /** A group of payments of one microAlgo each, from the accounts given to account 0. */
    public TransactionGroup group(int... from) {
        List<Transaction> members = new ArrayList<>();
        for (int account : from) {
            members.add(unsigned(account, 0, 1));
        }
        List<Transaction> grouped = GroupId.assign(members);
        List<SignedTransaction> signed = new ArrayList<>();
        for (int i = 0; i < from.length; i++) {
            signed.add(sign(from[i], grouped.get(i)));
        }
        return TransactionGroup.of(signed);
    }

    /** The same transaction with a signature of the right form that does not hold. */
    public static SignedTransaction forged(SignedTransaction honest) {
        Bytes signature = honest.signature();
        if (signature == null) {
            throw new IllegalArgumentException("not signed by a single key");
        }
        byte[] wrong = signature.toArray();
        wrong[0] ^= 1;
        return SignedTransaction.of(honest.txn(), Bytes.of(wrong));
    }

    private static Address address(KeyPair keys) {
        return Address.fromBytes(keys.publicKey());
    }

    private static KeyPair key(byte filler) {
        byte[] seed = new byte[32];
        Arrays.fill(seed, filler);
        return KeyPair.fromSeed(seed);
    }
}
