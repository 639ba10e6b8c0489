package topspin.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.vote.ProposalValue;
import topspin.node.agreement.AgreementLoop;
import topspin.node.agreement.KeyRing;
import topspin.node.agreement.Payload;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

class KeyRingTest {
    private static final Digest SOME = Digest.fromBytes(new byte[Digest.BYTES]);

    private final RealSubstance.Network network =
            new RealSubstance.Network(4, ConsensusVersions.builtIn(), ConsensusVersions.V42, 7);
    private final RealSubstance node = new RealSubstance(0, network, () -> 1);
    private final KeyRing ring = new KeyRing(node.stake(), network.keys(), RealSubstance.UNWATCHED);
    private final List<Address> makers = new ArrayList<>();

    @Test
    void ofSeveralAccountsOnlyTheOneWhoseLotGoesFirstMakesABlock() {
        List<AgreementLoop.Proposal> each = eachByItself();
        assertThat(each).hasSize(4);

        AgreementLoop.Proposal all = ring.propose(1, 0, this::make);

        assertThat(all).isNotNull();
        assertThat(all.vote().priority()).isEqualTo(each.getFirst().vote().priority());
        assertThat(makers).containsExactly(sender(each.getFirst()));
    }

    @Test
    void whereTheFirstHasNoBlockTheNextIsAsked() {
        List<AgreementLoop.Proposal> each = eachByItself();

        AgreementLoop.Proposal all =
                ring.propose(
                        1,
                        0,
                        (account, seed, isEligible) ->
                                account.equals(sender(each.getFirst()))
                                        ? null
                                        : make(account, seed, isEligible));

        assertThat(all).isNotNull();
        assertThat(makers).containsExactly(sender(each.get(1)));
    }

    /** What each account proposes where it is alone, the lot that goes first first. */
    private List<AgreementLoop.Proposal> eachByItself() {
        List<AgreementLoop.Proposal> proposals = new ArrayList<>();
        for (KeyRing.Keys keys : network.keys()) {
            var alone = new KeyRing(node.stake(), List.of(keys), RealSubstance.UNWATCHED);
            AgreementLoop.Proposal proposal = alone.propose(1, 0, this::make);
            if (proposal != null) {
                proposals.add(proposal);
            }
        }
        proposals.sort(Comparator.comparing(proposal -> proposal.vote().priority()));
        makers.clear();
        return proposals;
    }

    private static Address sender(AgreementLoop.Proposal proposal) {
        return proposal.vote().vote().raw().sender();
    }

    private Payload make(Address account, KeyRing.Seed seed, boolean isEligible) {
        makers.add(account);
        return new Payload(1, new ProposalValue(0, account, SOME, SOME), Bytes.EMPTY);
    }
}
