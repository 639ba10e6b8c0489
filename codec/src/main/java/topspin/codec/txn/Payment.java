package topspin.codec.txn;

import topspin.codec.Address;

/**
 * Moves microalgos.
 *
 * @param closeTo who gets all that is left, the sender's account being closed; zero to keep it
 */
public record Payment(TransactionHeader header, Address receiver, long amount, Address closeTo)
        implements Transaction {

    @Override
    public String typeText() {
        return TransactionType.PAYMENT.wireName();
    }

    @Override
    public Payment withHeader(TransactionHeader newHeader) {
        return new Payment(newHeader, receiver, amount, closeTo);
    }
}
