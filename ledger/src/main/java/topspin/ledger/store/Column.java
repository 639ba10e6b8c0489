package topspin.ledger.store;

import topspin.codec.Address;
import topspin.codec.Digest;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The columns of the store and how their keys are laid out, written down once.
 *
 * <p>Numbers in keys are eight bytes, big-endian, so that a range of rounds is a range of keys.
 * Values are canonical msgpack unless said otherwise. {@link #FORMAT} counts the layouts: it is
 * kept in {@link #META}, and changes with any key or value here.
 *
 * <pre>
 *   column        key                          value
 *   blocks        round                        the encoded block as it is served
 *   certificates  round                        the encoded certificate as it is served
 *   headers       round                        the encoded header
 *   accounts      address                      account
 *   holdings      address, asset               holding
 *   assets        asset                        creator and parameters
 *   online        address                      nothing: it is online now
 *   stake         round, address               the account before that round, online before or after it
 *   expiries      last voting round            sums over the online accounts whose keys end there
 *   totals        round                        sums over all accounts after that round
 *   ids           last valid round, id         the round it was committed in
 *   leases        sender, lease                the last round in which it is held
 *   lease_ends    last held, sender, lease     nothing: what to forget when that round has passed
 *   deltas        round                        what that round changed, where followers ask for it
 *   journal       name                         bytes of agreement's, written apart from rounds
 *   meta          name                         format, genesis, rounds
 * </pre>
 */
public enum Column {
    BLOCKS(Use.HISTORY),
    CERTIFICATES(Use.HISTORY),
    HEADERS(Use.HISTORY),
    ACCOUNTS(Use.STATE),
    HOLDINGS(Use.STATE),
    ASSETS(Use.STATE),
    ONLINE(Use.STATE),
    STAKE(Use.STATE),
    EXPIRIES(Use.STATE),
    TOTALS(Use.STATE),
    IDS(Use.STATE),
    LEASES(Use.STATE),
    LEASE_ENDS(Use.STATE),
    DELTAS(Use.OTHER),
    JOURNAL(Use.OTHER),
    META(Use.OTHER);

    /** Layout of keys and values that this program writes, and the latest that it reads. */
    public static final int FORMAT = 1;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private enum Use {
        HISTORY,
        STATE,
        OTHER
    }

    private final Use use;
    private final String family;

    Column(Use use) {
        this.use = use;
        this.family = name().toLowerCase(Locale.ROOT);
    }

    /** Whether the same blocks always give the same content, which {@code digest} covers. */
    public boolean isState() {
        return use == Use.STATE;
    }

    /** Whether keys that are absent are asked for, so that a Bloom filter pays. */
    boolean isReadByKey() {
        return use == Use.STATE;
    }

    /** Name of the column family. */
    byte[] familyName() {
        // RocksDB insists on one of this name; the column of least traffic gets it.
        return (this == META ? "default" : family).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Key of a round, of an asset, of a last voting round; and the first key of all that start so.
     */
    public static byte[] number(long number) {
        var key = new byte[Long.BYTES];
        LONG.set(key, 0, number);
        return key;
    }

    /** Key of {@link #ACCOUNTS} and {@link #ONLINE}; the first key of an address's holdings. */
    public static byte[] address(Address address) {
        return address.toBytes();
    }

    /** Key of {@link #HOLDINGS}. */
    public static byte[] holding(Address address, long asset) {
        var key = new byte[Address.BYTES + Long.BYTES];
        address.writeTo(key, 0);
        LONG.set(key, Address.BYTES, asset);
        return key;
    }

    /** Key of {@link #STAKE}. */
    public static byte[] stake(long round, Address address) {
        var key = new byte[Long.BYTES + Address.BYTES];
        LONG.set(key, 0, round);
        address.writeTo(key, Long.BYTES);
        return key;
    }

    /** Key of {@link #IDS}. */
    public static byte[] id(long lastValid, Digest id) {
        var key = new byte[Long.BYTES + Digest.BYTES];
        LONG.set(key, 0, lastValid);
        id.writeTo(key, Long.BYTES);
        return key;
    }

    /** Key of {@link #LEASES}. */
    public static byte[] lease(Address sender, Digest lease) {
        var key = new byte[Address.BYTES + Digest.BYTES];
        sender.writeTo(key, 0);
        lease.writeTo(key, Address.BYTES);
        return key;
    }

    /** Key of {@link #LEASE_ENDS}: that of {@link #LEASES} behind the last round. */
    public static byte[] leaseEnd(long lastValid, Address sender, Digest lease) {
        var key = new byte[Long.BYTES + Address.BYTES + Digest.BYTES];
        LONG.set(key, 0, lastValid);
        sender.writeTo(key, Long.BYTES);
        lease.writeTo(key, Long.BYTES + Address.BYTES);
        return key;
    }

    /** Key of {@link #JOURNAL} for what is kept beside the state. */
    public static byte[] digest(Digest name) {
        return name.toBytes();
    }

    /** Key of {@link #META} or {@link #JOURNAL}. */
    public static byte[] name(String name) {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    /** The number at an offset of a key. */
    public static long numberAt(byte[] key, int offset) {
        return (long) LONG.get(key, offset);
    }
}
