package topspin.node.kmd;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.crypto.Ed25519.KeyPair;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The one wallet, without a password, and its accounts. Immutable. */
public final class KmdWallet {
    /** What tools look for. */
    static final String NAME = "unencrypted-default-wallet";

    /** 32 hex digits, as any wallet's. */
    static final String ID = "746f707370696e00746f707370696e00";

    private static final int SECRET_BYTES = 64;

    private final Map<Address, byte[]> secrets = new LinkedHashMap<>();

    /**
     * A wallet of these keys, which are copied.
     *
     * @param keys in the order in which their accounts are listed
     */
    public KmdWallet(List<KeyPair> keys) {
        for (KeyPair pair : keys) {
            byte[] key = pair.publicKey();
            byte[] secret = Arrays.copyOf(pair.seed(), SECRET_BYTES);
            System.arraycopy(key, 0, secret, SECRET_BYTES - key.length, key.length);
            secrets.put(Address.fromBytes(key), secret);
        }
    }

    /** Its accounts. */
    Iterable<Address> accounts() {
        return Collections.unmodifiableSet(secrets.keySet());
    }

    /** Seed and public key of an account, 64 bytes, or null. */
    byte @Nullable [] secret(Address account) {
        byte[] secret = secrets.get(account);
        return secret == null ? null : secret.clone();
    }
}
