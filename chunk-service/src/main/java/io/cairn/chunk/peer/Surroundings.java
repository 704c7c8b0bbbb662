package io.cairn.chunk.peer;

import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The world outside of a chunk server. The maker closes it, after the server.
 *
 * @param transport network
 * @param clock time
 * @param scheduler delayed work that does not block
 * @param disks runs work that may block on disks: a fixed number of threads, or the queue of a
 *     simulation. The server itself bounds its contents
 * @param random identity of this start of the process
 * @param bootId identity of this start of the machine, as {@link io.cairn.runtime.BootIdentity}
 *     tells it
 */
public record Surroundings(
        Transport transport,
        Clock clock,
        Scheduler scheduler,
        Executor disks,
        RandomGenerator random,
        long bootId) {}
