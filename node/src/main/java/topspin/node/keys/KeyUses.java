package topspin.node.keys;

import topspin.codec.Address;
import topspin.codec.Digest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the keys of a store were used for. Any thread; none waits for the disk but the one that
 * {@linkplain KeyStore#storeUses stores}. What a kill or a loss of power takes with it is the use
 * since then: nothing depends on it but what people are told.
 */
public final class KeyUses {
    /** "uses" and a version. */
    private static final long MAGIC = 0x7573_6573_0000_0001L;

    private static final int FILE_BYTES = 5 * Long.BYTES;

    private static final class Entry {
        final ParticipationKeys keys;
        final Path file;
        KeyUse use;
        boolean isStored = true;

        Entry(ParticipationKeys keys, Path file, KeyUse use) {
            this.keys = keys;
            this.file = file;
            this.use = use;
        }

        void set(KeyUse now) {
            isStored = isStored && now.equals(use);
            use = now;
        }
    }

    private final Map<Digest, Entry> entries = new LinkedHashMap<>();

    KeyUses() {}

    /** Takes keys of which a file tells what they were used for, if there is one. */
    synchronized void add(ParticipationKeys keys, Path file) throws IOException {
        entries.put(keys.id(), new Entry(keys, file, read(file)));
    }

    synchronized void remove(Digest id) {
        entries.remove(id);
    }

    /** What keys were used for; nothing if they are not here. */
    public synchronized KeyUse of(Digest id) {
        Entry found = entries.get(id);
        return found == null ? KeyUse.NONE : found.use;
    }

    /**
     * The ledger counts with these keys for a round, and this node votes with them: from now on
     * they are in effect, and the account's others no more. Does nothing if that is known, or the
     * keys are gone.
     */
    public synchronized void inEffect(Digest id, long round) {
        Entry found = entries.get(id);
        if (found == null || found.use.isEffective(round)) {
            return;
        }
        for (Entry other : entries.values()) {
            if (other.keys.account().equals(found.keys.account()) && other.use.isEffective(round)) {
                other.set(other.use.withEffective(other.use.firstEffective(), round - 1));
            }
        }
        found.set(found.use.withEffective(round, found.keys.lastValid()));
    }

    /** A vote of an account goes out, signed by those of its keys that are in effect. */
    public synchronized void voted(Address account, long round) {
        for (Entry entry : entries.values()) {
            if (entry.keys.account().equals(account) && entry.use.isEffective(round)) {
                entry.set(entry.use.withVote(round));
            }
        }
    }

    /** A block of an account goes out, proposed by those of its keys that are in effect. */
    public synchronized void proposed(Address account, long round) {
        for (Entry entry : entries.values()) {
            if (entry.keys.account().equals(account) && entry.use.isEffective(round)) {
                entry.set(entry.use.withProposal(round));
            }
        }
    }

    /** Writes what has changed since the last time. One thread at a time. */
    void store() throws IOException {
        List<Path> files = new ArrayList<>();
        List<KeyUse> uses = new ArrayList<>();
        synchronized (this) {
            for (Entry entry : entries.values()) {
                if (!entry.isStored) {
                    files.add(entry.file);
                    uses.add(entry.use);
                    entry.isStored = true;
                }
            }
        }
        for (int i = 0; i < files.size(); i++) {
            write(files.get(i), uses.get(i));
        }
    }

    private static void write(Path to, KeyUse use) throws IOException {
        ByteBuffer out =
                ByteBuffer.allocate(FILE_BYTES)
                        .putLong(MAGIC)
                        .putLong(use.firstEffective())
                        .putLong(use.lastEffective())
                        .putLong(use.lastVote())
                        .putLong(use.lastProposal())
                        .flip();
        try (FileChannel file =
                FileChannel.open(to, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            while (out.hasRemaining()) {
                file.write(out, out.position());
            }
        }
    }

    /** A file that was cut short, or is none of ours, tells nothing. */
    private static KeyUse read(Path file) throws IOException {
        if (!Files.exists(file) || Files.size(file) != FILE_BYTES) {
            return KeyUse.NONE;
        }
        ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file));
        return in.getLong() == MAGIC
                ? new KeyUse(in.getLong(), in.getLong(), in.getLong(), in.getLong())
                : KeyUse.NONE;
    }
}
