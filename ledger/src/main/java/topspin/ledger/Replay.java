package topspin.ledger;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.msgpack.MalformedMessage;
import topspin.ledger.BlockEvaluator.Origin;
import topspin.ledger.BlockEvaluator.Outcome;
import topspin.ledger.rules.GroupVerifier;
import topspin.ledger.rules.Refusal;

import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * Takes encoded blocks in order, judges each by everything but its certificate, and adds it: the
 * way of a block that this node did not make, whether it comes from a peer, a file or another
 * ledger. For one thread.
 */
public final class Replay {
    private final Ledger ledger;
    private final GroupVerifier signatures;
    private final Origin origin;
    private final BlockDecoder decoder = new BlockDecoder();

    /**
     * A replay on top of what the ledger holds; its genesis says who makes the blocks.
     *
     * @param signatures verifies what its cache does not know; nobody else's meanwhile
     */
    public Replay(Ledger ledger, GroupVerifier signatures) {
        this.ledger = ledger;
        this.signatures = signatures;
        this.origin = Origin.of(ledger.genesis());
    }

    /**
     * Adds the block of the next round, if all is right with it.
     *
     * @param certificate as it is served, already checked or not needed
     * @return the block, which is in, or the first rule that it breaks
     * @throws MalformedMessage when these are not the bytes of a block
     * @throws topspin.ledger.store.StoreFault when the disk refuses
     */
    public Outcome add(byte[] block, byte[] certificate) throws MalformedMessage {
        return add(decoder.decodeBlock(block, 0, block.length), certificate);
    }

    /** The same for a block that is decoded already. */
    public Outcome add(Block block, byte[] certificate) {
        Outcome outcome =
                BlockEvaluator.validate(
                        block, ledger.view(), ledger.versions(), signatures, origin);
        EvaluatedBlock evaluated = outcome.block();
        if (evaluated != null) {
            ledger.add(evaluated.block(), certificate, evaluated.delta());
        }
        return outcome;
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
            Ledger ledger, GroupVerifier signatures, Path scratch, LongConsumer progress) {
        LedgerView view = ledger.view();
        if (view.firstRound() > 0) {
            throw new RoundNotKept(0, view.firstRound());
        }
        Digest kept = view.digest();
        try (Ledger again = Ledger.open(scratch, ledger.genesis(), ledger.config())) {
            var replay = new Replay(again, signatures);
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
            Refusal refusal = add(block, certificate).refusal();
            return refusal == null ? null : refusal.text();
        } catch (MalformedMessage malformed) {
            return malformed.getMessage();
        }
    }
}
