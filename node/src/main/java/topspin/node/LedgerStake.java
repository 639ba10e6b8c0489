package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.LedgerView;
import topspin.ledger.account.Account;
import topspin.ledger.account.Participation;
import topspin.ledger.account.Status;
import topspin.ledger.store.SnapshotClosed;
import topspin.node.agreement.AgreementRules;
import topspin.node.agreement.HistoryUnknown;
import topspin.node.agreement.StakeSource;
import topspin.node.agreement.Timing;

import java.util.function.Function;
import java.util.function.Supplier;

/** Agreement's questions to the ledger, answered from its latest view. Any thread may ask. */
final class LedgerStake implements StakeSource {
    private final Supplier<LedgerView> latest;
    private final ConsensusVersions versions;
    private final Timing timing;

    LedgerStake(Supplier<LedgerView> latest, ConsensusVersions versions, Timing timing) {
        this.latest = latest;
        this.versions = versions;
        this.timing = timing;
    }

    @Override
    public @Nullable OnlineAccount online(long round, Address address) throws HistoryUnknown {
        return ask(
                view -> {
                    Account account = view.online(address, round);
                    return account.status() == Status.ONLINE ? account(view, round, account) : null;
                });
    }

    private OnlineAccount account(LedgerView view, long round, Account account) {
        ConsensusParams params = params(view, round);
        Participation keys = account.participation();
        long stake = account.balanceAt(view.totals(round).rewardsLevel(), params.rewardUnit());
        boolean isEligible =
                account.incentiveEligible()
                        && Long.compareUnsigned(stake, params.payouts().minBalance()) >= 0
                        && Long.compareUnsigned(stake, params.payouts().maxBalance()) <= 0;
        return new OnlineAccount(
                stake,
                keys.voteKey(),
                keys.selectionKey(),
                keys.voteFirst(),
                keys.voteLast(),
                keys.voteKeyDilution(),
                isEligible);
    }

    @Override
    public long circulation(long round, long voteRound) throws HistoryUnknown {
        return ask(view -> view.circulation(round, voteRound));
    }

    @Override
    public Digest seed(long round) throws HistoryUnknown {
        return ask(view -> view.header(round).seed());
    }

    @Override
    public Digest headerHash(long round) throws HistoryUnknown {
        return ask(view -> view.headerHash(round));
    }

    @Override
    public AgreementRules rules(long round) throws HistoryUnknown {
        return ask(
                view ->
                        new AgreementRules(
                                view.header(round).protocol(), params(view, round), timing));
    }

    private ConsensusParams params(LedgerView view, long round) {
        String version = view.header(round).protocol();
        ConsensusParams params = versions.get(version);
        if (params == null) {
            throw new IllegalStateException("the ledger holds a block of unknown " + version);
        }
        return params;
    }

    /** Asks the latest view, and the next one if that has just been closed. */
    private <T extends @Nullable Object> T ask(Function<LedgerView, T> question)
            throws HistoryUnknown {
        for (int attempt = 0; attempt < 2; attempt++) {
            LedgerView view = latest.get();
            try {
                return question.apply(view);
            } catch (SnapshotClosed overtaken) {
                continue;
            } catch (IllegalArgumentException notThere) { // Pruned, or not there yet.
                throw new HistoryUnknown(String.valueOf(notThere.getMessage()));
            }
        }
        throw new HistoryUnknown("the ledger's view was closed twice");
    }
}
