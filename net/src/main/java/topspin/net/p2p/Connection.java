package topspin.net.p2p;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;

import topspin.net.Drop;
import topspin.net.NetCounters;
import topspin.net.Traffic;
import topspin.net.multiaddr.Multiaddr;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;

/**
 * A connection to a peer that has proved who it is. Its event loop calls; any thread may end it.
 */
public final class Connection {
    private static final Logger LOG = System.getLogger(Connection.class.getName());

    private final Channel channel;
    private final PeerId remote;
    private final Multiaddr address;
    private final boolean dialled;
    private final Traffic traffic;
    private final NetCounters counters;
    private final Yamux yamux;

    private Identify identify = Identify.NOTHING;
    private int pingStreams;
    private int pushes;

    /** What became of a stream that we wanted; on the event loop. */
    public interface Opening {
        /** The peer speaks this protocol: the stream's pipeline is to be filled now. */
        void opened(YamuxStream stream, String protocol);

        /** It speaks none of them, or is gone. */
        void refused(Drop reason);
    }

    Connection(
            Channel channel,
            PeerId remote,
            Multiaddr address,
            boolean dialled,
            Traffic traffic,
            NetCounters counters,
            Host host) {
        this.channel = channel;
        this.remote = remote;
        this.address = address;
        this.dialled = dialled;
        this.traffic = traffic;
        this.counters = counters;
        this.yamux = new Yamux(dialled, stream -> host.accept(this, stream), this::end);
    }

    Yamux yamux() {
        return yamux;
    }

    public PeerId remote() {
        return remote;
    }

    /** Where the peer is, without its id. */
    public Multiaddr address() {
        return address;
    }

    /** Whether we dialled it. */
    public boolean dialled() {
        return dialled;
    }

    /** Bytes that went over it. */
    public Traffic traffic() {
        return traffic;
    }

    public EventLoop loop() {
        return channel.eventLoop();
    }

    /** Done when the connection is closed, by either side. */
    public ChannelFuture closed() {
        return channel.closeFuture();
    }

    /** The stream protocols that the peer says it answers; empty while it has said nothing. */
    public List<String> protocols() {
        return identify.protocols();
    }

    /** Where the peer can be dialled: under its signature if it signed that, else as it says. */
    public List<Multiaddr> listenAddresses() {
        SignedPeerRecord record = identify.record();
        return record != null && record.peer().equals(remote)
                ? record.addresses()
                : identify.listenAddresses();
    }

    /** The peer's software, in its own words. */
    public String agent() {
        return identify.agent();
    }

    Identify identify() {
        return identify;
    }

    void identified(Identify said) {
        identify = said;
    }

    /** Whether the peer may have one more stream of pings; it is counted until it closes. */
    boolean admitPings(YamuxStream stream) {
        if (pingStreams == PingAnswerer.STREAMS_MAX) {
            return false;
        }
        pingStreams++;
        stream.closeFuture().addListener(closed -> pingStreams--);
        return true;
    }

    /** Whether the peer may push once more what it says of itself. */
    boolean admitPush() {
        return pushes++ < IdentifyReader.PUSHES_MAX;
    }

    /** Opens a stream for the first of these protocols that the peer speaks. */
    public void open(List<String> protocols, Opening opening) {
        if (!channel.isActive()) {
            opening.refused(Drop.LEFT);
            return;
        }
        if (!yamux.mayOpen()) {
            counters.count(Drop.BACKLOG_FULL);
            opening.refused(Drop.BACKLOG_FULL);
            return;
        }
        var unused =
                yamux.open(
                        stream ->
                                stream.pipeline()
                                        .addLast(
                                                Multistream.proposing(
                                                        protocols, outcome(stream, opening))));
    }

    private static Multistream.Outcome outcome(YamuxStream stream, Opening opening) {
        return new Multistream.Outcome() {
            @Override
            public void agreed(ChannelHandlerContext context, String protocol) {
                opening.opened(stream, protocol);
                context.pipeline().remove(context.handler());
            }

            @Override
            public void failed(ChannelHandlerContext context, Drop reason) {
                opening.refused(reason);
                var unused = context.close();
            }
        };
    }

    /** Ends the connection and counts why. */
    public void end(Drop reason) {
        if (channel.isOpen()) {
            counters.count(reason);
            LOG.log(Level.DEBUG, "{0}: connection ended: {1}", this, reason);
            leave();
        }
    }

    /** Ends the connection for no fault of the peer's. */
    void leave() {
        if (channel.eventLoop().inEventLoop()) {
            yamux.sayGoodbye();
            var unused = channel.close();
        } else {
            channel.eventLoop().execute(this::leave);
        }
    }

    @Override
    public String toString() {
        return (dialled ? "to " : "from ") + address + "/p2p/" + remote;
    }
}
