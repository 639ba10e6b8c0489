package topspin.node.commands;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import topspin.node.LocalNetwork;
import topspin.node.NodeFault;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Which node a command speaks to: one of a local network, one by its data folder, or any by URL.
 */
public final class Target {
    @Mixin private NetworkFolder network = new NetworkFolder();

    @Option(
            names = "--node",
            paramLabel = "N",
            converter = WholeNumber.Nodes.class,
            description = "Node of that network, from 1.")
    private @Nullable Integer node;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Data folder of a node, instead of a network.")
    private @Nullable Path data;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "REST address of any node, as http://HOST:PORT.")
    private @Nullable String url;

    @Option(names = "--token", paramLabel = "TOKEN", description = "API token for --url.")
    private @Nullable String token;

    /** Folder of the local network, whether it exists or not. */
    public Path directory() {
        return network.path();
    }

    /** Whether one node is named, rather than a network of which the first is taken. */
    boolean isOneNode() {
        return node != null || url != null || data != null;
    }

    /**
     * The node asked for.
     *
     * @throws CommandFault if it does not run, or two ways of naming it are mixed
     */
    public NodeClient client() {
        if (url != null) {
            if (data != null) {
                throw CommandFault.argument("--url and --data name two nodes; give one of them");
            }
            return NodeClient.ofUrl(url, token);
        }
        if (token != null) {
            throw CommandFault.argument("--token goes with --url");
        }
        return NodeClient.ofFolder(data != null ? data : member().folder());
    }

    /** Whether it is named by a data folder on which no node runs. */
    public boolean isStopped() {
        return data != null && url == null && !Files.exists(data.resolve("algod.pid"));
    }

    /**
     * The data folder that names it.
     *
     * @throws CommandFault if it is named otherwise
     */
    public Path data() {
        if (data == null) {
            throw CommandFault.argument("--data names the folder of a node that does not run");
        }
        return data;
    }

    /**
     * The local network.
     *
     * @throws CommandFault if the folder holds none
     */
    public LocalNetwork network() {
        return network.open();
    }

    private LocalNetwork.Member member() {
        try {
            return network().member(node == null ? 1 : node);
        } catch (NodeFault fault) {
            throw CommandFault.of(fault);
        }
    }
}
