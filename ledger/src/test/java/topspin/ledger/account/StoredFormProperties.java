package topspin.ledger.account;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.junit.jupiter.api.Test;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.msgpack.MalformedMessage;
import topspin.codec.txn.AssetParams;

import java.util.Arrays;
import java.util.Random;

/** What is kept is what was there, and has one form. */
class StoredFormProperties {
    private final StoredForm form = new StoredForm();

    @Property
    void accountsComeBack(@ForAll long seed) throws MalformedMessage {
        Account account = account(new Random(seed));
        byte[] bytes = form.encode(account);
        Account back = form.decodeAccount(bytes);
        assertEquals(account, back);
        assertArrayEquals(bytes, form.encode(back));
    }

    @Property
    void holdingsComeBack(@ForAll long amount, @ForAll boolean frozen) throws MalformedMessage {
        Holding holding = new Holding(amount, frozen);
        assertEquals(holding, form.decodeHolding(form.encode(holding)));
    }

    @Property
    void assetsComeBack(@ForAll long seed) throws MalformedMessage {
        Random random = new Random(seed);
        AssetRecord asset =
                new AssetRecord(
                        address(random),
                        new AssetParams(
                                number(random),
                                random.nextInt(20),
                                random.nextBoolean(),
                                bytes(random, 8),
                                bytes(random, 32),
                                bytes(random, 96),
                                Digest.fromBytes(address(random).toBytes()),
                                address(random),
                                address(random),
                                address(random),
                                address(random)));
        assertEquals(asset, form.decodeAsset(form.encode(asset)));
    }

    @Property
    void damageIsSeenOrIsAnotherValue(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] bytes = form.encode(account(random));
        byte[] damaged = bytes.clone();
        damaged[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        try {
            Account other = form.decodeAccount(damaged);
            assertArrayEquals(damaged, form.encode(other));
        } catch (MalformedMessage seen) {
            assertEquals(true, seen.offset() <= damaged.length);
        }
    }

    @Test
    void aValueThatIsCutOrContinuesIsDamaged() {
        byte[] bytes = form.encode(Account.EMPTY.withBalance(1_000_000));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThrows(MalformedMessage.class, () -> form.decodeAccount(cut));
        }
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        assertThrows(MalformedMessage.class, () -> form.decodeAccount(longer));
    }

    private static Account account(Random random) {
        Participation keys =
                random.nextBoolean()
                        ? Participation.NONE
                        : new Participation(
                                Digest.fromBytes(address(random).toBytes()),
                                Digest.fromBytes(address(random).toBytes()),
                                random.nextBoolean() ? Bytes.EMPTY : fixed(random, 64),
                                number(random),
                                number(random),
                                number(random));
        Resources held =
                random.nextBoolean()
                        ? Resources.NONE
                        : new Resources(
                                number(random),
                                number(random),
                                number(random),
                                number(random),
                                number(random),
                                number(random),
                                number(random),
                                number(random),
                                number(random));
        return new Account(
                Status.ofCode(random.nextInt(3)),
                number(random),
                number(random),
                number(random),
                address(random),
                keys,
                held,
                random.nextBoolean(),
                number(random),
                number(random));
    }

    /** Zero, small, or any. */
    private static long number(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> 0;
            case 1 -> random.nextInt(70_000);
            default -> random.nextLong();
        };
    }

    private static Address address(Random random) {
        return random.nextInt(3) == 0 ? Address.ZERO : Address.of(fixed(random, 32).toArray(), 0);
    }

    private static Bytes bytes(Random random, int max) {
        return fixed(random, random.nextInt(max + 1));
    }

    private static Bytes fixed(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        if (length > 0) {
            bytes[0] |= 1; // A fixed field that is all zero is an absent one.
        }
        return Bytes.of(bytes);
    }
}
