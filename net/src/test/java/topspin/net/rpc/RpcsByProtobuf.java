package topspin.net.rpc;

import com.google.protobuf.DynamicMessage;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** What protobuf-java makes of an RPC, beside what our reader made of it. */
public final class RpcsByProtobuf {
    private RpcsByProtobuf() {}

    /**
     * What we read, it reads too, and the same. What it reads, we read, but for what go's generated
     * reader refuses and it takes for unknown (a known number in another form), for groups, for
     * tags and lengths of more than 32 bits, which it cuts, and for more than our limits.
     */
    public static void assertSame(byte[] rpc, @Nullable RpcFault fault, RpcReader reader) {
        DynamicMessage parsed = RpcOracle.parse(rpc);
        if (fault == null) {
            if (parsed == null) {
                throw new AssertionError("read what is no RPC");
            }
            Elements expected = RpcOracle.elements(parsed);
            Elements actual = Elements.of(reader, topics(expected));
            if (!actual.equals(expected)) {
                throw new AssertionError(actual + " is not " + expected);
            }
        } else if (parsed != null
                && fault == RpcFault.MALFORMED
                && !RpcOracle.hasGroup(parsed)
                && !RpcOracle.hasOtherForm(parsed)
                && !hasLongVarint(rpc)) {
            throw new AssertionError("refused what is an RPC");
        }
    }

    private static boolean hasLongVarint(byte[] rpc) {
        int run = 0;
        for (byte each : rpc) {
            run = each < 0 ? run + 1 : 0;
            if (run >= 4) {
                return true;
            }
        }
        return false;
    }

    private static List<String> topics(Elements of) {
        List<String> topics = new ArrayList<>();
        of.subscriptions().forEach(each -> topics.add(each.topic()));
        of.messages().forEach(each -> topics.add(each.topic()));
        of.ihaves().forEach(each -> topics.add(each.topic()));
        topics.addAll(of.grafts());
        of.prunes().forEach(each -> topics.add(each.topic()));
        return topics;
    }
}
