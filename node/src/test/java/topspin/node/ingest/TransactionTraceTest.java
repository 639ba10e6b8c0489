package topspin.node.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.codec.Allocation;
import topspin.codec.Digest;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.StateDelta.CommittedId;
import topspin.ledger.rules.Reason;
import topspin.node.Funds;
import topspin.node.ingest.TransactionTrace.End;
import topspin.node.ingest.TransactionTrace.Moment;
import topspin.node.ingest.TransactionTrace.Step;
import topspin.node.ingest.TransactionTrace.Story;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The trace alone, under a clock that the test moves. */
final class TransactionTraceTest {
    private static final long START_MICROS = 1_700_000_000_000_000L;

    private final Funds funds = new Funds(2);
    private long nanos = 5_000_000_000L;
    private final InstantSource clock =
            () -> Instant.ofEpochSecond(1_700_000_000, nanos - 5_000_000_000L);
    private final TransactionTrace trace = new TransactionTrace(64, () -> nanos, clock);

    @Test
    void aStoryHasEachStepWithItsTime() {
        TransactionGroup group = group();
        int source = trace.source(new QuietPeer());
        trace.decoded(group, source, at(0));
        pass(100);
        trace.verified(group);
        pass(50);
        trace.pooled(group);
        trace.relayed(group);
        pass(900);
        trace.inBlock(7, committed(group));

        Story story = story(group);
        assertThat(story.source()).isEqualTo("quiet");
        assertThat(story.round()).isEqualTo(7);
        assertThat(story.end()).isNull();
        assertThat(story.moments())
                .containsExactly(
                        new Moment(Step.RECEIVED, START_MICROS, 0),
                        new Moment(Step.DECODED, START_MICROS, 0),
                        new Moment(Step.VERIFIED, START_MICROS + 100, 100),
                        new Moment(Step.POOLED, START_MICROS + 150, 150),
                        new Moment(Step.RELAYED, START_MICROS + 150, 150),
                        new Moment(Step.IN_BLOCK, START_MICROS + 1050, 1050));
    }

    @Test
    void whatWasDroppedSaysWhy() {
        TransactionGroup group = group();
        trace.submitted(group, at(0));
        trace.dropped(group, Drop.UNTIMELY, Reason.DEAD, "round 5 outside of 1--2");

        assertThat(story(group).end()).isEqualTo(new End("dead", "round 5 outside of 1--2"));
        assertThat(story(group).source()).isEqualTo("rest");

        TransactionGroup crowded = group();
        trace.submitted(crowded, at(0));
        trace.dropped(crowded, Drop.RING_FULL, null, "");
        assertThat(story(crowded).end()).isEqualTo(new End("ring_full", ""));
    }

    @Test
    void aSecondCopyIsCountedAndItsEndIsNotThatOfTheFirst() {
        TransactionGroup group = group();
        trace.submitted(group, at(0));
        trace.pooled(group);
        trace.submitted(group, at(0));
        trace.dropped(group, Drop.POOL, Reason.DEAD, "already in ledger");

        assertThat(story(group).end()).isNull();
        assertThat(story(group).copies()).isEqualTo(1);
    }

    @Test
    void whatWasDroppedMayComeAgain() {
        TransactionGroup group = group();
        trace.submitted(group, at(0));
        trace.dropped(group, Drop.POOL, null, "full");
        pass(10);
        trace.submitted(group, at(0));
        trace.pooled(group);

        assertThat(story(group).end()).isNull();
        assertThat(story(group).moments().getFirst().epochMicros()).isEqualTo(START_MICROS + 10);
    }

    @Test
    void whatABlockMadeImpossibleIsEvicted() {
        TransactionGroup group = group();
        trace.submitted(group, at(0));
        trace.pooled(group);
        trace.evicted(group, Reason.DEAD, "round 9 outside of 1--8");

        assertThat(story(group).end()).isEqualTo(new End("dead", "round 9 outside of 1--8"));
        assertThat(story(group).moments().getLast().step()).isEqualTo(Step.DROPPED);
    }

    @Test
    void whatWasNotMetIsUnknownAndABlockAddsNothing() {
        TransactionGroup group = group();
        trace.inBlock(1, committed(group));

        assertThat(trace.story(group.first().id())).isNull();
    }

    @Test
    void theOldestGiveWayAndTheLatestStay() {
        List<TransactionGroup> groups = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            TransactionGroup group = group();
            groups.add(group);
            trace.submitted(group, at(0));
            pass(1);
        }
        long kept = groups.stream().filter(each -> trace.story(each.first().id()) != null).count();
        assertThat(kept).isLessThanOrEqualTo(64).isGreaterThan(32);
        assertThat(story(groups.getLast()).source()).isEqualTo("rest");
    }

    @Test
    void clearForgetsAll() {
        TransactionGroup group = group();
        trace.submitted(group, at(0));
        trace.clear();

        assertThat(trace.story(group.first().id())).isNull();
    }

    @Test
    void aStepHoursLaterIsTheLastThatFits() {
        TransactionGroup group = group();
        trace.submitted(group, at(0));
        pass(10_000_000_000L); // Ten thousand seconds; 32 bits hold 4,294.
        trace.inBlock(3, committed(group));

        assertThat(story(group).moments().getLast().afterMicros()).isEqualTo(0xfffffffeL);
    }

    @Test
    void followingATransactionAllocatesNothing() {
        List<TransactionGroup> groups = new ArrayList<>();
        List<List<CommittedId>> blocks = new ArrayList<>();
        for (int i = 0; i < 128; i++) {
            TransactionGroup group = group();
            groups.add(group);
            blocks.add(committed(group));
        }
        QuietPeer peer = new QuietPeer();
        int[] next = {0};
        long bytes =
                Allocation.smallestWindow(
                        10,
                        10_000,
                        () -> {
                            int at = next[0]++ & 127;
                            TransactionGroup group = groups.get(at);
                            trace.decoded(group, trace.source(peer), trace.now());
                            trace.verified(group);
                            trace.pooled(group);
                            trace.relayed(group);
                            trace.inBlock(1, blocks.get(at));
                            nanos++;
                        });
        assertThat(bytes).isZero();
    }

    private TransactionGroup group() {
        return TransactionGroup.of(funds.payment(0, 1, 5));
    }

    private static List<CommittedId> committed(TransactionGroup group) {
        SignedTransaction only = group.first();
        Digest id = only.id();
        return List.of(new CommittedId(id, only.txn().lastValid()));
    }

    private Story story(TransactionGroup group) {
        return Objects.requireNonNull(trace.story(group.first().id()));
    }

    private void pass(long micros) {
        nanos += micros * 1000;
    }

    private long at(long microsAgo) {
        return nanos - microsAgo * 1000;
    }
}
