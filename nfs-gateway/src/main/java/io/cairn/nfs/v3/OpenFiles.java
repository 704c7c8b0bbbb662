package io.cairn.nfs.v3;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.PastInode;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileWatch;
import io.cairn.fs.OpenFile;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files kept open between calls, one for each inode, because NFS has neither open nor close. Each
 * is closed some seconds after its last use, earlier when there are too many.
 *
 * <p>When closing reports that bytes could not be written, the next {@link #takeError} of that
 * inode tells it. When there are too many errors to remember, the {@link #verifier} changes
 * instead, and all clients write again what they have not committed. Thread-safe; blocks.
 */
final class OpenFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);
    private static final long CHECK_MS = 500;
    private static final int MAX_ERRORS = 1024;
    private static final int PARALLEL_CLOSES = 16;

    /** The opener: the right of the caller is checked at every call, not when it is opened. */
    private static final Caller GATEWAY = Caller.checkedByKernel(0, 0);

    /** An open file with its users. Guarded by its own monitor. */
    private static final class Entry {
        final long ino;
        @Nullable OpenFile file;
        int users;
        boolean gone;

        /** Taken out to be opened for writing: its last user closes it. */
        boolean isReplaced;

        volatile long usedMs;

        /** Calls that change the file: how many have begun, and how many are at work. */
        long begun;

        int changing;

        Entry(long ino) {
            this.ino = ino;
        }

        boolean isReadOnly() {
            return file != null && (file.flags() & FileSystem.O_ACCMODE) == FileSystem.O_RDONLY;
        }
    }

    /** The use of an open file; to be closed soon. */
    final class Use implements AutoCloseable {
        private final Entry entry;
        private final OpenFile file;

        private Use(Entry entry, OpenFile file) {
            this.entry = entry;
            this.file = file;
        }

        OpenFile file() {
            return file;
        }

        /**
         * Begins a change of the file; to be closed.
         *
         * @param watched whether its {@link FileChange#seen} will be asked for
         */
        FileChange change(boolean watched) {
            long number;
            synchronized (entry) {
                entry.begun++;
                number = entry.changing++ == 0 ? entry.begun : 0;
            }
            try {
                return new FileChange(entry, number, watched ? file.watch() : FileWatch.BLIND);
            } catch (FsException e) {
                synchronized (entry) {
                    entry.changing--;
                }
                throw e;
            }
        }

        @Override
        public void close() {
            boolean isLast;
            synchronized (entry) {
                entry.users--;
                entry.usedMs = clock.millis();
                isLast = entry.isReplaced && entry.users == 0;
            }
            if (isLast) {
                OpenFiles.this.close(file);
            }
        }
    }

    /** A change of an open file by one call. */
    static final class FileChange implements AutoCloseable {
        private final Entry entry;
        private final long number;
        private final FileWatch watch;

        private FileChange(Entry entry, long number, FileWatch watch) {
            this.entry = entry;
            this.number = number;
            this.watch = watch;
        }

        /** The effect of the call, if no other call of this gateway changed the file meanwhile. */
        Changes seen() {
            Changes changes = new Changes();
            changes.saw(watch);
            synchronized (entry) {
                return entry.begun == number ? changes : new Changes();
            }
        }

        @Override
        public void close() {
            watch.close();
            synchronized (entry) {
                entry.changing--;
            }
        }
    }

    private final FileSystem fs;
    private final Clock clock;
    private final Scheduler scheduler;
    private final Executor workers;
    private final int maxOpen;
    private final long idleMs;
    private final Map<Long, Entry> entries = new ConcurrentHashMap<>();
    private final Map<Long, FsException> errors = new ConcurrentHashMap<>();
    private final AtomicLong verifier;
    private final AtomicBoolean cleaning = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * Bounds of the open files.
     *
     * @param maxOpen files that stay open without being used
     * @param idleMs how long
     */
    record Bounds(int maxOpen, long idleMs) {}

    /**
     * No open files yet.
     *
     * @param workers where files are closed, which may block
     * @param random makes the verifier
     */
    OpenFiles(
            FileSystem fs,
            Bounds bounds,
            Clock clock,
            Scheduler scheduler,
            Executor workers,
            RandomGenerator random) {
        this.fs = fs;
        this.maxOpen = bounds.maxOpen;
        this.idleMs = bounds.idleMs;
        this.clock = clock;
        this.scheduler = scheduler;
        this.workers = workers;
        this.verifier = new AtomicLong(random.nextLong());
        scheduler.schedule(this::check, CHECK_MS);
    }

    /** The write verifier (RFC 1813, 3.3.7): another one with every start of a gateway. */
    long verifier() {
        return verifier.get();
    }

    /**
     * Opens a file, or takes the open one.
     *
     * @param forWriting whether it has to be open for writing; else it need not, which matters for
     *     files that are immutable or append-only
     * @throws FsException EPERM when such a file is wanted for writing; whatever prevents opening
     */
    Use use(long ino, boolean forWriting) {
        while (true) {
            if (closed) {
                throw new FsException(Errno.NOT_READY, "the gateway is closing");
            }
            Entry entry = entries.computeIfAbsent(ino, Entry::new);
            OpenFile idle = null;
            synchronized (entry) {
                if (entry.gone) {
                    continue;
                }
                if (forWriting && entry.isReadOnly()) {
                    idle = replace(entry);
                } else {
                    OpenFile file = entry.file;
                    if (file == null) {
                        file = open(entry, forWriting);
                    }
                    entry.users++;
                    entry.usedMs = clock.millis();
                    return new Use(entry, file);
                }
            }
            if (idle != null) {
                close(idle);
            }
        }
    }

    /** Takes an entry out, under its monitor; its file is the caller's unless it is in use. */
    private @Nullable OpenFile replace(Entry entry) {
        entry.gone = true;
        entry.isReplaced = true;
        // What its calls see is not theirs alone any more.
        entry.begun++;
        entries.remove(entry.ino, entry);
        return entry.users == 0 ? entry.file : null;
    }

    private OpenFile open(Entry entry, boolean forWriting) {
        try {
            OpenFile file = open(entry.ino, forWriting);
            entry.file = file;
            if (entries.size() > maxOpen) {
                clean();
            }
            return file;
        } catch (FsException e) {
            entry.gone = true;
            entries.remove(entry.ino, entry);
            throw e;
        }
    }

    /** For writing, too, unless that is refused and not needed: the next call may write. */
    private OpenFile open(long ino, boolean forWriting) {
        if (PastInode.isPast(ino)) {
            return fs.open(GATEWAY, ino, FileSystem.O_RDONLY);
        }
        try {
            return fs.open(GATEWAY, ino, FileSystem.O_RDWR);
        } catch (FsException e) {
            if (forWriting || e.errno() != Errno.EPERM) {
                throw e;
            }
        }
        return fs.open(GATEWAY, ino, FileSystem.O_RDONLY);
    }

    /** A write error of an inode that nobody was told; told once. */
    @Nullable FsException takeError(long ino) {
        return errors.remove(ino);
    }

    /** Open files now. */
    int size() {
        return entries.size();
    }

    private void check() {
        if (closed) {
            return;
        }
        clean();
        scheduler.schedule(this::check, CHECK_MS);
    }

    /** Closes idle files on a worker, one cleaning at a time. */
    private void clean() {
        if (entries.isEmpty() || !cleaning.compareAndSet(false, true)) {
            return;
        }
        try {
            workers.execute(
                    () -> {
                        try {
                            closeIdle();
                        } finally {
                            cleaning.set(false);
                        }
                    });
        } catch (RejectedExecutionException e) {
            LOG.debug("The gateway is closing; so are its open files");
        }
    }

    private void closeIdle() {
        long nowMs = clock.millis();
        List<Entry> eldestFirst = new ArrayList<>(entries.values());
        eldestFirst.sort(Comparator.comparingLong(entry -> entry.usedMs));
        int tooMany = eldestFirst.size() - maxOpen;
        List<OpenFile> idle = new ArrayList<>();
        for (Entry entry : eldestFirst) {
            if (tooMany <= 0 && nowMs - entry.usedMs < idleMs) {
                break;
            }
            OpenFile file = retire(entry);
            if (file != null) {
                tooMany--;
                idle.add(file);
            }
        }
        closeAll(idle);
    }

    /** Takes an entry out unless it is in use; its file is then the caller's to close. */
    private @Nullable OpenFile retire(Entry entry) {
        synchronized (entry) {
            if (entry.users > 0 || entry.gone) {
                return null;
            }
            entry.gone = true;
            entries.remove(entry.ino, entry);
            return entry.file;
        }
    }

    private void closeAll(List<OpenFile> files) {
        for (int begin = 0; begin < files.size(); begin += PARALLEL_CLOSES) {
            List<Thread> closers = new ArrayList<>();
            for (OpenFile file :
                    files.subList(begin, Math.min(files.size(), begin + PARALLEL_CLOSES))) {
                closers.add(Thread.ofVirtual().name("nfs-close").start(() -> close(file)));
            }
            for (Thread closer : closers) {
                join(closer);
            }
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void close(OpenFile file) {
        try {
            file.close();
        } catch (FsException e) {
            LOG.warn("Bytes of inode {} could not be written: {}", file.ino(), e.getMessage());
            remember(file.ino(), e);
        }
    }

    /** Several threads close files: one after the other, so that the bound holds. */
    private synchronized void remember(long ino, FsException error) {
        if (errors.size() < MAX_ERRORS) {
            errors.put(ino, error);
        } else {
            verifier.incrementAndGet();
        }
    }

    /** Commits and closes all files; calls in progress fail after that. */
    @Override
    public void close() {
        closed = true;
        List<OpenFile> files = new ArrayList<>();
        for (Entry entry : List.copyOf(entries.values())) {
            synchronized (entry) {
                if (!entry.gone && entry.file != null) {
                    files.add(entry.file);
                }
                entry.gone = true;
            }
        }
        entries.clear();
        closeAll(files);
    }
}
