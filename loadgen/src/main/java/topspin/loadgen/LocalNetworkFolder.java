package topspin.loadgen;

import topspin.loadgen.client.Endpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The folder of a local network: a folder for each node, and {@code wallet.json}. */
final class LocalNetworkFolder {
    private LocalNetworkFolder() {}

    /**
     * The nodes of a network that runs, by the number in their name.
     *
     * @throws LoadFault if there is none, or one does not run
     */
    static List<Endpoint> endpoints(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            List<Path> nodes =
                    entries.filter(entry -> Files.exists(entry.resolve("algod.token")))
                            .sorted(Comparator.comparing(LocalNetworkFolder::number))
                            .toList();
            if (nodes.isEmpty()) {
                throw new LoadFault(
                        LoadFault.BAD_ARGUMENT, "--network " + folder + ": no node's folder in it");
            }
            var endpoints = new ArrayList<Endpoint>();
            for (Path node : nodes) {
                endpoints.add(Endpoint.ofFolder(node));
            }
            return endpoints;
        } catch (IOException e) {
            throw new LoadFault(
                    LoadFault.BAD_ARGUMENT,
                    "--network " + folder + ": no network runs there: " + e.getMessage(),
                    e);
        }
    }

    private static String number(Path node) {
        String name = node.getFileName().toString();
        return "0".repeat(Math.max(0, 40 - name.length())) + name;
    }
}
