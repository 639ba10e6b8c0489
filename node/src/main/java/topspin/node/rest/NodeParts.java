package topspin.node.rest;

import org.jspecify.annotations.Nullable;

import topspin.codec.params.ConsensusVersions;
import topspin.ledger.Ledger;
import topspin.ledger.rules.Signatures;
import topspin.net.Impairment;
import topspin.net.Peer;
import topspin.node.catchup.SyncRound;
import topspin.node.devmode.BlockPacer;
import topspin.node.devmode.Snapshots;
import topspin.node.ingest.Ingest;
import topspin.node.keys.KeyGenerator;
import topspin.node.keys.KeyStore;
import topspin.node.pool.TransactionPool;

import java.util.List;
import java.util.function.Supplier;

/**
 * What REST reads and asks of the rest of the node.
 *
 * @param version of this program, three numbers with dots
 * @param versions protocol versions that this node knows
 * @param signatures makes a verifier for the calling thread
 * @param pacer makes the blocks of a network in dev mode; null where another node does
 * @param snapshots how it was, and the way back; null where nodes agree on blocks
 * @param sync what holds a follower back; null where nobody follows
 * @param keys participation keys, and who makes them
 * @param peers those connected now
 * @param impairment what hinders the connections to them
 * @param recent the last blocks, for the dashboard
 */
public record NodeParts(
        String version,
        ConsensusVersions versions,
        Ledger ledger,
        TransactionPool pool,
        Ingest ingest,
        Supplier<Signatures> signatures,
        @Nullable BlockPacer pacer,
        @Nullable Snapshots snapshots,
        RecentDeltas deltas,
        @Nullable SyncRound sync,
        KeyStore keys,
        KeyGenerator keyGenerator,
        Supplier<List<Peer>> peers,
        Impairment impairment,
        RoundWaits waits,
        MetricsPage metrics,
        Recordings recordings,
        ProcessFigures figures,
        RecentBlocks recent,
        Standing standing) {}
