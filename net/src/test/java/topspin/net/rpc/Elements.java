package topspin.net.rpc;

import io.netty.buffer.ByteBufUtil;

import java.util.ArrayList;
import java.util.List;

/**
 * What an RPC says, as plain values to compare; bytes are in hexadecimal, a field that is not there
 * is a dash.
 */
public record Elements(
        List<Subscription> subscriptions,
        List<Message> messages,
        List<Have> ihaves,
        List<String> iwants,
        List<String> idontwants,
        List<String> grafts,
        List<Prune> prunes) {
    public record Subscription(boolean subscribe, String topic) {}

    public record Message(
            String from, String data, String seqno, String topic, boolean signed, String key) {}

    /** An id, or a dash for an IHAVE without any. */
    public record Have(String topic, String id) {}

    public record Prune(String topic, long backoffSeconds) {}

    public Elements() {
        this(
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>());
    }

    public void addAll(Elements other) {
        subscriptions.addAll(other.subscriptions);
        messages.addAll(other.messages);
        ihaves.addAll(other.ihaves);
        iwants.addAll(other.iwants);
        idontwants.addAll(other.idontwants);
        grafts.addAll(other.grafts);
        prunes.addAll(other.prunes);
    }

    /** What the reader found. */
    public static Elements of(RpcReader rpc, List<String> topics) {
        var elements = new Elements();
        for (int index = 0; index < rpc.subscriptions(); index++) {
            int at = index;
            elements.subscriptions.add(
                    new Subscription(
                            rpc.subscribes(index),
                            one(topics, topic -> rpc.subscriptionIsTo(at, topic))));
        }
        for (int index = 0; index < rpc.messages(); index++) {
            int at = index;
            elements.messages.add(
                    new Message(
                            hex(rpc, rpc.fromOffset(index), rpc.fromLength(index)),
                            hex(rpc, rpc.dataOffset(index), rpc.dataLength(index)),
                            hex(rpc, rpc.seqnoOffset(index), rpc.seqnoLength(index)),
                            one(topics, topic -> rpc.messageIsOn(at, topic)),
                            rpc.messageIsSigned(index),
                            hex(rpc, rpc.keyOffset(index), rpc.keyLength(index))));
        }
        for (int index = 0; index < rpc.ihaves(); index++) {
            int at = index;
            String topic = one(topics, text -> rpc.ihaveIsOn(at, text));
            for (int id = rpc.ihaveFirst(index); id < rpc.ihaveEnd(index); id++) {
                elements.ihaves.add(
                        new Have(topic, hex(rpc, rpc.ihaveIdOffset(id), rpc.ihaveIdLength(id))));
            }
            if (rpc.ihaveFirst(index) == rpc.ihaveEnd(index)) {
                elements.ihaves.add(new Have(topic, "-"));
            }
        }
        for (int id = 0; id < rpc.iwantIds(); id++) {
            elements.iwants.add(hex(rpc, rpc.iwantIdOffset(id), rpc.iwantIdLength(id)));
        }
        for (int id = 0; id < rpc.idontwantIds(); id++) {
            elements.idontwants.add(hex(rpc, rpc.idontwantIdOffset(id), rpc.idontwantIdLength(id)));
        }
        for (int index = 0; index < rpc.grafts(); index++) {
            int at = index;
            elements.grafts.add(one(topics, topic -> rpc.graftIsFor(at, topic)));
        }
        for (int index = 0; index < rpc.prunes(); index++) {
            int at = index;
            elements.prunes.add(
                    new Prune(
                            one(topics, topic -> rpc.pruneIsFor(at, topic)),
                            rpc.pruneBackoffSeconds(index)));
        }
        return elements;
    }

    private interface TopicTest {
        boolean holds(byte[] topic);
    }

    /** The one topic of which it holds; a question mark if of none. */
    private static String one(List<String> topics, TopicTest test) {
        for (String topic : topics) {
            if (test.holds(ByteBufUtil.decodeHexDump(topic))) {
                return topic;
            }
        }
        return "?";
    }

    private static String hex(RpcReader rpc, int offset, int length) {
        return offset < 0 ? "-" : ByteBufUtil.hexDump(rpc.bytes(), offset, length);
    }
}
