package topspin.codec.txn;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.codec.Bytes;
import topspin.codec.Digest;
import topspin.codec.crypto.Domain;
import topspin.codec.crypto.Ed25519;
import topspin.codec.msgpack.CanonicalWriter;

/**
 * A transaction with what authorizes it, and always with its canonical bytes: a span of an array
 * that nobody changes, often shared with the rest of its group.
 *
 * <p>Nothing here says that the signature holds; {@code ledger.rules.Signatures} does.
 */
public final class SignedTransaction {
    /**
     * The canonical bytes of a transaction without any field, which stand for the one that is
     * missing where REST takes that: behind the signed bytes, at the end of the array.
     */
    static final byte NO_FIELDS = (byte) 0x80;

    /** Where signed bytes are put together; each grows to the largest transaction. */
    private static final ThreadLocal<CanonicalWriter> BUFFERS =
            ThreadLocal.withInitial(CanonicalWriter::new);

    private final byte[] bytes;
    private final int offset;
    private final int length;
    private final int txnOffset;
    private final int txnLength;
    private final Transaction txn;
    private final @Nullable Bytes signature;
    private final @Nullable MultisigSignature multisig;
    private final @Nullable LogicSignature logicSignature;
    private final @Nullable PqSignature pqSignature;
    private final Address signer;

    /** Computed at the first call; threads may race for it, as both find the same. */
    private @Nullable Digest id;

    SignedTransaction(
            byte[] bytes,
            int offset,
            int length,
            int txnOffset,
            int txnLength,
            Transaction txn,
            @Nullable Bytes signature,
            @Nullable MultisigSignature multisig,
            @Nullable LogicSignature logicSignature,
            @Nullable PqSignature pqSignature,
            Address signer) {
        this.bytes = bytes;
        this.offset = offset;
        this.length = length;
        this.txnOffset = txnOffset;
        this.txnLength = txnLength;
        this.txn = txn;
        this.signature = signature;
        this.multisig = multisig;
        this.logicSignature = logicSignature;
        this.pqSignature = pqSignature;
        this.signer = signer;
    }

    /** Signs {@code txn}; names the key as the signer if the sender is another address. */
    public static SignedTransaction sign(Transaction txn, Ed25519.KeyPair keys) {
        byte[] message = TransactionEncoder.encode(txn);
        Bytes signature = Bytes.of(keys.sign(Domain.TX, message, 0, message.length));
        Address key = Address.fromBytes(keys.publicKey());
        Address signer = key.equals(txn.sender()) ? Address.ZERO : key;
        return of(txn, signature, null, null, null, signer);
    }

    /** Puts a transaction and its authorization together; any of the latter may be absent. */
    public static SignedTransaction of(
            Transaction txn,
            @Nullable Bytes signature,
            @Nullable MultisigSignature multisig,
            @Nullable LogicSignature logicSignature,
            @Nullable PqSignature pqSignature,
            Address signer) {
        return around(
                txn,
                Bytes.of(TransactionEncoder.encode(txn)),
                signature,
                multisig,
                logicSignature,
                pqSignature,
                signer);
    }

    /** As {@code of}, for a transaction whose canonical bytes are there already. */
    static SignedTransaction around(
            Transaction txn,
            Bytes encoding,
            @Nullable Bytes signature,
            @Nullable MultisigSignature multisig,
            @Nullable LogicSignature logicSignature,
            @Nullable PqSignature pqSignature,
            Address signer) {
        CanonicalWriter out = BUFFERS.get().reset();
        long map = out.openMap();
        SignatureEncoder.encodeBeforeSigner(logicSignature, multisig, pqSignature, out);
        SignatureEncoder.encodeSigner(signer, signature, out);
        out.key(Keys.TXN);
        int txnOffset = out.position();
        out.raw(encoding);
        out.closeMap(map);
        byte[] bytes = out.toByteArray();
        return new SignedTransaction(
                bytes,
                0,
                bytes.length,
                txnOffset,
                encoding.length(),
                txn,
                signature,
                multisig,
                logicSignature,
                pqSignature,
                signer);
    }

    /**
     * As {@link #of(Transaction, Bytes, MultisigSignature, LogicSignature, PqSignature, Address)}.
     */
    public static SignedTransaction of(Transaction txn, Bytes signature) {
        return of(txn, signature, null, null, null, Address.ZERO);
    }

    /** The transaction as an application sends it: without any signature. */
    public static SignedTransaction unsigned(Transaction txn) {
        return of(txn, null, null, null, null, Address.ZERO);
    }

    /** The array that holds the canonical bytes, for readers only. */
    public byte[] bytes() {
        return bytes;
    }

    /** Where the canonical signed bytes begin. */
    public int offset() {
        return offset;
    }

    /** How long the canonical signed bytes are. */
    public int length() {
        return length;
    }

    /** Where the canonical bytes of the transaction alone begin, in the same array. */
    public int txnOffset() {
        return txnOffset;
    }

    /** How long they are. */
    public int txnLength() {
        return txnLength;
    }

    /** The canonical bytes of the transaction alone, which are what is named and signed. */
    public Bytes txnEncoding() {
        return Bytes.of(bytes, txnOffset, txnLength);
    }

    public Transaction txn() {
        return txn;
    }

    /** The single signature, 64 bytes; null when absent. */
    public @Nullable Bytes signature() {
        return signature;
    }

    public @Nullable MultisigSignature multisig() {
        return multisig;
    }

    public @Nullable LogicSignature logicSignature() {
        return logicSignature;
    }

    public @Nullable PqSignature pqSignature() {
        return pqSignature;
    }

    /** Who is said to authorize it, when not the sender; else zero. */
    public Address signer() {
        return signer;
    }

    /** Against whom the signature is to be checked: the signer if there is one, else the sender. */
    public Address authorizer() {
        return signer.isZero() ? txn.sender() : signer;
    }

    /** The transaction's id, which does not cover the signature. Computed once. */
    public Digest id() {
        Digest known = id;
        if (known == null) {
            known = TxIdHasher.perThread().hash(bytes, txnOffset, txnLength);
            id = known;
        }
        return known;
    }

    /** Whether the id has been computed. */
    boolean hasId() {
        return id != null;
    }

    /** Its id, hashed by somebody who had many to hash. */
    void setId(Digest computed) {
        id = computed;
    }

    /** A copy of the canonical signed bytes. */
    public byte[] toBytes() {
        return Bytes.of(bytes, offset, length).toArray();
    }

    /**
     * The same over an equal span of {@code target} that begins at {@code start}; the array ends in
     * {@link #NO_FIELDS}.
     */
    SignedTransaction movedTo(byte[] target, int start) {
        boolean isMissing = txnOffset >= offset + length;
        var moved =
                new SignedTransaction(
                        target,
                        start,
                        length,
                        isMissing ? target.length - 1 : txnOffset - offset + start,
                        txnLength,
                        txn,
                        signature,
                        multisig,
                        logicSignature,
                        pqSignature,
                        signer);
        moved.id = id;
        return moved;
    }

    /**
     * The same bytes, with another reading of them: the loose form that they came from said more.
     */
    SignedTransaction reading(
            Transaction otherTxn,
            @Nullable MultisigSignature otherMultisig,
            @Nullable LogicSignature otherLogic) {
        return new SignedTransaction(
                bytes,
                offset,
                length,
                txnOffset,
                txnLength,
                otherTxn,
                signature,
                otherMultisig,
                otherLogic,
                pqSignature,
                signer);
    }

    /** Equal when the signed bytes are. */
    @Override
    public boolean equals(Object other) {
        return other instanceof SignedTransaction that
                && Bytes.of(bytes, offset, length)
                        .equals(Bytes.of(that.bytes, that.offset, that.length));
    }

    @Override
    public int hashCode() {
        return Bytes.of(bytes, offset, length).hashCode();
    }

    @Override
    public String toString() {
        return txn.typeText() + " " + id();
    }
}
