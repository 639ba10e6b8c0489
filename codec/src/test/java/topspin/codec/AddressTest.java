package topspin.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    @Property
    void aDigestReadsItsOwnText(@ForAll @Size(32) byte[] bytes) {
        Digest digest = Digest.fromBytes(bytes);
        byte[] text = new byte[2 + Digest.TEXT_LENGTH];
        digest.writeText(text, 2);
        assertThat(digest.toString()).isEqualTo(Base32.encode(bytes));
        assertThat(new String(text, 2, Digest.TEXT_LENGTH, StandardCharsets.US_ASCII))
                .isEqualTo(digest.toString());
        assertThat(Digest.parse(digest.toString())).isEqualTo(digest);
    }
}
