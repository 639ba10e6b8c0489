/**
 * A whole network on one thread: real loops and players, simulated clock, network, disk and chance.
 * One seed draws the network, its faults and its adversaries, and replays the run byte for byte
 * (agreement.md 14.2).
 *
 * <pre>
 *   Simulation ─ queue of (time, number, what) ─┬─ SimNode: AgreementLoop and all its ports
 *              ─ Faults, drawn from the seed   ─┤
 *              ─ Checks, asked at every vote   ─┘
 * </pre>
 */
@NullMarked
package topspin.node.sim;

import org.jspecify.annotations.NullMarked;
