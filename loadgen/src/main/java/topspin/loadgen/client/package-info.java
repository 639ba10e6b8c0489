/**
 * A node as any wallet sees it: REST over a Unix socket or TCP, nothing else.
 *
 * <pre>
 *   Sender ──► SubmitLane ──┐                                ┌──► SubmitListener: one answer a slot
 *                           ├──► socket ──► ReplyReader ─────┤
 *   anyone ──► NodeClient ──┘   (pipelined)                  └──► a future of a Reply
 * </pre>
 *
 * One event loop carries all connections of a generator. Everything but {@link
 * topspin.loadgen.client.NodeClient#get} and its like runs on that loop alone.
 */
@NullMarked
package topspin.loadgen.client;

import org.jspecify.annotations.NullMarked;
