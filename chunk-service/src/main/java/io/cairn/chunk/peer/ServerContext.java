package io.cairn.chunk.peer;

import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * The world outside of a chunk server. The maker closes it, after the server.
 *
 * @param transport network
 * @param clock time
 * @param scheduler delayed work that does not block
 * @param control runs what the server does as a whole: a few threads, or the queue of a simulation
 * @param disks runs work that may block on the disk of a directory: a fixed number of threads for
 *     each, so that a disk that hangs stalls no other one. The server itself bounds their contents
 * @param random identity of this start of the process
 * @param bootId identity of this start of the machine, as {@link io.cairn.runtime.BootIdentity}
 *     tells it
 */
public record ServerContext(
        Transport transport,
        Clock clock,
        Scheduler scheduler,
        Executor control,
        Function<Path, Executor> disks,
        RandomGenerator random,
        long bootId) {
    /** All work in one executor, as on a server with one disk. */
    public ServerContext(
            Transport transport,
            Clock clock,
            Scheduler scheduler,
            Executor disks,
            RandomGenerator random,
            long bootId) {
        this(transport, clock, scheduler, disks, directory -> disks, random, bootId);
    }
}
