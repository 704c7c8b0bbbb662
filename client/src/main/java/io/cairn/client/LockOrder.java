package io.cairn.client;

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

    /** After a lock was granted; never blocks. */
    @Override
    public void forget(long ino) {
        mount.cache().forgetAttributes(ino);
        InodeState state = open.get(ino);
        if (state != null) {
            state.expire();
        }
    }

    /** Before a lock is given back. */
    @Override
    public void commit(long ino) {
        InodeState state = open.get(ino);
        if (state != null) {
            Await.get(state.commitOrGiveUp(), 2 * mount.timeoutMs());
        }
    }
}
