package io.cairn.nfs.lock;

import io.cairn.fs.HostLocks;
import io.cairn.nfs.rpc.RpcProgram;
import io.cairn.nfs.v3.LockableFiles;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

/** NLM and NSM over one filesystem, put together. Thread-safe. */
public final class LockPrograms implements AutoCloseable {
    private final HostCalls calls;
    private final BlockedLocks blocked;
    private final RestartNotices notices;
    private final RpcProgram monitor;
    private final List<RpcProgram> programs;

    /**
     * The world of the programs.
     *
     * @param workers for work that blocks; virtual threads
     */
    public record Threads(Executor workers, Scheduler scheduler, Clock clock) {}

    /** Over files and their locks. */
    public LockPrograms(LockableFiles files, HostLocks locks, LockPace pace, Threads threads) {
        BlockedLocks.Threads on =
                new BlockedLocks.Threads(threads.workers, threads.scheduler, threads.clock);
        calls = new TcpHostCalls(pace, threads.clock);
        blocked = new BlockedLocks(locks, calls, pace, on);
        LockService service = new LockService(files, locks, blocked);
        notices = new RestartNotices(locks, calls, pace, on, LockPrograms::localAddresses);
        monitor = new NsmProgram(service, notices::state);
        NlmProgram locking = new NlmProgram(service, new MessageAnswers(calls, threads.workers));
        programs = List.of(locking, monitor);
    }

    private static Set<String> localAddresses() {
        try {
            Set<String> all = new HashSet<>();
            NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .map(InetAddress::getHostAddress)
                    .forEach(all::add);
            return all;
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Begins to tell machines with locks that their server is back; when the door is open. */
    public void begin() {
        notices.begin();
    }

    /** The programs, for an RPC door. */
    public List<RpcProgram> all() {
        return programs;
    }

    /** The status monitor alone, which is called by UDP, too. */
    public RpcProgram monitor() {
        return monitor;
    }

    /** Requests for locks that wait now. */
    public int waitingCount() {
        return blocked.size();
    }

    @Override
    public void close() {
        notices.close();
        blocked.close();
        calls.close();
    }
}
