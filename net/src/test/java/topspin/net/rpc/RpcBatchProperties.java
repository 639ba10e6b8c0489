package topspin.net.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DynamicMessage;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;

import topspin.net.Uvarint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Batches made up from a seed: what comes out is what went in, within the limit and packed as
 * tightly as its order allows. A failure names its seed.
 */
final class RpcBatchProperties {
    private static final long LONG_RUN = 10_000_000;

    private enum Kind {
        // In the order in which a batch takes them.
        FIELD,
        SUBSCRIPTION,
        CONTROL,
        GRAFT,
        PRUNE,
        IDONTWANT,
        IWANT,
        IHAVE,
        MESSAGE;

        /** Kinds that keep their common order. */
        int section() {
            return switch (this) {
                case FIELD, SUBSCRIPTION -> 0;
                case CONTROL, GRAFT, PRUNE -> 1;
                default -> ordinal();
            };
        }
    }

    private record Element(Kind kind, byte[] bytes, byte[] topic, int number) {
        boolean addTo(RpcBatch batch) {
            return switch (kind) {
                case FIELD -> batch.otherField(bytes);
                case SUBSCRIPTION -> batch.subscription(number % 2 == 1, topic);
                case CONTROL -> batch.otherControl(bytes);
                case GRAFT -> batch.graft(topic);
                case PRUNE -> batch.prune(topic, number);
                case IDONTWANT -> batch.idontwant(bytes, 0, bytes.length);
                case IWANT -> batch.iwant(bytes, 0, bytes.length);
                case IHAVE -> batch.ihave(topic, bytes, 0, bytes.length);
                case MESSAGE -> batch.message(bytes);
            };
        }
    }

    /** What is tried, and what is needed for it, used again from case to case. */
    private static final class Case {
        private final ByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
        private final ByteBuf out = allocator.buffer(1 << 16);
        private final RpcReader reader = new RpcReader();
        private final RpcBatch single = new RpcBatch(RpcBatch.LIMIT_MAX);

        private final List<Element> elements = new ArrayList<>();
        private final List<Element> taken = new ArrayList<>();
        private int limit;

        /** All but strangers, of which our reader tells nothing, if so wished. */
        void draw(long seed, boolean strangers) {
            var random = new SplittableRandom(seed);
            elements.clear();
            limit = random.nextInt(8) == 0 ? random.nextInt(1, 17_000) : random.nextInt(1, 2_048);
            Kind[] kinds = Kind.values();
            Kind only = random.nextInt(4) == 0 ? kinds[random.nextInt(kinds.length)] : null;
            int count = random.nextInt(random.nextInt(8) == 0 ? RpcReader.SUBSCRIPTIONS_MAX : 30);
            for (int index = 0; index < count; index++) {
                Kind kind = only != null ? only : kinds[random.nextInt(kinds.length)];
                boolean stranger = kind == Kind.FIELD || kind == Kind.CONTROL;
                if (stranger && !strangers) {
                    kind = Kind.MESSAGE;
                }
                elements.add(draw(kind, random));
            }
        }

        private Element draw(Kind kind, SplittableRandom random) {
            byte[] topic = new byte[random.nextInt(3)];
            Arrays.fill(topic, (byte) random.nextInt(2));
            int most =
                    switch (random.nextInt(16)) {
                        case 0 -> Math.max(1, 2 * limit); // Oversize as often as not.
                        case 1, 2 -> 140;
                        case 3 -> 1;
                        default -> 40;
                    };
            byte[] bytes = new byte[random.nextInt(most)];
            random.nextBytes(bytes);
            int number = random.nextInt(4) == 0 ? random.nextInt(1 << 20) : random.nextInt(3);
            byte[] body =
                    switch (kind) {
                        case MESSAGE -> RpcBatch.messageEntry(bytes, 0, bytes.length, topic);
                        case FIELD -> field(10, bytes);
                        case CONTROL -> field(7, bytes);
                        default -> bytes;
                    };
            return new Element(kind, body, topic, number);
        }

        private static byte[] field(int number, byte[] value) {
            byte[] field = new byte[1 + Uvarint.size(value.length) + value.length];
            field[0] = (byte) (number << 3 | 2);
            int at = Uvarint.write(value.length, field, 1);
            System.arraycopy(value, 0, field, at, value.length);
            return field;
        }

        /** Bytes of an RPC of these, whatever the limit. */
        private int size(List<Element> some) {
            single.clear();
            some.forEach(element -> element.addTo(single));
            int rpcs = single.split();
            if (rpcs > 1) {
                throw new AssertionError("no limit, and yet " + rpcs + " RPCs");
            }
            return rpcs == 0 ? 0 : single.rpcBytes(0);
        }

        /** Fills the batch; what it refuses has no room even alone, what it takes has. */
        private RpcBatch fill() {
            var batch = new RpcBatch(limit);
            taken.clear();
            for (Element element : elements) {
                boolean fits = size(Collections.singletonList(element)) <= limit;
                if (element.addTo(batch) != fits) {
                    throw new AssertionError("refused or taken wrongly: " + element);
                }
                if (fits) {
                    taken.add(element);
                }
            }
            // Stable: within a section they stay in order.
            taken.sort(java.util.Comparator.comparingInt(element -> element.kind.section()));
            return batch;
        }

        /** Reads all RPCs with our reader: they say in order what was taken. */
        void check() {
            RpcBatch batch = fill();
            int rpcs = batch.split();
            int position = 0;
            int sizeBefore = 0;
            boolean pureBefore = false;
            for (int rpc = 0; rpc < rpcs; rpc++) {
                out.clear();
                batch.writeFrame(rpc, out);
                int size = batch.rpcBytes(rpc);
                if (size > limit || size == 0) {
                    throw new AssertionError("size " + size + " at limit " + limit);
                }
                if (out.readableBytes() != size + Uvarint.size(size)) {
                    throw new AssertionError("size " + size + ", written " + out);
                }
                if (reader.read(out, Uvarint.size(size), size) != null) {
                    throw new AssertionError("unreadable");
                }
                int first = position;
                position = expect(first);
                boolean pure = taken.get(first).kind == Kind.MESSAGE;
                if (pure && pureBefore && sizeBefore + size <= limit) {
                    throw new AssertionError("two RPCs of messages would have been one");
                }
                sizeBefore = size;
                pureBefore = pure;
            }
            if (position != taken.size()) {
                throw new AssertionError(position + " of " + taken.size() + " came out");
            }
        }

        /** What the reader read is what was taken from {@code at} on; returns the end of it. */
        private int expect(int at) {
            int subscriptions = 0;
            int grafts = 0;
            int prunes = 0;
            int idontwants = 0;
            int iwants = 0;
            int messages = 0;
            int position = at;
            int ihave = 0;
            int ihaveId = 0;
            int ihaveIds = reader.ihaves() == 0 ? 0 : reader.ihaveEnd(reader.ihaves() - 1);
            int count =
                    reader.subscriptions()
                            + reader.grafts()
                            + reader.prunes()
                            + reader.idontwantIds()
                            + reader.iwantIds()
                            + ihaveIds
                            + reader.messages();
            if (count == 0 || at + count > taken.size()) {
                throw new AssertionError(count + " elements, of " + taken.size());
            }
            for (; position < at + count; position++) {
                Element element = taken.get(position);
                boolean same =
                        switch (element.kind) {
                            case SUBSCRIPTION -> {
                                int index = subscriptions++;
                                yield index < reader.subscriptions()
                                        && reader.subscriptionIsTo(index, element.topic)
                                        && reader.subscribes(index) == (element.number % 2 == 1);
                            }
                            case GRAFT -> {
                                int index = grafts++;
                                yield index < reader.grafts()
                                        && reader.graftIsFor(index, element.topic);
                            }
                            case PRUNE -> {
                                int index = prunes++;
                                yield index < reader.prunes()
                                        && reader.pruneIsFor(index, element.topic)
                                        && reader.pruneBackoffSeconds(index) == element.number;
                            }
                            case IDONTWANT -> {
                                int index = idontwants++;
                                yield index < reader.idontwantIds()
                                        && reader.equal(
                                                reader.idontwantIdOffset(index),
                                                reader.idontwantIdLength(index),
                                                element.bytes);
                            }
                            case IWANT -> {
                                int index = iwants++;
                                yield index < reader.iwantIds()
                                        && reader.equal(
                                                reader.iwantIdOffset(index),
                                                reader.iwantIdLength(index),
                                                element.bytes);
                            }
                            case IHAVE -> {
                                if (ihaveId == reader.ihaveEnd(ihave)) {
                                    ihave++;
                                    // Equal topics share one element.
                                    if (reader.ihaveIsOn(ihave - 1, element.topic)) {
                                        yield false;
                                    }
                                }
                                int index = ihaveId++;
                                yield reader.ihaveIsOn(ihave, element.topic)
                                        && reader.equal(
                                                reader.ihaveIdOffset(index),
                                                reader.ihaveIdLength(index),
                                                element.bytes);
                            }
                            case MESSAGE -> {
                                int index = messages++;
                                yield index < reader.messages()
                                        && Arrays.equals(
                                                element.bytes,
                                                RpcBatch.messageEntry(
                                                        reader, index, element.topic, 0))
                                        && reader.messageIsOn(index, element.topic);
                            }
                            case FIELD, CONTROL -> false;
                        };
                if (!same) {
                    throw new AssertionError(element.kind + " number " + position + " differs");
                }
            }
            return position;
        }

        /** Each RPC is as full as it can be: the next element would not have fitted. */
        void checkPacking() {
            RpcBatch batch = fill();
            int rpcs = batch.split();
            int start = 0;
            for (int rpc = 0; rpc < rpcs; rpc++) {
                // What fits, by a second way of counting.
                int end = start + 1;
                while (end < taken.size() && size(taken.subList(start, end + 1)) <= limit) {
                    end++;
                }
                assertThat(batch.rpcBytes(rpc)).isEqualTo(size(taken.subList(start, end)));
                start = end;
            }
            assertThat(start).isEqualTo(taken.size());
        }

        /** Reads all RPCs with protobuf-java, strangers included. */
        void checkByOracle() {
            RpcBatch batch = fill();
            List<Element> before =
                    taken.stream()
                            .map(e -> new Element(e.kind, e.bytes.clone(), e.topic, e.number))
                            .toList();
            var expected = new Elements();
            List<String> strangers = new ArrayList<>();
            for (Element element : taken) {
                addTo(expected, strangers, element);
            }
            var actual = new Elements();
            List<String> found = new ArrayList<>();
            for (byte[] rpc : RpcBatchTest.rpcs(batch)) {
                DynamicMessage parsed = Objects.requireNonNull(RpcOracle.parse(rpc));
                actual.addAll(RpcOracle.elements(parsed));
                found.addAll(RpcOracle.strangers(parsed));
            }
            assertThat(actual).isEqualTo(expected);
            assertThat(found).containsExactlyInAnyOrderElementsOf(strangers);
            for (int index = 0; index < before.size(); index++) {
                assertThat(taken.get(index).bytes).isEqualTo(before.get(index).bytes);
            }
        }

        private static void addTo(Elements to, List<String> strangers, Element element) {
            String bytes = HexFormat.of().formatHex(element.bytes);
            String topic = HexFormat.of().formatHex(element.topic);
            switch (element.kind) {
                case FIELD, CONTROL -> strangers.add(bytes);
                case SUBSCRIPTION ->
                        to.subscriptions()
                                .add(new Elements.Subscription(element.number % 2 == 1, topic));
                case GRAFT -> to.grafts().add(topic);
                case PRUNE -> to.prunes().add(new Elements.Prune(topic, element.number));
                case IDONTWANT -> to.idontwants().add(bytes);
                case IWANT -> to.iwants().add(bytes);
                case IHAVE -> to.ihaves().add(new Elements.Have(topic, bytes));
                case MESSAGE -> to.addAll(RpcBatchTest.elements(element.bytes));
            }
        }
    }

    private static void withSeed(long seed, Runnable check) {
        try {
            check.run();
        } catch (RuntimeException | AssertionError failure) {
            throw new AssertionError("seed " + seed, failure);
        }
    }

    private final Case tried = new Case();

    @Property(tries = 1_000)
    void whatGoesInComesOutOnceInOrderAndWithinTheLimit(@ForAll long seed) {
        withSeed(
                seed,
                () -> {
                    tried.draw(seed, true);
                    tried.checkByOracle();
                });
    }

    @Property(tries = 200)
    void everyRpcIsAsFullAsItCanBe(@ForAll long seed) {
        withSeed(
                seed,
                () -> {
                    tried.draw(seed, true);
                    tried.checkPacking();
                });
    }

    @Property(tries = 1)
    void manyBatchesComeOutAsTheyWentIn() {
        run(0, 20_000);
    }

    @Property(tries = 1)
    @Tag("long")
    void tenMillionBatchesComeOutAsTheyWentIn() {
        run(1L << 32, LONG_RUN);
    }

    private void run(long firstSeed, long count) {
        long elements = 0;
        for (long seed = firstSeed; seed < firstSeed + count; seed++) {
            try {
                tried.draw(seed, false);
                tried.check();
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("seed " + seed, failure);
            }
            elements += tried.taken.size();
        }
        assertThat(elements).isGreaterThan(5 * count);
    }
}
