/**
 * What {@code topspin bench} runs: the JMH benchmarks, rivals side by side.
 *
 * <pre>
 *   BenchProcess ── one JVM per fork and parameters ──► PairedFork ── one JMH iteration of each rival, in turn
 *     └── Samples per rival ── Median ── BenchReport
 * </pre>
 *
 * <p>JMH by itself runs one rival to its end before the next begins; on a shared machine minutes
 * lie between them, and their ratio is the neighbours' as much as ours. Here each iteration of a
 * rival stands beside one of the yardstick, and ratios are taken within such a pair.
 */
@NullMarked
package topspin.codec.bench;

import org.jspecify.annotations.NullMarked;
