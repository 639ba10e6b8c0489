package topspin.net.multiaddr;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What is asked on every dial and accept: an address that none of the rules denies. */
@BenchmarkMode(Mode.AverageTime)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
public class AddressFilterBench {
    private final Multiaddr address =
            Multiaddr.parse(
                    "/ip4/203.0.113.7/tcp/4160/p2p/"
                            + "12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq");

    /** Prefixes that are denied, besides one protocol. */
    @Param({"1", "100"})
    public int rules;

    private AddressFilter filter = AddressFilter.ALL;

    @Setup
    public void setUp() {
        List<String> deny = new ArrayList<>(List.of("unix"));
        for (int rule = 0; rule < rules; rule++) {
            deny.add("10." + rule + ".0.0/16");
        }
        filter = AddressFilter.of(List.of(), deny);
    }

    @Benchmark
    public boolean allows() {
        return filter.allows(address);
    }
}
