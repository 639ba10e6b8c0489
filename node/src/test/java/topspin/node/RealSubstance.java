package topspin.node;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.OneTimeSecrets;
import topspin.codec.crypto.SignatureEngine;
import topspin.codec.crypto.Vrf;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.Payment;
import topspin.codec.txn.TransactionHeader;
import topspin.codec.vote.Bundle;
import topspin.codec.vote.ProposalValue;
import topspin.codec.vote.Vote;
import topspin.ledger.BlockEvaluator;
import topspin.ledger.BlockMaker;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.Genesis;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerConfig;
import topspin.ledger.LedgerView;
import topspin.ledger.TestNetwork;
import topspin.ledger.rules.Refusal;
import topspin.ledger.rules.Signatures;
import topspin.ledger.rules.VerifiedCache;
import topspin.ledger.rules.VerifiedGroup;
import topspin.ledger.store.MemoryStore;
import topspin.node.agreement.AgreementLoop;
import topspin.node.agreement.AgreementRules;
import topspin.node.agreement.CredentialVerifier;
import topspin.node.agreement.KeyRing;
import topspin.node.agreement.Outcome;
import topspin.node.agreement.Payload;
import topspin.node.agreement.Timing;
import topspin.node.agreement.VerifiedVote;
import topspin.node.pool.Assembly;
import topspin.node.sim.Substance;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.LongSupplier;

/**
 * Real keys, signatures, lots, blocks and ledger, over a store in memory. Each block that a node
 * makes holds a payment.
 */
public final class RealSubstance implements Substance {
    /** Rounds a batch of one-time keys. */
    private static final long DILUTION = 100;

    private static final int BATCHES = 10;

    /** Until which round keys are good. */
    public static final long LAST = DILUTION * BATCHES - 1;

    private static final long STAKE = 1_000_000_000_000L;

    /** The network that the nodes of one run share. */
    public static final class Network {
        private final Genesis genesis;
        private final ConsensusVersions versions;
        private final List<KeyRing.Keys> keys = new ArrayList<>();

        /**
         * @param nodes that hold the same stake each; node i's account is {@link
         *     TestNetwork#address}
         */
        public Network(int nodes, ConsensusVersions versions, String protocol, long seed) {
            this(nodes, versions, protocol, seed, LAST);
        }

        /**
         * @param lastOfFirst until which round the keys of node 0 are good, at most {@link #LAST}
         */
        public Network(
                int nodes,
                ConsensusVersions versions,
                String protocol,
                long seed,
                long lastOfFirst) {
            this.versions = versions;
            var random = new Random(seed);
            List<Genesis.Allocation> allocations = new ArrayList<>();
            allocations.add(
                    new Genesis.Allocation(
                            TestNetwork.REWARDS_POOL, "", Genesis.State.notParticipating(100_000)));
            allocations.add(
                    new Genesis.Allocation(
                            TestNetwork.FEE_SINK, "", Genesis.State.notParticipating(100_000)));
            for (int i = 0; i < nodes; i++) {
                keys.add(keys(i, random, i == 0 ? lastOfFirst : LAST));
                allocations.add(allocation(keys.getLast()));
            }
            genesis =
                    new Genesis(
                            allocations,
                            "",
                            false,
                            TestNetwork.FEE_SINK,
                            TestNetwork.REWARDS_POOL,
                            "v1",
                            "simulated",
                            protocol,
                            0);
        }

        /** The keys of all accounts, in the order of the nodes. */
        List<KeyRing.Keys> keys() {
            return List.copyOf(keys);
        }

        private static KeyRing.Keys keys(int node, Random random, long last) {
            var seed = new byte[32];
            random.nextBytes(seed);
            return new KeyRing.Keys(
                    Digest.fromBytes(seed),
                    TestNetwork.address(node),
                    Vrf.KeyPair.fromSeed(seed),
                    OneTimeSecrets.generate(0, BATCHES, new Seeded(random.nextLong())),
                    0,
                    last,
                    DILUTION);
        }

        private static Genesis.Allocation allocation(KeyRing.Keys keys) {
            return new Genesis.Allocation(
                    keys.account(),
                    "",
                    new Genesis.State(
                            STAKE,
                            1,
                            keys.voting().masterKey(),
                            Digest.fromBytes(keys.selection().publicKey()),
                            Bytes.EMPTY,
                            keys.first(),
                            keys.last(),
                            keys.dilution()));
        }
    }

    /** Keys come from the seed of a run, so that it can be made again. */
    private static final class Seeded extends SecureRandom {
        private static final long serialVersionUID = 1;

        private final Random random;

        Seeded(long seed) {
            random = new Random(seed);
        }

        @Override
        public void nextBytes(byte[] bytes) {
            random.nextBytes(bytes);
        }
    }

    /** For whoever does not ask what keys were used for. */
    static final KeyRing.Watch UNWATCHED =
            new KeyRing.Watch() {
                @Override
                public void inEffect(Digest id, long round) {}

                @Override
                public void voted(Address account, long round) {}

                @Override
                public void proposed(Address account, long round) {}
            };

    private final int node;
    private final Network network;
    private final LongSupplier seconds;
    private final Ledger ledger;
    private final LedgerRounds rounds;
    private final LedgerStake stake;
    private final CredentialVerifier verifier;
    private final KeyRing ring;
    private final Signatures signatures =
            new Signatures(
                    new VerifiedCache(2, new Random(1)),
                    new SignatureEngine(new SecureRandom()),
                    64);
    private BlockProposals proposals;

    /**
     * @param seconds what the node takes for the time
     */
    public RealSubstance(int node, Network network, LongSupplier seconds) {
        this.node = node;
        this.network = network;
        this.seconds = seconds;
        this.ledger =
                Ledger.over(
                        new MemoryStore(),
                        network.genesis,
                        LedgerConfig.DEFAULT.withVersions(network.versions),
                        () -> 0);
        this.rounds = new LedgerRounds(ledger, Timing.DEFAULT);
        this.stake = new LedgerStake(ledger::view, network.versions, Timing.DEFAULT);
        this.verifier = new CredentialVerifier(stake);
        this.ring = new KeyRing(stake, List.of(network.keys.get(node)), UNWATCHED);
        this.proposals = new BlockProposals(ledger, stake, signatures);
    }

    Ledger ledger() {
        return ledger;
    }

    KeyRing ring() {
        return ring;
    }

    LedgerStake stake() {
        return stake;
    }

    /** The state at the end of the latest round. */
    public LedgerView view() {
        return ledger.view();
    }

    @Override
    public @Nullable AgreementRules rules(long round) {
        return rounds.rules(round);
    }

    @Override
    public @Nullable AgreementRules rules(String version) {
        return rounds.rules(version);
    }

    @Override
    public List<VerifiedVote> vote(long round, long period, long step, ProposalValue value) {
        return ring.vote(round, period, step, value);
    }

    @Override
    public List<AgreementLoop.Proposal> propose(long round, long period) {
        LedgerView view = ledger.view();
        if (view.round() != round - 1) {
            return List.of();
        }
        AgreementLoop.Proposal proposal =
                ring.propose(
                        round,
                        period,
                        (account, seed, isEligible) ->
                                proposals.make(
                                        maker -> finish(evaluator(view), maker),
                                        account,
                                        period,
                                        seed,
                                        isEligible,
                                        account::equals));
        return proposal == null ? List.of() : List.of(proposal);
    }

    private static Assembly.Proposed finish(BlockEvaluator evaluator, BlockMaker maker) {
        EvaluatedBlock made = evaluator.finish(maker);
        return new Assembly.Proposed(made.block(), made.delta());
    }

    private BlockEvaluator evaluator(LedgerView view) {
        var evaluator = new BlockEvaluator(view, network.versions, seconds.getAsLong());
        var header =
                new TransactionHeader(
                        TestNetwork.address(node),
                        TestNetwork.FEE,
                        view.round() + 1,
                        view.round() + 100,
                        view.header().genesisId(),
                        network.genesis.hash());
        var payment =
                new Payment(
                        header,
                        TestNetwork.address((node + 1) % network.keys.size()),
                        1_000,
                        Address.ZERO);
        VerifiedGroup group =
                Objects.requireNonNull(
                        signatures
                                .verify(TestNetwork.group(payment), evaluator.rules())
                                .verified());
        @Nullable Refusal refusal = evaluator.add(group);
        if (refusal != null) {
            throw new IllegalStateException("our payment is refused: " + refusal);
        }
        return evaluator;
    }

    @Override
    public Outcome<VerifiedVote> verify(Vote vote) {
        return verifier.verify(vote);
    }

    @Override
    public Outcome<List<VerifiedVote>> verify(Bundle bundle) {
        return verifier.verify(bundle);
    }

    @Override
    public Outcome<Payload> verify(Payload payload, long round) {
        return proposals.verify(payload, round);
    }

    @Override
    public void add(Payload payload, Bundle certificate) {
        proposals.add(payload, certificate);
        ring.forget(payload.round());
    }

    @Override
    public void crash() {
        proposals = new BlockProposals(ledger, stake, signatures);
    }
}
