package topspin.codec.txn;

import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.ImmutableValue;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;
import org.msgpack.value.ValueType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * A second implementation, msgpack-java, that knows nothing of transactions: it takes an object
 * apart and puts it together again, keys sorted, everything in its shortest form.
 */
final class MessagePackOracle {
    private Value value = ValueFactory.newNil();

    /** Takes apart what {@link #encode} puts together. */
    void learn(byte[] bytes) {
        value = sorted(parse(bytes));
    }

    /** The object's canonical bytes. */
    byte[] encode() throws IOException {
        try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
            packer.packValue(value);
            return packer.toByteArray();
        }
    }

    /** What the canonical bytes of an object must be, whatever form it is given in. */
    static byte[] canonical(byte[] bytes) {
        var oracle = new MessagePackOracle();
        oracle.learn(bytes);
        try {
            return oracle.encode();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The one object that {@code bytes} are. */
    static ImmutableValue parse(byte[] bytes) {
        try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(bytes)) {
            ImmutableValue value = unpacker.unpackValue();
            if (unpacker.hasNext()) {
                throw new IllegalArgumentException("more than one object");
            }
            return value;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Value sorted(Value value) {
        if (value.isArrayValue()) {
            return ValueFactory.newArray(
                    value.asArrayValue().list().stream()
                            .map(MessagePackOracle::sorted)
                            .toArray(Value[]::new));
        }
        if (!value.isMapValue()) {
            return value;
        }
        Map<Value, Value> entries = new TreeMap<>(MessagePackOracle::compareKeys);
        value.asMapValue().map().forEach((key, content) -> entries.put(key, sorted(content)));
        return ValueFactory.newMap(entries);
    }

    private static int compareKeys(Value one, Value other) {
        if (one.getValueType() == ValueType.INTEGER) {
            return one.asIntegerValue()
                    .asBigInteger()
                    .compareTo(other.asIntegerValue().asBigInteger());
        }
        return Arrays.compareUnsigned(
                one.asRawValue().asByteArray(), other.asRawValue().asByteArray());
    }
}
