package topspin.node;

import topspin.codec.block.Block;
import topspin.codec.block.BlockDecoder;
import topspin.codec.block.BlockHeader;
import topspin.codec.block.Certificate;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.BlockEvaluator;
import topspin.ledger.BlockMaker;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerConfig;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Rules;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedCache;
import topspin.ledger.rules.VerifiedGroup;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;

/** A real ledger in a folder, with the means to make and add blocks by hand. */
public final class Chain implements AutoCloseable {
    private final Ledger ledger;
    private final VerifiedCache cache = new VerifiedCache(1000, new SecureRandom());
    private final Signatures signatures =
            new Signatures(cache, new SignatureEngine(new SecureRandom()), 64);
    private final ConsensusVersions versions;

    public Chain(Path folder, Funds funds, ConsensusVersions versions) {
        this.versions = versions;
        this.ledger =
                Ledger.open(folder, funds.genesis(), LedgerConfig.DEFAULT.withVersions(versions));
    }

    public Ledger ledger() {
        return ledger;
    }

    public VerifiedCache cache() {
        return cache;
    }

    public VerifiedGroup verified(SignedTransaction transaction) {
        return verified(TransactionGroup.of(transaction));
    }

    public VerifiedGroup verified(TransactionGroup group) {
        Rules rules = Objects.requireNonNull(Rules.of(ledger.view().header(), versions));
        Signatures.Outcome outcome = signatures.verify(group, rules);
        VerifiedGroup verified = outcome.verified();
        if (verified == null) {
            throw new AssertionError(outcome.refusal());
        }
        return verified;
    }

    /** The next block of these groups, as another producer would make it. */
    public EvaluatedBlock evaluate(List<VerifiedGroup> groups) {
        BlockEvaluator evaluator =
                new BlockEvaluator(ledger.view(), versions, ledger.view().header().timestamp() + 1);
        for (VerifiedGroup group : groups) {
            Refusal refusal = evaluator.add(group);
            if (refusal != null) {
                throw new AssertionError(refusal);
            }
        }
        return evaluator.finish(BlockMaker.devMode(ledger.view()));
    }

    /** Makes and adds the next block. */
    public EvaluatedBlock add(VerifiedGroup... groups) {
        EvaluatedBlock block = evaluate(List.of(groups));
        add(block);
        return block;
    }

    /** Adds a block with the certificate of a dev mode. */
    public void add(EvaluatedBlock block) {
        ledger.add(
                block.block(),
                Certificate.ofRound(block.block().round()).encoding().toArray(),
                block.delta());
    }

    /** Adds another ledger's block of a round. */
    public void follow(Ledger other, long round) throws Exception {
        byte[] bytes = Objects.requireNonNull(other.blockBytes(round));
        Block block = new BlockDecoder().decodeBlock(bytes, 0, bytes.length);
        BlockEvaluator.Outcome outcome =
                BlockEvaluator.validate(
                        block, ledger.view(), versions, signatures, BlockEvaluator.Origin.DEV_MODE);
        add(Objects.requireNonNull(outcome.block()));
    }

    /** The block with another header, its hash changed. */
    public static Block restamped(Block block, long timestamp) {
        BlockHeader.Draft header = block.header().toDraft();
        header.timestamp = timestamp;
        return new Block(header.build(), block.transactions());
    }

    @Override
    public void close() {
        ledger.close();
    }
}
