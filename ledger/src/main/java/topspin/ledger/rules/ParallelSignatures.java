package topspin.ledger.rules;

import topspin.codec.crypto.SignatureEngine;
import topspin.codec.txn.TransactionGroup;
import topspin.ledger.rules.Signatures.Outcome;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Verifies the groups of a whole block on several threads: its own, and whoever calls, which is one
 * thread at a time. Groups are dealt in shares, so that a slow share delays no other.
 */
public final class ParallelSignatures implements GroupVerifier, AutoCloseable {
    /** Groups of a share; fewer groups than two shares are not worth waking anybody for. */
    static final int SHARE_GROUPS = 256;

    /** Signatures verified in one equation. */
    private static final int CLAIMS_MAX = 256;

    private final List<Signatures> members = new ArrayList<>();
    private final ExecutorService others;

    /**
     * Starts {@code threads - 1} threads, which only work within {@link #verify}.
     *
     * @param threads that verify at once, the caller's included; at least 1
     * @param cache is told of each group that passes, and spares those it knows
     * @param engine does the arithmetic
     */
    public ParallelSignatures(int threads, VerifiedCache cache, SignatureEngine engine) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be positive: " + threads);
        }
        for (int i = 0; i < threads; i++) {
            members.add(new Signatures(cache, engine, CLAIMS_MAX));
        }
        others =
                Executors.newFixedThreadPool(
                        Math.max(1, threads - 1), // None is started before it is needed.
                        Thread.ofPlatform().name("verify-block-", 0).daemon().factory());
    }

    @Override
    public List<Outcome> verify(List<TransactionGroup> groups, Rules rules) {
        int shares = Math.ceilDiv(groups.size(), SHARE_GROUPS);
        int workers = Math.min(shares, members.size());
        if (workers <= 1) {
            return members.getFirst().verify(groups, rules);
        }
        var outcomes = new Outcome[groups.size()];
        var next = new AtomicInteger();
        var working = new CompletableFuture<?>[workers - 1];
        for (int i = 0; i < working.length; i++) {
            Signatures member = members.get(i + 1);
            working[i] =
                    CompletableFuture.runAsync(
                            () -> work(member, groups, rules, next, outcomes), others);
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(working);
        try {
            work(members.getFirst(), groups, rules, next, outcomes);
        } catch (RuntimeException | Error failed) {
            next.set(groups.size()); // No more shares.
            all.exceptionally(alsoFailed -> null).join(); // Members are idle between two calls.
            throw failed;
        }
        all.join(); // What they wrote is seen from here on.
        return Arrays.asList(outcomes);
    }

    private static void work(
            Signatures member,
            List<TransactionGroup> groups,
            Rules rules,
            AtomicInteger next,
            Outcome[] outcomes) {
        for (int from = next.getAndAdd(SHARE_GROUPS);
                from < groups.size();
                from = next.getAndAdd(SHARE_GROUPS)) {
            int to = Math.min(from + SHARE_GROUPS, groups.size());
            List<Outcome> share = member.verify(groups.subList(from, to), rules);
            for (int i = 0; i < share.size(); i++) {
                outcomes[from + i] = share.get(i);
            }
        }
    }

    /** Lets go of the threads; none is at work, since whoever calls waits for them. */
    @Override
    public void close() {
        others.shutdown();
    }
}
