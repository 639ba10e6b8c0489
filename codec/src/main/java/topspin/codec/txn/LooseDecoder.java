package topspin.codec.txn;

import com.fasterxml.jackson.core.JsonParser;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;
import topspin.codec.msgpack.CanonicalWriter;
import topspin.codec.msgpack.Key;
import topspin.codec.msgpack.LooseJson;
import topspin.codec.msgpack.LooseReader;
import topspin.codec.msgpack.LooseReader.Dialect;
import topspin.codec.msgpack.LooseWriter;
import topspin.codec.msgpack.MalformedMessage;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Takes transactions in every form that the reference takes (transactions.md section 1.2), writes
 * them canonically, and reads that strictly: the canonical form is what has an id, is verified, and
 * goes on. One per thread.
 *
 * <p>What is canonical already, as all SDKs send it, costs no more than reading it. A body whose
 * last transaction is cut off is refused as a whole; the reference drops the tail and says nothing.
 */
public final class LooseDecoder {
    /**
     * Fields that count as set when they are there, even empty, if a transaction of another type
     * has them.
     */
    private static final Key[] COUNT_WHEN_EMPTY = {
        Keys.APAA, Keys.APAT, Keys.APAS, Keys.APFA, Keys.APBX, Keys.AL, Keys.APAP, Keys.APSU
    };

    /** A list of keys that is there, but empty: enough to count as a multisignature. */
    private static final MultisigSignature NO_KEYS = new MultisigSignature(0, 0, List.of());

    private static final int TXN = TransactionShapes.SIGNED.indexOf(Keys.TXN);
    private static final int MSIG = TransactionShapes.SIGNED.indexOf(Keys.MSIG);
    private static final int LSIG = TransactionShapes.SIGNED.indexOf(Keys.LSIG);
    private static final int LOGIC_MSIG = TransactionShapes.LOGIC.indexOf(Keys.MSIG);
    private static final int LOGIC_LMSIG = TransactionShapes.LOGIC.indexOf(Keys.LMSIG);
    private static final int SUBSIG = TransactionShapes.MULTISIG.indexOf(Keys.SUBSIG);

    private final TransactionDecoder strict = new TransactionDecoder();
    private final TransactionDecoder unbounded = TransactionDecoder.withoutBounds();
    private final LooseReader rest = new LooseReader(Dialect.REST);
    private final LooseReader gossip = new LooseReader(Dialect.GOSSIP);

    /**
     * Decodes the body of a submission to REST: one to sixteen transactions in a row. Bounds on
     * fields and required fields are not looked at, as the reference does not either;
     * well-formedness is.
     *
     * @throws MalformedMessage whose reason is the text that REST answers
     */
    public TransactionGroup decodeGroup(byte[] body) throws MalformedMessage {
        try {
            return strict.decodeGroup(body, 0, body.length);
        } catch (MalformedMessage e) {
            rest.reset(body);
        }
        try {
            return decodeLoosely();
        } finally {
            rest.release();
        }
    }

    /**
     * Decodes one transaction in msgpack that is part of a larger request to REST, by the rules of
     * {@link #decodeGroup}.
     *
     * @throws MalformedMessage with the reason alone
     */
    public SignedTransaction decodeOne(byte[] message) throws MalformedMessage {
        rest.reset(message);
        try {
            Object value = rest.read(TransactionShapes.SIGNED);
            return canonical(new @Nullable Object[] {value}, 1).first();
        } finally {
            rest.release();
        }
    }

    /**
     * Decodes one transaction in JSON that begins with the current token of {@code json}.
     *
     * @throws MalformedMessage with the reason alone
     * @throws IOException when it is no JSON
     */
    public SignedTransaction decodeOne(JsonParser json) throws IOException, MalformedMessage {
        Object value = LooseJson.read(TransactionShapes.SIGNED, json);
        return canonical(new @Nullable Object[] {value}, 1).first();
    }

    /**
     * The first transaction of a message.
     *
     * @param consumed how many bytes of the message it took
     */
    public record First(SignedTransaction signed, int consumed) {}

    /**
     * Decodes the first transaction of a message as the reference does with what its peers send it,
     * before it asks for the canonical form.
     */
    public First decodeFirst(byte[] message) throws MalformedMessage {
        gossip.reset(message);
        try {
            Object value = gossip.read(TransactionShapes.SIGNED);
            var out = new CanonicalWriter();
            LooseWriter.write(TransactionShapes.SIGNED, value, out);
            byte[] canonical = out.toByteArray();
            SignedTransaction signed = strict.decodeSigned(canonical, 0, canonical.length);
            return new First(reading(signed, value), gossip.position());
        } finally {
            gossip.release();
        }
    }

    private TransactionGroup decodeLoosely() throws MalformedMessage {
        @Nullable Object[] values = new Object[Limits.GROUP_SIZE];
        int size = 0;
        while (!rest.atEnd()) {
            Object value;
            try {
                value = rest.read(TransactionShapes.SIGNED);
            } catch (MalformedMessage e) {
                if (rest.isCutOff() && size == 0) {
                    break;
                }
                throw new MalformedMessage(
                        "msgpack decode error [pos " + e.offset() + "]: " + e.reason(), e.offset());
            }
            if (size == Limits.GROUP_SIZE) {
                throw new MalformedMessage("max group size is 16", rest.position());
            }
            values[size++] = value;
        }
        if (size == 0) {
            throw new MalformedMessage("empty txgroup", 0);
        }
        return canonical(values, size);
    }

    private TransactionGroup canonical(@Nullable Object[] values, int size)
            throws MalformedMessage {
        var out = new CanonicalWriter();
        for (int index = 0; index < size; index++) {
            LooseWriter.write(TransactionShapes.SIGNED, values[index], out);
        }
        int length = out.position();
        out.writeMapHeader(0); // The transaction of those that have none.
        TransactionGroup group = unbounded.decodeGroup(out.toByteArray(), 0, length);
        SignedTransaction[] members = new SignedTransaction[size];
        for (int index = 0; index < size; index++) {
            members[index] = reading(group.get(index), values[index]);
        }
        return new TransactionGroup(group.bytes(), 0, length, members);
    }

    /**
     * Sees what the canonical form does not show, and the rules of validity look at: fields of an
     * application call, and lists of a multisignature's keys, that are there but empty.
     */
    private static SignedTransaction reading(SignedTransaction signed, @Nullable Object value) {
        Transaction txn = reading(signed, hasEmptyCall(value));
        LogicSignature logic = reading(signed.logicSignature(), field(value, LSIG));
        MultisigSignature multisig = reading(signed.multisig(), field(value, MSIG));
        return txn.equals(signed.txn())
                        && Objects.equals(logic, signed.logicSignature())
                        && Objects.equals(multisig, signed.multisig())
                ? signed
                : signed.reading(txn, multisig, logic);
    }

    private static Transaction reading(SignedTransaction signed, boolean hasEmptyCall) {
        Transaction txn = signed.txn();
        boolean call = txn.typeText().equals(TransactionType.APPLICATION_CALL.wireName());
        if (call || TransactionType.ofWireName(txn.typeText()) == null || !hasEmptyCall) {
            return txn;
        }
        Set<TransactionType> foreign = EnumSet.of(TransactionType.APPLICATION_CALL);
        Transaction own = txn;
        if (txn instanceof Misfit misfit) {
            foreign.addAll(misfit.foreign());
            own = misfit.own();
        }
        return new Misfit(txn.header(), txn.typeText(), foreign, own, signed.txnEncoding());
    }

    private static boolean hasEmptyCall(@Nullable Object value) {
        Object txn = field(value, TXN);
        for (Key key : COUNT_WHEN_EMPTY) {
            if (field(txn, TransactionShapes.TRANSACTION.indexOf(key)) != null) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable MultisigSignature reading(
            @Nullable MultisigSignature decoded, @Nullable Object value) {
        return decoded == null && field(value, SUBSIG) != null ? NO_KEYS : decoded;
    }

    private static @Nullable LogicSignature reading(
            @Nullable LogicSignature decoded, @Nullable Object value) {
        LogicSignature known =
                decoded == null
                        ? new LogicSignature(Bytes.EMPTY, List.of(), null, null, null, null)
                        : decoded;
        MultisigSignature multisig = reading(known.multisig(), field(value, LOGIC_MSIG));
        MultisigSignature logicMultisig = reading(known.logicMultisig(), field(value, LOGIC_LMSIG));
        return Objects.equals(multisig, known.multisig())
                        && Objects.equals(logicMultisig, known.logicMultisig())
                ? decoded
                : new LogicSignature(
                        known.program(),
                        known.arguments(),
                        known.signature(),
                        multisig,
                        logicMultisig,
                        known.pqSignature());
    }

    /** A field of a struct as {@link LooseReader} gives it; null if either is absent. */
    private static @Nullable Object field(@Nullable Object struct, int index) {
        return struct == null ? null : ((@Nullable Object[]) struct)[index];
    }
}
