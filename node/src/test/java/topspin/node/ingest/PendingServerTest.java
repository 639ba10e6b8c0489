package topspin.node.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.Bytes;
import topspin.codec.params.ConsensusVersions;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;
import topspin.net.stream.KnownIds;
import topspin.node.Chain;
import topspin.node.Funds;
import topspin.node.pool.Pending;
import topspin.node.pool.PoolConfig;
import topspin.node.pool.TransactionPool;
import topspin.node.pool.Watcher;

import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What a peer gets that names what it has. */
@Timeout(60)
final class PendingServerTest {
    /** A filter of nothing, and one of everything. */
    private static final KnownIds NOTHING = known(1);

    private static final KnownIds EVERYTHING = known(0);

    private final Funds funds = new Funds(4);
    private final CountDownLatch looked = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private boolean stands;
    private Chain chain;
    private TransactionPool pool;
    private PendingServer server;

    /** Of one byte, in which the bits are 0: with a hash nothing is known, without all. */
    private static KnownIds known(int hashes) {
        byte[] filter = new byte[9];
        filter[3] = (byte) hashes;
        return Objects.requireNonNull(KnownIds.decode(filter));
    }

    @BeforeEach
    void open(@TempDir Path folder) {
        chain = new Chain(folder, funds, ConsensusVersions.builtIn());
        pool =
                new TransactionPool(
                        PoolConfig.DEFAULT,
                        chain.ledger().view(),
                        ConsensusVersions.builtIn(),
                        System::nanoTime,
                        fault -> {
                            throw new AssertionError(fault);
                        });
        pool.start();
        server = new PendingServer(this::pending);
    }

    private Pending pending() {
        if (stands) {
            looked.countDown();
            try {
                assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException ended) {
                throw new AssertionError(ended);
            }
        }
        return pool.pending();
    }

    @AfterEach
    void close() {
        goOn.countDown();
        server.close();
        pool.close();
        chain.close();
    }

    private SignedTransaction offer(SignedTransaction payment) throws Exception {
        offer(TransactionGroup.of(payment));
        return payment;
    }

    private TransactionGroup offer(TransactionGroup group) throws Exception {
        var watcher = new Watcher();
        pool.offer(chain.verified(group), false, watcher);
        assertThat(watcher.entry()).isEqualTo("accepted");
        return group;
    }

    private CompletableFuture<byte[]> ask(Object asker, KnownIds known) {
        var answer = new CompletableFuture<byte[]>();
        server.missing(asker, known, answer::complete);
        return answer;
    }

    /** An array of these. */
    private static byte[] array(List<SignedTransaction> transactions) {
        var bytes = new ByteArrayOutputStream();
        int count = transactions.size();
        if (count < 16) {
            bytes.write(0x90 | count);
        } else {
            bytes.write(0xdc);
            bytes.write(count >> 8);
            bytes.write(count);
        }
        for (SignedTransaction each : transactions) {
            bytes.write(each.bytes(), each.offset(), each.length());
        }
        return bytes.toByteArray();
    }

    @Test
    void wholeGroupsInTheirOrder() throws Exception {
        SignedTransaction first = offer(funds.payment(0, 1, 5));
        TransactionGroup group = offer(funds.group(1, 2, 3));

        assertThat(ask("peer", NOTHING).get(10, TimeUnit.SECONDS))
                .isEqualTo(array(List.of(first, group.get(0), group.get(1), group.get(2))));
        assertThat(ask("peer", EVERYTHING).get(10, TimeUnit.SECONDS)).isEqualTo(array(List.of()));
    }

    @Test
    void aMegabyteIsEnough() throws Exception {
        byte[] note = new byte[1000];
        List<SignedTransaction> offered = new ArrayList<>();
        int length = 0;
        for (int i = 0; i < 900; i++) {
            note[0] = (byte) i;
            note[1] = (byte) (i >> 8);
            var payment = funds.unsigned(0, 1, 1);
            var header = payment.header().withNote(Bytes.of(note.clone()));
            offered.add(offer(funds.sign(0, payment.withHeader(header))));
            length = offered.getLast().length();
        }
        int fitting = PendingServer.BYTES_MAX / length;

        assertThat(fitting).isLessThan(offered.size());
        assertThat(ask("peer", NOTHING).get(10, TimeUnit.SECONDS))
                .isEqualTo(array(offered.subList(0, fitting)));
    }

    @Test
    void onePeerAsksOnceAtATimeAndFewWait() throws Exception {
        stands = true;
        CompletableFuture<byte[]> first = ask("peer", NOTHING);
        assertThat(looked.await(10, TimeUnit.SECONDS)).isTrue();

        assertThat(ask("peer", NOTHING)).isCompletedWithValue(null);
        List<CompletableFuture<byte[]>> waiting = new ArrayList<>();
        for (int i = 0; i < PendingServer.WAITING_MAX; i++) {
            waiting.add(ask(i, NOTHING));
        }
        assertThat(ask("one too many", NOTHING)).isCompletedWithValue(null);
        goOn.countDown();

        assertThat(first.get(10, TimeUnit.SECONDS)).containsExactly(0x90);
        for (CompletableFuture<byte[]> each : waiting) {
            assertThat(each.get(10, TimeUnit.SECONDS)).containsExactly(0x90);
        }
    }
}
