package io.cairn.client;

import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What the client needs of the world besides the network.
 *
 * @param random all uses synchronize on it, so it need not be thread-safe
 * @param threads runs each task on a thread of its own, which may block
 */
public record ClientRuntime(
        Clock clock, Scheduler scheduler, RandomGenerator random, Executor threads) {
    /** With virtual threads. */
    public ClientRuntime(Clock clock, Scheduler scheduler, RandomGenerator random) {
        this(clock, scheduler, random, task -> Thread.ofVirtual().name("cairn-client").start(task));
    }
}
