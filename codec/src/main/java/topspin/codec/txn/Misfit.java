package topspin.codec.txn;

import org.jspecify.annotations.Nullable;

import topspin.codec.Bytes;

import java.util.Set;

/**
 * A transaction that can be decoded and named but means nothing: its type is unknown, or it has
 * fields of another type. Well-formedness refuses it with the right words.
 *
 * @param typeText the type as it stands there, maybe empty
 * @param foreign types whose fields it has although it is of another; empty if the type is unknown.
 *     Fields that are present but empty count where the reference counts them (only loose forms
 *     have those)
 * @param own what it would be without the fields of other types, whose rules are asked first; null
 *     if the type is unknown
 * @param encoding its canonical bytes
 */
public record Misfit(
        TransactionHeader header,
        String typeText,
        Set<TransactionType> foreign,
        @Nullable Transaction own,
        Bytes encoding)
        implements Transaction {

    public Misfit {
        foreign = Set.copyOf(foreign);
    }

    /** The same with another header, given together with the bytes that say so. */
    Misfit encodedAs(TransactionHeader newHeader, Bytes newEncoding) {
        Transaction newOwn = own == null ? null : own.withHeader(newHeader);
        return new Misfit(newHeader, typeText, foreign, newOwn, newEncoding);
    }

    @Override
    public Misfit withHeader(TransactionHeader newHeader) {
        throw new UnsupportedOperationException("a misfit cannot be changed");
    }
}
