package topspin.net.stream;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;

/** Filters that the reference's program made, and what it then found in them. */
final class KnownIdsTest {
    /** The ids of the vectors: SHA-256 of a number of four bytes. */
    private static byte[] id(int number) throws NoSuchAlgorithmException {
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
        return MessageDigest.getInstance("SHA-256").digest(bytes);
    }

    private static KnownIds known(byte[] filter) {
        return Objects.requireNonNull(KnownIds.decode(filter));
    }

    @Test
    void idsAreFoundWhereTheReferenceFindsThem() throws Exception {
        int filters = 0;
        long wrong = 0;
        try (InputStream in = getClass().getResourceAsStream("known-ids.txt")) {
            String all = new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
            for (String line : all.lines().skip(1).toList()) {
                String[] row = line.split(" ", -1);
                KnownIds known = known(Base64.getUrlDecoder().decode(row[1]));
                String expected = row[2];
                var found = new StringBuilder();
                for (int number = 0; number < expected.length(); number++) {
                    found.append(known.mayHold(id(number)) ? '1' : '0');
                }
                assertThat(found).hasToString(expected);
                wrong += found.chars().filter(bit -> bit == '1').count() - Integer.parseInt(row[0]);
                filters++;
            }
        }
        assertThat(filters).isEqualTo(6);
        assertThat(wrong).isPositive(); // So what only seems to be there agrees as well.
    }

    @Test
    void whatIsNoFilterIsRefused() {
        byte[] filter = new byte[KnownIds.BYTES_MAX + 1];
        filter[3] = 32;

        assertThat(KnownIds.decode(filter)).isNull();
        assertThat(KnownIds.decode(Arrays.copyOf(filter, KnownIds.BYTES_MAX))).isNotNull();
        assertThat(KnownIds.decode(Arrays.copyOf(filter, 8))).isNull();
        assertThat(KnownIds.decode(Arrays.copyOf(filter, 9))).isNotNull();
        filter[3] = 33;
        assertThat(KnownIds.decode(Arrays.copyOf(filter, 9))).isNull();
        filter[0] = (byte) 0x80;
        filter[3] = 1;
        assertThat(KnownIds.decode(Arrays.copyOf(filter, 9))).isNull();
    }

    @Test
    void withoutHashesEverythingIsKnown() throws Exception {
        assertThat(known(new byte[9]).mayHold(id(1))).isTrue();
    }
}
