package topspin.node.catchup;

import org.jspecify.annotations.Nullable;

import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.Certificate;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.VoteDecoder;
import topspin.net.stream.BlockAnswer;

import java.util.Arrays;

/**
 * Judges what a peer answered, up to its certificate: whether the block was agreed on, by votes of
 * accounts that were drawn, or made by dev mode. What its transactions do is for the evaluator. One
 * thread.
 */
final class BlockJudge {
    private final boolean devMode;
    private final CertificateCheck certificates;
    private final BlockDecoder decoder = new BlockDecoder();
    private final VoteDecoder votes = new VoteDecoder();

    /**
     * @param devMode whether blocks of this network are made without agreement
     */
    BlockJudge(boolean devMode, CertificateCheck certificates) {
        this.devMode = devMode;
        this.certificates = certificates;
    }

    /** What came of it: a block, or why it is none. */
    record Judged(@Nullable Block block, String fault) {}

    /** Judges the block of the round after the ledger's latest. */
    Judged judge(long round, BlockAnswer.Found found) {
        Block block;
        try {
            block = decoder.decodeBlock(found.block(), 0, found.block().length);
        } catch (MalformedMessage malformed) {
            return new Judged(null, "no block: " + malformed.getMessage());
        }
        String fault = fault(round, block, found.certificate());
        return fault == null ? new Judged(block, "") : new Judged(null, fault);
    }

    private @Nullable String fault(long round, Block block, byte[] certificate) {
        if (devMode) {
            return Arrays.equals(certificate, Certificate.ofRound(round).encoding().toArray())
                    ? null
                    : "its certificate is not one of a network without agreement";
        }
        Bundle bundle;
        try {
            bundle = votes.decodeBundle(certificate, 0, certificate.length);
        } catch (MalformedMessage malformed) {
            return "no certificate: " + malformed.getMessage();
        }
        if (bundle.round() != round
                || !bundle.value().blockDigest().equals(BlockEncoder.hash(block.header()))) {
            return "its certificate is another block's";
        }
        String wrong = certificates.fault(round, bundle);
        return wrong == null ? null : "its certificate does not hold: " + wrong;
    }
}
