package io.cairn.nfs.v3;

import io.cairn.fs.FileSystem;
import io.cairn.nfs.export.Exports;
import io.cairn.nfs.export.NameServices;
import io.cairn.nfs.rpc.RpcProgram;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** NFS and MOUNT over one filesystem, put together. Thread-safe. */
public final class NfsPrograms implements AutoCloseable {
    private static final OpenFiles.Bounds BOUNDS = new OpenFiles.Bounds(1024, 3000);

    private final OpenFiles open;
    private final List<RpcProgram> programs;
    private final LockableFiles lockable;

    /**
     * Over a filesystem, which stays the caller's. Blocks.
     *
     * @param services what is known of callers
     * @param transferBytes largest READ, WRITE and listing
     * @param random makes the write verifier and, on the first start ever, the key of the handles
     */
    public NfsPrograms(
            FileSystem fs,
            Exports exports,
            NameServices services,
            int transferBytes,
            Threads threads,
            RandomGenerator random) {
        ServedVolume volume = new ServedVolume(fs, HandleCodec.of(fs, random), exports, services);
        open = new OpenFiles(fs, BOUNDS, threads.clock, threads.scheduler, threads.workers, random);
        lockable = new LockableFiles(volume);
        programs =
                List.of(
                        new NfsProgram(volume, open, transferBytes),
                        new MountProgram(volume),
                        new AclProgram(volume));
    }

    /**
     * The world of the programs.
     *
     * @param workers for work that blocks
     */
    public record Threads(Executor workers, Scheduler scheduler, Clock clock) {}

    /** The programs, for an RPC door. */
    public List<RpcProgram> all() {
        return programs;
    }

    /** The files, for the lock programs. */
    public LockableFiles lockable() {
        return lockable;
    }

    /** Files open now. */
    public int openFileCount() {
        return open.size();
    }

    /** Commits what is buffered. */
    @Override
    public void close() {
        open.close();
    }
}
