package topspin.node.agreement;

import topspin.codec.Address;
import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.SelectF128;
import topspin.codec.crypto.Sha512_256;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;

/**
 * The lot: what an account's VRF proves over, what its output is worth, and which proposal goes
 * first (agreement.md 2.4, 5.1).
 */
public final class Sortition {
    private static final Key I = Key.of("i");
    private static final Key M = Key.of("m");
    private static final Key PER = Key.of("per");
    private static final Key RND = Key.of("rnd");
    private static final Key SEED = Key.of("seed");
    private static final Key STEP = Key.of("step");
    private static final Key V = Key.of("v");

    private Sortition() {}

    /** What a credential proves over, without the prefix {@code AS}. */
    public static byte[] selector(Digest seed, long round, long period, long step) {
        var out = new CanonicalWriter(96);
        long map = out.openMap();
        out.key(PER);
        out.writeUint(period);
        out.key(RND);
        out.writeUint(round);
        out.key(SEED);
        out.writeDigest(seed);
        out.key(STEP);
        out.writeUint(step);
        out.closeMap(map);
        return out.toByteArray();
    }

    /**
     * How often a VRF output draws an account; 0 if not at all.
     *
     * @param stake of the account, below {@link SelectF128#STAKE_MAX}
     * @param total online stake, at least the account's
     */
    public static long weight(
            Address account, byte[] vrfOutput, long stake, long total, long committeeSize) {
        Digest lot = hash(account, vrfOutput, 0);
        return SelectF128.weight(stake, total, committeeSize, lot.toBytes(), 0);
    }

    /** The priority of a proposal: the lowest of as many hashes as it has weight. */
    public static Digest priority(Address account, byte[] vrfOutput, long weight) {
        Digest lowest = hash(account, vrfOutput, 1);
        for (long i = 2; i <= weight; i++) {
            Digest next = hash(account, vrfOutput, i);
            lowest = next.compareTo(lowest) < 0 ? next : lowest;
        }
        return lowest;
    }

    private static Digest hash(Address account, byte[] vrfOutput, long index) {
        var out = new CanonicalWriter(128);
        long map = out.openMap();
        out.uint(I, index);
        out.address(M, account);
        out.key(V);
        out.writeBytes(vrfOutput, 0, vrfOutput.length);
        out.closeMap(map);
        return Digest.fromBytes(Sha512_256.digest(Domain.CR, out.toByteArray()));
    }
}
