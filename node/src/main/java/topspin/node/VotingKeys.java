package topspin.node;

import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.Ed25519;
import topspin.codec.crypto.OneTimeSecrets;
import topspin.codec.crypto.Vrf;
import topspin.codec.msgpack.MalformedMessage;
import topspin.node.agreement.KeyRing;
import topspin.node.agreement.StakeSource;
import topspin.node.keys.KeyStore;
import topspin.node.keys.ParticipationKeys;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The participation keys of this node at work: those of the store are in the ring, and what could
 * sign for rounds that are over is deleted, in memory and on disk, by a thread of its own
 * (agreement.md 2.5). It does a round after the other, or the latest when it is behind.
 */
final class VotingKeys implements AutoCloseable {
    private final KeyStore store;
    private final KeyRing ring;
    private final SecureRandom random;
    private final Consumer<Throwable> fault;
    private final Thread thread = Thread.ofPlatform().name("keys").unstarted(this::run);
    private final Map<Digest, KeyRing.Keys> held = new LinkedHashMap<>();

    private volatile boolean open = true;
    private volatile long over;
    private volatile CompletableFuture<Void> news = new CompletableFuture<>();

    /**
     * @param round that is over
     * @param fault told when keys cannot be kept
     */
    VotingKeys(
            KeyStore store,
            StakeSource stake,
            long round,
            SecureRandom random,
            Consumer<Throwable> fault) {
        this.store = store;
        this.ring = new KeyRing(stake, List.of());
        this.random = random;
        this.fault = fault;
        this.over = round;
        take();
    }

    KeyRing ring() {
        return ring;
    }

    void start() {
        thread.start();
    }

    /** A round is in the ledger. Any thread. */
    void roundOver(long round) {
        over = round;
        news.complete(null);
    }

    private void run() {
        long done = -1;
        try {
            while (open) {
                news = new CompletableFuture<>();
                long round = over;
                if (round != done) {
                    take();
                    forget(round);
                    done = round;
                } else if (open) {
                    news.join();
                }
            }
        } catch (RuntimeException | Error failed) {
            fault.accept(failed);
        }
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
                    Bytes left = Bytes.of(ring.secrets(keys));
                    ParticipationKeys stored = store.find(id);
                    if (stored != null && !stored.voting().equals(left)) {
                        store.replaceVoting(id, left);
                    }
                });
    }

    /** Returns when the thread has ended. */
    @Override
    public void close() {
        open = false;
        news.complete(null);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException waitOn) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
