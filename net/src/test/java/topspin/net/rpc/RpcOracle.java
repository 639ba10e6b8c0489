package topspin.net.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Type;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;

/** RPCs by protobuf-java. Texts are declared as bytes: any bytes may stand there. */
final class RpcOracle {
    private static final HexFormat HEX = HexFormat.of();

    static final Descriptor RPC = schema().findMessageTypeByName("RPC");

    private RpcOracle() {}

    private static FileDescriptor schema() {
        var file =
                FileDescriptorProto.newBuilder()
                        .setName("rpc.proto")
                        .setSyntax("proto2")
                        .addMessageType(
                                message(
                                        "RPC",
                                        nested("subscriptions", 1, "SubOpts", true),
                                        nested("publish", 2, "Message", true),
                                        nested("control", 3, "Control", false)))
                        .addMessageType(
                                message(
                                        "SubOpts",
                                        field("subscribe", 1, Type.TYPE_BOOL, false),
                                        bytes("topicid", 2, false)))
                        .addMessageType(
                                message(
                                        "Message",
                                        bytes("from", 1, false),
                                        bytes("data", 2, false),
                                        bytes("seqno", 3, false),
                                        bytes("topic", 4, false),
                                        bytes("signature", 5, false),
                                        bytes("key", 6, false)))
                        .addMessageType(
                                message(
                                        "Control",
                                        nested("ihave", 1, "IHave", true),
                                        nested("iwant", 2, "Wanted", true),
                                        nested("graft", 3, "Graft", true),
                                        nested("prune", 4, "Prune", true),
                                        nested("idontwant", 5, "Wanted", true),
                                        bytes("extensions", 6, false)))
                        .addMessageType(
                                message("IHave", bytes("topic", 1, false), bytes("ids", 2, true)))
                        .addMessageType(message("Wanted", bytes("ids", 1, true)))
                        .addMessageType(message("Graft", bytes("topic", 1, false)))
                        .addMessageType(
                                message(
                                        "Prune",
                                        bytes("topic", 1, false),
                                        bytes("peers", 2, true),
                                        field("backoff", 3, Type.TYPE_UINT64, false)))
                        .build();
        try {
            return FileDescriptor.buildFrom(file, new FileDescriptor[0]);
        } catch (DescriptorValidationException wrong) {
            throw new AssertionError(wrong);
        }
    }

    private static DescriptorProto message(String name, FieldDescriptorProto... fields) {
        return DescriptorProto.newBuilder().setName(name).addAllField(List.of(fields)).build();
    }

    private static FieldDescriptorProto field(
            String name, int number, Type type, boolean repeated) {
        return FieldDescriptorProto.newBuilder()
                .setName(name)
                .setNumber(number)
                .setType(type)
                .setLabel(repeated ? Label.LABEL_REPEATED : Label.LABEL_OPTIONAL)
                .build();
    }

    private static FieldDescriptorProto bytes(String name, int number, boolean repeated) {
        return field(name, number, Type.TYPE_BYTES, repeated);
    }

    private static FieldDescriptorProto nested(
            String name, int number, String type, boolean repeated) {
        return field(name, number, Type.TYPE_MESSAGE, repeated).toBuilder()
                .setTypeName(type)
                .build();
    }

    /** Null if it is no RPC. */
    static @Nullable DynamicMessage parse(byte[] bytes) {
        try {
            return DynamicMessage.parseFrom(RPC, bytes);
        } catch (InvalidProtocolBufferException malformed) {
            return null;
        }
    }

    static Elements elements(DynamicMessage rpc) {
        var elements = new Elements();
        for (DynamicMessage each : all(rpc, "subscriptions")) {
            FieldDescriptor subscribe = named(each, "subscribe");
            elements.subscriptions()
                    .add(
                            new Elements.Subscription(
                                    (boolean) each.getField(subscribe), hex(each, "topicid")));
        }
        for (DynamicMessage each : all(rpc, "publish")) {
            elements.messages()
                    .add(
                            new Elements.Message(
                                    hexOrDash(each, "from"),
                                    hexOrDash(each, "data"),
                                    hexOrDash(each, "seqno"),
                                    hex(each, "topic"),
                                    each.hasField(named(each, "signature")),
                                    hexOrDash(each, "key")));
        }
        var control = (DynamicMessage) rpc.getField(named(rpc, "control"));
        for (DynamicMessage each : all(control, "ihave")) {
            String topic = hex(each, "topic");
            for (String id : ids(each)) {
                elements.ihaves().add(new Elements.Have(topic, id));
            }
            if (ids(each).isEmpty()) {
                elements.ihaves().add(new Elements.Have(topic, "-"));
            }
        }
        for (DynamicMessage each : all(control, "iwant")) {
            elements.iwants().addAll(ids(each));
        }
        for (DynamicMessage each : all(control, "idontwant")) {
            elements.idontwants().addAll(ids(each));
        }
        for (DynamicMessage each : all(control, "graft")) {
            elements.grafts().add(hex(each, "topic"));
        }
        for (DynamicMessage each : all(control, "prune")) {
            long backoff = (long) each.getField(named(each, "backoff"));
            boolean fits = backoff >= 0 && backoff <= Integer.MAX_VALUE;
            elements.prunes()
                    .add(
                            new Elements.Prune(
                                    hex(each, "topic"), fits ? backoff : Integer.MAX_VALUE));
        }
        return elements;
    }

    /** Whether an unknown field, however deep, is a group, which our reader refuses. */
    static boolean hasGroup(DynamicMessage message) {
        return anywhere(
                message,
                each ->
                        each.getUnknownFields().asMap().values().stream()
                                .anyMatch(field -> !field.getGroupList().isEmpty()));
    }

    /** Whether a field with a known number, however deep, is not in that number's form. */
    static boolean hasOtherForm(DynamicMessage message) {
        return anywhere(
                message,
                each ->
                        each.getUnknownFields().asMap().keySet().stream()
                                .anyMatch(
                                        number ->
                                                each.getDescriptorForType()
                                                                .findFieldByNumber(number)
                                                        != null));
    }

    private static boolean anywhere(DynamicMessage message, Predicate<DynamicMessage> test) {
        if (test.test(message)) {
            return true;
        }
        for (var entry : message.getAllFields().entrySet()) {
            if (entry.getKey().getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
                continue;
            }
            List<?> values =
                    entry.getValue() instanceof List<?> list ? list : List.of(entry.getValue());
            for (Object value : values) {
                if (anywhere((DynamicMessage) value, test)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Fields of the RPC and of its control part that the schema has no name for, encoded. */
    static List<String> strangers(DynamicMessage rpc) {
        List<String> strangers = new ArrayList<>();
        var control = (DynamicMessage) rpc.getField(named(rpc, "control"));
        for (DynamicMessage each : List.of(rpc, control)) {
            for (var entry : each.getUnknownFields().asMap().entrySet()) {
                for (ByteString value : entry.getValue().getLengthDelimitedList()) {
                    var field =
                            UnknownFieldSet.newBuilder()
                                    .addField(
                                            entry.getKey(),
                                            UnknownFieldSet.Field.newBuilder()
                                                    .addLengthDelimited(value)
                                                    .build())
                                    .build();
                    strangers.add(hex(field.toByteString()));
                }
            }
        }
        return strangers;
    }

    private static List<String> ids(DynamicMessage of) {
        return ((List<?>) of.getField(named(of, "ids")))
                .stream().map(id -> hex((ByteString) id)).toList();
    }

    private static List<DynamicMessage> all(DynamicMessage of, String name) {
        return ((List<?>) of.getField(named(of, name)))
                .stream().map(each -> (DynamicMessage) each).toList();
    }

    private static FieldDescriptor named(DynamicMessage of, String name) {
        return of.getDescriptorForType().findFieldByName(name);
    }

    private static String hex(DynamicMessage of, String name) {
        return hex((ByteString) of.getField(named(of, name)));
    }

    private static String hexOrDash(DynamicMessage of, String name) {
        return of.hasField(named(of, name)) ? hex(of, name) : "-";
    }

    private static String hex(ByteString bytes) {
        return HEX.formatHex(bytes.toByteArray());
    }
}
