package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.block.BlockEncoder;
import topspin.codec.block.BlockHeader;
import topspin.ledger.RecordedChain;
import topspin.node.agreement.AgreementRules;
import topspin.node.agreement.HistoryUnknown;
import topspin.node.agreement.StakeSource;
import topspin.node.agreement.Timing;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Who may vote on a recorded chain: stake and keys from our replay of it, seeds and hashes from the
 * recorded headers, which reach further.
 */
public final class RecordedStake implements StakeSource {
    private final RecordedChain chain;
    private final LedgerStake replayed;
    private final Map<Long, BlockHeader> headers = new HashMap<>();

    public RecordedStake(RecordedChain chain) {
        this.chain = chain;
        this.replayed = new LedgerStake(chain::view, chain.versions(), Timing.DEFAULT);
    }

    @Override
    public @Nullable OnlineAccount online(long round, Address address) throws HistoryUnknown {
        return replayed.online(round, address);
    }

    @Override
    public long circulation(long round, long voteRound) throws HistoryUnknown {
        return replayed.circulation(round, voteRound);
    }

    @Override
    public Digest seed(long round) {
        return header(round).seed();
    }

    @Override
    public Digest headerHash(long round) {
        return BlockEncoder.hash(header(round));
    }

    @Override
    public AgreementRules rules(long round) {
        String version = header(round).protocol();
        return new AgreementRules(
                version, Objects.requireNonNull(chain.versions().get(version)), Timing.DEFAULT);
    }

    private BlockHeader header(long round) {
        return headers.computeIfAbsent(round, absent -> chain.block(absent).header());
    }
}
