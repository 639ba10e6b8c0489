package topspin.net.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A peer's {@code /meshsub} stream in, RPCs out. A length over the limit is refused before its
 * bytes are waited for. On the stream's event loop.
 */
public final class RpcDecoder extends ByteToMessageDecoder {
    /** What a length has to be short of, whatever the limit: bytes of a varint below 2^35. */
    private static final int LENGTH_BYTES_MAX = 5;

    private final RpcReader reader;
    private final int rpcBytesMax;
    private final Receiver receiver;
    private boolean ended;

    /** Told of what arrives. */
    public interface Receiver {
        /**
         * One RPC, be it one that says nothing; what it refers to is the stream's again when this
         * returns.
         */
        void received(RpcReader rpc);

        /** The stream is not read any further: it is to be reset. Once. */
        void refused(RpcFault fault);

        /**
         * No more has arrived for now.
         *
         * @param left bytes of an RPC whose rest is missing
         */
        void burstEnded(int left);
    }

    /**
     * @param reader may be shared by all streams of an event loop
     * @param rpcBytesMax longest RPC that is read
     */
    public RpcDecoder(RpcReader reader, int rpcBytesMax, Receiver receiver) {
        this.reader = reader;
        this.rpcBytesMax = rpcBytesMax;
        this.receiver = receiver;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> none) {
        if (ended) {
            bytes.skipBytes(bytes.readableBytes());
            return;
        }
        int start = bytes.readerIndex();
        int here = bytes.readableBytes();
        long length = 0;
        for (int index = 0; index < Math.min(here, LENGTH_BYTES_MAX); index++) {
            byte septet = bytes.getByte(start + index);
            length |= (septet & 0x7fL) << (7 * index);
            if (septet >= 0) {
                decodeBody(bytes, start + index + 1, length);
                return;
            }
        }
        if (here >= LENGTH_BYTES_MAX) {
            end(bytes, RpcFault.FRAME_LENGTH);
        }
    }

    private void decodeBody(ByteBuf bytes, int body, long length) {
        if (length > rpcBytesMax) {
            end(bytes, RpcFault.FRAME_LENGTH);
        } else if (length <= bytes.writerIndex() - body) {
            bytes.readerIndex(body + (int) length);
            RpcFault fault = read(bytes, body, (int) length);
            if (fault != null) {
                end(bytes, fault);
            }
        }
    }

    private @Nullable RpcFault read(ByteBuf bytes, int body, int length) {
        RpcFault fault = reader.read(bytes, body, length);
        if (fault == null) {
            receiver.received(reader);
        }
        return fault;
    }

    private void end(ByteBuf bytes, RpcFault fault) {
        ended = true;
        bytes.skipBytes(bytes.readableBytes());
        receiver.refused(fault);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        receiver.burstEnded(actualReadableBytes());
        super.channelReadComplete(context);
    }
}
