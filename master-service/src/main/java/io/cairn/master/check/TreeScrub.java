package io.cairn.master.check;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Printable;
import io.cairn.base.Wording;
import io.cairn.cluster.Inode;
import io.cairn.fs.DirectoryEntry;
import io.cairn.master.MasterService;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.ChunkReply.CopiesReply;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has all copies of the chunks of a file, or of all files below a directory, verified and mended:
 * one tree at a time, some files at a time, on threads of its own. What the last one found is kept
 * in memory of the leading master. Thread-safe.
 */
public final class TreeScrub implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TreeScrub.class);

    /** Findings told; what comes beyond is only counted. */
    public static final int MAX_FINDINGS = 1000;

    private static final int PAGE = 1000;

    /** Files that are verified at a time. */
    private static final int LANES = 4;

    private final MasterService master;
    private final Transport transport;
    private final Clock clock;
    private volatile boolean closed;

    @GuardedBy("this")
    private @Nullable Thread runner;

    @GuardedBy("this")
    private Status status = Status.NONE;

    /** How far it is. */
    public enum State {
        /** Nothing was verified in this way since this master leads. */
        NONE,
        RUNNING,
        DONE,
        /** It ended before everything was looked at. */
        FAILED
    }

    /**
     * What was verified.
     *
     * @param path the tree
     * @param startedMs wall time in milliseconds since 1970, as its end; 0 for none
     * @param files files whose chunks were looked at
     * @param found sums over these; its next index says nothing
     * @param findings files with bad copies, and what became of them
     * @param unchecked files that could not be looked at, each with the reason
     * @param uncheckedFiles how many those are, with those that are not told
     * @param omitted findings and files unchecked besides those told
     * @param error why it failed, or null
     */
    public record Status(
            State state,
            String path,
            long startedMs,
            long finishedMs,
            long files,
            CopiesReply found,
            List<String> findings,
            List<String> unchecked,
            long uncheckedFiles,
            long omitted,
            @Nullable String error) {
        private static final CopiesReply NOTHING = new CopiesReply(0, 0, 0, 0, 0, 0);

        static final Status NONE = begun(State.NONE, "", 0);

        static Status begun(State state, String path, long nowMs) {
            return new Status(state, path, nowMs, 0, 0, NOTHING, List.of(), List.of(), 0, 0, null);
        }

        Status ended(State how, long nowMs, @Nullable String why) {
            return new Status(
                    how,
                    path,
                    startedMs,
                    nowMs,
                    files,
                    found,
                    findings,
                    unchecked,
                    uncheckedFiles,
                    omitted,
                    why);
        }

        Status plus(CopiesReply more, @Nullable String finding, @Nullable String missed) {
            boolean isFull = findings.size() + unchecked.size() >= MAX_FINDINGS;
            boolean isNews = finding != null || missed != null;
            return new Status(
                    state,
                    path,
                    startedMs,
                    finishedMs,
                    files + 1,
                    found.plus(more),
                    isFull ? findings : with(findings, finding),
                    isFull ? unchecked : with(unchecked, missed),
                    uncheckedFiles + (missed == null ? 0 : 1),
                    omitted + (isFull && isNews ? 1 : 0),
                    error);
        }

        private static List<String> with(List<String> list, @Nullable String more) {
            if (more == null) {
                return list;
            }
            List<String> longer = new ArrayList<>(list);
            longer.add(more);
            return List.copyOf(longer);
        }
    }

    /**
     * For a cluster.
     *
     * @param transport reaches the chunk servers
     */
    public TreeScrub(MasterService master, Transport transport, Clock clock) {
        this.master = master;
        this.transport = transport;
        this.clock = clock;
    }

    /**
     * Begins; false when one runs.
     *
     * @param path of the tree, for people
     * @param root a file or directory
     */
    public synchronized boolean start(String path, Inode root) {
        if (status.state == State.RUNNING) {
            return false;
        }
        status = Status.begun(State.RUNNING, path, nowMs());
        runner = Thread.ofPlatform().daemon().name("tree-scrub").start(() -> run(root));
        return true;
    }

    private long nowMs() {
        return clock.wallNs() / 1_000_000;
    }

    /** The one that runs, or the last one. */
    public synchronized Status status() {
        return status;
    }

    private void run(Inode root) {
        String error = "it was broken off";
        try (ChunkLists servers = new ChunkLists(transport)) {
            new Walk(
                            new CopyVerification(
                                    () -> master.namespace().clusterMap(),
                                    servers::verify,
                                    this::goesOn))
                    .run(root);
            error = null;
        } catch (FsException e) {
            error = Wording.of(e);
        } catch (RuntimeException e) {
            LOG.error("the tree was not verified", e);
            error = String.valueOf(e.getMessage());
        } finally {
            end(error);
        }
    }

    private synchronized void end(@Nullable String error) {
        status = status.ended(error == null ? State.DONE : State.FAILED, nowMs(), error);
    }

    private boolean goesOn() {
        return !closed && master.leads();
    }

    private void requireGoingOn() {
        if (!goesOn()) {
            throw new FsException(
                    Errno.EINTR, "this master leads no longer: verify the tree again");
        }
    }

    /** All files of a tree, each once. For one thread, which begins others. */
    private final class Walk {
        private final CopyVerification verification;
        private final Semaphore lanes = new Semaphore(LANES);
        private final Deque<Long> directories = new ArrayDeque<>();
        private final Set<Long> linked = new HashSet<>();

        Walk(CopyVerification verification) {
            this.verification = verification;
        }

        void run(Inode root) {
            try {
                meet(root);
                while (!directories.isEmpty()) {
                    list(directories.removeLast());
                }
            } finally {
                // Those that run end in a while, whatever happens.
                lanes.acquireUninterruptibly(LANES);
            }
            requireGoingOn();
        }

        private void list(long ino) {
            long cookie = 0;
            boolean isEnd = false;
            while (!isEnd) {
                Query.ReadDirectory page = new Query.ReadDirectory(ino, cookie, PAGE, false);
                if (!(master.namespace().read(0, page) instanceof Reply.DirectoryReply names)) {
                    return; // removed just now
                }
                for (DirectoryEntry entry : names.entries()) {
                    Inode inode = master.namespace().inode(entry.ino());
                    if (inode != null) {
                        meet(inode);
                    }
                    cookie = entry.cookie();
                }
                isEnd = names.end();
            }
        }

        private void meet(Inode inode) {
            requireGoingOn();
            if (inode.attributes().isDirectory()) {
                directories.add(inode.ino());
                return;
            }
            boolean isStored =
                    inode.layout() != null
                            && inode.inline() == null
                            && inode.attributes().size() > 0;
            if (!isStored || (inode.attributes().nlink() > 1 && !linked.add(inode.ino()))) {
                return;
            }
            try {
                lanes.acquire();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new FsException(Errno.EINTR, "the verification was ended", e);
            }
            Thread.ofVirtual().name("tree-scrub-file").start(() -> verify(inode));
        }

        private void verify(Inode inode) {
            CopiesReply found = Status.NOTHING;
            String missed = "it was broken off";
            try {
                CopyVerification.Outcome outcome = verification.verify(inode);
                found = outcome.found();
                missed = outcome.missed();
            } catch (RuntimeException e) {
                LOG.error("inode {} was not verified", inode.ino(), e);
                missed = String.valueOf(e.getMessage());
            } finally {
                try {
                    add(inode, found, missed);
                } finally {
                    lanes.release();
                }
            }
        }
    }

    private void add(Inode inode, CopiesReply found, @Nullable String missed) {
        boolean isTold = found.bad() > 0 || missed != null;
        String path = isTold ? pathOf(inode.ino()) : "";
        String finding =
                found.bad() == 0
                        ? null
                        : "%s: %s, %d mended"
                                .formatted(
                                        path,
                                        Wording.count(found.bad(), "bad copy"),
                                        found.mended());
        synchronized (this) {
            status = status.plus(found, finding, missed == null ? null : path + ": " + missed);
        }
    }

    private String pathOf(long ino) {
        Reply path = master.namespace().read(0, new Query.GetPath(ino));
        return path instanceof Reply.BytesReply bytes
                ? Printable.of(new String(bytes.bytes(), StandardCharsets.UTF_8))
                : "inode " + ino;
    }

    /** Ends what runs. */
    @Override
    public synchronized void close() {
        closed = true;
        if (runner != null) {
            runner.interrupt();
        }
    }
}
