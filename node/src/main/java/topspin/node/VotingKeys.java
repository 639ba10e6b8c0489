package topspin.node;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.OneTimeSecrets;
import topspin.codec.crypto.Vrf;
import topspin.codec.msgpack.MalformedMessage;
import topspin.node.agreement.KeyRing;
import topspin.node.agreement.StakeSource;
import topspin.node.keys.KeyStore;
import topspin.node.keys.KeyUses;
import topspin.node.keys.ParticipationKeys;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The participation keys of this node at work: those of the store are in the ring, and what could
 * sign for rounds that are over is deleted, in memory and on disk, on a thread of its own
 * (agreement.md 2.5). It does a round after the other, or the latest when it is behind.
 */
final class VotingKeys {
    private final KeyStore store;
    private final KeyRing ring;
    private final SecureRandom random;
    private final Executor thread;
    private final Map<Digest, KeyRing.Keys> held = new LinkedHashMap<>();

    private final AtomicBoolean isDue = new AtomicBoolean();
    private volatile long over;

    /**
     * @param round that is over
     * @param thread one, to which this object leaves what goes wrong
     */
    VotingKeys(
            KeyStore store, StakeSource stake, long round, SecureRandom random, Executor thread) {
        this.store = store;
        this.ring = new KeyRing(stake, List.of(), new Book(store.uses()));
        this.random = random;
        this.thread = thread;
        this.over = round;
        take();
    }

    /** What the keys are used for goes into the store's book. */
    private record Book(KeyUses uses) implements KeyRing.Watch {
        @Override
        public void inEffect(Digest id, long round) {
            uses.inEffect(id, round);
        }

        @Override
        public void voted(Address account, long round) {
            uses.voted(account, round);
        }

        @Override
        public void proposed(Address account, long round) {
            uses.proposed(account, round);
        }
    }

    KeyRing ring() {
        return ring;
    }

    void start() {
        roundOver(over);
    }

    /** A round is in the ledger. Any thread. */
    void roundOver(long round) {
        over = round;
        if (isDue.compareAndSet(false, true)) {
            thread.execute(this::catchUp);
        }
    }

    private void catchUp() {
        isDue.set(false); // Before the round is read, so that none is missed.
        take();
        forget(over);
        store.storeUses();
    }

    /** The last thing to be done on the thread of the keys: no vote goes out any more. */
    void end() {
        store.storeUses();
    }

    /** Keys may have been installed, made or deleted. */
    private void take() {
        Map<Digest, KeyRing.Keys> now = new LinkedHashMap<>();
        for (ParticipationKeys keys : store.list()) {
            KeyRing.Keys known = held.get(keys.id());
            now.put(keys.id(), known == null ? atWork(keys) : known);
        }
        if (!now.keySet().equals(held.keySet())) {
            held.clear();
            held.putAll(now);
            ring.replace(List.copyOf(now.values()));
        }
    }

    private KeyRing.Keys atWork(ParticipationKeys keys) {
        Bytes voting = keys.voting();
        byte[] seed =
                Arrays.copyOfRange(
                        keys.vrfSecret().array(),
                        keys.vrfSecret().offset(),
                        keys.vrfSecret().offset() + Ed25519.SEED_BYTES);
        try {
            return new KeyRing.Keys(
                    keys.id(),
                    keys.account(),
                    Vrf.KeyPair.fromSeed(seed),
                    OneTimeSecrets.decode(voting.array(), voting.offset(), voting.length(), random),
                    keys.firstValid(),
                    keys.lastValid(),
                    keys.dilution());
        } catch (MalformedMessage unreadable) {
            throw new IllegalStateException(
                    "keys " + keys.id() + " cannot be read: " + unreadable.getMessage(),
                    unreadable);
        } finally {
            Arrays.fill(seed, (byte) 0);
        }
    }

    private void forget(long round) {
        ring.forget(round);
        held.forEach(
                (id, keys) -> {
                    if (!store.erase(id, ring.position(keys))) {
                        byte[] left = ring.secrets(keys);
                        store.replaceVoting(id, Bytes.of(left));
                        Arrays.fill(left, (byte) 0);
                    }
                });
    }
}
