package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.params.ConsensusVersions;
import topspin.ledger.Ledger;
import topspin.ledger.LedgerConfig;
import topspin.net.multiaddr.Multiaddr;
import topspin.node.Chain;
import topspin.node.DataFolder;
import topspin.node.Funds;
import topspin.node.Node;
import topspin.node.NodeConfig;
import topspin.node.NodeFault;
import topspin.node.devmode.BlockMode;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/** What a node says of rounds that it keeps no longer: to wallets, and to peers. */
final class PrunedNodeTest {
    private static final int KEPT = 1001;

    /** Before the node is told to keep less. */
    private static final int ROUNDS = KEPT + 4;

    private final Funds funds = new Funds(2);

    @Test
    void roundsThatAreKeptNoLongerAreNotFoundAndTheRestIsServed(@TempDir Path parent)
            throws Exception {
        var manual = NodeConfig.DEFAULT.withBlocks(new BlockMode.Manual());
        var payment = funds.payment(0, 1, 5);
        var late = funds.payment(0, 1, 6);
        Path data = parent.resolve("node");
        DataFolder.create(data, funds.genesis().json(), manual);
        try (var chain = new Chain(data.resolve("ledger"), funds, ConsensusVersions.builtIn())) {
            chain.add(chain.verified(payment));
            while (chain.ledger().view().round() < ROUNDS) {
                boolean middle = chain.ledger().view().round() == 500;
                if (middle) {
                    chain.add(chain.verified(late));
                } else {
                    chain.add();
                }
            }
        }
        try (var rest = new RestNode(data, manual.withKeepRounds(KEPT))) {
            Node node = rest.node();
            assertThat(rest.get("/v2/blocks/1").status()).isEqualTo(200);
            node.pacer().orElseThrow().makeBlock().get(30, TimeUnit.SECONDS);
            int first = ROUNDS + 1 - KEPT + 1;
            assertThat(node.ledger().view().firstRound()).isEqualTo(first);

            for (String what : new String[] {"", "?format=msgpack", "/txids", "/logs"}) {
                RawClient.Answer gone = rest.get("/v2/blocks/" + (first - 1) + what);
                assertThat(gone.status()).as(what).isEqualTo(404);
                assertThat(gone.text()).contains("failed to retrieve information from the ledger");
                assertThat(rest.get("/v2/blocks/" + first + what).status()).isEqualTo(200);
            }
            // The transaction of round 1 went with its block; that of round 501 is still told of.
            assertThat(rest.get("/v2/transactions/pending/" + payment.id()).status())
                    .isEqualTo(404);
            assertThat(rest.get("/v2/transactions/pending/" + late.id()).text())
                    .contains("\"confirmed-round\":501,");
            assertThat(rest.get("/metrics").text())
                    .contains("\ntopspin_ledger_first_round " + first + ".0\n")
                    .containsPattern("topspin_store_bytes\\{part=\"cache\"} [1-9]")
                    .containsPattern("topspin_store_bytes\\{part=\"memtables\"} [1-9]")
                    .containsPattern("topspin_store_bytes\\{part=\"disk\"} [1-9]")
                    .contains("\ntopspin_store_snapshots ");

            // Whoever begins at genesis is told that the blocks are gone, not that they will come.
            Path behind = parent.resolve("behind");
            DataFolder.create(behind, funds.genesis().json(), manual);
            var producer = Multiaddr.parse(node.gossipAddress().orElseThrow());
            try (Node follower =
                    Node.start(behind, manual.withProducer(producer), InstantSource.system())) {
                NodeFault fault = follower.stopped().get(30, TimeUnit.SECONDS).orElseThrow();
                assertThat(fault.exitStatus()).isEqualTo(1);
                assertThat(fault.line()).contains("round 1: it is kept no longer there");
            }
        }
        // What is kept now is a matter of the next opening too.
        try (Ledger again =
                Ledger.open(data.resolve("ledger"), funds.genesis(), LedgerConfig.DEFAULT)) {
            assertThat(again.view().firstRound()).isEqualTo(ROUNDS + 1 - KEPT + 1);
            assertThat(again.blockBytes(1)).isNull();
        }
    }

    @Test
    void fewerRoundsThanTransactionsNeedAreRefusedByName() {
        assertThatThrownBy(() -> NodeConfig.parse("{\"KeepRounds\": 1000}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("KeepRounds is at least 1001, or 0 for all, not 1000");
    }
}
