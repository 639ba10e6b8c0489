package topspin.node.sim;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.OneTimeSignature;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;
import topspin.codec.vote.Vote;
import topspin.codec.vote.VoteSignature;
import topspin.node.agreement.AgreementRules;
import topspin.node.agreement.Outcome;
import topspin.node.agreement.Step;
import topspin.node.agreement.VerifiedVote;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Signatures and lots that cost nothing: a signature is a tag that only {@link #sign} makes, a
 * weight is drawn from a distribution like the real one.
 */
final class StubCrypto {
    private static final Digest KEY = digest(1);
    private static final Bytes UNUSED = Bytes.of(new byte[64]);

    private final long seed;
    private final int accounts;
    private final int lucky;
    private final AgreementRules rules;

    StubCrypto(Faults faults, AgreementRules rules) {
        this.seed = faults.seed();
        this.accounts = faults.nodes();
        this.lucky = faults.adversary() == Faults.Adversary.NONE ? -1 : faults.nodes() - 1;
        this.rules = rules;
    }

    static long mix(long a, long b) {
        long z = a * 0x9e3779b97f4a7c15L + b + 0x632be59bd9b4e019L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    static Digest digest(long number) {
        var bytes = new byte[Digest.BYTES];
        ByteBuffer.wrap(bytes).putLong(number).putLong(1);
        return Digest.fromBytes(bytes);
    }

    static Address account(int number) {
        return Address.fromBytes(digest(number + 1L).toBytes());
    }

    private static int number(Address account) {
        return (int) ByteBuffer.wrap(account.toBytes()).getLong() - 1;
    }

    private static long id(ProposalValue value) {
        return ByteBuffer.wrap(value.blockDigest().toBytes()).getLong();
    }

    private long tag(RawVote raw) {
        long tag = mix(seed, number(raw.sender()));
        tag = mix(tag, raw.round());
        tag = mix(tag, raw.period());
        tag = mix(tag, raw.step());
        return mix(mix(tag, id(raw.value())), raw.value().originalPeriod());
    }

    Vote sign(RawVote raw) {
        var bytes = new byte[64];
        ByteBuffer.wrap(bytes).putLong(tag(raw)).put((byte) 1);
        var signature = new OneTimeSignature(Bytes.of(bytes), KEY, UNUSED, KEY, UNUSED);
        return new Vote(raw, Bytes.EMPTY, new VoteSignature(signature));
    }

    /** How often an account is drawn: normal around its share. */
    long weight(RawVote raw) {
        long lot = lot(raw);
        double normal = 0;
        for (int i = 0; i < 4; i++) {
            lot = mix(lot, i);
            normal += (lot >>> 11) * 0x1.0p-53;
        }
        double mean = (double) rules.committeeSize(raw.step()) / accounts;
        return Math.max(0, Math.round(mean + (normal - 2) * Math.sqrt(3) * Math.sqrt(mean)));
    }

    private long lot(RawVote raw) {
        long lot = mix(seed ^ 0x5bd1e995, number(raw.sender()));
        return mix(mix(mix(lot, raw.round()), raw.period()), raw.step());
    }

    VerifiedVote verified(Vote vote, long weight) {
        RawVote raw = vote.raw();
        if (raw.step() != Step.PROPOSE) {
            return new VerifiedVote(vote, weight, Digest.ZERO);
        }
        // In the runs that are drawn, whoever is bad is lucky too, half of the time.
        long lot = lot(raw) >>> 1 | 1;
        lot = number(raw.sender()) == lucky && (lot & 2) == 0 ? 1 : lot;
        return new VerifiedVote(vote, weight, digest(lot));
    }

    Outcome<VerifiedVote> verify(Vote vote) {
        RawVote raw = vote.raw();
        VoteSignature signature = vote.signature();
        boolean isSigned =
                signature != null
                        && ByteBuffer.wrap(signature.oneTime().signature().toArray()).getLong()
                                == tag(raw);
        long weight = weight(raw);
        if (!isSigned || weight == 0) {
            return new Outcome.Invalid<>("forged or not drawn");
        }
        return new Outcome.Valid<>(verified(vote, weight));
    }

    Outcome<List<VerifiedVote>> verify(Bundle bundle) {
        List<Vote> votes = new ArrayList<>();
        Set<Address> senders = new HashSet<>();
        for (Bundle.Member member : bundle.votes()) {
            votes.add(bundle.vote(member));
        }
        for (Bundle.Pair pair : bundle.pairs()) {
            votes.add(vote(bundle, pair, pair.firstValue(), pair.firstSignature()));
            votes.add(vote(bundle, pair, pair.secondValue(), pair.secondSignature()));
        }
        List<VerifiedVote> verified = new ArrayList<>();
        long weight = 0;
        for (Vote vote : votes) {
            if (!(verify(vote) instanceof Outcome.Valid<VerifiedVote>(var valid))) {
                return new Outcome.Invalid<>("a vote does not hold");
            }
            verified.add(valid);
            weight += senders.add(vote.raw().sender()) ? valid.weight() : 0;
        }
        boolean isDistinct = senders.size() == bundle.votes().size() + bundle.pairs().size();
        return isDistinct && weight >= rules.threshold(bundle.step())
                ? new Outcome.Valid<>(verified)
                : new Outcome.Invalid<>("no quorum: " + weight);
    }

    private static Vote vote(
            Bundle bundle, Bundle.Pair pair, ProposalValue value, VoteSignature signature) {
        var raw = new RawVote(pair.sender(), bundle.round(), bundle.period(), bundle.step(), value);
        return new Vote(raw, pair.credential(), signature);
    }
}
