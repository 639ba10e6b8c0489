package topspin.codec.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import topspin.codec.Vectors;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

class SelectF128Test {
    @Test
    void selectsAsTheReferenceDid() {
        List<Vectors.Row> rows =
                Vectors.rows("reference/ledger/agreement_unit.jsonl").stream()
                        .filter(row -> row.text("kind").equals("f128"))
                        .toList();
        assertThat(rows).hasSize(187);
        for (Vectors.Row row : rows) {
            assertThat(
                            SelectF128.weight(
                                    row.number("stake"),
                                    row.number("total"),
                                    row.number("size"),
                                    row.hex("digest"),
                                    0))
                    .as("%s", row)
                    .isEqualTo(row.number("weight"));
        }
    }

    /** Pins of agreement.md 15, among them tails where the sum of probabilities stops growing. */
    private static Stream<Arguments> pins() {
        return Stream.of(
                pin(100, 200, 100, first(0x80), 50),
                pin(250, 1000, 1, filled(0x55), 0),
                pin(1_000_000_000_000_000L, 2_000_000_000_000_000L, 1500, first(0x80), 750),
                pin(100_000, 10_000_000_000_000_000L, 5000, first(0x80), 0),
                pin(30_000_000_000L, 10_000_000_000_000_000L, 5000, onesBut(4, 0xfe), 5),
                pin(2_000_000_000_000_000L, 2_000_000_000_000_000L, 1500, onesBut(7, 0xef), 1852),
                pin(2_000_000_000_000_000L, 2_000_000_000_000_000L, 6000, onesBut(6, 0xfe), 6667),
                pin(10_000_000_000_000_000L, 10_000_000_000_000_000L, 5000, onesBut(8, 0xbf), 5667),
                pin(3_333_333_333_333_333L, 10_000_000_000_000_000L, 2990, onesBut(7, 0xbf), 1281),
                pin((1L << 56) - 1, -1, 1, onesBut(6, 0xbf), 5),
                pin(3000, 6001, 6000, first(0x80), 3000),
                pin(3000, -1, Long.MAX_VALUE, first(0x80), 1500),
                pin(1954, 1_999_999_999_999_964L, 1500, sevenOnes(), 1),
                pin(1954, 1_999_999_999_999_964L, 1500, filled(0xff), 3),
                pin(1954, 2_000_000_000_000_000L, 1500, filled(0xff), 5),
                pin(100, 200, 100, filled(0xff), 100),
                pin(129, 258, 129, filled(0xff), 128),
                pin(2_000_000_000_000_000L, 2_000_000_000_000_000L, 1500, onesButBit(176), 2032),
                pin(100_000, 10_000_000_000_000_000L, 5000, onesButBit(141), 6),
                pin(30_000_000_000L, 10_000_000_000_000_000L, 5000, onesButBit(159), 15),
                pin(70_000_000_000_000L, 10_000_000_000_000_000L, 5000, onesButBit(170), 138),
                pin(10_000_000_000_000_000L, 10_000_000_000_000_000L, 5000, onesButBit(178), 5945),
                pin(1_999_999_999_999_999L, 1_999_999_999_999_999L, 20, onesButBit(175), 104),
                pin(1_000_000, 100, 20, filled(0xff), 204858));
    }

    private static Arguments pin(long stake, long total, long size, byte[] digest, long weight) {
        return Arguments.of(stake, total, size, digest, weight);
    }

    private static byte[] first(int value) {
        var digest = new byte[32];
        digest[0] = (byte) value;
        return digest;
    }

    private static byte[] sevenOnes() {
        var digest = new byte[32];
        Arrays.fill(digest, 0, 7, (byte) 0xff);
        return digest;
    }

    private static byte[] filled(int value) {
        var digest = new byte[32];
        Arrays.fill(digest, (byte) value);
        return digest;
    }

    private static byte[] onesBut(int index, int value) {
        byte[] digest = filled(0xff);
        digest[index] = (byte) value;
        return digest;
    }

    private static byte[] onesButBit(int bit) {
        byte[] digest = filled(0xff);
        digest[31 - bit / 8] &= (byte) ~(1 << bit % 8);
        return digest;
    }

    @ParameterizedTest
    @MethodSource("pins")
    void selectsAsPinned(long stake, long total, long size, byte[] digest, long weight) {
        assertThat(SelectF128.weight(stake, total, size, digest, 0)).isEqualTo(weight);
    }

    @Test
    void aCommitteeOfAllTakesAllOrNothing() {
        assertThat(SelectF128.weight(7, 100, 100, new byte[32], 0)).isZero();
        assertThat(SelectF128.weight(7, 100, 100, first(1), 0)).isEqualTo(7);
    }

    @Test
    void whatCannotBeIsRefused() {
        var digest = new byte[32];
        assertThatThrownBy(() -> SelectF128.weight(SelectF128.STAKE_MAX, -1, 1, digest, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SelectF128.weight(1, 0, 1, digest, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SelectF128.weight(1, 1, 0, digest, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
