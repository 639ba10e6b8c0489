package topspin.net.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;

import topspin.net.Drop;
import topspin.net.Inbox;
import topspin.net.NetCounters;
import topspin.net.Tag;
import topspin.net.Verdict;

import java.util.List;

/**
 * The tagged stream in, messages out. A frame's length and tag are judged as soon as they are
 * there: a peer past a limit is cut off before its body is waited for. The inbox is lent the very
 * buffer the bytes arrived in, except of a proposal that came as a {@link Zstd} frame.
 */
public final class TagDecoder extends ByteToMessageDecoder {
    private final PeerStream peer;
    private final Inbox inbox;
    private final NetCounters counters;

    /** Bytes still to come of a frame that nobody wants. */
    private int unwanted;

    /** Whether a frame has ended in this burst. */
    private boolean whole;

    private boolean ended;

    public TagDecoder(PeerStream peer, Inbox inbox, NetCounters counters) {
        this.peer = peer;
        this.inbox = inbox;
        this.counters = counters;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> none) {
        if (ended) {
            bytes.skipBytes(bytes.readableBytes());
        } else if (unwanted > 0) {
            int skipped = Math.min(unwanted, bytes.readableBytes());
            bytes.skipBytes(skipped);
            unwanted -= skipped;
        } else if (bytes.readableBytes() >= Integer.BYTES) {
            long length = bytes.getUnsignedInt(bytes.readerIndex());
            if (length < Tag.BYTES || length > Tag.FRAME_BYTES_MAX) {
                end(Drop.FRAME_LENGTH);
            } else if (bytes.readableBytes() >= TagEncoder.HEADER_BYTES) {
                decodeFrame(bytes, (int) length - Tag.BYTES);
            }
        }
    }

    private void decodeFrame(ByteBuf bytes, int bodyLength) {
        Tag tag = Tag.of(bytes.getShort(bytes.readerIndex() + Integer.BYTES));
        if (tag == null) {
            counters.count(Drop.UNKNOWN_TAG);
            bytes.skipBytes(TagEncoder.HEADER_BYTES);
            unwanted = bodyLength;
            whole = true;
        } else if (bodyLength > tag.bytesMax()) {
            end(Drop.TAG_LIMIT);
        } else if (tag == Tag.BLOCK_RESPONSE && !peer.awaitsAnswer()) {
            end(Drop.UNASKED_ANSWER); // Six megabytes would be waited for.
        } else if (bytes.readableBytes() >= TagEncoder.HEADER_BYTES + bodyLength) {
            bytes.skipBytes(TagEncoder.HEADER_BYTES);
            whole = true;
            counters.messagesIn.increment();
            counters.bytesIn.add(TagEncoder.HEADER_BYTES + bodyLength);
            deliver(tag, bytes, bodyLength);
        }
    }

    /** Lends out the buffer, narrowed to the body: no slice, no garbage. */
    private void deliver(Tag tag, ByteBuf bytes, int bodyLength) {
        int end = bytes.readerIndex() + bodyLength;
        int received = bytes.writerIndex();
        bytes.writerIndex(end);
        if (tag == Tag.BLOCK_RESPONSE) {
            ended = !peer.answered(bytes);
        } else if (tag == Tag.INTEREST) {
            ended = !peer.wants(bytes);
        } else if (tag == Tag.PROPOSAL && Zstd.isFrame(bytes)) {
            deliverUnpacked(tag, bytes);
        } else {
            offer(tag, bytes);
        }
        bytes.setIndex(end, received);
    }

    private void deliverUnpacked(Tag tag, ByteBuf body) {
        byte[] frame = ByteBufUtil.getBytes(body);
        int plainBytes = Zstd.plainBytes(frame);
        if (plainBytes >= 0 && !peer.mayUnpack(frame.length, plainBytes)) {
            end(Drop.COMPRESSION_FLOOD);
            return;
        }
        byte[] plain = plainBytes < 0 ? null : Zstd.unpack(frame, plainBytes);
        if (plain == null) {
            end(Drop.COMPRESSION);
        } else {
            offer(tag, Unpooled.wrappedBuffer(plain));
        }
    }

    private void offer(Tag tag, ByteBuf body) {
        Verdict verdict = inbox.offer(peer, tag, body);
        switch (verdict) {
            case ACCEPT, IGNORE -> {}
            case PENDING -> peer.unsettled();
            case REJECT -> end(Drop.REJECTED);
        }
    }

    private void end(Drop reason) {
        ended = true;
        peer.fail(reason);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        super.channelReadComplete(context);
        peer.holds(actualReadableBytes(), whole);
        whole = false;
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        peer.drain();
    }

    /** A stream that the peer ends is the connection's end (gossip.md A.7). */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        super.userEventTriggered(context, event);
        if (event == ChannelInputShutdownEvent.INSTANCE && !ended) {
            end(Drop.LEFT);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        peer.broken(cause);
    }
}
