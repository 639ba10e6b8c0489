package topspin.net.gossipsub;

import java.util.Locale;

/** Why something of a peer, or for one, went nowhere; or why it lost its connection. */
public enum GossipDrop {
    /** A message on another topic, or a subscription to one: nobody's fault. */
    OTHER_TOPIC,
    /** A message while we listen to none. */
    NOT_SUBSCRIBED,
    /** A message that is known already. */
    DUPLICATE,
    /** A message that the inbox ignored, at once or later. */
    IGNORED,
    /** A message that the inbox rejected: held against whoever sent it. */
    REJECTED,
    /** A message with a signature, which the topic's policy forbids: held against the sender. */
    SIGNED,
    /** A message said to be ours that came from another: held against the sender. */
    SELF_ORIGIN,
    /** A message without data: held against the sender. */
    EMPTY,
    /** Too many messages wait for their verdict; this one may come again. */
    PENDING_FULL,
    /** A message whose verdict did not come in time. */
    PENDING_EXPIRED,
    /** A verdict on a message that nobody waits for any more. */
    SETTLED_LATE,
    /** An id that had to be forgotten before its time to make room. */
    SEEN_EVICTED,
    /** A message that left the cache before its time to make room. */
    CACHE_EVICTED,
    /** A message that is larger than an RPC may be. */
    TOO_LARGE,
    /** A message of ours for which there was no room to wait for a peer. */
    OWN_WAITING_FULL,
    /** A message of ours that no peer could be sent while it was in the cache. */
    OWN_EXPIRED,
    /** An RPC that did not fit the queue of the peer it was for. */
    QUEUE_FULL,
    /** Control of a peer whose score is too low to listen to. */
    LOW_SCORE,
    /** Messages that bring nothing new, beyond what a heartbeat allows. */
    STALE_FLOOD,
    /** IHAVE beyond what a heartbeat allows. */
    IHAVE_FLOOD,
    /** IWANT beyond what a heartbeat allows. */
    IWANT_FLOOD,
    /** IDONTWANT beyond what a heartbeat allows. */
    IDONTWANT_FLOOD,
    /** GRAFT, PRUNE, fields that mean nothing and empty RPCs, beyond what a heartbeat allows. */
    CONTROL_FLOOD,
    /** Subscriptions and their ends beyond what a heartbeat allows. */
    SUBSCRIPTION_FLOOD,
    /** A GRAFT before the time that a PRUNE named. */
    GRAFT_IN_BACKOFF,
    /** A message that was offered, asked for, and did not come. */
    BROKEN_PROMISE,
    /** A peer with a score below the lowest threshold: it loses its connection. */
    GRAYLISTED;

    /** As a label of a metric: {@code other_topic}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
