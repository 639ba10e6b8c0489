package topspin.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import topspin.net.multiaddr.Multiaddr;
import topspin.node.devmode.BlockMode;
import topspin.node.pool.PoolConfig;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

final class NodeConfigTest {
    @Test
    void noSettingsAreTheDefault() {
        assertThat(NodeConfig.parse("{}")).isEqualTo(NodeConfig.DEFAULT);
    }

    @Test
    void aMissingFileIsTheDefault(@TempDir Path folder) throws NodeFault {
        assertThat(NodeConfig.read(folder.resolve("config.json"))).isEqualTo(NodeConfig.DEFAULT);
    }

    @Test
    void eachSettingIsRead() {
        NodeConfig config =
                NodeConfig.parse(
                        """
                        {"EndpointAddress": "127.0.0.1:4001", "NetAddress": ":4006",
                         "NetSocket": "peers.sock", "AllowAddresses": ["10.0.0.0/8", "unix"],
                         "DenyAddresses": ["10.6.0.0/16"],
                         "EnableDeveloperAPI": true, "EnableExperimentalAPI": true,
                         "DisableAPIAuth": true, "EnableFollowMode": true,
                         "EnableTxnEvalTracer": true,
                         "EnablePrivateNetworkAccessHeader": true, "TxPoolSize": 100,
                         "Blocks": "interval:250ms", "Producer": "/ip4/127.0.0.1/tcp/4005",
                         "Peers": ["/ip4/127.0.0.1/tcp/4015"],
                         "KmdAddress": "127.0.0.1:4002", "KmdWallet": "../wallet.json",
                         "CorsOrigin": "http://localhost:3000", "KeepRounds": 1001}
                        """);

        assertThat(config.endpoint()).isEqualTo(new HostPort("127.0.0.1", 4001));
        assertThat(config.net()).isEqualTo(new HostPort("", 4006));
        assertThat(config.netSocket()).contains("peers.sock");
        assertThat(config.addresses().allows(Multiaddr.parse("/ip4/10.1.0.1/tcp/1"))).isTrue();
        assertThat(config.addresses().allows(Multiaddr.parse("/ip4/10.6.0.1/tcp/1"))).isFalse();
        assertThat(config.addresses().allows(Multiaddr.parse("/ip4/1.1.1.1/tcp/1"))).isFalse();
        assertThat(config.developerApi()).isTrue();
        assertThat(config.experimentalApi()).isTrue();
        assertThat(config.disableApiAuth()).isTrue();
        assertThat(config.followMode()).isTrue();
        assertThat(config.evalTracer()).isTrue();
        assertThat(config.privateNetworkAccessHeader()).isTrue();
        assertThat(config.pool()).isEqualTo(PoolConfig.ofSize(100));
        assertThat(config.blocks()).isEqualTo(new BlockMode.Interval(Duration.ofMillis(250)));
        assertThat(config.producer()).contains(Multiaddr.parse("/ip4/127.0.0.1/tcp/4005"));
        assertThat(config.peers()).containsExactly(Multiaddr.parse("/ip4/127.0.0.1/tcp/4015"));
        assertThat(config.kmdAddress()).contains(new HostPort("127.0.0.1", 4002));
        assertThat(config.kmdWallet()).contains("../wallet.json");
        assertThat(config.corsOrigin()).contains("http://localhost:3000");
        assertThat(config.keepRounds()).isEqualTo(1001);
    }

    @Test
    void whatIsWrittenIsReadBack() {
        NodeConfig config =
                NodeConfig.DEFAULT
                        .withEndpoint(HostPort.loopback(4001))
                        .withNet(HostPort.parse("[::1]:4006"))
                        .withNetSocket("peers.sock")
                        .withDenyAddresses(List.of("ip6"))
                        .withBlocks(new BlockMode.Instant())
                        .withProducer(Multiaddr.parse("/ip4/127.0.0.1/tcp/4005"))
                        .withPeers(List.of(Multiaddr.parse("/ip4/127.0.0.1/tcp/4015")))
                        .withCorsOrigin("*")
                        .withPool(PoolConfig.ofSize(9))
                        .withKeepRounds(2000)
                        .withDeveloperApis();

        assertThat(NodeConfig.parse(config.toJson())).isEqualTo(config);
    }

    @Test
    void onlyWhatDiffersIsWritten() {
        assertThat(NodeConfig.DEFAULT.toJson()).isEqualToIgnoringWhitespace("{}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"EndpointAdress\": \"a:1\"} | did you mean EndpointAddress?",
                "{\"Nonsense\": 1}             | unknown setting 'Nonsense'; allowed:"
                        + " AllowAddresses, Blocks, ",
                "{\"EndpointAddress\": 4001}   | EndpointAddress: a text is wanted",
                "{\"EndpointAddress\": \"x\"}  | EndpointAddress: 'x' is not HOST:PORT",
                "{\"NetAddress\": \"a:65536\"} | NetAddress: a port lies between 0 and 65535",
                "{\"NetAddress\": \"a:9999999999\"} | 'a:9999999999' is not HOST:PORT",
                "{\"EnableDeveloperAPI\": 1}   | EnableDeveloperAPI: true or false is wanted",
                "{\"TxPoolSize\": 0}           | TxPoolSize lies between 1 and",
                "{\"TxPoolSize\": 1e99}        | TxPoolSize: a whole number is wanted",
                "{\"Blocks\": \"often\"}       | unknown block mode 'often'; allowed:"
                        + " agreement, instant, interval",
                "{\"Blocks\": \"interval:1ms\"} | a block interval lies between 10ms and 1h",
                "{\"DenyAddresses\": [\"10.0.0.1/8\"]} | DenyAddresses: '10.0.0.1/8' has bits"
                        + " behind",
                "{\"Peers\": \"a\"}            | Peers: a list of texts is wanted",
                "{\"CorsOrigin\": \"x\"}       | CorsOrigin: 'x' is neither * nor like",
                "{\"Producer\": \"4005\"}      | Producer: '4005' does not begin with /",
                "{\"KmdWallet\": \"x\"}      | KmdAddress and KmdWallet go together",
                "{\"EnableFollowMode\": true}  | EnableFollowMode needs a Producer",
                "{\"Peers\": [], \"Peers\": []} | not JSON: Duplicate field 'Peers'",
                "{\"Peers\": [],}              | not JSON: ",
                "[]                            | settings are one JSON object",
            })
    void aWrongSettingIsRefusedByName(String json, String reason) {
        assertThatThrownBy(() -> NodeConfig.parse(json))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason.strip());
    }

    @Test
    void aWrongFileIsNamedAndEndsWithTwo(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("config.json"), "{\"Blok\": \"instant\"}");

        assertThatThrownBy(() -> NodeConfig.read(file))
                .isInstanceOfSatisfying(
                        NodeFault.class,
                        fault -> {
                            assertThat(fault.exitStatus()).isEqualTo(2);
                            assertThat(fault.line())
                                    .startsWith(file.toString())
                                    .contains("did you mean Blocks?")
                                    .doesNotContain("\n");
                        });
    }
}
