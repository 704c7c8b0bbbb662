package io.cairn.client.file;

import io.cairn.runtime.Scheduler;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The inodes of a mount that have written data to commit. Commits them when they have waited for
 * the write-back delay, so that a writer that never closes is seen by others, and loses little in a
 * crash. Thread-safe; never blocks.
 */
public final class DirtyInodes {
    private final Scheduler scheduler;
    private final long delayMs;

    /** Oldest first. */
    private final Set<OpenInode> inodes = Collections.synchronizedSet(new LinkedHashSet<>());

    private final AtomicBoolean scheduled = new AtomicBoolean();

    public DirtyInodes(Scheduler scheduler, long delayMs) {
        this.scheduler = scheduler;
        this.delayMs = delayMs;
    }

    /** An inode has something to commit from now on. */
    void add(OpenInode inode) {
        if (inodes.add(inode) && scheduled.compareAndSet(false, true)) {
            scheduler.schedule(this::sweep, delayMs);
        }
    }

    /** An inode has nothing to commit any more. */
    void remove(OpenInode inode) {
        inodes.remove(inode);
    }

    /** Sends everything that is buffered, without waiting or committing. */
    public void sendAll() {
        for (OpenInode inode : all()) {
            inode.sendBuffered();
        }
    }

    /** The inodes that have something to commit. */
    public List<OpenInode> all() {
        return List.copyOf(inodes);
    }

    private void sweep() {
        scheduled.set(false);
        for (OpenInode inode : all()) {
            inode.commitIfOld(delayMs);
            inode.detour().takeIfStuck();
        }
        if (!inodes.isEmpty() && scheduled.compareAndSet(false, true)) {
            scheduler.schedule(this::sweep, Math.max(1, delayMs / 2));
        }
    }
}
