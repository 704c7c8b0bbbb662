/**
 * {@code cairn bench}: what a mount does in a second, beside what disk, loopback and kernel allow.
 *
 * <p>{@code Ceilings} measures the machine first. A {@code Workload} then gives {@code Figure}s,
 * and each names the ceiling that it is compared with. {@code BenchReport} shows them.
 */
@NullMarked
package io.cairn.cli.bench;

import org.jspecify.annotations.NullMarked;
