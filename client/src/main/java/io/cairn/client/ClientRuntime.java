package io.cairn.client;

import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import java.util.random.RandomGenerator;

/**
 * What the client needs of the world besides the network.
 *
 * @param random all uses synchronize on it, so it need not be thread-safe
 */
record ClientRuntime(Clock clock, Scheduler scheduler, RandomGenerator random) {}
