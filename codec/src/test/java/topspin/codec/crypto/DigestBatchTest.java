package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import topspin.codec.Allocation;
import topspin.codec.crypto.SignatureEngine.Mode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Digests of many messages are those of each. */
class DigestBatchTest {
    private static final byte[] BYTES = new byte[3000];

    static {
        new SplittableRandom(512).nextBytes(BYTES);
    }

    private static List<Arguments> ways() {
        var all = new ArrayList<Arguments>();
        for (Mode mode : Mode.values()) {
            for (HashFunction function : HashFunction.values()) {
                all.add(Arguments.of(mode, function));
            }
        }
        return all;
    }

    /**
     * Neighbours differ by a byte, so that heads, spans and padding fall on all places of a block
     * together.
     */
    @ParameterizedTest
    @MethodSource("ways")
    void messagesOfEveryLengthHaveTheirDigest(Mode mode, HashFunction function) {
        for (Domain domain : List.of(Domain.NONE, Domain.TX, Domain.MULTISIG_ADDR)) {
            check(mode, function, domain, IntStream.range(0, 600).toArray());
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void messagesOfUnequalLengthsHaveTheirDigest(Mode mode, HashFunction function) {
        var random = new SplittableRandom(7);
        for (int i = 0; i < 200; i++) {
            int most = i % 2 == 0 ? 400 : 2900;
            check(mode, function, Domain.TX, random.ints(random.nextInt(20), 0, most).toArray());
        }
    }

    private static void check(Mode mode, HashFunction function, Domain domain, int[] lengths) {
        var messages = new Messages(Math.max(1, lengths.length));
        for (int length : lengths) {
            messages.add(domain, BYTES, length % 97, length);
        }
        var digests = new byte[3 + lengths.length * function.bytes()];
        SignatureEngine.newHasher(mode, function).digest(messages, digests, 3);
        for (int i = 0; i < lengths.length; i++) {
            byte[] expected = function.digest(domain, BYTES, lengths[i] % 97, lengths[i]);
            int at = 3 + i * function.bytes();
            assertThat(Arrays.copyOfRange(digests, at, at + function.bytes()))
                    .as("%d bytes, entry %d of %d", lengths[i], i, lengths.length)
                    .isEqualTo(expected);
        }
    }

    @Test
    void aBatchIsBounded() {
        var batch = new DigestBatch(HashFunction.SHA512_256, 2);
        batch.add(Domain.TX, BYTES, 0, 10);
        batch.add(Domain.TX, BYTES, 0, 20);
        assertThatThrownBy(() -> batch.add(Domain.TX, BYTES, 0, 30))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> batch.digest(new byte[63], 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        batch.clear();
        assertThat(batch.add(Domain.TX, BYTES, 0, 30)).isZero();
        assertThatThrownBy(() -> batch.add(Domain.TX, BYTES, 2999, 2))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void hashingAllocatesNothing(Mode mode, HashFunction function) {
        Messages messages = SampleMessages.messages(16, 150);
        var digests = new byte[16 * function.bytes()];
        BatchHasher hasher = SignatureEngine.newHasher(mode, function);
        // Until compiled, vectors are boxed: so as many windows as the compiler needs, which is
        // busy.
        long bytes = Long.MAX_VALUE;
        for (int window = 0; window < 500 && bytes > 0; window++) {
            bytes = Allocation.smallestWindow(1, 500, () -> hasher.digest(messages, digests, 0));
        }
        assertThat(bytes).isZero();
    }
}
