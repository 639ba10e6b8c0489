package topspin.ledger.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import topspin.codec.Address;
import topspin.codec.Digest;

class RefusalTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0.0A",
        "1, 1uA",
        "999, 999uA",
        "1000, 1mA",
        "1002, 1.002mA",
        "101000, 101mA",
        "999999, 999.999mA",
        "1100, 1.100mA",
        "99800000, 99.800000A",
        "1000000, 1A",
        "2000001, 2.000001A",
        "1125899906842624, 1125899906.842624A",
        "-1, 18446744073709.551615A"
    })
    void moneyPrintsAsTheNetworkPrintsIt(long microAlgos, String text) {
        assertEquals(text, Amounts.text(microAlgos));
    }

    @Test
    void argumentsStandWhereTheTextHasRoomForThem() {
        assertEquals(
                "transaction invalid range (18446744073709551615--1)",
                Reason.LIFETIME_REVERSED.refusal(-1L, 1L).text());
        assertEquals(
                "txgroup with 0.0A fees is less than 1mA (usage=1.000000 * base=1mA)",
                Reason.GROUP_FEE_TOO_LOW.refusal(0L, 1_000L, "1.000000", 1_000L).text());
        assertEquals(
                "overspend (account "
                        + Address.ZERO
                        + ", data {MicroAlgos:5 RewardsBase:2}, tried to spend 1mA)",
                Reason.OVERSPEND.refusal(Address.ZERO, 5L, 2L, 1_000L).text());
    }

    @Test
    void framesNameTheTransaction() {
        Refusal refusal = Reason.SENDER_ZERO.refusal();
        String bare = "transaction cannot have zero sender";
        assertEquals(bare, refusal.text());
        assertEquals(
                "transaction {" + Digest.ZERO + "} invalid : " + bare,
                refusal.invalid(Digest.ZERO).text());
        assertEquals(
                "transaction " + Digest.ZERO + ": malformed: " + bare,
                refusal.malformed(Digest.ZERO).text());
        assertEquals(
                "transaction " + Digest.ZERO + ": " + bare, refusal.applying(Digest.ZERO).text());
        assertEquals(bare, refusal.applying(Digest.ZERO).bareText());
    }

    @ParameterizedTest
    @EnumSource(Reason.class)
    void everyReasonHasOnePlainRefusal(Reason reason) {
        assertSame(reason.refusal(), reason.refusal());
        assertSame(reason, reason.refusal().reason());
        assertSame(reason.kind(), reason.refusal().kind());
    }
}
