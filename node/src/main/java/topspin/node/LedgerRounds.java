package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.codec.block.BlockHeader;
import topspin.codec.params.ConsensusParams;
import topspin.codec.params.ConsensusVersions;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerView;
import topspin.node.agreement.AgreementRules;
import topspin.node.agreement.Timing;

/** What the ledger says about the rounds to come (agreement.md 3). Any thread. */
final class LedgerRounds {
    private final Ledger ledger;
    private final ConsensusVersions versions;
    private final Timing timing;

    LedgerRounds(Ledger ledger, Timing timing) {
        this.ledger = ledger;
        this.versions = ledger.versions();
        this.timing = timing;
    }

    /** The round that follows the latest durable one. */
    long next() {
        return ledger.view().round() + 1;
    }

    /** The rules of a version by its name, or null. */
    @Nullable AgreementRules rules(String version) {
        ConsensusParams params = versions.get(version);
        return params == null ? null : new AgreementRules(version, params, timing);
    }

    /** The rules of the block of a round, as far as they are certain; else null. */
    @Nullable AgreementRules rules(long round) {
        LedgerView view = ledger.view();
        if (round <= view.round()) {
            try {
                return rules(view.header(round).protocol());
            } catch (IllegalArgumentException pruned) {
                return null;
            }
        }
        String version = version(view.header(), round);
        return version == null ? null : rules(version);
    }

    private @Nullable String version(BlockHeader latest, long round) {
        ConsensusParams params = versions.get(latest.protocol());
        if (params == null) {
            return null;
        }
        if (latest.nextProtocol().isEmpty()) {
            // Nobody can have proposed, voted for and begun another by then.
            return round - latest.round() <= params.upgradeVoteRounds() ? latest.protocol() : null;
        }
        if (round < latest.nextProtocolSwitchOn()) {
            return latest.protocol();
        }
        boolean isDecided =
                round == latest.nextProtocolSwitchOn()
                        && latest.round() >= latest.nextProtocolVoteBefore();
        return isDecided ? latest.nextProtocol() : null;
    }
}
