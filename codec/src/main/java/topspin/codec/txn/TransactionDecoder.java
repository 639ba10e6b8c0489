package topspin.codec.txn;

import topspin.codec.msgpack.MalformedMessage;

/** Strict decoder of canonical transactions. One per thread. */
public final class TransactionDecoder {
    /**
     * Decodes a group: one to sixteen canonical signed transactions in a row. The array must not
     * change afterwards.
     */
    public TransactionGroup decodeGroup(byte[] bytes, int offset, int length)
            throws MalformedMessage {
        if (length == 0) {
            throw new MalformedMessage("no transaction", offset);
        }
        throw new UnsupportedOperationException("to come");
    }

    /** Decodes a canonical transaction without signature. */
    public Transaction decodeTransaction(byte[] bytes, int offset, int length)
            throws MalformedMessage {
        if (length == 0) {
            throw new MalformedMessage("no transaction", offset);
        }
        throw new UnsupportedOperationException("to come");
    }
}
