package topspin.node.agreement;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.OneTimeSecrets;
import topspin.codec.crypto.OneTimeSignature;
import topspin.codec.crypto.SelectF128;
import topspin.codec.crypto.Vrf;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;
import topspin.codec.vote.Vote;
import topspin.codec.vote.VoteEncoder;
import topspin.codec.vote.VoteSignature;
import topspin.node.agreement.StakeSource.OnlineAccount;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Votes with the participation keys of this node (agreement.md 2.5, 6, 8.3). Any thread may call;
 * secrets are used by one at a time, and never while a block is made.
 */
public final class KeyRing implements Voters {
    /**
     * The keys of one account.
     *
     * @param id by which their owner knows them
     * @param first round in which they are good
     * @param last round
     * @param dilution rounds a batch of one-time keys
     */
    public record Keys(
            Digest id,
            Address account,
            Vrf.KeyPair selection,
            OneTimeSecrets voting,
            long first,
            long last,
            long dilution) {}

    /** The seed of a block that one of our accounts proposes, and the proof of it. */
    public record Seed(Digest seed, Bytes proof) {}

    /** Told what the keys are used for, on the thread that uses them. */
    public interface Watch {
        /** The ledger counts with these keys for a round; told again and again. */
        void inEffect(Digest id, long round);

        /** A vote of an account goes out. */
        void voted(Address account, long round);

        /** A block of an account goes out. */
        void proposed(Address account, long round);
    }

    private final StakeSource ledger;
    private final Watch watch;
    private volatile List<Keys> keys;

    public KeyRing(StakeSource ledger, List<Keys> keys, Watch watch) {
        this.ledger = ledger;
        this.keys = List.copyOf(keys);
        this.watch = watch;
    }

    /** Votes with these keys from now on. */
    public void replace(List<Keys> others) {
        keys = List.copyOf(others);
    }

    /** The keys that it votes with. */
    public List<Keys> keys() {
        return keys;
    }

    @Override
    public boolean hasKeys(long round) {
        return !usable(round).isEmpty();
    }

    /** Keys that are good for the round and that the ledger knew when it counted for it. */
    private List<Keys> usable(long round) {
        List<Keys> usable = new ArrayList<>();
        for (Keys next : keys) {
            OnlineAccount account = registered(next, round);
            if (round >= next.first && round <= next.last && account != null) {
                usable.add(next);
                watch.inEffect(next.id, round);
            }
        }
        return usable;
    }

    private @Nullable OnlineAccount registered(Keys of, long round) {
        try {
            AgreementRules rules = ledger.rules(Lookback.paramsRound(round));
            OnlineAccount account = ledger.online(Lookback.balanceRound(round, rules), of.account);
            boolean isOurs =
                    account != null
                            && account.voteKey().equals(of.voting.masterKey())
                            && account.selectionKey().isAt(of.selection.publicKey(), 0);
            return isOurs ? account : null;
        } catch (HistoryUnknown unknown) {
            return null;
        }
    }

    @Override
    public List<VerifiedVote> vote(long round, long period, long step, ProposalValue value) {
        List<VerifiedVote> votes = new ArrayList<>();
        for (Keys next : usable(round)) {
            VerifiedVote vote = vote(next, round, period, step, value);
            if (vote != null) {
                votes.add(vote);
            }
        }
        return votes;
    }

    @Override
    public void sent(RawVote vote, boolean withBlock) {
        if (withBlock) {
            watch.proposed(vote.sender(), vote.round());
        } else {
            watch.voted(vote.sender(), vote.round());
        }
    }

    /** The vote of one account, or null if it is not drawn or its keys are gone. */
    private synchronized @Nullable VerifiedVote vote(
            Keys of, long round, long period, long step, ProposalValue value) {
        OnlineAccount account = registered(of, round);
        if (account == null) {
            return null;
        }
        try {
            var raw = new RawVote(of.account, round, period, step, value);
            AgreementRules rules = ledger.rules(Lookback.paramsRound(round));
            if (!rules.params().enableSelectF128()) {
                return null; // The lot of versions before v42 is not drawn here.
            }
            Digest seed = ledger.seed(Lookback.seedRound(round, rules));
            byte[] selector = Sortition.selector(seed, round, period, step);
            byte[] proof = of.selection.prove(Domain.AS, selector, 0, selector.length);
            byte[] output = output(proof);
            long total = ledger.circulation(Lookback.balanceRound(round, rules), round);
            long size = rules.committeeSize(step);
            if (account.stake() >= SelectF128.STAKE_MAX
                    || Long.compareUnsigned(total, size) < 0
                    || Long.compareUnsigned(total, account.stake()) < 0) {
                return null;
            }
            long weight = Sortition.weight(of.account, output, account.stake(), total, size);
            OneTimeSignature signature = weight == 0 ? null : sign(of, raw, rules, account);
            if (signature == null) {
                return null;
            }
            Digest priority =
                    step == Step.PROPOSE
                            ? Sortition.priority(of.account, output, weight)
                            : Digest.ZERO;
            var vote = new Vote(raw, Bytes.of(proof), new VoteSignature(signature));
            return new VerifiedVote(vote, weight, priority);
        } catch (HistoryUnknown unknown) {
            return null;
        }
    }

    private static byte[] output(byte[] proof) {
        var output = new byte[Vrf.OUTPUT_BYTES];
        if (!Vrf.output(proof, 0, output, 0)) {
            throw new IllegalStateException("our own proof is none");
        }
        return output;
    }

    private static @Nullable OneTimeSignature sign(
            Keys of, RawVote raw, AgreementRules rules, OnlineAccount account) {
        long dilution = CredentialVerifier.dilution(account, rules);
        return of.voting.sign(
                Long.divideUnsigned(raw.round(), dilution),
                Long.remainderUnsigned(raw.round(), dilution),
                Domain.VO,
                VoteEncoder.encode(raw));
    }

    /** Makes a block of an account that is drawn. */
    public interface Maker {
        /**
         * The payload to propose, or null if there is none to be had.
         *
         * @param isPayoutEligible whether it may be paid
         */
        @Nullable Payload make(Address account, Seed seed, boolean isPayoutEligible);
    }

    /**
     * Lets the account whose lot goes before those of our others make a block, and votes for it. A
     * block of another of ours could not win against it, whoever else proposes, so none is made.
     *
     * @return null if none is drawn, or has a block
     */
    public AgreementLoop.@Nullable Proposal propose(long round, long period, Maker maker) {
        for (Lot lot : lots(round, period)) {
            AgreementLoop.Proposal proposal = propose(lot.keys, round, period, maker);
            if (proposal != null) {
                return proposal;
            }
        }
        return null;
    }

    /**
     * An account that is drawn to propose.
     *
     * @param vote for nothing: the lot does not depend on what is proposed, and a block takes its
     *     time
     */
    private record Lot(Keys keys, VerifiedVote vote) {}

    /** Our accounts that are drawn, the one that goes before all others first. */
    private List<Lot> lots(long round, long period) {
        List<Lot> lots = new ArrayList<>();
        for (Keys next : usable(round)) {
            VerifiedVote vote = vote(next, round, period, Step.PROPOSE, ProposalValue.BOTTOM);
            if (vote != null) {
                lots.add(new Lot(next, vote));
            }
        }
        lots.sort(Comparator.comparing(lot -> lot.vote.priority()));
        return lots;
    }

    private AgreementLoop.@Nullable Proposal propose(
            Keys of, long round, long period, Maker maker) {
        OnlineAccount account = registered(of, round);
        if (account == null) {
            return null;
        }
        Seed seed;
        try {
            seed = seed(of, round, period);
        } catch (HistoryUnknown unknown) {
            return null;
        }
        Payload payload = maker.make(of.account, seed, account.isPayoutEligible());
        VerifiedVote vote =
                payload == null ? null : vote(of, round, period, Step.PROPOSE, payload.value());
        return payload == null || vote == null ? null : new AgreementLoop.Proposal(vote, payload);
    }

    private synchronized Seed seed(Keys of, long round, long period) throws HistoryUnknown {
        if (period != 0) {
            return new Seed(SeedRule.later(round, ledger), Bytes.EMPTY);
        }
        byte[] previous = SeedRule.previous(round, ledger).toBytes();
        byte[] proof = of.selection.prove(Domain.SD, previous, 0, previous.length);
        return new Seed(SeedRule.first(round, of.account, output(proof), ledger), Bytes.of(proof));
    }

    /**
     * Deletes what could sign for rounds up to this one, which is in the ledger. One thread; others
     * vote meanwhile, also while a batch of rounds is taken apart, which takes its time.
     */
    public void forget(long round) {
        long after = round + 1;
        for (Keys next : keys) {
            long batch = after / next.dilution;
            long offset = after % next.dilution;
            next.voting.makeAhead(batch, offset, next.dilution);
            synchronized (this) {
                next.voting.deleteBefore(batch, offset, next.dilution);
            }
        }
    }

    /** How far deletion has come in the secrets of one of our accounts. */
    public synchronized OneTimeSecrets.Position position(Keys of) {
        return of.voting.position();
    }

    /** The secrets of one of our accounts as they are stored; the caller wipes them when done. */
    public synchronized byte[] secrets(Keys of) {
        return of.voting.encode();
    }
}
