package topspin.codec.txn;

import topspin.codec.msgpack.MalformedMessage;

/** Takes what the reference's REST takes, and makes it canonical. */
public final class LooseDecoder {
    /**
     * Decodes the body of a submission.
     *
     * @throws MalformedMessage whose reason is the text that REST answers
     */
    public TransactionGroup decodeGroup(byte[] body) throws MalformedMessage {
        if (body.length == 0) {
            throw new MalformedMessage("empty txgroup", 0);
        }
        throw new UnsupportedOperationException("to come");
    }
}
