package topspin.codec.crypto;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * The prefix that says what a hashed or signed span of bytes means, so that no signature or digest
 * of one kind can serve as another. Constants are named by the network's own spelling; none is a
 * prefix of another, {@link #NONE} apart.
 */
public enum Domain {
    /** Nothing in front: address checksums, and bytes that already carry their prefix. */
    NONE(""),
    /** A canonical transaction: its id, and what its sender signs. */
    TX("TX"),
    /** The list of ids that makes a group id. */
    TG("TG"),
    /** A canonical signed transaction as it stands in a block. */
    STIB("STIB"),
    /** A Merkle leaf: transaction id, then digest of the in-block form. */
    TL("TL"),
    /** An inner Merkle node: left digest, then right. */
    MA("MA"),
    /** The filler leaf of a vector commitment; nothing follows. */
    MB("MB"),
    /** The flat commitment to a payset. */
    PF("PF"),
    /** A canonical block header. */
    BH("BH"),
    /** A canonical light block header, which state proofs commit to. */
    B256("B256"),
    /** A canonical genesis. */
    GE("GE"),
    /** Program bytes: a contract account's address, and what a delegating single key signs. */
    PROGRAM("Program"),
    /** A multisignature address, then the program that it delegates to. */
    MSIG_PROGRAM("MsigProgram"),
    /** A post-quantum authorizer, then the program that it delegates to. */
    PQ_PROGRAM("PQProgram"),
    /** Scheme, salt and post-quantum key: its address. */
    PQA("PQA"),
    /** Version, threshold and keys: a multisignature address. */
    MULTISIG_ADDR("MultisigAddr"),
    /** An application's id in eight big-endian bytes: its account. */
    APP_ID("appID"),
    /** The ASCII name of a special account. */
    SPECIAL_ADDR("SpecialAddr"),
    /** A program's hash, then data that it checks a signature of. */
    PROG_DATA("ProgData"),
    /** Arbitrary bytes that a wallet signs. */
    MX("MX"),
    /** Identity of a one-time signature's batch key. */
    OT1("OT1"),
    /** Identity of a one-time signature's offset key. */
    OT2("OT2"),
    /** The 32 raw bytes of a seed. */
    SD("SD"),
    /** The selector that sortition proves over. */
    AS("AS"),
    /** A hashable credential. */
    CR("CR"),
    /** A proposal's payload. */
    PL("PL"),
    /** A proposer's seed, and the input of a seed. */
    PS("PS"),
    /** A raw vote. */
    VO("VO"),
    /** The identity of a participation key. */
    PK("PK"),
    /** A leaf of a state-proof key commitment. */
    KP("KP"),
    /** A participant of a state proof. */
    SPP("spp");

    @SuppressWarnings("ImmutableEnumChecker") // Nobody writes to it.
    private final byte[] prefix;

    Domain(String prefix) {
        this.prefix = prefix.getBytes(US_ASCII);
    }

    /** Bytes of the prefix; 0 to 12. */
    public int length() {
        return prefix.length;
    }

    /** Writes the prefix and returns the offset behind it. */
    public int writeTo(byte[] target, int offset) {
        System.arraycopy(prefix, 0, target, offset, prefix.length);
        return offset + prefix.length;
    }

    /** The prefix followed by the span, in an array of its own. */
    public byte[] prepend(byte[] source, int offset, int length) {
        var whole = new byte[prefix.length + length];
        System.arraycopy(source, offset, whole, writeTo(whole, 0), length);
        return whole;
    }

    /** The shared array itself, for this package's hashing; nobody writes to it. */
    byte[] bytes() {
        return prefix;
    }
}
