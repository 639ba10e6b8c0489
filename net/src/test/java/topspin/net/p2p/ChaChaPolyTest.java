package topspin.net.p2p;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import topspin.codec.Allocation;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.SplittableRandom;

import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

final class ChaChaPolyTest {
    private static final byte[] KEY = new byte[ChaChaPoly.KEY_BYTES];

    static {
        new SplittableRandom(7).nextBytes(KEY);
    }

    private static byte[] oracle(long message, byte[] plain, byte[] associated)
            throws GeneralSecurityException {
        byte[] nonce =
                ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putLong(4, message).array();
        Cipher cipher = Cipher.getInstance("ChaCha20-Poly1305");
        cipher.init(
                Cipher.ENCRYPT_MODE,
                new SecretKeySpec(KEY, "ChaCha20"),
                new IvParameterSpec(nonce));
        cipher.updateAAD(associated);
        return cipher.doFinal(plain);
    }

    @Test
    void sealsAsTheJdkDoesAndOpensItAgain() throws GeneralSecurityException {
        var random = new SplittableRandom(1);
        var sealing = new ChaChaPoly(KEY);
        var opening = new ChaChaPoly(KEY);
        for (int message = 0; message < 400; message++) {
            byte[] plain = new byte[message < 300 ? message : random.nextInt(65_519)];
            random.nextBytes(plain);
            byte[] associated = new byte[random.nextInt(40)];
            random.nextBytes(associated);
            byte[] bytes = new byte[3 + plain.length + ChaChaPoly.TAG_BYTES + 2];
            System.arraycopy(plain, 0, bytes, 3, plain.length);
            sealing.seal(bytes, 3, plain.length, associated);
            int end = 3 + plain.length + ChaChaPoly.TAG_BYTES;
            assertThat(Arrays.copyOfRange(bytes, 3, end))
                    .isEqualTo(oracle(message, plain, associated));
            assertThat(bytes[end]).isZero();
            assertThat(opening.open(bytes, 3, end - 3, associated)).isTrue();
            assertThat(Arrays.copyOfRange(bytes, 3, 3 + plain.length)).isEqualTo(plain);
        }
    }

    @Test
    void aChangedByteAnywhereIsNoticed() {
        byte[] sealed = new byte[80 + ChaChaPoly.TAG_BYTES];
        new ChaChaPoly(KEY).seal(sealed, 0, 80);
        for (int at = 0; at < sealed.length; at++) {
            byte[] changed = sealed.clone();
            changed[at] ^= 0x10;
            byte[] before = changed.clone();
            assertThat(new ChaChaPoly(KEY).open(changed, 0, changed.length)).isFalse();
            assertThat(changed).isEqualTo(before);
        }
        for (int length = 0; length < sealed.length; length++) {
            assertThat(new ChaChaPoly(KEY).open(sealed.clone(), 0, length)).isFalse();
        }
    }

    @Test
    void theSameTextIsNeverSealedTheSameWay() {
        var cipher = new ChaChaPoly(KEY);
        byte[] first = new byte[32];
        byte[] second = new byte[32];
        cipher.seal(first, 0, 16);
        cipher.seal(second, 0, 16);
        assertThat(first).isNotEqualTo(second);
        cipher.destroy();
        assertThatThrownBy(() -> cipher.seal(first, 0, 16))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void makesNoGarbage() {
        var sealing = new ChaChaPoly(KEY);
        var opening = new ChaChaPoly(KEY);
        byte[] bytes = new byte[1_000 + ChaChaPoly.TAG_BYTES];
        Runnable call =
                () -> {
                    sealing.seal(bytes, 0, 1_000);
                    assertThat(opening.open(bytes, 0, bytes.length) ? 1 : 0).isPositive();
                };
        Runnable quiet =
                () -> {
                    sealing.seal(bytes, 0, 1_000);
                    if (!opening.open(bytes, 0, bytes.length)) {
                        throw new AssertionError();
                    }
                };
        call.run();
        assertThat(Allocation.smallestWindow(10, 2_000, quiet)).isZero();
    }
}
