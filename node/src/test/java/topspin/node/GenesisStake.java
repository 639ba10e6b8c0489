package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.Vectors;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.Genesis;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerConfig;
import topspin.ledger.store.MemoryStore;
import topspin.node.agreement.AgreementRules;
import topspin.node.agreement.HistoryUnknown;
import topspin.node.agreement.StakeSource;
import topspin.node.agreement.Timing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * Who may vote in the first rounds of a recorded network of which there are no blocks: stake and
 * keys of its genesis, seeds from what its nodes proved over.
 */
public final class GenesisStake implements StakeSource, AutoCloseable {
    private static final String FOLDER = "reference/ledger/";

    private final Ledger ledger;
    private final LedgerStake ofGenesis;
    private final Map<Long, Digest> seeds = new HashMap<>();

    public GenesisStake(String genesis, String consensus) {
        ConsensusVersions versions = ConsensusVersions.builtIn().with(text(consensus));
        ledger =
                Ledger.over(
                        new MemoryStore(),
                        Genesis.parse(text(genesis)),
                        LedgerConfig.DEFAULT.withVersions(versions),
                        () -> 0);
        ofGenesis = new LedgerStake(ledger::view, versions, Timing.DEFAULT);
    }

    private static String text(String file) {
        try {
            return Files.readString(Vectors.file(FOLDER + file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes the seed out of what a vote's credential proves over. */
    public void learnSeed(Vectors.Row vote) {
        String selector = vote.text("selector_message");
        String marker = "a473656564c420"; // The key `seed`, and the header of 32 bytes.
        int start = selector.indexOf(marker) + marker.length();
        byte[] seed = HexFormat.of().parseHex(selector.substring(start, start + 2 * Digest.BYTES));
        seeds.put(Math.max(0, vote.number("round") - 2), Digest.fromBytes(seed));
    }

    @Override
    public @Nullable OnlineAccount online(long round, Address address) throws HistoryUnknown {
        return ofGenesis.online(round, address);
    }

    @Override
    public long circulation(long round, long voteRound) throws HistoryUnknown {
        return ofGenesis.circulation(round, voteRound);
    }

    @Override
    public Digest seed(long round) throws HistoryUnknown {
        Digest known = seeds.get(round);
        if (known == null) {
            throw new HistoryUnknown("no seed of round " + round + " was recorded");
        }
        return known;
    }

    @Override
    public Digest headerHash(long round) throws HistoryUnknown {
        throw new HistoryUnknown("no header of round " + round + " was recorded");
    }

    @Override
    public AgreementRules rules(long round) throws HistoryUnknown {
        return ofGenesis.rules(0); // The version never changes.
    }

    @Override
    public void close() {
        ledger.close();
    }
}
