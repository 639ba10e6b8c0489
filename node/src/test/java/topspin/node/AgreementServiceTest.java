package topspin.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import topspin.codec.params.ConsensusVersions;
import topspin.codec.vote.Bundle;
import topspin.node.agreement.AgreementRules;
import topspin.node.agreement.AgreementService;
import topspin.node.agreement.Chain;
import topspin.node.agreement.Clock;
import topspin.node.agreement.CredentialVerifier;
import topspin.node.agreement.Message;
import topspin.node.agreement.Outbox;
import topspin.node.agreement.Payload;
import topspin.node.agreement.Source;
import topspin.node.agreement.Timing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Three nodes on their own threads, with real keys, blocks and ledgers, agree. */
final class AgreementServiceTest {
    private static final int NODES = 3;
    private static final long ROUNDS = 6;

    private final List<Member> members = new ArrayList<>();
    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();
    private final ExecutorService workers = Executors.newFixedThreadPool(2);

    /** A period that fails, on a busy machine, costs a second or two. */
    private static final Timing TIMING =
            new Timing(300_000_000, 1_200_000_000, 2_500_000_000L, 50_000_000);

    /** Profile fast with a filter timeout of 150 ms. */
    private static ConsensusVersions versions() throws Exception {
        Path file = Path.of(System.getProperty("topspin.root", ".."), "config/consensus.json");
        String json =
                Files.readString(file)
                        .replace(
                                "\"AgreementFilterTimeoutPeriod0\": 800000000",
                                "\"AgreementFilterTimeoutPeriod0\": 150000000");
        return ConsensusVersions.builtIn().with(json);
    }

    private static final class SystemClock implements Clock {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long wallNanos() {
            return System.currentTimeMillis() * 1_000_000;
        }
    }

    /** One node. */
    private final class Member implements Chain, Outbox {
        final int number;
        final RealSubstance substance;
        final AgreementRules rules;
        final ExecutorService ledgerThread = Executors.newSingleThreadExecutor();
        final AgreementService service;

        Member(int number, RealSubstance.Network network, ConsensusVersions versions) {
            this.number = number;
            this.substance =
                    new RealSubstance(number, network, () -> System.currentTimeMillis() / 1_000);
            this.rules =
                    new AgreementRules(
                            "fast", Objects.requireNonNull(versions.get("fast")), TIMING);
            this.service =
                    new AgreementService(
                            AgreementService.Bounds.DEFAULT,
                            new AgreementService.Surroundings(
                                    new SystemClock(),
                                    new Random(number)::nextLong,
                                    this,
                                    this,
                                    substance.ring(),
                                    service -> (round, period) -> assemble(service, round, period),
                                    service ->
                                            new LedgerJournal(
                                                    substance.ledger(), ledgerThread, service),
                                    new CredentialVerifier(substance.stake()),
                                    (payload, round, answer) ->
                                            ledgerThread.execute(
                                                    () ->
                                                            answer.accept(
                                                                    substance.verify(
                                                                            payload, round))),
                                    workers,
                                    faults::add),
                            TIMING,
                            name -> rules);
        }

        private void assemble(AgreementService service, long round, long period) {
            ledgerThread.execute(() -> service.onAssembled(substance.propose(round, period)));
        }

        @Override
        public long nextRound() {
            return substance.view().round() + 1;
        }

        @Override
        public AgreementRules rules(long round) {
            return rules;
        }

        @Override
        public void ensure(Payload payload, Bundle certificate) {
            ledgerThread.execute(
                    () -> {
                        substance.add(payload, certificate);
                        service.onRound();
                    });
        }

        @Override
        public void fetch(Bundle certificate) {
            faults.add(new AssertionError("nothing is lost here: " + certificate));
        }

        @Override
        public void relay(Message message, Source source) {
            for (Member other : members) {
                if (other != this && other.number + 1 != source.peer()) {
                    other.receive(message, new Source(number + 1));
                }
            }
        }

        @Override
        public void broadcast(Message message) {
            relay(message, Source.OWN);
        }

        @Override
        public void tell(Message message, Source peer) {
            members.get((int) peer.peer() - 1).receive(message, new Source(number + 1));
        }

        @Override
        public void disconnect(Source source) {
            faults.add(new AssertionError(number + " drops " + source));
        }

        void receive(Message message, Source source) {
            switch (message) {
                case Message.OfVote(var vote) -> service.offer(vote, source);
                case Message.OfBundle(var bundle) -> service.offer(bundle, source);
                case Message.OfPayload(var payload, var vote) ->
                        service.offer(payload, vote, source);
            }
        }
    }

    @AfterEach
    void close() {
        for (Member member : members) {
            member.service.close();
            member.ledgerThread.shutdownNow();
        }
        workers.shutdownNow();
    }

    @Test
    void nodesOnTheirOwnThreadsMakeTheSameChain() throws Exception {
        ConsensusVersions versions = versions();
        var network = new RealSubstance.Network(NODES, versions, "fast", 7);
        for (int number = 0; number < NODES; number++) {
            members.add(new Member(number, network, versions));
        }
        members.forEach(member -> member.service.start());
        for (Member member : members) {
            long reached = member.substance.ledger().reached(ROUNDS).get(60, TimeUnit.SECONDS);
            assertThat(reached).isGreaterThanOrEqualTo(ROUNDS);
        }
        assertThat(faults).isEmpty();
        for (long round = 1; round <= ROUNDS; round++) {
            byte[] block = members.getFirst().substance.ledger().blockBytes(round);
            for (Member member : members) {
                assertThat(member.substance.ledger().blockBytes(round)).isEqualTo(block);
            }
        }
        assertThat(members.getFirst().service.overflows()).isZero();
    }
}
