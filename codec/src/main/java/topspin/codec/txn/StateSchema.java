package topspin.codec.txn;

/**
 * How many values an application may keep.
 *
 * @param uints integers
 * @param byteSlices byte strings
 */
public record StateSchema(long uints, long byteSlices) {
    public static final StateSchema ZERO = new StateSchema(0, 0);
}
