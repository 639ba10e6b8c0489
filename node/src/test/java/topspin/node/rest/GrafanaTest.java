package topspin.node.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import topspin.node.Funds;
import topspin.node.NodeConfig;
import topspin.node.devmode.BlockMode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The dashboard for Grafana asks for figures that a node tells, and for no others. */
final class GrafanaTest {
    private static final Pattern NAME = Pattern.compile("\\b(algod|topspin|process)_[a-z_]+");

    @Test
    void everyPictureShowsAFigureOfANode(@TempDir Path folder) throws Exception {
        Path file = Path.of(System.getProperty("topspin.root")).resolve("config/grafana.json");
        JsonNode dashboard = JsonMapper.builder().build().readTree(Files.readString(file));
        NodeConfig config = NodeConfig.DEFAULT.withBlocks(new BlockMode.Manual());
        Set<String> told = new TreeSet<>();
        try (RestNode node = new RestNode(folder, new Funds(1).genesis().json(), config)) {
            node.get("/metrics")
                    .text()
                    .lines()
                    .filter(line -> line.startsWith("# TYPE "))
                    .forEach(line -> told.add(line.split(" ", -1)[2]));
        }
        Set<String> asked = new TreeSet<>();
        for (JsonNode panel : dashboard.path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                Matcher names = NAME.matcher(target.path("expr").asText());
                assertThat(names.find()).as(target.toString()).isTrue();
                do {
                    asked.add(names.group());
                } while (names.find());
            }
        }
        assertThat(asked).hasSizeGreaterThan(20).isSubsetOf(told);
    }
}
