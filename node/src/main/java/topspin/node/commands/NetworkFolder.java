package topspin.node.commands;

import picocli.CommandLine.Option;

import topspin.node.LocalNetwork;
import topspin.node.NodeFault;

import java.nio.file.Path;

/** Which local network a command means. */
public final class NetworkFolder {
    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Folder of the network (default: ${DEFAULT-VALUE}).",
            defaultValue = LocalNetwork.DEFAULT_FOLDER)
    private Path path = Path.of("");

    /** The folder, whether it holds a network or not. */
    public Path path() {
        return path;
    }

    /**
     * The network in it.
     *
     * @throws CommandFault if there is none
     */
    public LocalNetwork open() {
        try {
            return LocalNetwork.open(path);
        } catch (NodeFault fault) {
            throw CommandFault.of(fault);
        }
    }
}
