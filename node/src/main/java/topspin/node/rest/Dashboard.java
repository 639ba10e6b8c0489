package topspin.node.rest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

import topspin.ledger.LedgerView;
import topspin.net.Peer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One page that shows how the node is, and the stream of events that it lives on. The page is for
 * anyone and says nothing of the node; the stream wants the token, which the page takes from the
 * fragment of its address, a part that browsers keep to themselves.
 */
final class Dashboard {
    /** Who may watch at once; the next one gets 429. */
    static final int STREAMS_MAX = 16;

    private static final String TEMPLATE = "/topspin/node/rest/dashboard.html";
    private static final String UPLOT = "/META-INF/resources/webjars/uplot/1.6.30/dist/";
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final NodeParts node;
    private final AtomicInteger streams = new AtomicInteger();

    Dashboard(NodeParts node) {
        this.node = node;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/", Access.OPEN, "The dashboard.", Dashboard::page).onWorker(),
                Route.get(
                        "/topspin/events",
                        Access.PUBLIC,
                        "How the node is, once a second, as server-sent events.",
                        this::events));
    }

    private static void page(Exchange exchange) {
        exchange.bytes("text/html; charset=utf-8").writeBytes(Page.BYTES);
        exchange.header(Page.HEADERS);
        exchange.sendAsIs(200);
    }

    private void events(Exchange exchange) {
        if (streams.incrementAndGet() > STREAMS_MAX) {
            streams.decrementAndGet();
            exchange.empty(429);
            return;
        }
        exchange.stream("text/event-stream");
        new Watcher(exchange).tick(RoundWaits.Outcome.TIME_OVER);
    }

    /** One who watches; on its connection's event loop. */
    private final class Watcher {
        private final Exchange exchange;
        private long known;
        private boolean left;

        Watcher(Exchange exchange) {
            this.exchange = exchange;
        }

        void tick(RoundWaits.Outcome outcome) {
            if (outcome == RoundWaits.Outcome.STOPPED) {
                leave();
                exchange.endStream();
                return;
            }
            exchange.push(this::write);
            // A round that never comes: what ends the wait is the clock, or the node that stops.
            RoundWaits.Wait wait =
                    node.waits()
                            .await(
                                    Long.MAX_VALUE,
                                    TICK_NANOS,
                                    end -> exchange.onLoop(same -> tick(end)));
            exchange.onAbandoned(
                    () -> {
                        wait.giveUp();
                        leave();
                    });
        }

        private void leave() {
            if (!left) {
                left = true;
                streams.decrementAndGet();
            }
        }

        private void write(ByteBuf out) {
            ByteBufUtil.writeAscii(out, "data: ");
            known = state(known, new JsonWriter(out));
            ByteBufUtil.writeAscii(out, "\n\n");
        }
    }

    /** Writes how the node is, with the blocks after {@code known}; the last of them. */
    private long state(long known, JsonWriter json) {
        LedgerView view = node.ledger().view();
        Standing standing = node.standing();
        RecentBlocks recent = node.recent();
        long sequence = recent.sequence();
        json.beginObject();
        json.name("version").string(node.version());
        json.name("network").string(node.ledger().genesis().id());
        json.name("mode").string(standing.mode());
        json.name("started").uint(recent.started());
        json.name("sequence").uint(sequence);
        json.name("now_ms").decimal(System.nanoTime() / 1e6);
        json.name("round").uint(view.round());
        json.name("round_ms").uint(standing.roundMillis());
        json.name("round_age_ms")
                .uint(TimeUnit.NANOSECONDS.toMillis(node.waits().nanosSinceRound()));
        json.name("rounds_behind").uint(standing.roundsBehind().getAsLong());
        json.name("confirmed").uint(standing.confirmed().getAsLong());
        json.name("pool").uint(node.pool().pending().transactionCount());
        json.name("block_bytes_max").uint(view.params().maxTxnBytesPerBlock());
        json.name("heap").uint(node.figures().heapUsed());
        json.name("heap_max").uint(Math.max(0, node.figures().heapMax()));
        json.name("gc_ms").uint(node.figures().pauseMillis());
        json.name("mesh").uint(standing.mesh().getAsLong());
        json.name("peers_wanted").uint(standing.peersWanted());
        peers(json);
        json.name("blocks").beginArray();
        for (RecentBlocks.Seen block : recent.blocksAfter(known)) {
            block(block, json);
        }
        json.endArray().name("transactions").beginArray();
        for (RecentBlocks.Shown transaction : recent.transactionsAfter(known)) {
            transaction(transaction, json);
        }
        json.endArray().endObject();
        return sequence;
    }

    private void peers(JsonWriter json) {
        List<Peer> peers = new ArrayList<>(node.peers().get());
        json.name("peers").beginArray();
        for (Peer peer : peers) {
            json.beginObject().name("id").string(peer.id());
            json.name("address").string(peer.address());
            json.name("outbound").bool(peer.outbound());
            json.name("bytes_in").uint(peer.traffic().bytesIn());
            json.name("bytes_out").uint(peer.traffic().bytesOut());
            json.name("queued").uint(Math.max(0, peer.queuedBytes())).endObject();
        }
        json.endArray();
    }

    private static void block(RecentBlocks.Seen block, JsonWriter json) {
        json.beginObject().name("round").uint(block.round());
        json.name("timestamp").uint(block.timestamp());
        json.name("transactions").uint(block.transactions());
        json.name("bytes").uint(block.bytes());
        json.name("seconds");
        if (block.seconds() < 0) {
            json.nul();
        } else {
            json.decimal(block.seconds());
        }
        json.endObject();
    }

    private static void transaction(RecentBlocks.Shown shown, JsonWriter json) {
        json.beginObject().name("id").digest(shown.id());
        json.name("type").string(shown.type());
        json.name("from").string(shown.from().toString());
        if (shown.to() != null) {
            json.name("to").string(shown.to().toString());
            json.name("amount").uint(shown.amount());
        }
        if (shown.asset() != 0) {
            json.name("asset").uint(shown.asset());
        }
        json.endObject();
    }

    /** Put together when it is first asked for. */
    private static final class Page {
        private static final byte[] BYTES;

        /** Only the scripts that stand in the page run, and they ask nobody but this node. */
        private static final String HEADERS;

        static {
            String page = resource(TEMPLATE);
            page = fill(page, "uplot-css", resource(UPLOT + "uPlot.min.css"));
            page = fill(page, "uplot-js", resource(UPLOT + "uPlot.iife.min.js"));
            BYTES = page.getBytes(StandardCharsets.UTF_8);
            HEADERS =
                    "Content-Security-Policy: default-src 'none'; script-src"
                            + scriptHashes(page)
                            + "; style-src 'unsafe-inline'; img-src data:; connect-src 'self';"
                            + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
                            + "Referrer-Policy: no-referrer\r\n"
                            + "X-Content-Type-Options: nosniff\r\n"
                            + "Cache-Control: no-cache";
        }

        private static String fill(String page, String name, String content) {
            String mark = "{{" + name + "}}";
            int place = page.indexOf(mark);
            if (place < 0) {
                throw new IllegalStateException("the page has no place for " + name);
            }
            return page.substring(0, place) + content + page.substring(place + mark.length());
        }

        private static String scriptHashes(String page) {
            StringBuilder hashes = new StringBuilder();
            int at = page.indexOf("<script>");
            while (at >= 0) {
                int from = at + "<script>".length();
                String script = page.substring(from, page.indexOf("</script>", from));
                hashes.append(" 'sha256-").append(sha256(script)).append('\'');
                at = page.indexOf("<script>", from + script.length());
            }
            return hashes.toString();
        }

        private static String sha256(String text) {
            try {
                return Base64.getEncoder()
                        .encodeToString(
                                MessageDigest.getInstance("SHA-256")
                                        .digest(text.getBytes(StandardCharsets.UTF_8)));
            } catch (NoSuchAlgorithmException impossible) {
                throw new IllegalStateException("every JDK has SHA-256", impossible);
            }
        }

        private static String resource(String name) {
            try (InputStream in = Dashboard.class.getResourceAsStream(name)) {
                if (in == null) {
                    throw new IllegalStateException("missing from the class path: " + name);
                }
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(name + " cannot be read", e);
            }
        }
    }
}
