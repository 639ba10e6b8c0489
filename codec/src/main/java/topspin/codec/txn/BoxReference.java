package topspin.codec.txn;

import topspin.codec.Bytes;

/**
 * A box that an application may touch.
 *
 * @param index of the application, from 1, in the foreign applications or the access list; 0 is the
 *     one called
 */
public record BoxReference(long index, Bytes name) {
    public static final BoxReference ZERO = new BoxReference(0, Bytes.EMPTY);
}
