package topspin.node.agreement;

import static topspin.codec.crypto.Domain.AS;
import static topspin.codec.crypto.Domain.VO;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.SelectF128;
import topspin.codec.crypto.Vrf;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;
import topspin.codec.vote.Vote;
import topspin.codec.vote.VoteEncoder;
import topspin.codec.vote.VoteSignature;
import topspin.node.agreement.StakeSource.OnlineAccount;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Judges votes, bundles and certificates (agreement.md 5): signature, lot, weight, sum. Any thread
 * may call. What this node lacks the history for is cancelled, never held against anybody.
 */
public final class CredentialVerifier {
    private final StakeSource ledger;

    public CredentialVerifier(StakeSource ledger) {
        this.ledger = ledger;
    }

    /** Judges a vote. */
    public Outcome<VerifiedVote> verify(Vote vote) {
        try {
            String fault = fault(vote.raw());
            return fault != null ? new Outcome.Invalid<>(fault) : verifyCredential(vote);
        } catch (HistoryUnknown unknown) {
            return new Outcome.Cancelled<>();
        }
    }

    /** What no vote may say, or null. */
    private static @Nullable String fault(RawVote raw) {
        ProposalValue value = raw.value();
        if (Long.compareUnsigned(raw.step(), Step.CERT) <= 0 && value.isBottom()) {
            return "nobody votes for nothing in step " + raw.step();
        } else if (raw.step() != Step.PROPOSE) {
            return null;
        } else if (Long.compareUnsigned(value.originalPeriod(), raw.period()) > 0) {
            return "proposes again what was first proposed in a later period";
        } else if (value.originalPeriod() == raw.period()
                && !value.originalProposer().equals(raw.sender())) {
            return "proposes what another account made";
        }
        return null;
    }

    private Outcome<VerifiedVote> verifyCredential(Vote vote) throws HistoryUnknown {
        RawVote raw = vote.raw();
        if (raw.round() < 0) {
            return new Outcome.Invalid<>("no chain has such a round");
        }
        AgreementRules rules = ledger.rules(Lookback.paramsRound(raw.round()));
        if (!rules.params().enableSelectF128()) {
            return new Outcome.Cancelled<>(); // The lot of versions before v42 is not drawn here.
        }
        long balanceRound = Lookback.balanceRound(raw.round(), rules);
        OnlineAccount account = ledger.online(balanceRound, raw.sender());
        if (account == null) {
            return new Outcome.Invalid<>("the sender does not take part");
        } else if (Long.compareUnsigned(raw.round(), account.voteFirst()) < 0
                || account.voteLast() != 0
                        && Long.compareUnsigned(raw.round(), account.voteLast()) > 0) {
            return new Outcome.Invalid<>("the sender's keys are not for this round");
        } else if (!isSigned(vote, account, rules)) {
            return new Outcome.Invalid<>("the signature does not hold");
        }
        Digest seed = ledger.seed(Lookback.seedRound(raw.round(), rules));
        var output = new byte[Vrf.OUTPUT_BYTES];
        if (!isProven(vote.credential(), account, seed, raw, output)) {
            return new Outcome.Invalid<>("the credential does not hold");
        }
        long total = ledger.circulation(balanceRound, raw.round());
        long size = rules.committeeSize(raw.step());
        if (account.stake() < 0 || account.stake() >= SelectF128.STAKE_MAX) {
            return new Outcome.Invalid<>("more stake than there can be");
        } else if (size <= 0
                || Long.compareUnsigned(total, size) < 0
                || Long.compareUnsigned(total, account.stake()) < 0) {
            return new Outcome.Cancelled<>(); // A network that cannot draw a committee.
        }
        long weight = Sortition.weight(raw.sender(), output, account.stake(), total, size);
        if (weight == 0) {
            return new Outcome.Invalid<>("the sender was not drawn");
        }
        Digest priority =
                raw.step() == Step.PROPOSE
                        ? Sortition.priority(raw.sender(), output, weight)
                        : Digest.ZERO;
        return new Outcome.Valid<>(new VerifiedVote(vote, weight, priority));
    }

    private static boolean isSigned(Vote vote, OnlineAccount account, AgreementRules rules) {
        VoteSignature signature = vote.signature();
        if (signature == null) {
            return false;
        }
        long dilution = dilution(account, rules);
        long round = vote.raw().round();
        return signature
                .oneTime()
                .verify(
                        account.voteKey(),
                        Long.divideUnsigned(round, dilution),
                        Long.remainderUnsigned(round, dilution),
                        VO,
                        VoteEncoder.encode(vote.raw()));
    }

    static long dilution(OnlineAccount account, AgreementRules rules) {
        return account.keyDilution() == 0
                ? rules.params().defaultKeyDilution()
                : account.keyDilution();
    }

    private static boolean isProven(
            Bytes proof, OnlineAccount account, Digest seed, RawVote raw, byte[] output) {
        if (proof.length() != Vrf.PROOF_BYTES) {
            return false;
        }
        byte[] selector = Sortition.selector(seed, raw.round(), raw.period(), raw.step());
        return Vrf.verify(
                account.selectionKey().toBytes(),
                0,
                proof.array(),
                proof.offset(),
                AS,
                selector,
                0,
                selector.length,
                output,
                0);
    }

    /**
     * Judges a bundle.
     *
     * @return its votes, then both votes of each of its pairs
     */
    public Outcome<List<VerifiedVote>> verify(Bundle bundle) {
        if (bundle.step() == Step.PROPOSE) {
            return new Outcome.Invalid<>("proposals make no quorum");
        }
        AgreementRules rules;
        try {
            rules = ledger.rules(Lookback.paramsRound(bundle.round()));
        } catch (HistoryUnknown unknown) {
            return new Outcome.Cancelled<>();
        }
        if (bundle.votes().size() + bundle.pairs().size() > rules.threshold(bundle.step())) {
            return new Outcome.Invalid<>("more votes than a quorum can need");
        } else if (!areSendersDistinct(bundle)) {
            return new Outcome.Invalid<>("a sender counts twice");
        }
        return new Tally(bundle, rules).outcome();
    }

    private static boolean areSendersDistinct(Bundle bundle) {
        Set<Address> senders = new HashSet<>();
        for (Bundle.Member member : bundle.votes()) {
            senders.add(member.sender());
        }
        for (Bundle.Pair pair : bundle.pairs()) {
            senders.add(pair.sender());
        }
        return senders.size() == bundle.votes().size() + bundle.pairs().size();
    }

    /**
     * Whether a certificate is one, of the block of this round and header (agreement.md 5.4, 10).
     * That the transactions are those of the header is to be checked apart.
     */
    public Outcome<List<VerifiedVote>> verifyCertificate(
            Bundle certificate, long round, Digest headerHash) {
        if (certificate.step() != Step.CERT || certificate.round() != round) {
            return new Outcome.Invalid<>("no certificate of round " + round);
        } else if (!certificate.value().blockDigest().equals(headerHash)) {
            return new Outcome.Invalid<>("it certifies another block");
        }
        return verify(certificate);
    }

    /** Adds up a bundle. */
    private final class Tally {
        private final Bundle bundle;
        private final AgreementRules rules;
        private final List<VerifiedVote> votes = new ArrayList<>();
        private long weight;

        Tally(Bundle bundle, AgreementRules rules) {
            this.bundle = bundle;
            this.rules = rules;
        }

        Outcome<List<VerifiedVote>> outcome() {
            for (Bundle.Member member : bundle.votes()) {
                Outcome<List<VerifiedVote>> refused = add(bundle.vote(member), true);
                if (refused != null) {
                    return refused;
                }
            }
            for (Bundle.Pair pair : bundle.pairs()) {
                if (pair.firstValue().equals(pair.secondValue())) {
                    return new Outcome.Invalid<>("a pair for one value is none");
                }
                Outcome<List<VerifiedVote>> refused = add(first(pair), true);
                refused = refused == null ? add(second(pair), false) : refused;
                if (refused != null) {
                    return refused;
                }
            }
            if (!rules.reachesQuorum(bundle.step(), weight)) {
                return new Outcome.Invalid<>("no quorum, weight is " + weight);
            }
            return new Outcome.Valid<>(votes);
        }

        private @Nullable Outcome<List<VerifiedVote>> add(Vote vote, boolean counts) {
            return switch (verify(vote)) {
                case Outcome.Valid<VerifiedVote>(var valid) -> {
                    votes.add(valid);
                    weight += counts ? valid.weight() : 0;
                    yield null;
                }
                case Outcome.Invalid<VerifiedVote>(var reason) -> new Outcome.Invalid<>(reason);
                case Outcome.Cancelled<VerifiedVote> cancelled -> new Outcome.Cancelled<>();
            };
        }

        private Vote first(Bundle.Pair pair) {
            return new Vote(raw(pair, pair.firstValue()), pair.credential(), pair.firstSignature());
        }

        private Vote second(Bundle.Pair pair) {
            return new Vote(
                    raw(pair, pair.secondValue()), pair.credential(), pair.secondSignature());
        }

        private RawVote raw(Bundle.Pair pair, ProposalValue value) {
            return new RawVote(
                    pair.sender(), bundle.round(), bundle.period(), bundle.step(), value);
        }
    }
}
