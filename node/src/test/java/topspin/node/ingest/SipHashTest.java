package topspin.node.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Arrays;

final class SipHashTest {
    private final SipHash hash = new SipHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
    private final byte[] message = ascending(15);

    /** The values its authors publish for the key 00…0f. */
    @Test
    void publishedValuesHold() {
        assertThat(hash.hash(message, 0, 0)).isEqualTo(0x726fdb47dd0e0e31L);
        assertThat(hash.hash(message, 0, 1)).isEqualTo(0x74f839c593dc67fdL);
        assertThat(hash.hash(message, 0, 8)).isEqualTo(0x93f5f5799a932462L);
        assertThat(hash.hash(message, 0, 15)).isEqualTo(0xa129ca6149be45e5L);
    }

    @Test
    void aSpanHasTheValueOfItsCopy() {
        assertThat(hash.hash(message, 3, 9))
                .isEqualTo(hash.hash(Arrays.copyOfRange(message, 3, 12), 0, 9));
    }

    @Test
    void anotherKeyGivesAnotherValue() {
        assertThat(new SipHash(1, 2).hash(message, 0, 15)).isNotEqualTo(0xa129ca6149be45e5L);
    }

    private static byte[] ascending(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }
}
