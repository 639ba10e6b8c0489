package topspin.node.sim;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.RawVote;
import topspin.codec.vote.Vote;
import topspin.node.agreement.AgreementLoop;
import topspin.node.agreement.AgreementRules;
import topspin.node.agreement.Outcome;
import topspin.node.agreement.Payload;
import topspin.node.agreement.Step;
import topspin.node.agreement.VerifiedVote;

import java.util.ArrayList;
import java.util.List;

/** Blocks are names, votes cost nothing: {@link StubCrypto}. */
final class StubSubstance implements Substance {
    private final Simulation sim;
    private final Address account;
    private long height;

    StubSubstance(Simulation sim, Address account) {
        this.sim = sim;
        this.account = account;
    }

    @Override
    public AgreementRules rules(long round) {
        return sim.rules();
    }

    @Override
    public AgreementRules rules(String version) {
        return sim.rules();
    }

    @Override
    public List<VerifiedVote> vote(long round, long period, long step, ProposalValue value) {
        var raw = new RawVote(account, round, period, step, value);
        long weight = sim.crypto().weight(raw);
        return weight == 0
                ? List.of()
                : List.of(sim.crypto().verified(sim.crypto().sign(raw), weight));
    }

    @Override
    public List<AgreementLoop.Proposal> propose(long round, long period) {
        var value = sim.newValue(round, period, account);
        var payload = new Payload(round, value, Bytes.EMPTY);
        List<AgreementLoop.Proposal> proposals = new ArrayList<>();
        for (VerifiedVote vote : vote(round, period, Step.PROPOSE, value)) {
            proposals.add(new AgreementLoop.Proposal(vote, payload));
        }
        return proposals;
    }

    @Override
    public Outcome<VerifiedVote> verify(Vote vote) {
        return sim.crypto().verify(vote);
    }

    @Override
    public Outcome<List<VerifiedVote>> verify(Bundle bundle) {
        return sim.crypto().verify(bundle);
    }

    @Override
    public Outcome<Payload> verify(Payload payload, long round) {
        return round == height + 1 ? new Outcome.Valid<>(payload) : new Outcome.Cancelled<>();
    }

    @Override
    public void add(Payload payload, Bundle certificate) {
        height++;
    }

    @Override
    public void crash() {
        // A name is nothing to forget.
    }
}
