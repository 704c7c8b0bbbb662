/**
 * Benchmarks: what one part costs, and what the whole achieves.
 *
 * <p>Microbenchmarks measure one part alone on JMH. Their numbers are published only together with
 * the command, the JVM flags and the machine.
 */
@NullMarked
package io.cairn.bench;

import org.jspecify.annotations.NullMarked;
