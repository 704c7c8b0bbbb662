package io.cairn.client.cache;

import io.cairn.client.session.MasterChannel;
import io.cairn.client.session.Promises;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Inodes that lost their last name through this mount and that the kernel still knows: a working
 * directory, a descriptor opened with O_PATH. Mostly the kernel forgets them at once, and nothing
 * is to be done. Those that it does not forget within a moment the session holds open until it
 * does; so long the master keeps an inode in any case. Thread-safe; never blocks.
 */
public final class RemovedInodes {
    /** A good part less than the masters keep what has just lost its last name, 500 ms. */
    private static final long MOMENT_MS = 100;

    private static final int MAX = 65_536;

    private enum Hold {
        NONE,
        BEGUN,
        OPEN,
        FORGOTTEN
    }

    private final MasterChannel master;
    private final Scheduler scheduler;
    private final Map<Long, Hold> holds = new ConcurrentHashMap<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile boolean keeps;

    public RemovedInodes(MasterChannel master, Scheduler scheduler) {
        this.master = master;
        this.scheduler = scheduler;
    }

    /** The inodes for {@link #forgotten} have a source now. */
    public void keep() {
        keeps = true;
    }

    /** An inode has lost its last name. */
    public void removed(long ino) {
        if (!keeps || holds.size() >= MAX) {
            return;
        }
        holds.putIfAbsent(ino, Hold.NONE);
        lookSoon();
    }

    private void lookSoon() {
        if (looking.compareAndSet(false, true)) {
            scheduler.schedule(this::look, MOMENT_MS);
        }
    }

    private void look() {
        looking.set(false);
        for (long ino : List.copyOf(holds.keySet())) {
            if (!master.session().hasRoomToOpen()) {
                holds.remove(ino, Hold.NONE);
            } else if (holds.replace(ino, Hold.NONE, Hold.BEGUN)) {
                Promises.whenDone(
                        master.query(new Query.Open(ino)),
                        (reply, _) -> opened(ino, reply instanceof Reply.EntryReply));
            }
        }
    }

    private void opened(long ino, boolean success) {
        if (!success) {
            holds.remove(ino);
        } else if (!holds.replace(ino, Hold.BEGUN, Hold.OPEN)) {
            holds.remove(ino);
            master.release(ino);
        }
    }

    /** Nobody on this machine knows an inode any more. */
    public void forgotten(long ino) {
        if (holds.isEmpty() || holds.remove(ino, Hold.NONE)) {
            return;
        }
        if (holds.remove(ino, Hold.OPEN)) {
            master.release(ino);
        } else if (!holds.replace(ino, Hold.BEGUN, Hold.FORGOTTEN)
                && holds.remove(ino, Hold.OPEN)) {
            // The answer came in between.
            master.release(ino);
        }
    }
}
