package topspin.net.gossipsub;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import topspin.codec.Allocation;
import topspin.net.Verdict;

/** What the router costs in garbage, RPC reader and batcher included. */
final class RouterAllocationTest {
    /** The message as it is passed on, and kept for those who ask. */
    private static final int ENTRY_BYTES = 16 + 363 + 3;

    @Test
    void aHundredThousandCopiesOfWhatIsKnownMakeNoGarbage() {
        var load = new RouterLoad(Verdict.ACCEPT);
        load.message();
        // Four copies to a call.
        assertThat(Allocation.smallestWindow(10, 2_500, load::duplicate)).isZero();
        assertThat(load.deliveries).isEqualTo(1);
    }

    @Test
    void aNewMessageAllocatesItselfAndItsRecordAlone() {
        var load = new RouterLoad(Verdict.ACCEPT);
        long bytes = Allocation.smallestWindow(12, 10_000, load::message);
        assertThat(load.deliveries).isEqualTo(120_000);
        assertThat(load.framesOut).isGreaterThan(3 * 120_000);
        // The maker's id, the record, the list of who else brought it.
        assertThat(bytes).isBetween((long) ENTRY_BYTES, ENTRY_BYTES + 300L);
    }

    @Test
    void aMessageThatWasNotTakenInMakesNoGarbage() {
        var load = new RouterLoad(Verdict.IGNORE);
        // Four windows of five are between two heartbeats.
        assertThat(Allocation.smallestWindow(50, 1_000, load::message)).isZero();
        assertThat(load.deliveries).isEqualTo(4 * 50_000);
    }
}
