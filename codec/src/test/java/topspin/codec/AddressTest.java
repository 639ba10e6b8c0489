package topspin.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

final class AddressTest {
    private static final String GOOD = "RKEOHXLUBHYZL7KS3MWTZOS5OLFGOCN7DWKBEG7TOSEADNAPN5OOTUNSLE";

    @Test
    void publishedAddressesAreRead() {
        for (Vectors.Row row : Vectors.document("addresses.json").rows("accounts")) {
            Address address = Address.parse(row.text("address"));
            assertThat(address).hasToString(row.text("address"));
        }
    }

    @Test
    void whatTheReferenceRefusesIsRefusedForItsReason() {
        for (Vectors.Row row : Vectors.document("addresses.json").rows("invalid_addresses")) {
            String text = row.text("address");
            String reason =
                    switch (row.text("go_algorand")) {
                        case "reject: checksum" -> "malformed, checksum verification failed";
                        case "reject: not base32" -> "failed to decode address";
                        case "reject: non-canonical" -> "is non-canonical";
                        case "reject: too short" -> "decoded bad addr: ";
                        default -> throw new AssertionError(row);
                    };
            assertThat(Address.isValid(text)).as(text).isFalse();
            assertThatThrownBy(() -> Address.parse(text)).as(text).hasMessageContaining(reason);
        }
    }

    /** Recorded from the reference; lengths that no encoding has are where decoders differ. */
    @ParameterizedTest
    @CsvSource({
        "0, decoded bad addr: ",
        "1, decoded bad addr: ",
        "3, decoded bad addr: ",
        "51, decoded bad addr: ",
        "52, checksum verification failed",
        "57, checksum verification failed"
    })
    void anAddressCutShortIsRefused(int length, String reason) {
        assertThatThrownBy(() -> Address.parse(GOOD.substring(0, length)))
                .hasMessageContaining(reason);
        assertThatThrownBy(() -> Address.parse(GOOD + "A"))
                .hasMessageContaining("checksum verification failed");
    }

    /** The slow way: the bits, and zeros behind them, as a number in digits of five. */
    private static String base32(byte[] bytes) {
        var letters = new StringBuilder();
        BigInteger left = new BigInteger(1, bytes).shiftLeft(4);
        for (int letter = 0; letter < Digest.TEXT_LENGTH; letter++) {
            letters.append("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".charAt(left.intValue() & 31));
            left = left.shiftRight(5);
        }
        return letters.reverse().toString();
    }

    @Property
    void anAddressReadsItsOwnText(@ForAll @Size(32) byte[] bytes) {
        Address address = Address.fromBytes(bytes);
        String text = address.toString();
        assertThat(text).startsWith(base32(bytes).substring(0, 51));
        assertThat(Address.parse(text)).isEqualTo(address);
        assertThat(Address.isValid(text)).isTrue();
    }

    @Property
    void aDigestReadsItsOwnText(@ForAll @Size(32) byte[] bytes) {
        Digest digest = Digest.fromBytes(bytes);
        byte[] text = new byte[2 + Digest.TEXT_LENGTH];
        digest.writeText(text, 2);
        assertThat(digest.toString()).isEqualTo(base32(bytes));
        assertThat(new String(text, 2, Digest.TEXT_LENGTH, StandardCharsets.US_ASCII))
                .isEqualTo(digest.toString());
        assertThat(Digest.parse(digest.toString())).isEqualTo(digest);
    }
}
