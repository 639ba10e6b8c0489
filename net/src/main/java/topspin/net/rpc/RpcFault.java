package topspin.net.rpc;

import java.util.Locale;

/** Why a frame was refused. Each is the fault of the peer that sent it. */
public enum RpcFault {
    /** The length before an RPC is over the limit, or no number. */
    FRAME_LENGTH,
    /** It is no RPC. */
    MALFORMED,
    /** More than {@link RpcReader#SUBSCRIPTIONS_MAX} subscriptions. */
    SUBSCRIPTIONS,
    /** More than {@link RpcReader#MESSAGES_MAX} messages. */
    MESSAGES,
    /** More than {@link RpcReader#IDS_MAX} message ids of one kind. */
    IDS,
    /** More than {@link RpcReader#CONTROLS_MAX} control elements of one kind. */
    CONTROLS,
    /** More than {@link RpcReader#UNKNOWN_FIELDS_MAX} fields that mean nothing here. */
    UNKNOWN_FIELDS;

    /**
     * Whether it is a flood of elements, each tiny and dear to hold, and not bytes that can be
     * taken for a slip.
     */
    public boolean isFlood() {
        return this != FRAME_LENGTH && this != MALFORMED;
    }

    /** Thrown inside the reader: no stack, made once. */
    final Refused refused = new Refused(this);

    /** As a label of a metric: {@code frame_length}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Carries a fault from where it is found to {@link RpcReader#read}. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;

        final RpcFault fault;

        private Refused(RpcFault fault) {
            super(fault.name(), null, false, false);
            this.fault = fault;
        }
    }
}
