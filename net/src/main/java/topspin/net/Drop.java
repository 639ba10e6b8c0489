package topspin.net;

import java.util.Locale;

/** Why a message went nowhere, or a connection ended by our decision. */
public enum Drop {
    /** A frame announced less than a tag or more than {@link Tag#FRAME_BYTES_MAX}. */
    FRAME_LENGTH,
    /** A body longer than its tag allows. */
    TAG_LIMIT,
    /** A tag this node has no use for; the body is skipped. */
    UNKNOWN_TAG,
    /** An answer to nothing that was asked. */
    UNASKED_ANSWER,
    /** An answer that could not be read. */
    MALFORMED_ANSWER,
    /** A gossip RPC that could not be read, or was over a limit. */
    MALFORMED_RPC,
    /** A gossip RPC of more elements than any honest peer puts into one. */
    RPC_FLOOD,
    /** A peer whose gossip cost it its connection. */
    MISBEHAVED,
    /** A wish for messages that could not be read. */
    MALFORMED_INTEREST,
    /** A compressed message that was broken or too large. */
    COMPRESSION,
    /** Too many compressed messages, each of a few bytes that grow to many. */
    COMPRESSION_FLOOD,
    /** The inbox rejected a message, at once or later. */
    REJECTED,
    /** A header block that is none. */
    HEADER_MALFORMED,
    /** A protocol version this node does not speak. */
    VERSION,
    /** A node of another network. */
    GENESIS,
    /** A connection to ourselves. */
    SELF,
    /** A second tagged stream on a connection. */
    DUPLICATE_STREAM,
    /** A second connection with a peer that has one. */
    DUPLICATE_PEER,
    /** A peer that speaks no multistream, or breaks its rules. */
    NEGOTIATION,
    /** A peer that did not name a protocol in time. */
    NEGOTIATION_TIMEOUT,
    /** No protocol that both speak. */
    NO_COMMON_PROTOCOL,
    /** A Noise handshake that failed, or a peer that is another than was dialled. */
    NOISE,
    /** A peer that broke the rules of yamux. */
    MUXER,
    /** A peer that did not answer a ping in time. */
    PING_TIMEOUT,
    /** The peer said goodbye. */
    LEFT,
    /** More streams than one peer may open. */
    STREAMS_FULL,
    /** No complete handshake in time. */
    HANDSHAKE_TIMEOUT,
    /** An address that the configuration does not allow. */
    ADDRESS_DENIED,
    /** More streams of ours than the peer has answered. */
    BACKLOG_FULL,
    /** No room for one more inbound connection. */
    INBOUND_FULL,
    /** No room for one more connection from that address. */
    ADDRESS_FULL,
    /** No room for one more connection whose handshake is not done. */
    HANDSHAKES_FULL,
    /** A message did not fit the queue of the peer that it was for. */
    QUEUE_FULL,
    /** A peer let a message wait too long. */
    SLOW_PEER,
    /** A peer began a message and did not end it in time. */
    SLOW_FRAME,
    /** Messages that peers had begun held too much, and this peer's was the one begun first. */
    HALF_FRAMES,
    /** A request had no answer in time. */
    NO_ANSWER,
    /** This node was told to be cut off from all others. */
    CUT_OFF,
    /** The connection broke. */
    BROKEN;

    /** As a label of a metric: {@code tag_limit}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
