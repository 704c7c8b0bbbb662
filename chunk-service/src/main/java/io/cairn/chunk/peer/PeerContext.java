package io.cairn.chunk.peer;

import io.cairn.trace.Scope;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Shared by the parts of one chunk server that use one of its disks.
 *
 * @param world time, delays
 * @param disk threads of the disk
 * @param lease the right to serve
 * @param members questions to other chunk servers
 * @param leader questions to the leader of the masters
 * @param heartbeat fetches the map when somebody knows a younger one
 * @param memory operations applied to the chunks of the disk
 * @param tombstones objects that were deleted
 * @param fence objects that snapshots have
 * @param copies bounds the chunks of the disk copied between servers at a time
 * @param pace how fast chunks of the disk are copied to other servers
 */
public record PeerContext(
        ServerContext world,
        Executor disk,
        Lease lease,
        Members members,
        Leader leader,
        Heartbeat heartbeat,
        OperationMemory memory,
        Tombstones tombstones,
        SnapshotFence fence,
        ConcurrencyLimit copies,
        CopyPace pace) {
    private static final int COPIES = 8;

    /**
     * The same with the disk of a directory.
     *
     * @param disks so many the server has, 1 or more
     */
    public PeerContext at(Path directory, int disks) {
        Executor threads = world.disks().apply(directory);
        ConcurrencyLimit own = new ConcurrencyLimit(COPIES);
        return new PeerContext(
                world,
                threads,
                lease,
                members,
                leader,
                heartbeat,
                new OperationMemory(disks),
                tombstones,
                fence,
                own,
                new CopyPace(world.clock(), ms -> after(ms, () -> Futures.DONE)));
    }

    /** Work on a disk thread. */
    public <T> CompletableFuture<T> onDisk(Supplier<T> work) {
        return Futures.guarded(() -> CompletableFuture.supplyAsync(work, disk));
    }

    /** Work without a result on a disk thread. */
    public CompletableFuture<Void> doOnDisk(Runnable work) {
        return Futures.guarded(() -> CompletableFuture.runAsync(work, disk));
    }

    /** Work on a disk thread that goes on elsewhere. */
    public <T> CompletableFuture<T> fromDisk(Supplier<CompletableFuture<T>> work) {
        return Futures.DONE.thenComposeAsync(Scope.carried(nothing -> work.get()), disk);
    }

    /** Work later, unless the server ends first. */
    public <T> CompletableFuture<T> after(long delayMs, Supplier<CompletableFuture<T>> work) {
        CompletableFuture<Void> time = new CompletableFuture<>();
        world.scheduler().schedule(() -> time.complete(null), delayMs);
        return time.thenCompose(Scope.carried(nothing -> Futures.guarded(work)));
    }
}
