package topspin.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.params.ConsensusVersions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

final class GenesisTest {
    private static final String SINK = "A7NMWS3NT3IUDMLVO26ULGXGIIOUQ3ND2TXSER6EBGRZNOBOUIQXHIBGDE";
    private static final String POOL = "7777777777777777777777777777777777777777777777777774MSJUVU";
    private static final String SMALL =
            """
            {"alloc": [{"addr": "%s", "comment": "", "state": {"algo": 5}}],
             "fees": "%s", "id": "v1", "network": "n", "proto": "p", "rwd": "%s"}
            """
                    .formatted(SINK, SINK, POOL);

    static Stream<JsonNode> publicNetworks() throws IOException {
        Path index = vectors("blocks/genesis_index.json");
        if (!Files.exists(index)) {
            return Stream.empty();
        }
        var files = (Iterable<JsonNode>) new ObjectMapper().readTree(index.toFile());
        return Stream.of(files)
                .flatMap(
                        all -> {
                            List<JsonNode> list = new java.util.ArrayList<>();
                            all.forEach(list::add);
                            return list.stream();
                        });
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource("publicNetworks")
    void publicNetworkHasItsHash(JsonNode row) throws IOException {
        String file = row.get("file").textValue();
        Genesis genesis = Genesis.parse(Files.readString(vectors("blocks/" + file)));
        assertThat(HexFormat.of().formatHex(genesis.toMsgpack()))
                .isEqualTo(row.get("canonical_msgpack").textValue());
        assertThat(genesis.id()).isEqualTo(row.get("genesis_id").textValue());
        assertThat(Base64.getEncoder().encodeToString(genesis.hash().toBytes()))
                .isEqualTo(row.get("genesis_hash_b64").textValue());
        assertThat(genesis.hash()).hasToString(row.get("genesis_hash_b32").textValue());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "reference/ledger/chain/genesis.json",
                "reference/ledger/chain_fast/genesis.json",
                "reference/rest/genesis-dev.json",
                "reference/rest/genesis-two.json"
            })
    void fileOfTheReferencesToolsIsWrittenAsItIs(String file) throws IOException {
        Path path = vectors(file);
        assumeTrue(Files.exists(path), () -> "absent: " + path);
        String text = Files.readString(path);
        Genesis read = Genesis.parse(text);
        assertThat(read.json()).isEqualTo(text);
        var made =
                new Genesis(
                        read.allocations(),
                        read.comment(),
                        read.devMode(),
                        read.feeSink(),
                        read.rewardsPool(),
                        read.schema(),
                        read.network(),
                        read.protocol(),
                        read.timestamp());
        assertThat(made.json()).isEqualTo(text);
        assertThat(made.hash()).isEqualTo(read.hash());
    }

    @Test
    void everyFieldAndTheOrderOfAllocationsIsInTheHash() {
        var a = new Genesis.Allocation(Address.parse(SINK), "a", Genesis.State.offline(1));
        var b = new Genesis.Allocation(Address.parse(POOL), "b", Genesis.State.notParticipating(1));
        Stream<Digest> hashes =
                Stream.of(
                                make(List.of(a, b), "", false, "v1", "n", 0),
                                make(List.of(b, a), "", false, "v1", "n", 0),
                                make(List.of(a), "", false, "v1", "n", 0),
                                make(List.of(a, b), "x", false, "v1", "n", 0),
                                make(List.of(a, b), "", true, "v1", "n", 0),
                                make(List.of(a, b), "", false, "v2", "n", 0),
                                make(List.of(a, b), "", false, "v1", "m", 0),
                                make(List.of(a, b), "", false, "v1", "n", -1))
                        .map(Genesis::hash);
        assertThat(hashes).doesNotHaveDuplicates();
    }

    @Test
    void largestBalanceAndLeftOutValuesAreRead() {
        Genesis genesis = Genesis.parse(SMALL.replace("5", "18446744073709551615"));
        assertThat(genesis.allocations().getFirst().state()).isEqualTo(Genesis.State.offline(-1L));
        assertThat(genesis.devMode()).isFalse();
        assertThat(genesis.timestamp()).isZero();
        assertThat(Genesis.parse(SMALL.replace(", \"state\": {\"algo\": 5}", "")).allocations())
                .containsExactly(
                        new Genesis.Allocation(Address.parse(SINK), "", Genesis.State.EMPTY));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"id\"|\"idd\"|genesis: unknown key idd",
                "\"comment\"|\"commment\"|genesis: unknown key commment",
                "\"algo\"|\"algos\"|genesis: unknown key algos",
                "\"algo\": 5|\"algo\": -5|genesis: algo must be from 0 to 2^64 - 1: -5",
                "\"algo\": 5|\"algo\": 18446744073709551616|genesis: algo must be from 0",
                "\"algo\": 5|\"algo\": \"5\"|genesis: algo must be a whole number: 5",
                "\"algo\": 5|\"algo\": 5, \"algo\": 6|Duplicate field 'algo'",
                "\"algo\": 5|\"onl\": 3|genesis: onl must be 0 offline, 1 online or 2",
                "\"algo\": 5|\"vote\": \"AAAA\"|genesis: vote must be 32 bytes in base64: AAAA",
                "\"algo\": 5|\"stprf\": \"!\"|genesis: stprf must be base64",
                "HIBGDE|HIBGDA|checksum verification failed",
                "\"comment\": \"\"|\"comment\": null|genesis: comment must be a string",
                "\"n\"|\"n\", \"devmode\": 1|genesis: devmode must be true or false",
                "\"n\"|\"n\", \"timestamp\": 1.5|genesis: timestamp must be a whole number of 64 bits",
                "\"rwd\"|\"comment\"|genesis: fees and rwd must both be given",
                "\"addr\": |\"comment\": |Duplicate field 'comment'",
                "[{|[{},{|genesis: an allocation without addr",
                "}],|}, 3],|genesis: alloc must be an object",
            })
    void badFileIsRefusedByName(String part, String instead, String text) {
        assertThat(SMALL).contains(part);
        assertThatThrownBy(() -> Genesis.parse(SMALL.replace(part, instead)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(text)
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
    }

    @Test
    void addressAllocatedTwiceAndTooMuchMoneyAreRefused() {
        var sink = new Genesis.Allocation(Address.parse(SINK), "", Genesis.State.offline(-1));
        var pool = new Genesis.Allocation(Address.parse(POOL), "", Genesis.State.offline(1));
        assertThatThrownBy(() -> make(List.of(sink, sink), "", false, "v1", "n", 0))
                .hasMessage("genesis: repeated allocation to " + SINK);
        assertThatThrownBy(() -> make(List.of(sink, pool), "", false, "v1", "n", 0))
                .hasMessage("genesis: more than 2^64 - 1 microAlgos in total");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "[]", "{", "{\"alloc\": [", "not json", "{}{}"})
    void textThatIsNoGenesisIsRefused(String text) {
        assertThatThrownBy(() -> Genesis.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("genesis: ");
    }

    private static Genesis make(
            List<Genesis.Allocation> allocations,
            String comment,
            boolean devMode,
            String schema,
            String network,
            long timestamp) {
        return new Genesis(
                allocations,
                comment,
                devMode,
                Address.parse(SINK),
                Address.parse(POOL),
                schema,
                network,
                ConsensusVersions.V42,
                timestamp);
    }

    private static Path vectors(String file) {
        return Path.of(System.getProperty("topspin.vectors"), file);
    }
}
