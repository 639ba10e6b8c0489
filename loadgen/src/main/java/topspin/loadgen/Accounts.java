package topspin.loadgen;

import static java.nio.charset.StandardCharsets.US_ASCII;

import topspin.codec.Address;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.Sha512_256;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The accounts that take part: made from the seed, the same each time. Their keys are for throwing
 * away; anyone who knows the seed can make them.
 */
final class Accounts {
    /** Accounts of a run, at most: what is left on them is theirs. */
    static final int ACCOUNTS_MAX = 100_000;

    private static final byte[] PURPOSE = "topspin pingpong account".getBytes(US_ASCII);

    /** An account's key and address. */
    record Account(Ed25519.KeyPair keys, Address address) {
        Account(Ed25519.KeyPair keys) {
            this(keys, Address.fromBytes(keys.publicKey()));
        }
    }

    private final List<Account> accounts;

    Accounts(long seed, int count) {
        accounts = IntStream.range(0, count).parallel().mapToObj(i -> derive(seed, i)).toList();
    }

    private static Account derive(long seed, int index) {
        byte[] material =
                ByteBuffer.allocate(PURPOSE.length + 2 * Long.BYTES)
                        .put(PURPOSE)
                        .putLong(seed)
                        .putLong(index)
                        .array();
        byte[] keySeed = Sha512_256.digest(Domain.NONE, material);
        return new Account(Ed25519.KeyPair.fromSeed(keySeed));
    }

    int size() {
        return accounts.size();
    }

    Account get(int index) {
        return accounts.get(index);
    }

    List<Account> all() {
        return accounts;
    }
}
