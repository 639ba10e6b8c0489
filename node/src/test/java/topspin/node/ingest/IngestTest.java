package topspin.node.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.crypto.SignatureEngine;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.EvaluatedBlock;
import topspin.ledger.rules.VerifiedGroup;
import topspin.net.Gossip;
import topspin.net.GossipConfig;
import topspin.net.Tag;
import topspin.net.Verdict;
import topspin.node.Chain;
import topspin.node.Funds;
import topspin.node.pool.PoolConfig;
import topspin.node.pool.TransactionPool;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The door before a real pool and ledger; peers are the test. */
@Timeout(60)
final class IngestTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000, 5_000);

    private final List<Throwable> faults = new CopyOnWriteArrayList<>();
    private final Funds funds = new Funds(4);
    private final QuietPeer peer = new QuietPeer();
    private Chain chain;
    private TransactionPool pool;
    private Ingest ingest;
    private Gossip gossip;

    @BeforeEach
    void open(@TempDir Path folder) throws Exception {
        ConsensusVersions versions = ConsensusVersions.builtIn();
        chain = new Chain(folder, funds, versions);
        pool =
                new TransactionPool(
                        PoolConfig.DEFAULT,
                        chain.ledger().view(),
                        versions,
                        System::nanoTime,
                        faults::add);
        ingest = ingest(IngestConfig.DEFAULT);
        gossip =
                new Gossip(
                        GossipConfig.of(funds.genesis().id(), funds.key(0), List.of(), List.of()),
                        ingest,
                        (asker, round, answer) -> {
                            throw new AssertionError("nobody listens, so nobody asks");
                        },
                        (asker, known, answer) -> answer.accept(null),
                        new SplittableRandom(1),
                        System::nanoTime,
                        InstantSource.fixed(NOW));
        pool.start();
        ingest.start(gossip);
    }

    private Ingest ingest(IngestConfig config) {
        return new Ingest(
                config,
                chain.ledger()::view,
                ConsensusVersions.builtIn(),
                pool,
                chain.cache(),
                new SignatureEngine(new SecureRandom()),
                Ingest.Answers.WHEN_POOLED,
                InstantSource.fixed(NOW),
                new SplittableRandom(1),
                faults::add);
    }

    @AfterEach
    void close() throws Exception {
        gossip.close();
        ingest.close();
        pool.close();
        chain.close();
        assertThat(faults).isEmpty();
    }

    @Test
    void aGoodMessageIsAcceptedOnceItIsPooled() throws Exception {
        SignedTransaction payment = funds.payment(0, 1, 5);

        assertThat(offer(payment)).isEqualTo(Verdict.PENDING);

        assertThat(peer.next()).isEqualTo(Verdict.ACCEPT);
        assertThat(pool.contains(payment.id())).isTrue();
    }

    @Test
    void theBorrowedBufferIsCopiedAndNotReleased() throws Exception {
        byte[] bytes = funds.payment(0, 1, 5).toBytes();
        ByteBuf buffer = Unpooled.wrappedBuffer(bytes);

        ingest.offer(peer, Tag.TRANSACTION, buffer);
        buffer.setByte(0, 0);

        assertThat(peer.next()).isEqualTo(Verdict.ACCEPT);
        assertThat(buffer.refCnt()).isEqualTo(1);
    }

    @Test
    void aGroupIsOneMessage() throws Exception {
        TransactionGroup group = funds.group(0, 1, 2);

        offer(group.bytes(), group.offset(), group.signedLength());

        assertThat(peer.next()).isEqualTo(Verdict.ACCEPT);
        assertThat(pool.pending().transactionCount()).isEqualTo(3);
    }

    @Test
    void aSecondCopyIsIgnored() throws Exception {
        SignedTransaction payment = funds.payment(0, 1, 5);
        offer(payment);
        assertThat(peer.next()).isEqualTo(Verdict.ACCEPT);

        offer(payment);

        assertThat(peer.next()).isEqualTo(Verdict.IGNORE);
        assertThat(ingest.counters().dropped(Drop.DUPLICATE)).isEqualTo(1);
    }

    @Test
    void aCopyWithABadSignatureDoesNotKeepTheHonestOneOut() throws Exception {
        SignedTransaction honest = funds.payment(0, 1, 5);
        SignedTransaction forged = Funds.forged(honest);
        assertThat(forged.id()).isEqualTo(honest.id());

        offer(forged);
        offer(honest);

        assertThat(peer.next()).isEqualTo(Verdict.REJECT);
        assertThat(peer.next()).isEqualTo(Verdict.ACCEPT);
        assertThat(ingest.counters().dropped(Drop.INVALID)).isEqualTo(1);
        assertThat(pool.contains(honest.id())).isTrue();
    }

    @Test
    void whatIsNoTransactionIsRejected() throws Exception {
        byte[] truncated = funds.payment(0, 1, 5).toBytes();

        offer(truncated, 0, truncated.length - 1);
        offer(new byte[] {1, 2, 3}, 0, 3);
        offer(new byte[0], 0, 0);

        for (int i = 0; i < 3; i++) {
            assertThat(peer.next()).isEqualTo(Verdict.REJECT);
        }
        assertThat(ingest.counters().dropped(Drop.MALFORMED)).isEqualTo(3);
    }

    @Test
    void whatIsRightElsewhereOrLaterIsIgnoredAndMayComeAgain() throws Exception {
        SignedTransaction tooMuch = funds.payment(0, 1, Funds.BALANCE + 1);

        offer(tooMuch);
        assertThat(peer.next()).isEqualTo(Verdict.IGNORE);
        assertThat(ingest.counters().dropped(Drop.POOL)).isEqualTo(1);
        offer(funds.payment(2, 0, 500_000_000));
        assertThat(peer.next()).isEqualTo(Verdict.ACCEPT);

        offer(tooMuch);
        assertThat(peer.next()).isEqualTo(Verdict.ACCEPT);
    }

    /** Of a peer that is a round further; it sends what it was given again with each round. */
    @Test
    void whatIsValidFromTheRoundAfterTheNextOnComesAgainWhenItIs() throws Exception {
        SignedTransaction early = funds.payment(0, 1, 2, 100);

        offer(early);
        assertThat(peer.next()).isEqualTo(Verdict.IGNORE);
        commit();

        offer(early);
        assertThat(peer.next()).isEqualTo(Verdict.ACCEPT);
    }

    @Test
    void whatIsExpiredIsIgnored() throws Exception {
        commit();

        offer(funds.payment(0, 1, 1, 1));

        assertThat(peer.next()).isEqualTo(Verdict.IGNORE);
    }

    @Test
    void whatBreaksARuleForEverIsRejected() throws Exception {
        offer(funds.payment(0, 1, 9, 8));

        assertThat(peer.next()).isEqualTo(Verdict.REJECT);
    }

    @Test
    void whatIsInABlockIsIgnored() throws Exception {
        SignedTransaction payment = funds.payment(0, 1, 5);
        chain.add(chain.verified(payment));

        offer(payment);

        assertThat(peer.next()).isEqualTo(Verdict.IGNORE);
        assertThat(ingest.counters().dropped(Drop.KNOWN)).isEqualTo(1);
    }

    @Test
    void moneyMayBeSpentInTheOrderInWhichItCame() throws Exception {
        int count = 300; // Several batches, on several workers.
        for (int i = 0; i < count; i++) {
            // Each needs what the one before it brought.
            offer(funds.payment(i % 2, 1 - i % 2, i == 0 ? 900_000_000 : 1_800_000_000));
        }
        for (int i = 0; i < count; i++) {
            assertThat(peer.next()).isEqualTo(Verdict.ACCEPT);
        }
    }

    @Test
    void otherTagsAreNotForUs() {
        assertThat(ingest.offer(peer, Tag.VOTE, Unpooled.EMPTY_BUFFER)).isEqualTo(Verdict.IGNORE);
    }

    @Test
    void aFullRingIsSaidAtOnce() throws Exception {
        Ingest closed =
                ingest(new IngestConfig(2, 1 << 20, 1, 64)); // Never started: nothing drains it.
        byte[] bytes = funds.payment(0, 1, 5).toBytes();

        assertThat(offerTo(closed, bytes)).isEqualTo(Verdict.PENDING);
        assertThat(offerTo(closed, bytes)).isEqualTo(Verdict.PENDING);
        assertThat(offerTo(closed, bytes)).isEqualTo(Verdict.IGNORE);
        assertThat(closed.submit(bytes)).isCompletedWithValue(new Submission.Busy());
        assertThat(closed.submitAsync(bytes)).isEqualTo(new Submission.Busy());
        assertThat(closed.counters().dropped(Drop.RING_FULL)).isEqualTo(3);
        assertThat(closed.waiting()).isEqualTo(2);
    }

    @Test
    void aSubmissionIsAnsweredByThePool() throws Exception {
        SignedTransaction payment = funds.payment(0, 1, 5);

        assertThat(answer(ingest.submit(payment.toBytes())))
                .isEqualTo(new Submission.Accepted(payment.id()));
        assertThat(pool.contains(payment.id())).isTrue();
    }

    @Test
    void aSubmissionIsRefusedInTheReferencesWords() throws Exception {
        SignedTransaction honest = funds.payment(0, 1, 5);
        SignedTransaction forged = Funds.forged(honest);
        SignedTransaction wrongRange = funds.payment(0, 1, 9, 8);

        assertThat(refusal(forged.toBytes()))
                .isEqualTo("At least one signature didn't pass verification");
        assertThat(refusal(wrongRange.toBytes()))
                .startsWith("transaction {")
                .endsWith("} invalid : transaction invalid range (9--8)");
        assertThat(refusal(new byte[0])).isEqualTo("empty txgroup");
        assertThat(refusal(funds.payment(0, 1, Funds.BALANCE).toBytes()))
                .startsWith("TransactionPool.Remember: transaction ")
                .contains("overspend");
    }

    @Test
    void aSubmissionThatIsKnownIsRefusedByThePool() throws Exception {
        SignedTransaction pooled = funds.payment(0, 1, 5);
        SignedTransaction confirmed = funds.payment(2, 1, 5);
        answer(ingest.submit(pooled.toBytes()));
        commit(chain.verified(confirmed));

        for (SignedTransaction known : List.of(pooled, confirmed)) {
            assertThat(refusal(known.toBytes()))
                    .isEqualTo(
                            "TransactionPool.Remember: transaction already in ledger: "
                                    + known.id());
        }
    }

    @Test
    void anAsynchronousSubmissionIsAnsweredWhenItWasRead() throws Exception {
        SignedTransaction payment = funds.payment(0, 1, 5);
        SignedTransaction forged = Funds.forged(funds.payment(0, 1, 5));

        assertThat(ingest.submitAsync(payment.toBytes()))
                .isEqualTo(new Submission.Accepted(payment.id()));
        assertThat(ingest.submitAsync(forged.toBytes())).isInstanceOf(Submission.Accepted.class);
        assertThat(ingest.submitAsync(new byte[0]))
                .isEqualTo(new Submission.Refused("empty txgroup"));

        answer(ingest.submit(funds.payment(0, 1, 5).toBytes())); // Comes after both.
        assertThat(pool.contains(payment.id())).isTrue();
        assertThat(pool.contains(forged.id())).isFalse();
    }

    @Test
    void someFirstMeetingsAreRemembered() throws Exception {
        SignedTransaction sampled;
        do {
            sampled = funds.payment(0, 1, 5);
        } while (!FirstSeen.isSampled(sampled.id()));

        answer(ingest.submit(sampled.toBytes()));

        assertThat(ingest.firstSeen().samples())
                .containsExactly(
                        new FirstSeen.Sample(sampled.id(), NOW.getEpochSecond() * 1_000_000 + 5));
    }

    @Test
    void aClosedDoorTakesNothing() throws Exception {
        ingest.close();

        assertThat(offer(funds.payment(0, 1, 5))).isEqualTo(Verdict.IGNORE);
        assertThat(answer(ingest.submit(funds.payment(0, 1, 5).toBytes())))
                .isEqualTo(new Submission.Busy());
    }

    /** The next block, of which the pool is told. */
    private void commit(VerifiedGroup... groups) {
        EvaluatedBlock block = chain.add(groups);
        pool.committed(chain.ledger().view(), block.delta());
    }

    private Verdict offer(SignedTransaction transaction) {
        return offer(transaction.bytes(), transaction.offset(), transaction.length());
    }

    private Verdict offer(byte[] bytes, int offset, int length) {
        return ingest.offer(peer, Tag.TRANSACTION, Unpooled.wrappedBuffer(bytes, offset, length));
    }

    private Verdict offerTo(Ingest door, byte[] bytes) {
        return door.offer(peer, Tag.TRANSACTION, Unpooled.wrappedBuffer(bytes));
    }

    private static Submission answer(CompletableFuture<Submission> submission) throws Exception {
        return submission.get(10, TimeUnit.SECONDS);
    }

    private String refusal(byte[] body) throws Exception {
        Submission answer = answer(ingest.submit(body));
        assertThat(answer).isInstanceOf(Submission.Refused.class);
        return ((Submission.Refused) answer).text();
    }
}
