package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.txn.GroupId;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.Transaction;
import topspin.codec.txn.TransactionHeader;
import topspin.node.Funds;
import topspin.node.pool.PoolEntry;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Why a transaction was refused, and why one that was accepted left the pool, in the words that
 * users of SDKs match on: the input is sent, and the text compared.
 */
@Timeout(60)
final class PoolErrorTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Digest LEASE =
            Digest.fromBytes(
                    "a lease of exactly thirty-two by".getBytes(StandardCharsets.US_ASCII));

    private final Funds funds = new Funds(5);
    private BareNode node;

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        node = new BareNode(folder, funds.genesis(), BareNode.Switches.DEVELOPER);
    }

    @AfterEach
    void stop() throws IOException {
        node.close();
    }

    // Refused at the door.

    @Test
    void whatWaitsAndWhatIsConfirmedAreThereAlready() throws IOException {
        SignedTransaction payment = funds.payment(0, 1, 1);
        accepted(payment);
        String text = "transaction already in ledger: " + payment.id();
        assertThat(refused(payment)).isEqualTo("TransactionPool.Remember: " + text);
        node.addBlock(payment);
        assertThat(refused(payment)).isEqualTo("TransactionPool.Remember: " + text);
    }

    @Test
    void aDeadOneIsToldItsRounds() throws IOException {
        node.reach(20);
        assertThat(refused(funds.payment(0, 1, 1L, 12L)))
                .isEqualTo("TransactionPool.Remember: txn dead: round 21 outside of 1--12");
        assertThat(refused(funds.payment(0, 1, 30L, 40L)))
                .isEqualTo("TransactionPool.Remember: txn dead: round 21 outside of 30--40");
    }

    @Test
    void whoSpendsTooMuchIsToldTheNumbers() throws IOException {
        SignedTransaction payment = funds.payment(0, 1, Funds.BALANCE + 5);
        assertThat(refused(payment))
                .isEqualTo(
                        "TransactionPool.Remember: transaction %s: overspend (account %s, data"
                                        .formatted(payment.id(), funds.address(0))
                                + " {MicroAlgos:999999000 RewardsBase:0}, tried to spend"
                                + " 1000.000005A)");
        SignedTransaction tooPoor = funds.payment(0, 1, Funds.BALANCE - 50_000);
        assertThat(refused(tooPoor))
                .isEqualTo(
                        "TransactionPool.Remember: transaction %s: account %s balance 49000 below"
                                        .formatted(tooPoor.id(), funds.address(0))
                                + " min 100000 (0 assets)");
    }

    @Test
    void theHolderOfALeaseIsNamed() throws IOException {
        accepted(leased(0, 1));
        SignedTransaction second = leased(0, 2);
        assertThat(refused(second)).isEqualTo("TransactionPool.Remember: " + overlap(second, 0));
    }

    @Test
    void aFeeThatIsShortIsToldByHowMuch() throws IOException {
        assertThat(refused(paying(funds.unsigned(0, 1, 1), 999)))
                .isEqualTo(
                        "TransactionPool.Remember: txgroup with 999uA fees is less than 1mA"
                                + " (usage=1.000000 * base=1mA)");
        List<Transaction> members =
                GroupId.assign(
                        List.of(
                                free(funds.unsigned(0, 1, 1)),
                                free(funds.unsigned(0, 1, 2)),
                                funds.unsigned(0, 1, 3)));
        var body = new ByteArrayOutputStream();
        members.forEach(member -> body.writeBytes(funds.sign(0, member).toBytes()));
        assertThat(message(body.toByteArray(), 400))
                .isEqualTo(
                        "TransactionPool.Remember: txgroup with 1mA fees is less than 3mA"
                                + " (usage=3.000000 * base=1mA)");
    }

    // Accepted, and gone later.

    @Test
    void whoseMoneyWentElsewhereIsToldTheNumbers() throws IOException {
        SignedTransaction payment = funds.payment(0, 1, 600_000_000);
        accepted(payment);
        node.addBlock(funds.payment(0, 2, 700_000_000));
        assertThat(gone(payment))
                .isEqualTo(
                        "transaction %s: overspend (account %s, data {MicroAlgos:299998000"
                                        .formatted(payment.id(), funds.address(0))
                                + " RewardsBase:0}, tried to spend 600A)");
    }

    @Test
    void whatLivedTooShortIsToldItsRounds() throws IOException {
        SignedTransaction payment = funds.payment(0, 1, 1L, 3L);
        accepted(payment);
        node.reach(3);
        assertThat(gone(payment)).isEqualTo("txn dead: round 4 outside of 1--3");
    }

    @Test
    void whoseLeaseIsTakenIsToldByWhom() throws IOException {
        SignedTransaction payment = leased(0, 1);
        accepted(payment);
        node.addBlock(leased(0, 2));
        assertThat(gone(payment)).isEqualTo(overlap(payment, 0));
    }

    @Test
    void whatWouldLeaveTooLittleIsToldHowMuch() throws IOException {
        SignedTransaction payment = funds.payment(0, 1, 600_000_000);
        accepted(payment);
        node.addBlock(funds.payment(0, 2, 399_950_000));
        assertThat(gone(payment))
                .isEqualTo(
                        "transaction %s: account %s balance 48000 below min 100000 (0 assets)"
                                .formatted(payment.id(), funds.address(0)));
    }

    private SignedTransaction leased(int from, long amount) {
        Payment usual = funds.unsigned(from, 1, amount);
        return funds.sign(from, usual.withHeader(usual.header().withLease(LEASE)));
    }

    private String overlap(SignedTransaction refused, int from) {
        return "transaction %s using an overlapping lease (sender, lease):(%s, %s)"
                .formatted(refused.id(), funds.address(from), Address.fromBytes(LEASE.toBytes()));
    }

    private SignedTransaction paying(Payment payment, long fee) {
        return funds.sign(0, payment.withHeader(payment.header().withFee(fee)));
    }

    private static Payment free(Payment payment) {
        TransactionHeader header = payment.header().withFee(0);
        return payment.withHeader(header);
    }

    private void accepted(SignedTransaction transaction) throws IOException {
        RawClient.Answer answer = node.answer(RecordedKeys.submission(transaction.toBytes()));
        assertThat(answer.text()).isEqualTo("{\"txId\":\"" + transaction.id() + "\"}\n");
    }

    private String refused(SignedTransaction transaction) throws IOException {
        return message(transaction.toBytes(), 400);
    }

    private String message(byte[] body, int status) throws IOException {
        RawClient.Answer answer = node.answer(RecordedKeys.submission(body));
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        return JSON.readTree(answer.body()).path("message").textValue();
    }

    /** What pending/{txid} tells of one that a block made inapplicable. */
    private String gone(SignedTransaction transaction) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!(node.pool().lookup(transaction.id()) instanceof PoolEntry.Evicted)
                && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        String request =
                "GET /v2/transactions/pending/%s HTTP/1.1\r\nHost: x\r\nX-Algo-API-Token: %s\r\n\r\n"
                        .formatted(transaction.id(), BareNode.TOKEN);
        RawClient.Answer answer = node.answer(request.getBytes(StandardCharsets.US_ASCII));
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        var told = JSON.readTree(answer.body());
        assertThat(told.has("confirmed-round")).isFalse();
        assertThat(told.at("/txn/txn/type").textValue()).isEqualTo("pay");
        return told.path("pool-error").textValue();
    }
}
