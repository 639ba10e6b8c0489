package topspin.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

import org.jspecify.annotations.Nullable;

import java.util.HexFormat;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Keeps what arrives, and answers as told. */
public final class RecordingInbox implements Inbox {
    private final BlockingQueue<Message> messages = new LinkedBlockingQueue<>();
    private volatile Verdict verdict = Verdict.IGNORE;

    /** A message as it came. */
    public record Message(Peer from, Tag tag, byte[] body) {
        @Override
        public String toString() {
            return from + " " + tag + " " + HexFormat.of().formatHex(body);
        }
    }

    /** From now on every message comes to this. */
    public RecordingInbox answering(Verdict verdict) {
        this.verdict = verdict;
        return this;
    }

    @Override
    public Verdict offer(Peer peer, Tag tag, ByteBuf body) {
        Verdict answer = verdict;
        messages.add(new Message(peer, tag, ByteBufUtil.getBytes(body)));
        return answer;
    }

    /** The next message, waiting for it. */
    public Message next() throws InterruptedException {
        @Nullable Message message = messages.poll(10, TimeUnit.SECONDS);
        if (message == null) {
            throw new AssertionError("no message came");
        }
        return message;
    }

    /** How many wait to be read. */
    public int size() {
        return messages.size();
    }
}
