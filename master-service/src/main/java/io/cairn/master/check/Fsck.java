package io.cairn.master.check;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Printable;
import io.cairn.base.Wording;
import io.cairn.master.MasterService;
import io.cairn.master.check.ChunkFault.Kind;
import io.cairn.metadata.StateCheck;
import io.cairn.metadata.state.StoredState;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checks of a leading master, one at a time, each on a thread of its own. What the last one
 * found is kept in memory. Thread-safe.
 */
public final class Fsck implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Fsck.class);

    /** Findings told; what comes beyond is only counted. */
    public static final int MAX_FINDINGS = 1000;

    private static final Pattern INODE = Pattern.compile("\\b(inode|directory) (\\d+)\\b");
    private static final long SECOND_LOOK_MS = 2_000;
    private static final int MAX_ENTRIES = 1000;
    private static final long LOG_MS = 15_000;

    private final MasterService master;
    private final Transport transport;
    private final Clock clock;
    private final AtomicLong inodes = new AtomicLong();
    private final AtomicLong chunks = new AtomicLong();

    @GuardedBy("this")
    private @Nullable Thread runner;

    @GuardedBy("this")
    private Status status = Status.NONE;

    /** How far a check is. */
    public enum State {
        /** No check was made since this master leads. */
        NONE,
        RUNNING,
        DONE,
        /** It ended before everything was looked at. */
        FAILED
    }

    /**
     * Something that is not as it should be.
     *
     * @param kind in camel case
     * @param text a sentence without an end, which names the file
     * @param harmless whether it only takes room
     * @param repaired whether the check has mended it
     */
    public record Finding(String kind, String text, boolean harmless, boolean repaired) {}

    /**
     * A check.
     *
     * @param phase what it does now, or did last
     * @param startedMs wall time in milliseconds since 1970, as its end; 0 for none
     * @param omitted findings besides those told
     * @param unchecked groups that could not be looked at, each with the reason
     * @param error why it failed, or null
     */
    public record Status(
            State state,
            String phase,
            boolean repair,
            long startedMs,
            long finishedMs,
            long inodes,
            long chunks,
            List<Finding> findings,
            long omitted,
            List<String> unchecked,
            @Nullable String error) {
        static final Status NONE =
                new Status(State.NONE, "", false, 0, 0, 0, 0, List.of(), 0, List.of(), null);
    }

    /**
     * Checks of a cluster.
     *
     * @param transport reaches the chunk servers
     */
    public Fsck(MasterService master, Transport transport, Clock clock) {
        this.master = master;
        this.transport = transport;
        this.clock = clock;
    }

    /**
     * Begins a check; false when one runs.
     *
     * @param repair whether to give up chunks that belong to no file
     */
    public synchronized boolean start(boolean repair) {
        if (status.state == State.RUNNING) {
            return false;
        }
        inodes.set(0);
        chunks.set(0);
        status =
                new Status(
                        State.RUNNING,
                        "names",
                        repair,
                        nowMs(),
                        0,
                        0,
                        0,
                        List.of(),
                        0,
                        List.of(),
                        null);
        runner = Thread.ofPlatform().daemon().name("fsck").start(() -> run(repair));
        return true;
    }

    private long nowMs() {
        return clock.wallNs() / 1_000_000;
    }

    /** The check that runs, or the last one. */
    public synchronized Status status() {
        Status s = status;
        return new Status(
                s.state,
                s.phase,
                s.repair,
                s.startedMs,
                s.finishedMs,
                inodes.get(),
                chunks.get(),
                s.findings,
                s.omitted,
                s.unchecked,
                s.error);
    }

    private void run(boolean repair) {
        Report report = new Report();
        String error = null;
        try {
            checkState(report);
            checkChunks(report, repair);
        } catch (FsException e) {
            error = Wording.of(e);
        } catch (RuntimeException e) {
            LOG.error("the check failed", e);
            error = String.valueOf(e.getMessage());
        }
        synchronized (this) {
            status =
                    new Status(
                            error == null ? State.DONE : State.FAILED,
                            status.phase,
                            repair,
                            status.startedMs,
                            nowMs(),
                            0,
                            0,
                            List.copyOf(report.findings),
                            report.omitted,
                            List.copyOf(report.unchecked),
                            error);
        }
    }

    /** The findings so far. */
    private final class Report {
        private final List<Finding> findings = new ArrayList<>();
        private final List<String> unchecked = new ArrayList<>();
        private long omitted;

        void add(String kind, String text, boolean harmless, boolean repaired) {
            if (findings.size() < MAX_FINDINGS) {
                findings.add(new Finding(kind, named(text), harmless, repaired));
            } else {
                omitted++;
            }
        }
    }

    private synchronized void phase(String phase) {
        Status s = status;
        status =
                new Status(
                        s.state,
                        phase,
                        s.repair,
                        s.startedMs,
                        0,
                        0,
                        0,
                        s.findings,
                        0,
                        s.unchecked,
                        null);
    }

    private void requireLead() {
        if (Thread.currentThread().isInterrupted() || !master.leads()) {
            throw new FsException(Errno.EINTR, "this master leads no longer: check again");
        }
    }

    private void checkState(Report report) {
        try (StoredState state = master.namespace().snapshot()) {
            new StateCheck(
                            state,
                            () -> {
                                if (inodes.incrementAndGet() % 1024 == 0) {
                                    requireLead();
                                }
                            })
                    .violations()
                    .forEach(line -> report.add("state", line, false, false));
        }
    }

    private void checkChunks(Report report, boolean repair) {
        phase("chunks");
        Look first = look();
        List<ChunkFault> faults = List.of();
        Map<Integer, String> unlisted = new TreeMap<>(first.unlisted);
        if (!first.faults.isEmpty()) {
            phase("chunks, second look");
            pause(SECOND_LOOK_MS);
            Look second = look();
            unlisted.putAll(second.unlisted);
            Set<ChunkFault> suspected = new HashSet<>();
            first.faults.forEach(fault -> suspected.add(fault.identity()));
            faults =
                    second.faults.stream()
                            .filter(fault -> suspected.contains(fault.identity()))
                            .toList();
        }
        unlisted.forEach((id, why) -> report.unchecked.add("group " + id + ": " + why));
        List<ChunkFault> unreferenced =
                faults.stream().filter(fault -> fault.kind() == Kind.UNREFERENCED).toList();
        if (repair && !unreferenced.isEmpty()) {
            phase("repair");
            release(unreferenced);
        }
        for (ChunkFault fault : faults) {
            boolean isLeftover = fault.kind() == Kind.UNREFERENCED;
            report.add(fault.kind().title(), fault.text(), isLeftover, isLeftover && repair);
        }
    }

    private record Look(List<ChunkFault> faults, Map<Integer, String> unlisted) {}

    private Look look() {
        try (StoredState state = master.namespace().snapshot();
                ChunkLists lists = new ChunkLists(transport)) {
            ChunkCheck check =
                    new ChunkCheck(
                            state,
                            () -> master.namespace().clusterMap(),
                            lists::page,
                            () -> {
                                if (chunks.incrementAndGet() % 1024 == 0) {
                                    requireLead();
                                }
                            });
            List<ChunkFault> faults = check.look();
            requireLead();
            return new Look(faults, check.unlisted());
        }
    }

    private static void pause(long ms) {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FsException(Errno.EINTR, "the check was ended", e);
        }
    }

    /** Puts chunks on the list of those that chunk servers delete; they are in order. */
    private void release(List<ChunkFault> faults) {
        List<GarbageTask> tasks = new ArrayList<>();
        for (ChunkFault fault : faults) {
            GarbageTask last = tasks.isEmpty() ? null : tasks.getLast();
            if (last != null
                    && last.poolId() == fault.pool()
                    && last.oid() == fault.oid()
                    && last.endChunk() == fault.index()) {
                tasks.removeLast();
                tasks.add(task(fault, last.fromChunk()));
            } else {
                tasks.add(task(fault, fault.index()));
            }
        }
        for (int i = 0; i < tasks.size(); i += MAX_ENTRIES) {
            int end = Math.min(tasks.size(), i + MAX_ENTRIES);
            log(new LeaderMutation.ReleaseChunks(List.copyOf(tasks.subList(i, end))));
        }
    }

    private static GarbageTask task(ChunkFault fault, long fromChunk) {
        return new GarbageTask(0, fault.pool(), fault.oid(), fromChunk, fault.index() + 1);
    }

    private void log(LeaderMutation mutation) {
        try {
            Reply reply = master.submit(mutation).get(LOG_MS, TimeUnit.MILLISECONDS);
            if (reply instanceof Reply.Failure failure) {
                throw new FsException(failure.errno(), failure.message());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FsException(Errno.EINTR, "the check was ended", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new FsException(Errno.NOT_READY, "the masters do not log the repair", e);
        }
    }

    /** A finding with paths in place of numbers, where there are some. */
    private String named(String text) {
        Matcher matcher = INODE.matcher(text);
        StringBuilder named = new StringBuilder();
        while (matcher.find()) {
            Reply path =
                    master.namespace().read(0, new Query.GetPath(Long.parseLong(matcher.group(2))));
            String told =
                    path instanceof Reply.BytesReply bytes
                            ? " ("
                                    + Printable.of(
                                            new String(bytes.bytes(), StandardCharsets.UTF_8))
                                    + ")"
                            : "";
            matcher.appendReplacement(named, Matcher.quoteReplacement(matcher.group() + told));
        }
        return matcher.appendTail(named).toString();
    }

    /** Ends a check that runs. */
    @Override
    public synchronized void close() {
        if (runner != null) {
            runner.interrupt();
        }
    }
}
