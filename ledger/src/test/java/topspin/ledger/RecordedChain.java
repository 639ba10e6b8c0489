package topspin.ledger;

import static org.junit.jupiter.api.Assertions.assertNull;

import topspin.codec.Vectors;
import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedCache;
import topspin.ledger.store.MemoryStore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;

/**
 * A chain that the reference node made and somebody recorded, replayed from its genesis by the code
 * that takes blocks from peers.
 */
public final class RecordedChain implements AutoCloseable {
    private static final String FOLDER = "reference/ledger/";

    private final String name;
    private final Map<Long, Vectors.Row> rows = new TreeMap<>();
    private final Map<Long, List<Vectors.Row>> deltas = new TreeMap<>();
    private final Genesis genesis;
    private final ConsensusVersions versions;
    private final Ledger ledger;
    private final Signatures signatures =
            new Signatures(
                    new VerifiedCache(2, new Random(1)),
                    new SignatureEngine(new SecureRandom()),
                    64);
    private final Replay replay;
    private final BlockDecoder decoder = new BlockDecoder();

    /** Opens a recording, at round 0. The test is skipped where there is none. */
    public RecordedChain(String name) {
        this.name = name;
        for (Vectors.Row row : Vectors.rows(FOLDER + name + "/blocks.jsonl.gz")) {
            rows.put(row.number("round"), row);
        }
        genesis = Genesis.parse(text("genesis.json"));
        versions =
                name.equals("chain_fast")
                        ? ConsensusVersions.builtIn().with(text("consensus.json"))
                        : ConsensusVersions.builtIn();
        ledger =
                Ledger.over(
                        new MemoryStore(),
                        genesis,
                        LedgerConfig.DEFAULT.withVersions(versions),
                        () -> 0);
        replay = new Replay(ledger, signatures);
    }

    private String text(String file) {
        try {
            return Files.readString(Vectors.file(FOLDER + name + "/" + file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The rows of one of the recording's other files, by round. */
    Map<Long, List<Vectors.Row>> byRound(String file) {
        Map<Long, List<Vectors.Row>> found = new TreeMap<>();
        for (Vectors.Row row : Vectors.rows(FOLDER + name + "/" + file)) {
            found.computeIfAbsent(row.number("round"), round -> new ArrayList<>()).add(row);
        }
        return found;
    }

    public ConsensusVersions versions() {
        return versions;
    }

    public LedgerView view() {
        return ledger.view();
    }

    Signatures signatures() {
        return signatures;
    }

    /** What is recorded of a round. */
    public Vectors.Row row(long round) {
        return Objects.requireNonNull(rows.get(round), "no round " + round);
    }

    public Block block(long round) {
        try {
            return decoder.decodeBlock(row(round).hex("block_msgpack_hex"));
        } catch (MalformedMessage malformed) {
            throw new AssertionError("round " + round, malformed);
        }
    }

    /** Judges the next recorded block, and adds it when it is right. */
    BlockEvaluator.Outcome tryNext() {
        Vectors.Row row = row(view().round() + 1);
        try {
            return replay.add(row.hex("block_msgpack_hex"), row.hex("cert_msgpack_hex"));
        } catch (MalformedMessage malformed) {
            throw new AssertionError("round " + row.number("round"), malformed);
        }
    }

    /** Judges the next recorded block, which must be right, and adds it. */
    EvaluatedBlock addNext() {
        long round = view().round() + 1;
        BlockEvaluator.Outcome outcome = tryNext();
        Refusal refusal = outcome.refusal();
        assertNull(refusal, () -> "round " + round + ": " + refusal);
        return Objects.requireNonNull(outcome.block());
    }

    /** Adds the next recorded block with changes that somebody else found. */
    void carryNext(StateDelta delta) {
        long round = view().round() + 1;
        ledger.add(block(round), row(round).hex("cert_msgpack_hex"), delta);
    }

    /** A recording replayed to a round, over what this node cannot judge too. */
    public static RecordedChain at(String name, long round) {
        RecordedChain chain = new RecordedChain(name);
        while (chain.view().round() < round) {
            chain.addOrCarryNext();
        }
        return chain;
    }

    /** Adds the next round: by our own judgement, or by the recorded changes where we have none. */
    public void addOrCarryNext() {
        long next = view().round() + 1;
        if (!row(next).has("later_milestone")) {
            addNext();
            return;
        }
        if (deltas.isEmpty()) {
            deltas.putAll(byRound("deltas.jsonl.gz"));
        }
        Vectors.Row delta = Objects.requireNonNull(deltas.get(next)).getFirst();
        carryNext(RecordedDelta.read(delta.hex("msgpack_hex")).onto(view(), next));
    }

    @Override
    public void close() {
        ledger.close();
    }
}
