package topspin.node.rest;

import org.jspecify.annotations.Nullable;

import topspin.node.DataFolder;
import topspin.node.Node;
import topspin.node.NodeConfig;
import topspin.node.NodeFault;
import topspin.node.RunningNode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.locks.LockSupport;

/** A whole node in this process, asked over TCP by bytes. */
final class RestNode implements AutoCloseable {
    private final RunningNode running;
    private @Nullable RawClient client;

    /** Starts a node on a new folder below {@code parent}. */
    RestNode(Path parent, String genesis, NodeConfig config) throws NodeFault {
        this(parent, genesis, config, InstantSource.system());
    }

    RestNode(Path parent, String genesis, NodeConfig config, InstantSource clock) throws NodeFault {
        this(created(parent.resolve("node"), genesis, config), config, clock);
    }

    /** Starts a node on a folder that is there. */
    RestNode(Path data, NodeConfig config) throws NodeFault {
        this(data, config, InstantSource.system());
    }

    /** The same with another clock. */
    RestNode(Path data, NodeConfig config, InstantSource clock) throws NodeFault {
        running = RunningNode.start(data, config, clock);
    }

    private static Path created(Path data, String genesis, NodeConfig config) throws NodeFault {
        DataFolder.create(data, genesis, config);
        return data;
    }

    Node node() {
        return running.node();
    }

    /** The node for as long as it runs, whichever it is after it went back to a snapshot. */
    RunningNode running() {
        return running;
    }

    /**
     * Waits until the node serves again that has gone back to a snapshot so many times. Asks over
     * and over: there is nothing to wait on while it does not serve.
     */
    void awaitReverts(int times) throws IOException {
        while (running.node().snapshots().orElseThrow().reverts() < times) {
            if (running.stopped().isDone()) {
                throw new IOException("the node has stopped: " + running.stopped().join());
            }
            LockSupport.parkNanos(1_000_000);
        }
        if (client != null) {
            client.close(); // It was the node's before.
            client = null;
        }
    }

    String apiToken() {
        return node().tokens().api().orElseThrow();
    }

    RawClient connect() throws IOException {
        return RawClient.connect(node().restAddress());
    }

    /** Sends a whole request and reads its answer; reconnects where the node closes. */
    RawClient.Answer ask(byte[] request, boolean head) throws IOException {
        RawClient open = client;
        if (open == null) {
            open = connect();
            client = open;
        }
        open.send(request);
        RawClient.Answer answer = head ? open.readHead() : open.read();
        if (answer.header("Connection").equals("close")) {
            open.close();
            client = null;
        }
        return answer;
    }

    RawClient.Answer get(String path) throws IOException {
        return ask(request("GET", path, new byte[0]), false);
    }

    RawClient.Answer post(String path, byte[] body) throws IOException {
        return ask(request("POST", path, body), false);
    }

    /** A request with the API token. */
    byte[] request(String method, String path, byte[] body) {
        String head =
                String.join(
                        "\r\n",
                        method + " " + path + " HTTP/1.1",
                        "Host: node",
                        "X-Algo-API-Token: " + apiToken(),
                        "Content-Type: application/x-binary",
                        "Content-Length: " + body.length,
                        "",
                        "");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(body);
        return out.toByteArray();
    }

    @Override
    public void close() throws IOException {
        if (client != null) {
            client.close();
        }
        running.close();
    }
}
