package topspin.ledger.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import topspin.codec.Digest;
import topspin.codec.DigestSet;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;

import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.random.RandomGenerator;

/**
 * Remembers which groups passed verification, so that a block of transactions from the pool is not
 * verified a second time. Any thread may call.
 *
 * <p>The key is a hash of the members' <em>signed</em> bytes, never their ids, which do not cover
 * signatures: a block that pairs a known id with another signature finds nothing here. Salt and
 * protocol version go into the hash, so nobody can prepare collisions, and what one version
 * accepted says nothing about the next.
 *
 * <p>Two generations of at most half the bound each: when the younger is full, the older is
 * forgotten.
 */
public final class VerifiedCache {
    /** Two blocks of small payments. */
    public static final int GROUPS_MAX = 150_000;

    private static final int SALT_BYTES = 32;

    private static final ThreadLocal<Hasher> HASHER = ThreadLocal.withInitial(Hasher::new);

    private final byte[] salt = new byte[SALT_BYTES];
    private final int generationMax;
    private DigestSet young = new DigestSet();
    private DigestSet old = new DigestSet();

    /**
     * @param groupsMax how many groups are remembered at most, at least 2
     * @param random for the salt; must be unpredictable to peers
     */
    public VerifiedCache(int groupsMax, RandomGenerator random) {
        if (groupsMax < 2) {
            throw new IllegalArgumentException("a cache of " + groupsMax + " groups");
        }
        generationMax = groupsMax / 2;
        random.nextBytes(salt);
    }

    /** Remembers that the group of that {@link #key} was verified. */
    void add(Digest key) {
        synchronized (this) {
            if (young.size() >= generationMax) {
                DigestSet forgotten = old;
                old = young;
                forgotten.clear();
                young = forgotten;
            }
            young.add(key);
        }
    }

    /** Whether the group of that {@link #key} was verified. */
    boolean contains(Digest key) {
        synchronized (this) {
            return young.contains(key) || old.contains(key);
        }
    }

    /** Stands for exactly these signed bytes under this version. */
    Digest key(TransactionGroup group, String protocol) {
        Hasher hasher = HASHER.get();
        hasher.digest.update(salt);
        byte[] name = protocol.getBytes(UTF_8);
        hasher.digest.update((byte) name.length); // At most 128, so the name cannot run on.
        hasher.digest.update(name);
        for (int i = 0; i < group.size(); i++) {
            SignedTransaction member = group.get(i);
            hasher.digest.update(member.bytes(), member.offset(), member.length());
        }
        return hasher.finish();
    }

    private static final class Hasher {
        private final MessageDigest digest;
        private final byte[] out = new byte[Digest.BYTES];

        Hasher() {
            try {
                digest = MessageDigest.getInstance("SHA-512/256");
            } catch (NoSuchAlgorithmException absent) {
                throw new LinkageError("this JDK lacks SHA-512/256", absent);
            }
        }

        Digest finish() {
            try {
                digest.digest(out, 0, out.length);
            } catch (DigestException impossible) {
                throw new LinkageError("32 bytes do not hold a digest", impossible);
            }
            return Digest.of(out, 0);
        }
    }
}
