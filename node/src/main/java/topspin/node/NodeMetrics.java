package topspin.node;

import topspin.ledger.rules.Reason;
import topspin.ledger.store.LedgerStore.Usage;
import topspin.net.NetCounters;
import topspin.net.gossipsub.GossipCounters;
import topspin.net.gossipsub.GossipDrop;
import topspin.node.agreement.Action;
import topspin.node.agreement.AgreementLoop;
import topspin.node.agreement.AgreementService;
import topspin.node.ingest.Drop;
import topspin.node.ingest.IngestCounters;
import topspin.node.pool.PoolCounters;
import topspin.node.rest.MetricsPage;
import topspin.node.rest.RestCounters;

import java.util.Locale;

/** Names for what the parts of a node count, algod's where they mean the same. */
final class NodeMetrics {
    private NodeMetrics() {}

    static void register(Node node, MetricsPage page) {
        ledger(node, page);
        pool(node, page);
        ingest(node, page);
        net(node, page);
        rest(node, page);
        node.agreement().ifPresent(agreement -> agreement(agreement, page));
    }

    private static void ledger(Node node, MetricsPage page) {
        page.gauge("algod_ledger_round", "Latest round.", () -> node.ledger().view().round());
        page.counter(
                "algod_ledger_transactions_total",
                "Transactions in blocks of this node since it started.",
                () -> node.blockTransactions());
        page.counter(
                "topspin_ledger_commit_seconds_total",
                "Time spent on making rounds durable.",
                () -> node.ledger().commitNanos() / 1e9);
        page.counter(
                "topspin_ledger_cache_hits_total",
                "Account records found in memory.",
                () -> node.ledger().cacheHits());
        page.counter(
                "topspin_ledger_cache_misses_total",
                "Account records read from the store.",
                () -> node.ledger().cacheMisses());
        page.gauges(
                "topspin_store_bytes",
                "Native memory and disk of the ledger's store; memtables are charged to the cache.",
                "part",
                series -> {
                    Usage usage = node.ledger().usage();
                    series.add("cache", usage.cache());
                    series.add("cache_pinned", usage.cachePinned());
                    series.add("memtables", usage.memtables());
                    series.add("tables", usage.tables());
                    series.add("disk", usage.disk());
                });
        page.gauge(
                "topspin_store_snapshots",
                "Views of earlier rounds that can still be read.",
                () -> node.ledger().usage().snapshots());
        page.gauge(
                "topspin_ledger_first_round",
                "First round whose block is kept.",
                () -> node.ledger().view().firstRound());
    }

    private static void pool(Node node, MetricsPage page) {
        PoolCounters counters = node.pool().counters();
        page.gauge(
                "algod_tx_pool_count",
                "Transactions that wait for a block.",
                () -> node.pool().pending().transactionCount());
        page.counter(
                "topspin_pool_accepted_total",
                "Transactions taken into the pool.",
                counters::accepted);
        page.counter(
                "topspin_pool_committed_total",
                "Transactions that left the pool with a block.",
                counters::committed);
        page.counter(
                "topspin_pool_evicted_total",
                "Transactions that a block made inapplicable.",
                counters::evicted);
        page.counters(
                "topspin_pool_refused_total",
                "Groups that the pool refused, by reason.",
                "reason",
                series -> {
                    series.add("full", counters.refusedFull());
                    series.add("fee_below_threshold", counters.refusedFee());
                    for (Reason reason : Reason.values()) {
                        long count = counters.refused(reason);
                        if (count > 0) {
                            series.add(label(reason), count);
                        }
                    }
                });
    }

    private static void ingest(Node node, MetricsPage page) {
        IngestCounters counters = node.ingest().counters();
        page.gauge(
                "topspin_ingest_waiting",
                "Groups that wait for the ingest thread.",
                () -> node.ingest().waiting());
        page.counter(
                "algod_transaction_messages_handled_total",
                "Transaction messages that peers sent.",
                counters::fromPeersCount);
        page.counter(
                "topspin_ingest_submitted_total",
                "Groups submitted by REST.",
                counters::submittedCount);
        page.counter(
                "topspin_ingest_resent_total",
                "Groups submitted here that were sent to peers again.",
                counters::resentCount);
        page.counter(
                "topspin_ingest_batches_total",
                "Batches of groups whose signatures were verified.",
                counters::batchCount);
        page.counter(
                "topspin_ingest_batched_groups_total",
                "Groups in those batches.",
                counters::batchedCount);
        page.counters(
                "topspin_ingest_dropped_total",
                "Groups that ended on the way in, by where.",
                "reason",
                series -> {
                    for (Drop drop : Drop.values()) {
                        series.add(label(drop), counters.dropped(drop));
                    }
                });
    }

    private static void net(Node node, MetricsPage page) {
        page.gauge(
                "topspin_net_queued_bytes",
                "Bytes queued for peers.",
                () -> node.gossip().queuedBytes());
        page.gauge(
                "topspin_net_half_frame_bytes",
                "Bytes of peers' messages, long ones, whose rest has not come.",
                () -> node.gossip().halfFrameBytes());
        NetCounters counters = node.gossip().counters();
        page.counter(
                "topspin_net_messages_received_total",
                "Messages of peers.",
                counters.messagesIn::sum);
        page.counter(
                "topspin_net_messages_sent_total", "Messages to peers.", counters.messagesOut::sum);
        page.counter(
                "algod_network_received_bytes_total",
                "Bytes of peers' messages.",
                counters.bytesIn::sum);
        page.counter(
                "algod_network_sent_bytes_total",
                "Bytes of messages to peers.",
                counters.bytesOut::sum);
        page.counters(
                "topspin_net_dropped_total",
                "Messages and connections ended by our decision, by reason.",
                "reason",
                series -> {
                    for (var drop : topspin.net.Drop.values()) {
                        series.add(drop.label(), counters.dropped(drop));
                    }
                });
        GossipCounters gossip = node.gossip().gossipCounters();
        page.counter(
                "topspin_gossip_fresh_total",
                "Transaction groups that peers gossiped and that were new.",
                gossip.fresh::sum);
        page.counter("topspin_gossip_fresh_bytes_total", "Their bytes.", gossip.freshBytes::sum);
        page.counter(
                "topspin_gossip_sent_bytes_total",
                "Bytes of gossip RPCs to peers, all that is in them included.",
                gossip.bytesOut::sum);
        page.counter(
                "topspin_gossip_published_total",
                "Transaction groups of this node that were gossiped.",
                gossip.published::sum);
        page.counter(
                "topspin_gossip_sent_total",
                "Copies of transaction groups sent to peers.",
                gossip.sent::sum);
        page.counters(
                "topspin_gossip_dropped_total",
                "What gossip left out, and what was held against peers, by reason.",
                "reason",
                series -> {
                    for (GossipDrop drop : GossipDrop.values()) {
                        series.add(drop.label(), gossip.dropped(drop));
                    }
                });
        page.gauge(
                "topspin_gossip_mesh_peers",
                "Peers that transactions are passed on to at once.",
                () -> node.gossip().meshSize());
        page.gauge("topspin_net_peers", "Peers connected.", () -> node.gossip().peers().size());
    }

    private static void agreement(AgreementRuntime agreement, MetricsPage page) {
        AgreementService service = agreement.service();
        AgreementLoop loop = service.counted();
        page.gauges(
                "topspin_agreement_position",
                "Round, period and step that this node works on.",
                "part",
                series -> {
                    series.add("round", service.round());
                    series.add("period", service.period());
                    series.add("step", service.step());
                });
        page.gauge(
                "topspin_agreement_rounds_behind",
                "Finished rounds that peers speak of and this node does not have.",
                agreement::roundsBehind);
        page.counter(
                "topspin_agreement_rounds_taken_total",
                "Rounds that came from peers with their certificates.",
                agreement::roundsTaken);
        page.counter(
                "topspin_agreement_certified_total",
                "Rounds whose certificate followed the filter timeout of period 0 here.",
                loop::certified);
        page.counter(
                "topspin_agreement_certify_seconds_total",
                "Time between the two, over those rounds.",
                () -> loop.certifyNanos() / 1e9);
        page.counters(
                "topspin_agreement_dropped_total",
                "Votes, proposals and bundles that were dropped, by reason.",
                "reason",
                series -> {
                    for (Action.Drop drop : Action.Drop.values()) {
                        series.add(label(drop), loop.drops(drop));
                    }
                    series.add("queue_full", service.overflows());
                    series.add("decoders_busy", agreement.inbox().crowded.sum());
                    series.add("malformed", agreement.inbox().malformed.sum());
                });
    }

    private static void rest(Node node, MetricsPage page) {
        page.counter(
                "topspin_rest_requests_total",
                "Requests of REST, malformed ones too.",
                () -> node.rest().counters().requests.sum());
        page.counters(
                "topspin_rest_refused_total",
                "Requests and connections of REST that got no answer of a handler, by reason.",
                "reason",
                series -> {
                    RestCounters counters = node.rest().counters();
                    series.add("malformed", counters.malformed.sum());
                    series.add("wrong_token", counters.wrongTokens.sum());
                    series.add("busy", counters.refusedBusy.sum());
                    series.add("connections", counters.refusedConnections.sum());
                    series.add("slow_sender", counters.slowSenders.sum());
                    series.add("slow_taker", counters.slowTakers.sum());
                });
        page.gauge(
                "topspin_rest_requests_open",
                "Requests of REST being read or answered.",
                () -> node.rest().requestsOpen());
        page.gauge(
                "topspin_rest_connections",
                "Connections of REST.",
                () -> node.rest().connectionsOpen());
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
