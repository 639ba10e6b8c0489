package topspin.net.multiaddr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import topspin.codec.Allocation;

import java.util.List;

final class AddressFilterTest {
    private static boolean allows(List<String> allow, List<String> deny, String address) {
        return AddressFilter.of(allow, deny).allows(Multiaddr.parse(address));
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, /ip4/10.255.0.1/tcp/1, true",
        "10.0.0.0/8, /ip4/11.0.0.1/tcp/1, false",
        "10.1.2.3, /ip4/10.1.2.3/tcp/1, true",
        "10.1.2.3, /ip4/10.1.2.2/tcp/1, false",
        "10.1.2.2/31, /ip4/10.1.2.3/tcp/1, true",
        "0.0.0.0/0, /ip4/1.2.3.4/tcp/1, true",
        "0.0.0.0/0, /ip6/2001:db8::1/tcp/1, false",
        "0.0.0.0/0, /dns4/example.com/tcp/1, false",
        "0.0.0.0/0, /ip6/::ffff:1.2.3.4/tcp/1, true",
        "1.2.3.4, /ip6/::ffff:1.2.3.4/tcp/1, true",
        "1.2.3.0/24, /ip6/::1.2.3.4/tcp/1, false",
        "2001:db8::/32, /ip6/2001:db8:ffff::1/tcp/1, true",
        "2001:db8::/32, /ip6/2001:db9::1/tcp/1, false",
        "2001:db8:0:1::/65, /ip6/2001:db8:0:1:7fff::/tcp/1, true",
        "2001:db8:0:1::/65, /ip6/2001:db8:0:1:8000::/tcp/1, false",
        "::/0, /ip4/1.2.3.4/tcp/1, true",
        "::/0, /ip6/2001:db8::1/tcp/1, true",
        "::1, /ip6/::1/tcp/1, true",
        "ip6, /ip6/::1/tcp/1, true",
        "ip6, /ip4/1.2.3.4/tcp/1, false",
        "unix, /unix/run/a.sock, true",
        "tcp, /unix/run/a.sock, false",
    })
    void aRuleMatchesWhatItSays(String rule, String address, boolean matches) {
        assertThat(allows(List.of(), List.of(rule), address)).isEqualTo(!matches);
        assertThat(allows(List.of(rule), List.of(), address)).isEqualTo(matches);
    }

    @Test
    void denyingIsStrongerThanAllowing() {
        List<String> allow = List.of("10.0.0.0/8", "unix");
        List<String> deny = List.of("10.6.0.0/16");
        assertThat(allows(allow, deny, "/ip4/10.5.0.1/tcp/1")).isTrue();
        assertThat(allows(allow, deny, "/ip4/10.6.0.1/tcp/1")).isFalse();
        assertThat(allows(allow, deny, "/ip4/1.1.1.1/tcp/1")).isFalse();
        assertThat(allows(allow, deny, "/unix/a")).isTrue();
        assertThat(AddressFilter.ALL.allows(Multiaddr.parse("/ip4/1.1.1.1/tcp/1"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "10.0.0.0/",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/08",
                "10.0.0.1/8",
                "10.0.0/8",
                "256.0.0.0/8",
                "::/129",
                "::1/127",
                "2001:db8::1/64",
                "nonsense",
                "10.0.0.0/8/8",
                "example.com"
            })
    void whatIsNoRuleIsRefusedByName(String rule) {
        assertThatThrownBy(() -> AddressFilter.of(List.of(rule), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + rule + "'");
    }

    @Test
    void askingMakesNoGarbage() {
        AddressFilter filter =
                AddressFilter.of(
                        List.of("10.0.0.0/8", "2001:db8::/32"), List.of("10.6.0.0/16", "udp"));
        Multiaddr four = Multiaddr.parse("/ip4/10.5.0.1/tcp/4160");
        Multiaddr six = Multiaddr.parse("/ip6/2001:db8::1/tcp/4160");
        assertThat(
                        Allocation.smallestWindow(
                                10,
                                10_000,
                                () -> {
                                    if (!filter.allows(four) || !filter.allows(six)) {
                                        throw new AssertionError();
                                    }
                                }))
                .isZero();
    }
}
