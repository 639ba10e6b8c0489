package topspin.node;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import topspin.codec.Digest;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.Vote;
import topspin.ledger.TestNetwork;
import topspin.node.agreement.CredentialVerifier;
import topspin.node.agreement.Outcome;
import topspin.node.agreement.Step;
import topspin.node.agreement.VerifiedVote;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Votes of the soft step under v42, made and judged on one core: three signatures, a VRF and a lot
 * each. The more stake the sender has, the longer the lot takes. A vote of this kind has 628 bytes.
 */
@BenchmarkMode(Mode.Throughput)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.SECONDS)
public class VoteBench {
    /** Accounts that hold the same stake each. */
    @Param({"2", "5", "50"})
    int accounts;

    private RealSubstance node;
    private CredentialVerifier verifier;
    private Vote vote;
    private ProposalValue value;

    @Setup
    public void makeNetwork() {
        var network =
                new RealSubstance.Network(
                        accounts, ConsensusVersions.builtIn(), ConsensusVersions.V42, 1);
        node = new RealSubstance(0, network, () -> 0);
        verifier = new CredentialVerifier(node.stake());
        Digest digest = Digest.fromBytes(TestNetwork.address(0).toBytes());
        value = new ProposalValue(0, TestNetwork.address(0), digest, digest);
        vote = make().getFirst().vote();
    }

    @Benchmark
    public Outcome<VerifiedVote> verify() {
        return verifier.verify(vote);
    }

    @Benchmark
    public List<VerifiedVote> make() {
        return node.vote(1, 0, Step.SOFT, value);
    }
}
