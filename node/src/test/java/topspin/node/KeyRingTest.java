package topspin.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.OneTimeSecrets;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.vote.ProposalValue;
import topspin.node.agreement.AgreementLoop;
import topspin.node.agreement.KeyRing;
import topspin.node.agreement.Payload;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

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

    @Test
    void votesGoOnWhileABatchIsTakenApart() throws Exception {
        var began = new CountDownLatch(1);
        var voted = new CountDownLatch(1);
        Address drawn = sender(eachByItself().getFirst());
        KeyRing.Keys keys =
                network.keys().stream()
                        .filter(each -> each.account().equals(drawn))
                        .findFirst()
                        .orElseThrow();
        byte[] voting = keys.voting().encode();
        var slow =
                new KeyRing.Keys(
                        keys.id(),
                        keys.account(),
                        keys.selection(),
                        OneTimeSecrets.decode(voting, 0, voting.length, new Held(began, voted)),
                        keys.first(),
                        keys.last(),
                        keys.dilution());
        var alone = new KeyRing(node.stake(), List.of(slow), RealSubstance.UNWATCHED);
        Thread forgetting = Thread.ofPlatform().name(Held.THREAD).start(() -> alone.forget(0));
        assertThat(began.await(30, TimeUnit.SECONDS)).isTrue();

        assertThat(alone.propose(1, 0, this::make)).isNotNull();

        voted.countDown();
        forgetting.join();
        assertThat(alone.position(slow).firstBatch()).isOne();
        assertThat(alone.propose(1, 0, this::make)).isNotNull();
    }

    /** Lets the thread that forgets go on when somebody has voted. */
    private static final class Held extends SecureRandom {
        private static final long serialVersionUID = 1;
        private static final String THREAD = "forgets";

        private final transient CountDownLatch began;
        private final transient CountDownLatch voted;

        Held(CountDownLatch began, CountDownLatch voted) {
            this.began = began;
            this.voted = voted;
        }

        @Override
        public void nextBytes(byte[] bytes) {
            if (Thread.currentThread().getName().equals(THREAD)) {
                began.countDown();
                try {
                    assertThat(voted.await(30, TimeUnit.SECONDS)).as("a vote meanwhile").isTrue();
                } catch (InterruptedException stop) {
                    Thread.currentThread().interrupt();
                }
            }
            super.nextBytes(bytes);
        }
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
