package topspin.node.catchup;

import topspin.codec.block.Block;
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
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedCache;
import topspin.ledger.store.MemoryStore;
import topspin.node.Funds;

import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/** A ledger in memory, and the blocks that a producer of its network makes. */
final class Chain implements AutoCloseable {
    static final ConsensusVersions VERSIONS = ConsensusVersions.builtIn();

    final Funds funds;
    final Ledger ledger;
    private final Signatures signatures = newSignatures();

    Chain(Funds funds) {
        this(funds, LedgerConfig.DEFAULT);
    }

    Chain(Funds funds, LedgerConfig config) {
        this.funds = funds;
        ledger = Ledger.over(new MemoryStore(), funds.genesis(), config, System::nanoTime);
    }

    static Signatures newSignatures() {
        return new Signatures(
                new VerifiedCache(VerifiedCache.GROUPS_MAX, new SplittableRandom(1)),
                new SignatureEngine(new SecureRandom()),
                64);
    }

    long round() {
        return ledger.view().round();
    }

    /** Makes the next block of these transactions and adds it. */
    Block produce(SignedTransaction... transactions) {
        EvaluatedBlock made = make(transactions);
        long round = made.block().round();
        ledger.add(made.block(), Certificate.ofRound(round).encoding().toArray(), made.delta());
        return made.block();
    }

    private EvaluatedBlock make(SignedTransaction... transactions) {
        var evaluator =
                new BlockEvaluator(ledger.view(), VERSIONS, ledger.view().header().timestamp() + 1);
        for (SignedTransaction transaction : transactions) {
            Signatures.Outcome outcome =
                    signatures.verify(TransactionGroup.of(List.of(transaction)), evaluator.rules());
            var refusal = evaluator.add(Objects.requireNonNull(outcome.verified()));
            if (refusal != null) {
                throw new AssertionError(refusal.text());
            }
        }
        return evaluator.finish(BlockMaker.devMode(ledger.view()));
    }

    @Override
    public void close() {
        ledger.close();
    }
}
