package io.cairn.client.file;

import io.cairn.client.lock.FileLocks;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Inode;
import io.cairn.fs.Attributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The regular files that this mount has open, each once however often it is open. Thread-safe. */
public final class OpenInodes {
    private static final int MAX_EARLY = 256;

    private final Mount mount;
    private final FileLocks locks;
    private final Map<Long, OpenInode> states = new ConcurrentHashMap<>();
    private final Map<Long, Standstill> still = new ConcurrentHashMap<>();
    private final Map<Long, Integer> counts = new HashMap<>();

    /** Answers of the master about inodes that are not open here: perhaps they are being opened. */
    private final Map<Long, Inode> early = new LinkedHashMap<>();

    public OpenInodes(Mount mount, FileLocks locks) {
        this.mount = mount;
        this.locks = locks;
    }

    /** The master says that the inode is open once more, and how it is now. */
    public OpenInode opened(Inode inode) {
        OpenInode state;
        synchronized (counts) {
            counts.merge(inode.ino(), 1, Integer::sum);
            state = states.get(inode.ino());
            if (state == null) {
                state = new OpenInode(inode, mount, locks);
                states.put(inode.ino(), state);
                Inode told = early.remove(inode.ino());
                if (told != null) {
                    state.adopt(told);
                }
                return state;
            }
        }
        state.adopt(inode);
        return state;
    }

    /** As {@link #opened}, of a file just made by this mount. */
    public OpenInode created(Inode inode) {
        OpenInode state = opened(inode);
        state.created();
        return state;
    }

    /** The inode is open once less; the last one ends the state. */
    public void closed(OpenInode state) {
        long ino = state.ino();
        boolean last;
        synchronized (counts) {
            last = counts.merge(ino, -1, Integer::sum) == 0;
            if (last) {
                counts.remove(ino);
                states.remove(ino);
                still.remove(ino);
            }
        }
        if (last) {
            state.appends().closed();
            mount.dirty().remove(state);
            if (state.attributes().nlink() == 0) {
                mount.unsynced().forget(ino);
            } else {
                // Should it fail, the end of the session brings the same.
                Promises.whenDone(state.growth().abandon(), (_, _) -> {});
            }
        }
        mount.master().release(ino);
    }

    /** The state of an inode, or null when it is not open. */
    public @Nullable OpenInode get(long ino) {
        return states.get(ino);
    }

    /** Takes an answer of the master about an inode, if it is open. */
    public void adopt(Inode inode) {
        OpenInode state = states.get(inode.ino());
        if (state != null) {
            state.adopt(inode);
        }
    }

    /** Attributes from the master, with what this mount has not committed yet. */
    public Attributes overlay(Attributes known) {
        OpenInode state = states.get(known.ino());
        return state == null ? known : state.over(known);
    }

    /** Another client moves the contents of a file, as {@link Standstill#order}. */
    public CompletableFuture<Void> holdStill(long ino, int ms) {
        OpenInode state = states.get(ino);
        return state == null
                ? Promises.DONE
                : still.computeIfAbsent(ino, _ -> new Standstill(state, mount)).order(ms);
    }

    /** Commits what was written to files; their writers hear of failures. Never blocks. */
    public CompletableFuture<Void> commit(long[] inos) {
        List<CompletableFuture<?>> commits = new ArrayList<>();
        for (long ino : inos) {
            OpenInode state = states.get(ino);
            if (state != null) {
                commits.add(state.commit().handle((_, _) -> null));
            }
        }
        return CompletableFuture.allOf(commits.toArray(CompletableFuture<?>[]::new));
    }

    /** Completes when what was written to a file is committed; fails as that does. Never blocks. */
    public CompletableFuture<Void> committed(long ino) {
        OpenInode state = states.get(ino);
        return state == null ? Promises.DONE : state.commit();
    }

    /** Another client has cut or lengthened a file. Never blocks. */
    public void changed(Inode inode) {
        OpenInode state;
        synchronized (counts) {
            state = states.get(inode.ino());
            if (state == null) {
                early.put(inode.ino(), inode);
                if (early.size() > MAX_EARLY) {
                    early.remove(early.keySet().iterator().next());
                }
                return;
            }
        }
        state.adopt(inode);
    }

    /** How many inodes are open. */
    public int size() {
        return states.size();
    }

    /** All of them at this moment. */
    public Collection<OpenInode> all() {
        return List.copyOf(states.values());
    }
}
