package topspin.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Ed25519;
import topspin.codec.txn.AssetFreeze;
import topspin.codec.txn.GroupId;
import topspin.codec.txn.Payment;
import topspin.codec.txn.SignedTransaction;
import topspin.codec.txn.TransactionGroup;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

final class WorkloadTest {
    private static Workload workload(long seed, int groupSize, int noteBytes) {
        var shape =
                new Shape(
                        seed,
                        Mix.parse("pay=100"),
                        groupSize,
                        noteBytes,
                        1,
                        1_000,
                        1_000,
                        false,
                        false);
        return new Workload(
                shape,
                new Accounts(seed, 20),
                Workload.Assets.NONE,
                StubChain.GENESIS_ID,
                StubChain.GENESIS_HASH);
    }

    private static Workload workload(Mix mix, int groupSize, boolean leases, boolean rekeys) {
        var shape = new Shape(3, mix, groupSize, 8, 1, 1_000, 1_000, leases, rekeys);
        var own = LongStream.rangeClosed(1, 20).toArray();
        return new Workload(
                shape,
                new Accounts(3, 20),
                new Workload.Assets(99, own),
                StubChain.GENESIS_ID,
                StubChain.GENESIS_HASH);
    }

    private static byte[] bytes(TransactionGroup group) {
        return java.util.Arrays.copyOfRange(
                group.bytes(), group.offset(), group.offset() + group.signedLength());
    }

    @Test
    void theSameSeedGivesTheSameBytes() {
        Workload one = workload(1, 1, 8);
        Workload two = workload(1, 1, 8);
        Workload other = workload(2, 1, 8);
        for (long slot = 0; slot < 200; slot++) {
            byte[] bytes = bytes(one.group(slot, 10));
            assertThat(bytes(two.group(slot, 10))).isEqualTo(bytes);
            assertThat(bytes(other.group(slot, 10))).isNotEqualTo(bytes);
            assertThat(bytes(one.group(slot, 11))).isNotEqualTo(bytes);
        }
    }

    @Test
    void sendersTakeTurnsAndPayOthersWithinTheBounds() {
        Workload workload = workload(1, 1, 8);
        Map<Address, Integer> sends = new HashMap<>();
        for (long slot = 0; slot < 400; slot++) {
            var payment = (Payment) workload.group(slot, 10).first().txn();
            sends.merge(payment.sender(), 1, Integer::sum);
            assertThat(payment.receiver()).isNotEqualTo(payment.sender());
            assertThat(payment.amount()).isBetween(1L, 1_000L);
            assertThat(payment.lastValid()).isEqualTo(payment.firstValid() + 100);
        }
        assertThat(sends)
                .hasSize(20)
                .allSatisfy((sender, count) -> assertThat(count).isEqualTo(20));
    }

    @Test
    void signaturesHold() {
        Workload workload = workload(1, 3, 64);
        for (long slot = 0; slot < 20; slot++) {
            for (SignedTransaction member : workload.group(slot, 10)) {
                byte[] message =
                        Domain.TX.prepend(member.bytes(), member.txnOffset(), member.txnLength());
                assertThat(
                                Ed25519.verify(
                                        member.txn().sender().toBytes(),
                                        member.signature().toArray(),
                                        Domain.NONE,
                                        message))
                        .isTrue();
            }
        }
    }

    @Test
    void membersOfAGroupNameTheirGroup() {
        TransactionGroup group = workload(1, 16, 8).group(5, 10);
        assertThat(group.size()).isEqualTo(16);
        var bare =
                java.util.stream.IntStream.range(0, 16)
                        .mapToObj(i -> group.get(i).txn())
                        .map(
                                txn ->
                                        txn.withHeader(
                                                txn.header().withGroup(topspin.codec.Digest.ZERO)))
                        .toList();
        for (SignedTransaction member : group) {
            assertThat(member.txn().group()).isEqualTo(GroupId.of(bare));
        }
    }

    @Test
    void eachTransactionHasALeaseOfItsOwn() {
        Workload workload = workload(Mix.parse("pay=100"), 1, true, false);
        Set<Digest> leases = new HashSet<>();
        for (long slot = 0; slot < 200; slot++) {
            leases.add(workload.group(slot, 10).first().txn().lease());
        }
        assertThat(leases).hasSize(200).doesNotContain(Digest.ZERO);
    }

    @Test
    void aPairHandsItsSenderToAnotherKeyAndBack() {
        Workload workload = workload(Mix.parse("pay=100"), 4, false, true);
        Map<Address, Integer> sends = new HashMap<>();
        for (long slot = 0; slot < 50; slot++) {
            TransactionGroup group = workload.group(slot, 10);
            for (int i = 0; i < 4; i += 2) {
                SignedTransaction there = group.get(i);
                SignedTransaction back = group.get(i + 1);
                Address sender = there.txn().sender();
                assertThat(back.txn().sender()).isEqualTo(sender);
                assertThat(there.signer()).isEqualTo(Address.ZERO);
                assertThat(there.txn().rekeyTo()).isEqualTo(back.signer()).isNotEqualTo(sender);
                assertThat(back.txn().rekeyTo()).isEqualTo(sender);
                sends.merge(sender, 1, Integer::sum);
            }
        }
        assertThat(sends).hasSize(20).allSatisfy((sender, pairs) -> assertThat(pairs).isEqualTo(5));
    }

    @Test
    void freezesAndThawsAreOfTheSendersOwnAsset() {
        Workload workload = workload(Mix.parse("afrz=100"), 1, false, false);
        Map<Address, Long> assets = new HashMap<>();
        Set<Boolean> states = new HashSet<>();
        for (long slot = 0; slot < 200; slot++) {
            var freeze = (AssetFreeze) workload.group(slot, 10).first().txn();
            assertThat(freeze.account()).isEqualTo(freeze.sender());
            Long before = assets.put(freeze.sender(), freeze.asset());
            assertThat(before == null || before == freeze.asset()).isTrue();
            states.add(freeze.frozen());
        }
        assertThat(Set.copyOf(assets.values())).hasSize(20);
        assertThat(states).hasSize(2);
    }

    @Test
    void noSlotOutgrowsItsPlaceWhateverItHolds() {
        for (String kind : new String[] {"pay", "axfer", "acfg", "afrz", "keyreg"}) {
            Workload workload = workload(Mix.parse(kind + "=100"), 2, true, true);
            assertThat(workload.group(1_000_000_000_000L, Long.MAX_VALUE / 2).signedLength())
                    .isLessThanOrEqualTo(workload.slotBytesMax());
        }
    }

    @Test
    void noSlotOutgrowsItsPlace() {
        for (int groupSize : new int[] {1, 2, 16}) {
            for (int noteBytes : new int[] {8, 100, 1_024}) {
                Workload workload = workload(9, groupSize, noteBytes);
                assertThat(workload.group(1_000_000_000_000L, Long.MAX_VALUE / 2).signedLength())
                        .isLessThanOrEqualTo(workload.slotBytesMax());
            }
        }
    }

    @Test
    void notesAreAsLongAsAskedAndDiffer() {
        Workload workload = workload(1, 1, 100);
        var one = workload.group(1, 10).first().txn().note();
        var two = workload.group(2, 10).first().txn().note();
        assertThat(one.length()).isEqualTo(100);
        assertThat(one).isNotEqualTo(two);
    }
}
