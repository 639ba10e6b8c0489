package topspin.net.peers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.net.Drop;
import topspin.net.GossipConfig.Limits;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Deque;

final class AdmissionTest {
    private static final Limits LIMITS = Limits.DEFAULT;

    private final Admission admission = new Admission(LIMITS);

    private static InetAddress address(int last) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {10, 0, (byte) (last >> 8), (byte) last});
    }

    @Test
    void oneAddressCannotTakeEveryPlace() throws UnknownHostException {
        for (int count = 0; count < LIMITS.perAddressMax(); count++) {
            assertThat(admission.enter(address(1))).isNull();
            assertThat(admission.greet()).isTrue();
        }
        assertThat(admission.enter(address(1))).isEqualTo(Drop.ADDRESS_FULL);
        assertThat(admission.enter(address(2))).isNull();
        admission.leave(address(1), true);
        assertThat(admission.enter(address(1))).isNull();
    }

    @Test
    void loopbackIsBoundInAllAlone() {
        for (int count = 0; count < LIMITS.inboundMax(); count++) {
            assertThat(admission.enter(InetAddress.getLoopbackAddress())).isNull();
            assertThat(admission.greet()).isTrue();
        }
        assertThat(admission.enter(InetAddress.getLoopbackAddress())).isEqualTo(Drop.INBOUND_FULL);
        admission.leave(InetAddress.getLoopbackAddress(), true);
        assertThat(admission.enter(InetAddress.getLoopbackAddress())).isNull();
    }

    @Test
    void handshakesNotDoneHaveABoundOfTheirOwn() throws UnknownHostException {
        Deque<InetAddress> greeting = new ArrayDeque<>();
        for (int count = 0; count < LIMITS.handshakesMax(); count++) {
            assertThat(admission.enter(address(count))).isNull();
            greeting.add(address(count));
        }
        assertThat(admission.enter(address(1_000))).isEqualTo(Drop.HANDSHAKES_FULL);
        assertThat(admission.greet()).isTrue();
        assertThat(admission.enter(address(1_000))).isNull();
        admission.leave(greeting.remove(), true);
        while (!greeting.isEmpty()) {
            admission.leave(greeting.remove(), false);
        }
        admission.leave(address(1_000), false);
        assertThat(admission.enter(address(1_001))).isNull();
    }
}
