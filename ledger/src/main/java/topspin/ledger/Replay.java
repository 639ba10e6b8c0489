package topspin.ledger;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.msgpack.MalformedMessage;
import topspin.ledger.BlockEvaluator.Origin;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Signatures;

import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * Takes encoded blocks in order, judges each by everything but its certificate, and adds it: the
 * way of a block that this node did not make, whether it comes from a peer, a file or another
 * ledger. For one thread.
 */
public final class Replay {
    private final Ledger ledger;
    private final Signatures signatures;
    private final Origin origin;
    private final BlockDecoder decoder = new BlockDecoder();

    /**
     * A replay on top of what the ledger holds.
     *
     * @param signatures verifies what its cache does not know; belongs to this thread
     * @param origin whether agreement made the blocks, or the one producer of a dev mode
     */
    public Replay(Ledger ledger, Signatures signatures, Origin origin) {
        this.ledger = ledger;
        this.signatures = signatures;
        this.origin = origin;
    }

    /**
     * Adds the block of the next round, if all is right with it.
     *
     * @param certificate as it is served, already checked or not needed
     * @return null when it is in, or the first rule that it breaks
     * @throws MalformedMessage when these are not the bytes of a block
     * @throws topspin.ledger.store.StoreFault when the disk refuses
     */
    public @Nullable Refusal add(byte[] block, byte[] certificate) throws MalformedMessage {
        return add(decoder.decodeBlock(block, 0, block.length), certificate);
    }

    /** The same for a block that is decoded already. */
    public @Nullable Refusal add(Block block, byte[] certificate) {
        BlockEvaluator.Outcome outcome =
                BlockEvaluator.validate(
                        block, ledger.view(), ledger.versions(), signatures, origin);
        EvaluatedBlock evaluated = outcome.block();
        if (evaluated == null) {
            return outcome.refusal();
        }
        ledger.add(evaluated.block(), certificate, evaluated.delta());
        return null;
    }

    /**
     * What came of evaluating a chain again.
     *
     * @param round up to which it was done
     * @param kept digest of the state that the ledger keeps
     * @param evaluated digest of the state that its blocks lead to
     * @param fault what is wrong with the chain, or null; then the digests tell the rest
     */
    public record Verification(long round, Digest kept, Digest evaluated, @Nullable String fault) {
        public boolean holds() {
            return fault == null && kept.equals(evaluated);
        }
    }

    /**
     * Evaluates a ledger's whole chain from genesis in a scratch folder, and compares the states.
     *
     * @param scratch an empty folder with room for a second ledger; the caller removes it
     * @param progress is told of each round done
     * @throws RoundNotKept when blocks have been pruned, so that there is no whole chain
     */
    public static Verification verify(
            Ledger ledger, Signatures signatures, Path scratch, LongConsumer progress) {
        LedgerView view = ledger.view();
        if (view.firstRound() > 0) {
            throw new RoundNotKept(0, view.firstRound());
        }
        Origin origin = ledger.genesis().devMode() ? Origin.DEV_MODE : Origin.AGREEMENT;
        Digest kept = view.digest();
        try (Ledger again = Ledger.open(scratch, ledger.genesis(), ledger.config())) {
            var replay = new Replay(again, signatures, origin);
            for (long round = 1; round <= view.round(); round++) {
                String fault = replay.copy(round, ledger);
                if (fault != null) {
                    return new Verification(
                            round, kept, again.digest(), "round " + round + ": " + fault);
                }
                progress.accept(round);
            }
            return new Verification(view.round(), kept, again.digest(), null);
        }
    }

    private @Nullable String copy(long round, Ledger from) {
        byte[] block = from.blockBytes(round);
        byte[] certificate = from.certificateBytes(round);
        if (block == null || certificate == null) {
            return "block or certificate is missing";
        }
        try {
            Refusal refusal = add(block, certificate);
            return refusal == null ? null : refusal.text();
        } catch (MalformedMessage malformed) {
            return malformed.getMessage();
        }
    }
}
