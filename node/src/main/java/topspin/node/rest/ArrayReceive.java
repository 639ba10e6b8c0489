package topspin.node.rest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/**
 * Has sockets read into pooled arrays instead of direct memory. The HTTP decoder copies each line
 * out of what was read, and out of direct memory each copy costs a buffer object.
 */
@SuppressWarnings("deprecation") // The old name of the type is still the one of the option.
final class ArrayReceive extends AdaptiveRecvByteBufAllocator {
    @Override
    public Handle newHandle() {
        return new ArrayHandle(super.newHandle());
    }

    private static final class ArrayHandle extends RecvByteBufAllocator.DelegatingHandle {
        ArrayHandle(Handle sizes) {
            super(sizes);
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return allocator.heapBuffer(guess());
        }
    }
}
