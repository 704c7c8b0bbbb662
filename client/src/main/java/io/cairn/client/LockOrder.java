package io.cairn.client;

import io.cairn.base.FsException;
import io.cairn.client.file.Mount;
import io.cairn.client.file.OpenInode;
import io.cairn.client.file.OpenInodes;
import io.cairn.client.lock.FileLocks;
import io.cairn.client.session.Await;
import io.cairn.fs.Lock;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;

/**
 * Locks order reads and writes: who holds one sees what its holder before wrote. Thread-safe;
 * blocks.
 */
final class LockOrder implements MachineLocks.Freshness {
    private final Mount mount;
    private final OpenInodes open;

    LockOrder(Mount mount, OpenInodes open) {
        this.mount = mount;
        this.open = open;
    }

    /** Sets a lock, which shows what others wrote, or gives one back after what it covered. */
    void set(FileLocks locks, long ino, Lock lock, long waitMs) {
        if (lock.mode() == Lock.Mode.UNLOCK) {
            if (locks.mayHold(ino, lock.kind(), lock.owner())) {
                commit(ino);
            }
            long _ = locks.set(ino, lock, 0);
            return;
        }
        long version = locks.set(ino, lock, waitMs);
        refresh(ino, version);
    }

    /** After a lock was granted, which told the version. */
    @Override
    public void refresh(long ino, long version) {
        if (!isKnown(ino, version)) {
            try {
                Reply fresh = mount.master().ask(new Query.GetInode(ino));
                open.adopt(Await.expect(fresh, Reply.EntryReply.class).inode());
            } catch (FsException e) {
                // The lock is held all the same; who reads asks again.
                forget(ino);
            }
        }
    }

    private boolean isKnown(long ino, long version) {
        OpenInode state = open.get(ino);
        if (state == null) {
            mount.cache().forgetAttributes(ino);
            return true;
        }
        return state.isConfirmed(version);
    }

    /** After a lock was granted to a machine; never blocks. */
    @Override
    public void forget(long ino) {
        mount.cache().forgetAttributes(ino);
        OpenInode state = open.get(ino);
        if (state != null) {
            state.expire();
        }
    }

    /** Before a lock is given back. */
    @Override
    public void commit(long ino) {
        OpenInode state = open.get(ino);
        if (state != null) {
            Await.get(state.commitOrGiveUp(), 2 * mount.timeoutMs());
        }
    }
}
