package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;

import topspin.codec.Vectors;

import java.util.List;

/** Seeds as 25 words, against the SDK's and the reference's verdicts. */
final class MnemonicTest {
    @Test
    void seedsHaveTheWordsThatTheSdkGivesThem() {
        List<Vectors.Row> accounts = Vectors.document("addresses.json").rows("accounts");
        assertThat(accounts).hasSizeGreaterThan(40);
        for (Vectors.Row account : accounts) {
            byte[] seed = account.hex("seed");
            String mnemonic = account.text("mnemonic");
            assertThat(Mnemonic.fromSeed(seed)).isEqualTo(mnemonic);
            assertThat(Mnemonic.toSeed(mnemonic)).isEqualTo(seed);
        }
    }

    @Test
    void whatTheReferenceRefusesIsRefusedInItsWords() {
        List<Vectors.Row> rows = Vectors.document("addresses.json").rows("invalid_mnemonics");
        assertThat(rows).hasSizeGreaterThan(30);
        for (Vectors.Row row : rows) {
            String mnemonic = row.text("mnemonic");
            String verdict = row.text("go_algorand");
            if (verdict.startsWith("accept")) {
                assertThat(Mnemonic.toSeed(mnemonic)).isEqualTo(row.hex("go_key"));
            } else {
                assertThatThrownBy(() -> Mnemonic.toSeed(mnemonic))
                        .as(row.text("why"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith(verdict.substring("reject: ".length()));
            }
        }
    }

    @Property
    void everySeedComesBack(@ForAll @Size(32) byte[] seed) {
        assertThat(Mnemonic.toSeed(Mnemonic.fromSeed(seed))).isEqualTo(seed);
    }
}
