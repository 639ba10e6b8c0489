package topspin.node.rest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonEOFException;

import org.jspecify.annotations.Nullable;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.ValueType;

import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.txn.LooseDecoder;
import topspin.codec.txn.SignedTransaction;

import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a client wants simulated, and how (rest.md section 5): msgpack or JSON, which is found by
 * trying, as the reference does.
 *
 * @param groups as they were sent, the first {@link #READ_MAX}
 * @param groupCount how many were sent
 * @param round on top of which; 0 for the latest
 * @param extraBudget more for programs than they have
 */
record SimulateRequest(
        List<Group> groups,
        int groupCount,
        long round,
        boolean emptySignatures,
        boolean moreLogging,
        boolean unnamedResources,
        long extraBudget,
        Trace trace,
        boolean fixSigners) {

    /**
     * Groups that are read, and members of each: far more than any may have. A body has room for a
     * million empty ones, which would be hundreds of bytes each; those beyond are only counted.
     */
    static final int READ_MAX = 256;

    /**
     * One group.
     *
     * @param members as they were sent, the first {@link #READ_MAX}
     * @param size how many were sent
     */
    record Group(List<SignedTransaction> members, int size) {}

    /** What of the run of programs is to be told. */
    record Trace(boolean enable, boolean scratch, boolean stack, boolean state) {
        static final Trace NONE = new Trace(false, false, false, false);
    }

    private static final String FAILED = "failed to decode object: ";

    private static final ThreadLocal<LooseDecoder> LOOSE =
            ThreadLocal.withInitial(LooseDecoder::new);

    /** A number may be as long as 2^64 - 1, and no nesting goes deeper than a transaction's. */
    private static final JsonFactory JSON =
            JsonFactory.builder()
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxNestingDepth(64).build())
                    .build();

    /**
     * Reads a body.
     *
     * @throws RequestFault 400 when it is neither; the text is what the JSON decoder says
     */
    static SimulateRequest decode(byte[] body) {
        SimulateRequest request = decodeMsgpack(body);
        return request != null ? request : decodeJson(body);
    }

    /** The fields as they come; all forms fill in the same. */
    private static final class Fields {
        private List<Group> groups = List.of();
        private int groupCount;
        private long round;
        private boolean emptySignatures;
        private boolean moreLogging;
        private boolean unnamedResources;
        private long extraBudget;
        private boolean enable;
        private boolean scratch;
        private boolean stack;
        private boolean state;
        private boolean fixSigners;

        SimulateRequest request() {
            return new SimulateRequest(
                    groups,
                    groupCount,
                    round,
                    emptySignatures,
                    moreLogging,
                    unnamedResources,
                    extraBudget,
                    new Trace(enable, scratch, stack, state),
                    fixSigners);
        }

        /** Takes a flag under its name; false if there is none of that name. */
        boolean flag(String name, boolean value) {
            switch (name) {
                case "allow-empty-signatures" -> emptySignatures = value;
                case "allow-more-logging" -> moreLogging = value;
                case "allow-unnamed-resources" -> unnamedResources = value;
                case "fix-signers" -> fixSigners = value;
                default -> {
                    return false;
                }
            }
            return true;
        }

        /** The same for the flags of exec-trace-config. */
        boolean traceFlag(String name, boolean value) {
            switch (name) {
                case "enable" -> enable = value;
                case "scratch-change" -> scratch = value;
                case "stack-change" -> stack = value;
                case "state-change" -> state = value;
                default -> {
                    return false;
                }
            }
            return true;
        }

        /**
         * The same for numbers.
         *
         * @throws ArithmeticException for one that is too large: a round is an unsigned number of
         *     64 bits, the budget a signed one
         */
        boolean number(String name, BigInteger value) {
            switch (name) {
                case "round" -> {
                    if (value.signum() < 0 || value.bitLength() > Long.SIZE) {
                        throw new ArithmeticException("no round");
                    }
                    round = value.longValue();
                }
                case "extra-opcode-budget" -> extraBudget = value.longValueExact();
                default -> {
                    return false;
                }
            }
            return true;
        }
    }

    // Msgpack.

    /** Null when the body is not what it should be, for whatever reason. */
    private static @Nullable SimulateRequest decodeMsgpack(byte[] body) {
        try (MessageUnpacker in = MessagePack.newDefaultUnpacker(body)) {
            if (!in.hasNext() || in.getNextFormat().getValueType() != ValueType.MAP) {
                return null;
            }
            Fields fields = new Fields();
            int size = in.unpackMapHeader();
            for (int i = 0; i < size; i++) {
                String name = in.unpackString();
                boolean known = true;
                if (in.tryUnpackNil()) {
                    continue;
                }
                switch (in.getNextFormat().getValueType()) {
                    case BOOLEAN -> known = fields.flag(name, in.unpackBoolean());
                    case INTEGER -> known = fields.number(name, in.unpackBigInteger());
                    case ARRAY -> {
                        known = name.equals("txn-groups");
                        groups(in, body, fields);
                    }
                    case MAP -> known = name.equals("exec-trace-config") && trace(in, fields);
                    default -> known = false;
                }
                if (!known) {
                    return null;
                }
            }
            return fields.request();
        } catch (IOException | MessagePackException | MalformedMessage | ArithmeticException no) {
            return null;
        }
    }

    private static boolean trace(MessageUnpacker in, Fields fields) throws IOException {
        int size = in.unpackMapHeader();
        boolean known = true;
        for (int i = 0; i < size && known; i++) {
            known = fields.traceFlag(in.unpackString(), in.unpackBoolean());
        }
        return known;
    }

    private static void groups(MessageUnpacker in, byte[] body, Fields fields)
            throws IOException, MalformedMessage {
        fields.groups = new ArrayList<>();
        fields.groupCount = 0;
        for (int left = in.unpackArrayHeader(); left > 0; left--) {
            Group group = group(in, body);
            if (fields.groupCount++ < READ_MAX) {
                fields.groups.add(group);
            }
        }
    }

    private static Group group(MessageUnpacker in, byte[] body)
            throws IOException, MalformedMessage {
        List<SignedTransaction> members = new ArrayList<>(0);
        int size = 0;
        for (int fields = in.unpackMapHeader(); fields > 0; fields--) {
            if (!in.unpackString().equals("txns")) {
                throw new MalformedMessage("unknown field", (int) in.getTotalReadBytes());
            }
            int count = in.tryUnpackNil() ? 0 : in.unpackArrayHeader();
            for (int left = count; left > 0; left--) {
                int from = (int) in.getTotalReadBytes();
                in.skipValue();
                if (size++ < READ_MAX) {
                    byte[] one = Arrays.copyOfRange(body, from, (int) in.getTotalReadBytes());
                    members.add(LOOSE.get().decodeOne(one));
                }
            }
        }
        return new Group(members, size);
    }

    // JSON.

    private static SimulateRequest decodeJson(byte[] body) {
        int start = 0;
        while (start < body.length && " \t\r\n".indexOf(body[start]) >= 0) {
            start++;
        }
        if (start == body.length) {
            throw new RequestFault(400, FAILED + "EOF");
        }
        try {
            // What is no JSON at all is told in the words for another value.
            if (body[start] != '{') {
                throw new MalformedMessage(
                        "only encoded map or array can be decoded into a struct", start + 1);
            }
            try (JsonParser in = JSON.createParser(body)) {
                return read(in);
            }
        } catch (MalformedMessage wrong) {
            throw new RequestFault(
                    400,
                    FAILED + "json decode error [pos " + wrong.offset() + "]: " + wrong.reason());
        } catch (JsonEOFException cutOff) {
            throw new RequestFault(400, FAILED + "EOF");
        } catch (JsonProcessingException wrong) {
            throw new RequestFault(
                    400,
                    FAILED
                            + "json decode error [pos "
                            + wrong.getLocation().getByteOffset()
                            + "]: "
                            + wrong.getOriginalMessage());
        } catch (IOException e) {
            throw new AssertionError("reading memory", e);
        }
    }

    private static SimulateRequest read(JsonParser in) throws IOException, MalformedMessage {
        Fields fields = new Fields();
        in.nextToken();
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String name = in.currentName();
            boolean known =
                    switch (in.nextToken()) {
                        case VALUE_NULL -> true;
                        case VALUE_TRUE, VALUE_FALSE -> fields.flag(name, in.getBooleanValue());
                        case VALUE_NUMBER_INT -> number(name, in, fields);
                        case START_ARRAY -> {
                            groups(in, fields);
                            yield name.equals("txn-groups");
                        }
                        case START_OBJECT -> name.equals("exec-trace-config") && trace(in, fields);
                        default -> false;
                    };
            if (!known) {
                throw unknown(name, in);
            }
        }
        return fields.request();
    }

    private static boolean number(String name, JsonParser in, Fields fields)
            throws IOException, MalformedMessage {
        try {
            return fields.number(name, in.getBigIntegerValue());
        } catch (ArithmeticException tooLarge) {
            throw new MalformedMessage("integer overflow: " + in.getText(), position(in));
        }
    }

    private static boolean trace(JsonParser in, Fields fields)
            throws IOException, MalformedMessage {
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String name = in.currentName();
            boolean value = in.nextToken() == JsonToken.VALUE_TRUE;
            if (!fields.traceFlag(name, value)) {
                throw unknown(name, in);
            }
        }
        return true;
    }

    private static void groups(JsonParser in, Fields fields) throws IOException, MalformedMessage {
        fields.groups = new ArrayList<>();
        fields.groupCount = 0;
        while (in.nextToken() != JsonToken.END_ARRAY) {
            Group group = group(in);
            if (fields.groupCount++ < READ_MAX) {
                fields.groups.add(group);
            }
        }
    }

    private static Group group(JsonParser in) throws IOException, MalformedMessage {
        List<SignedTransaction> members = new ArrayList<>(0);
        int size = 0;
        requireStart(JsonToken.START_OBJECT, in);
        while (in.nextToken() != JsonToken.END_OBJECT) {
            if (!in.currentName().equals("txns")) {
                throw unknown(in.currentName(), in);
            }
            if (in.nextToken() == JsonToken.VALUE_NULL) {
                continue;
            }
            requireStart(JsonToken.START_ARRAY, in);
            while (in.nextToken() != JsonToken.END_ARRAY) {
                if (size++ < READ_MAX) {
                    members.add(LOOSE.get().decodeOne(in));
                } else {
                    in.skipChildren();
                }
            }
        }
        return new Group(members, size);
    }

    private static void requireStart(JsonToken wanted, JsonParser in) throws MalformedMessage {
        if (in.currentToken() != wanted) {
            throw new MalformedMessage(
                    "only encoded map or array can be decoded into a "
                            + (wanted == JsonToken.START_OBJECT ? "struct" : "slice (0)"),
                    position(in));
        }
    }

    private static MalformedMessage unknown(String name, JsonParser in) {
        return new MalformedMessage(
                "no matching struct field found when decoding stream map with key " + name,
                position(in));
    }

    private static int position(JsonParser in) {
        return (int) in.currentTokenLocation().getByteOffset() + 1;
    }
}
