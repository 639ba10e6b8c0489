package topspin.node.rest;

import org.jspecify.annotations.Nullable;

import topspin.codec.Digest;
import topspin.codec.block.Block;
import topspin.codec.block.BlockHeader;
import topspin.codec.block.TransactionRoot;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.SignedTransaction;
import topspin.ledger.BlockEvaluator;
import topspin.ledger.BlockEvaluator.GroupChanges;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerView;
import topspin.ledger.RoundListener;
import topspin.ledger.StateDelta;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * What the last rounds changed, for those who follow the chain by its changes (conduit). Told by
 * the ledger, read by REST; never more than {@link #ROUNDS_MAX} rounds, which a follower that is
 * held back by its reader does not outrun. Where the ledger stores them ({@link
 * topspin.ledger.LedgerConfig#keepDeltas}), those from before this node was started are there, too.
 */
public final class RecentDeltas implements RoundListener {
    /** algod's MaxAcctLookback. */
    public static final int ROUNDS_MAX = 4;

    /**
     * One round's changes.
     *
     * @param previousTimestamp of the block before
     * @param groups what each group changed, and by which names it is found; null for a round that
     *     was added before this node was started
     */
    record Round(DeltaForm form, long previousTimestamp, @Nullable List<Group> groups) {}

    /**
     * One group's changes.
     *
     * @param first place in the block of its first member
     * @param id of the group, or of the only transaction
     */
    record Group(DeltaForm form, int first, Digest id) {}

    private final Ledger ledger;
    private final ConsensusVersions versions;
    private final boolean traced;
    private final InstantSource clock;
    private final ConcurrentNavigableMap<Long, Round> rounds = new ConcurrentSkipListMap<>();
    private final long opened;
    private volatile Map<Digest, Group> groups = Map.of();

    /**
     * @param traced whether the changes of each group are kept, too (algod's EnableTxnEvalTracer);
     *     costs another evaluation of each block
     * @param clock for the timestamp of headers in dev mode
     */
    public RecentDeltas(
            Ledger ledger, ConsensusVersions versions, boolean traced, InstantSource clock) {
        this.ledger = ledger;
        this.versions = versions;
        this.traced = traced;
        this.clock = clock;
        this.opened = ledger.view().round();
        load();
    }

    /** Takes over what the ledger stored, as far back as it goes. Headers are those of blocks. */
    private void load() {
        LedgerView view = ledger.view();
        RewoundState state = new RewoundState(view);
        for (long round = opened; round > 0 && rounds.size() < ROUNDS_MAX; round--) {
            StateDelta delta = ledger.storedDelta(round);
            if (delta == null) {
                break;
            }
            DeltaForm form = DeltaForm.of(delta, view.header(round), state);
            rounds.put(round, new Round(form, view.header(round - 1).timestamp(), null));
            state.undo(delta);
        }
    }

    @Override
    public void roundAdded(LedgerView view, Block block, StateDelta delta) {
        BlockHeader previous = view.header(view.round() - 1);
        BlockHeader header =
                view.genesis().devMode() ? asDrafted(block.header(), previous) : block.header();
        List<Group> traces = new ArrayList<>();
        if (traced) {
            LedgerView base = ledger.view(view.round() - 1);
            if (base != null) {
                for (GroupChanges each : BlockEvaluator.groupChanges(block, base, versions)) {
                    traces.add(group(each, header, view));
                }
            }
        }
        DeltaForm form = DeltaForm.of(delta, header, view);
        rounds.put(view.round(), new Round(form, previous.timestamp(), List.copyOf(traces)));
        while (rounds.size() > ROUNDS_MAX) {
            rounds.pollFirstEntry();
        }
        if (traced) {
            groups = byName();
        }
    }

    private static Group group(GroupChanges changes, BlockHeader header, LedgerView view) {
        SignedTransaction first = changes.group().first();
        Digest id = first.txn().group().isZero() ? first.id() : first.txn().group();
        // Of an asset that several groups of a block touch, the parameters are those at its end.
        return new Group(DeltaForm.of(changes.delta(), header, view), changes.first(), id);
    }

    private Map<Digest, Group> byName() {
        Map<Digest, Group> all = new HashMap<>();
        for (Round round : rounds.values()) {
            for (Group group : round.groups == null ? List.<Group>of() : round.groups) {
                all.put(group.id, group);
                group.form.delta().ids().forEach(id -> all.put(id.id(), group));
            }
        }
        return all;
    }

    /**
     * In dev mode the reference shows the header before the transactions went in, with a timestamp
     * that no offset has touched.
     */
    private BlockHeader asDrafted(BlockHeader header, BlockHeader previous) {
        BlockHeader.Draft draft = header.toDraft();
        TransactionRoot empty = TransactionRoot.of(List.of());
        draft.transactionRoot = empty.sha512_256();
        draft.sha256Root = empty.sha256();
        draft.sha512Root = empty.sha512();
        draft.transactionCounter = 0;
        draft.feesCollected = 0;
        draft.load = 0;
        draft.stateProofTracking = List.of();
        draft.seed = Digest.ZERO;
        long now = clock.instant().getEpochSecond();
        draft.timestamp =
                Objects.requireNonNull(versions.get(previous.protocol()))
                        .nextTimestamp(now, previous.timestamp());
        return draft.build();
    }

    /** The changes of a round, or null when they are not kept. */
    @Nullable Round round(long round) {
        return rounds.get(round);
    }

    /** Whether groups are looked at, one by one. */
    boolean isTraced() {
        return traced;
    }

    /** The changes of the group that has this id, or a member that has it; null if not kept. */
    @Nullable Group group(Digest id) {
        return groups.get(id);
    }

    /** The last round whose changes are no longer kept, or never were. */
    public long before() {
        Map.Entry<Long, Round> first = rounds.firstEntry();
        return first == null ? opened : first.getKey() - 1;
    }

    /** How many are kept. */
    int count() {
        return rounds.size();
    }
}
