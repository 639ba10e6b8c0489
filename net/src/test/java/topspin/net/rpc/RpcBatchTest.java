package topspin.net.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Allocation;
import topspin.net.Uvarint;
import topspin.net.rpc.Elements.Have;
import topspin.net.rpc.Elements.Prune;
import topspin.net.rpc.Elements.Subscription;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/** The corner cases of gossip.md C1, each by example. */
final class RpcBatchTest {
    private static final ByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;
    private static final byte[] TOPIC = {'t'};

    /** All RPCs of a batch, without their lengths. */
    static List<byte[]> rpcs(RpcBatch batch) {
        List<byte[]> rpcs = new ArrayList<>();
        int count = batch.split();
        for (int rpc = 0; rpc < count; rpc++) {
            ByteBuf frame = batch.frame(rpc, ALLOCATOR);
            int length = batch.rpcBytes(rpc);
            frame.skipBytes(Uvarint.size(length));
            rpcs.add(ByteBufUtil.getBytes(frame));
            assertThat(rpcs.getLast()).hasSize(length);
            frame.release();
        }
        return rpcs;
    }

    static Elements elements(byte[] rpc) {
        return RpcOracle.elements(Objects.requireNonNull(RpcOracle.parse(rpc)));
    }

    private static Elements union(List<byte[]> rpcs) {
        var union = new Elements();
        rpcs.forEach(rpc -> union.addAll(elements(rpc)));
        return union;
    }

    private static byte[] id(int length, int fill) {
        byte[] id = new byte[length];
        Arrays.fill(id, (byte) fill);
        return id;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** An entry of just so many bytes. */
    private static byte[] entry(int bytes, int fill) {
        for (int data = Math.max(0, bytes - 20); ; data++) {
            byte[] entry = RpcBatch.messageEntry(id(data, fill), 0, data, TOPIC);
            if (entry.length == bytes) {
                return entry;
            }
            assertThat(entry.length).isLessThan(bytes);
        }
    }

    @Test
    void nothingComesOutOfNothing() {
        var batch = new RpcBatch(100);
        assertThat(batch.isEmpty()).isTrue();
        assertThat(batch.split()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, RpcBatch.LIMIT_MAX + 1})
    void aLimitThatIsNoneIsRefused(int limit) {
        assertThatThrownBy(() -> new RpcBatch(limit)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aFieldWithoutBytesIsRefused() {
        var batch = new RpcBatch(100);
        byte[] none = {};
        assertThatThrownBy(() -> batch.message(none)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> batch.otherField(none))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> batch.otherControl(none))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLimitBelowEveryElementRefusesEachAlone() {
        var batch = new RpcBatch(1);
        assertThat(batch.message(entry(20, 1))).isFalse();
        assertThat(batch.subscription(true, TOPIC)).isFalse();
        assertThat(batch.graft(TOPIC)).isFalse();
        assertThat(batch.prune(TOPIC, 60)).isFalse();
        assertThat(batch.ihave(TOPIC, id(32, 1), 0, 32)).isFalse();
        assertThat(batch.iwant(id(32, 1), 0, 32)).isFalse();
        assertThat(batch.idontwant(id(32, 1), 0, 32)).isFalse();
        assertThat(batch.otherField(new byte[2])).isFalse();
        assertThat(batch.otherControl(new byte[1])).isFalse();
        assertThat(batch.split()).isZero();
    }

    /** One element of each kind, alone, at a limit of just its size, one below and one above. */
    @Test
    void anElementFitsALimitOfJustItsSize() {
        interface Add {
            boolean to(RpcBatch batch);
        }
        List<Add> kinds =
                List.of(
                        batch -> batch.message(entry(50, 1)),
                        batch -> batch.subscription(false, TOPIC),
                        batch -> batch.graft(TOPIC),
                        batch -> batch.prune(TOPIC, 60),
                        batch -> batch.prune(TOPIC, 0),
                        batch -> batch.ihave(TOPIC, id(200, 1), 0, 200),
                        batch -> batch.ihave(TOPIC, id(121, 1), 0, 121),
                        batch -> batch.iwant(id(122, 1), 0, 122),
                        batch -> batch.idontwant(id(123, 1), 0, 123),
                        batch -> batch.otherField(HexFormat.of().parseHex("520101")),
                        batch -> batch.otherControl(HexFormat.of().parseHex("320101")));
        for (Add kind : kinds) {
            var roomy = new RpcBatch(1_000);
            assertThat(kind.to(roomy)).isTrue();
            byte[] rpc = rpcs(roomy).getFirst();
            var exact = new RpcBatch(rpc.length);
            assertThat(kind.to(exact)).isTrue();
            assertThat(rpcs(exact)).containsExactly(rpc);
            assertThat(kind.to(new RpcBatch(rpc.length - 1))).isFalse();
            // Two of them never share what has room for one.
            assertThat(kind.to(exact)).isTrue();
            assertThat(rpcs(exact)).containsExactly(rpc, rpc);
        }
    }

    @Test
    void sizeExactlyAtTheLimitFitsAndOneMoreSplits() {
        var batch = new RpcBatch(100);
        batch.message(entry(60, 1));
        batch.message(entry(40, 2));
        assertThat(rpcs(batch)).hasSize(1);
        batch.clear();
        batch.message(entry(60, 1));
        batch.message(entry(41, 2));
        assertThat(rpcs(batch)).extracting(rpc -> rpc.length).containsExactly(60, 41);
    }

    @Test
    void everyKindKeepsItsOrder() {
        for (int limit : new int[] {70, 80, 100, 128, 129, 200, 300, 1_000, 100_000}) {
            var batch = new RpcBatch(limit);
            var expected = new Elements();
            for (int count = 0; count < 50; count++) {
                byte[] id = id(32, count);
                assertThat(batch.message(entry(50 + count % 7, count))).isTrue();
                expected.messages()
                        .add(elements(entry(50 + count % 7, count)).messages().getFirst());
                assertThat(batch.subscription(count % 2 == 0, id)).isTrue();
                expected.subscriptions().add(new Subscription(count % 2 == 0, hex(id)));
                assertThat(batch.graft(id)).isTrue();
                expected.grafts().add(hex(id));
                assertThat(batch.prune(id, count)).isTrue();
                expected.prunes().add(new Prune(hex(id), count));
                byte[] topic = {(byte) (count / 10)};
                assertThat(batch.ihave(topic, id, 0, 32)).isTrue();
                expected.ihaves().add(new Have(hex(topic), hex(id)));
                assertThat(batch.iwant(id, 0, 32)).isTrue();
                expected.iwants().add(hex(id));
                assertThat(batch.idontwant(id, 0, 32)).isTrue();
                expected.idontwants().add(hex(id));
            }
            assertThat(batch.elements()).isEqualTo(350);
            List<byte[]> rpcs = rpcs(batch);
            assertThat(rpcs).allMatch(rpc -> rpc.length <= limit && rpc.length > 0);
            assertThat(union(rpcs)).isEqualTo(expected);
        }
    }

    @Test
    void whatThisClassHasNoWordForGoesOnceInTheFirstRpc() {
        var batch = new RpcBatch(120);
        for (int count = 0; count < 10; count++) {
            batch.message(entry(100, count));
        }
        batch.otherField(HexFormat.of().parseHex("52021801"));
        batch.otherControl(HexFormat.of().parseHex("32025001"));
        List<byte[]> rpcs = rpcs(batch);
        assertThat(rpcs).hasSize(10);
        assertThat(hex(rpcs.getFirst())).startsWith("52021801").endsWith("1a0432025001");
        for (byte[] rpc : rpcs.subList(1, 10)) {
            assertThat(rpc).hasSize(100);
        }
    }

    @Test
    void aTopicIsRepeatedWhereItsIdsAreCutAndNotElsewhere() {
        var batch = new RpcBatch(150);
        for (int count = 0; count < 9; count++) {
            // Equal by value, not the same array.
            batch.ihave(
                    "topic".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
                    id(32, count),
                    0,
                    32);
        }
        List<byte[]> rpcs = rpcs(batch);
        assertThat(rpcs).hasSize(3);
        for (byte[] rpc : rpcs) {
            // Control, IHAVE, topic once, then three or four ids.
            assertThat(hex(rpc).split("746f706963", -1)).hasSize(2);
        }
        assertThat(union(rpcs).ihaves()).hasSize(9).doesNotContain(new Have("746f706963", "-"));
    }

    @Test
    void oneOversizeElementAmongOthersIsRefusedAloneWhereverItStands() {
        for (int place = 0; place < 4; place++) {
            var batch = new RpcBatch(100);
            for (int count = 0; count < 4; count++) {
                boolean oversize = count == place;
                assertThat(batch.message(entry(oversize ? 101 : 50, count))).isEqualTo(!oversize);
                assertThat(batch.iwant(id(oversize ? 95 : 32, count), 0, oversize ? 95 : 32))
                        .isEqualTo(!oversize);
            }
            List<byte[]> rpcs = rpcs(batch);
            assertThat(rpcs).allMatch(rpc -> rpc.length > 0 && rpc.length <= 100);
            assertThat(union(rpcs).messages()).hasSize(3);
            assertThat(union(rpcs).iwants()).hasSize(3);
        }
    }

    /** Around each step of a length's length, for each kind that is nested. */
    @ParameterizedTest
    @ValueSource(ints = {127, 16_383, 2_097_151})
    void sizesAreExactOnBothSidesOfALengthsStep(int step) {
        for (int length = step - 10; length <= step + 10; length++) {
            byte[] id = id(length, 1);
            var batch = new RpcBatch(1 << 24);
            fill(batch, id);
            assertThat(batch.split()).isEqualTo(1);
            int size = batch.rpcBytes(0);
            ByteBuf frame = batch.frame(0, ALLOCATOR);
            assertThat(frame.readableBytes()).isEqualTo(batch.frameBytes(0));
            assertThat(new RpcReader().read(frame, Uvarint.size(size), size)).isNull();
            frame.release();
            // And with just that limit, or one below it.
            for (int limit = size - 1; limit <= size; limit++) {
                var tight = new RpcBatch(limit);
                fill(tight, id);
                assertThat(tight.split()).isEqualTo(limit == size ? 1 : 2);
                assertThat(tight.rpcBytes(0)).isLessThanOrEqualTo(limit);
            }
        }
    }

    private static void fill(RpcBatch batch, byte[] id) {
        int length = id.length;
        batch.message(RpcBatch.messageEntry(id, 0, length, TOPIC));
        batch.iwant(id, 0, length - 9);
        batch.iwant(id, 0, 3);
        batch.idontwant(id, 0, length - 6);
        batch.idontwant(id, 0, 1);
        batch.ihave(TOPIC, id, 0, length - 12);
        batch.ihave(TOPIC, id, 0, 2);
        batch.graft(id);
    }

    @Test
    void manyRpcsAreMergedIntoOne() {
        var batch = new RpcBatch(1 << 20);
        for (int count = 0; count < 300; count++) {
            batch.message(entry(366, count));
        }
        batch.graft(TOPIC);
        assertThat(batch.split()).isEqualTo(1);
        assertThat(batch.messages(0)).isEqualTo(300);
        assertThat(batch.hasMeshChange(0)).isTrue();
        assertThat(batch.hasSubscription(0)).isFalse();
    }

    @Test
    void noRpcHasMoreMessagesThanAnyPeerReads() {
        var batch = new RpcBatch(1 << 20);
        for (int count = 0; count < 12_000; count++) {
            batch.message(entry(12, count));
        }
        assertThat(rpcs(batch))
                .extracting(rpc -> elements(rpc).messages().size())
                .containsExactly(5_000, 5_000, 2_000);
    }

    @Test
    void eachRpcKnowsWhatIsLostWithIt() {
        var batch = new RpcBatch(40);
        batch.subscription(true, TOPIC);
        batch.message(entry(38, 1));
        batch.graft(id(33, 1));
        assertThat(batch.split()).isEqualTo(3);
        assertThat(batch.hasSubscription(0)).isTrue();
        assertThat(batch.hasMeshChange(0)).isFalse();
        assertThat(batch.hasMeshChange(1)).isTrue();
        assertThat(batch.messages(1)).isZero();
        assertThat(batch.hasMeshChange(2)).isFalse();
        assertThat(batch.hasSubscription(2)).isFalse();
        assertThat(batch.messages(2)).isEqualTo(1);
    }

    @Test
    void whatWasGivenIsNotChangedAndWhatWasCopiedMayBe() {
        byte[] entry = entry(60, 1);
        byte[] before = entry.clone();
        byte[] id = id(32, 1);
        var batch = new RpcBatch(100);
        batch.message(entry);
        batch.iwant(id, 0, 32);
        Arrays.fill(id, (byte) 9);
        List<byte[]> rpcs = rpcs(batch);
        assertThat(rpcs(batch)).containsExactlyElementsOf(rpcs); // Splitting again is the same.
        assertThat(entry).isEqualTo(before);
        assertThat(union(rpcs).iwants()).containsExactly(hex(id(32, 1)));
        batch.clear();
        assertThat(batch.split()).isZero();
    }

    @Test
    void splittingAndWritingMakeNoGarbage() {
        var batch = new RpcBatch(10_000);
        byte[] entry = entry(366, 1);
        byte[] id = id(32, 1);
        // The leak detector would note down each access.
        ByteBuf out = new UnpooledByteBufAllocator(true, true).buffer(100_000);
        assertThat(
                        Allocation.smallestWindow(
                                10,
                                1_000,
                                () -> {
                                    for (int count = 0; count < 100; count++) {
                                        batch.message(entry);
                                        batch.ihave(TOPIC, id, 0, 32);
                                        batch.idontwant(id, 0, 32);
                                    }
                                    batch.graft(TOPIC);
                                    int rpcs = batch.split();
                                    for (int rpc = 0; rpc < rpcs; rpc++) {
                                        batch.writeFrame(rpc, out);
                                    }
                                    batch.clear();
                                    out.clear();
                                }))
                .isZero();
        out.release();
    }
}
