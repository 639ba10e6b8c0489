package topspin.codec.txn;

import topspin.codec.Address;

/**
 * An entry of an application call's access list: meant to have one field set, which is not checked
 * here.
 */
public record ResourceReference(
        Address address,
        long asset,
        long application,
        HoldingReference holding,
        LocalsReference locals,
        BoxReference box) {

    /**
     * A holding, by indices into the access list, from 1.
     *
     * @param address 0 is the sender
     */
    public record HoldingReference(long address, long asset) {
        public static final HoldingReference ZERO = new HoldingReference(0, 0);
    }

    /**
     * Local state, by indices into the access list, from 1.
     *
     * @param address 0 is the sender
     * @param application 0 is the one called
     */
    public record LocalsReference(long address, long application) {
        public static final LocalsReference ZERO = new LocalsReference(0, 0);
    }
}
