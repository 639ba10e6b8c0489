package topspin.ledger.account;

/**
 * What one account holds of one asset. A holding may be empty: then it is an opt-in.
 *
 * @param amount in base units, unsigned
 * @param frozen whether the asset's freeze address has stopped it
 */
public record Holding(long amount, boolean frozen) {
    public Holding withAmount(long newAmount) {
        return new Holding(newAmount, frozen);
    }

    public Holding withFrozen(boolean newFrozen) {
        return new Holding(amount, newFrozen);
    }
}
