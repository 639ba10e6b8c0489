package topspin.ledger.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

import topspin.codec.Digest;
import topspin.codec.block.BlockHeader;
import topspin.codec.txn.TransactionHeader;
import topspin.ledger.TestNetwork;

import java.util.Objects;

/** validation.md section 3, the rules of block time. */
class AliveTest {
    private static final BlockHeader NETWORK = new TestNetwork(1).state().header();
    private static final Digest HASH = NETWORK.genesisHash();

    @Test
    void fromTheFirstToTheLastRound() {
        refused("txn dead: round 4 outside of 5--9", 4, header(5, 9, "", HASH));
        assertNull(Alive.check(header(5, 9, "", HASH), 5, NETWORK));
        assertNull(Alive.check(header(5, 9, "", HASH), 9, NETWORK));
        refused("txn dead: round 10 outside of 5--9", 10, header(5, 9, "", HASH));
        assertNull(Alive.check(header(0, -1, "", HASH), -2, NETWORK));
        assertEquals(Refusal.Kind.FOR_NOW, Reason.DEAD.kind());
    }

    @Test
    void onItsNetworkOnly() {
        assertNull(Alive.check(header(5, 9, "test-v1", HASH), 5, NETWORK));
        refused(
                "tx.GenesisID <test-v2> does not match expected <test-v1>",
                5,
                header(5, 9, "test-v2", HASH));
        refused("required tx.GenesisHash is missing", 5, header(5, 9, "", Digest.ZERO));
        byte[] other = HASH.toBytes();
        other[0] ^= 1;
        Digest wrong = Digest.of(other, 0);
        refused(
                "tx.GenesisHash <" + wrong + "> does not match expected <" + HASH + ">",
                5,
                header(5, 9, "", wrong));
    }

    private static void refused(String text, long round, TransactionHeader header) {
        assertEquals(text, Objects.requireNonNull(Alive.check(header, round, NETWORK)).text());
    }

    private static TransactionHeader header(long first, long last, String id, Digest hash) {
        return new TransactionHeader(TestNetwork.address(0), 1_000, first, last, id, hash);
    }
}
