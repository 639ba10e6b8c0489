package topspin.node.rest;

import java.util.function.LongSupplier;

/**
 * How this node stands in its network, for the dashboard.
 *
 * @param mode how blocks come about, as the configuration writes it
 * @param isInstant whether a block comes with each submission and none else; not where this node
 *     follows on another's behalf, who waits for blocks of others
 * @param roundMillis what a round takes at most while all is well; 0 where blocks come when asked
 *     for
 * @param peersWanted how many peers it was told to keep
 * @param roundsBehind finished rounds that peers speak of and that are not here
 * @param mesh peers that transactions are passed on to at once
 * @param confirmed transactions in blocks since the start
 */
public record Standing(
        String mode,
        boolean isInstant,
        long roundMillis,
        int peersWanted,
        LongSupplier roundsBehind,
        LongSupplier mesh,
        LongSupplier confirmed) {}
