package topspin.net.gossipsub;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** The versions of the protocol that are spoken, by the id of their stream. */
public enum GossipVersion {
    /** Mesh, IHAVE and IWANT. */
    V1_0("/meshsub/1.0.0"),
    /** Adds the backoff in PRUNE. */
    V1_1("/meshsub/1.1.0"),
    /** Adds IDONTWANT. */
    V1_2("/meshsub/1.2.0");

    /** Ids in the order in which they are to be proposed: the newest first. */
    public static final List<String> PROTOCOLS =
            List.of(V1_2.protocol, V1_1.protocol, V1_0.protocol);

    private final String protocol;

    GossipVersion(String protocol) {
        this.protocol = protocol;
    }

    /** The id of its stream: {@code /meshsub/1.2.0}. */
    public String protocol() {
        return protocol;
    }

    boolean hasBackoff() {
        return this != V1_0;
    }

    boolean hasIdontwant() {
        return this == V1_2;
    }

    /** The version whose stream has this id; null if it is none. */
    public static @Nullable GossipVersion of(String protocol) {
        for (GossipVersion version : values()) {
            if (version.protocol.equals(protocol)) {
                return version;
            }
        }
        return null;
    }
}
