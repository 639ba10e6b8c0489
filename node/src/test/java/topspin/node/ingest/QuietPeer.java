package topspin.node.ingest;

import org.jspecify.annotations.Nullable;

import topspin.net.Peer;
import topspin.net.Tag;
import topspin.net.Traffic;
import topspin.net.Verdict;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A peer that sends nothing on and remembers how its messages were settled. */
final class QuietPeer implements Peer {
    private final BlockingQueue<Verdict> verdicts = new LinkedBlockingQueue<>();

    @Override
    public String id() {
        return "quiet";
    }

    @Override
    public String address() {
        return "/ip4/127.0.0.1/tcp/1";
    }

    @Override
    public boolean outbound() {
        return false;
    }

    @Override
    public boolean send(Tag tag, byte[] bytes, int offset, int length) {
        return true;
    }

    @Override
    public void settle(Tag tag, byte[] bytes, int offset, int length, Verdict verdict) {
        verdicts.add(verdict);
    }

    @Override
    public Traffic traffic() {
        return new Traffic();
    }

    @Override
    public long queuedBytes() {
        return 0;
    }

    /** The next verdict, or null if none comes. */
    @Nullable Verdict next() throws InterruptedException {
        return verdicts.poll(10, TimeUnit.SECONDS);
    }

    int unread() {
        return verdicts.size();
    }
}
