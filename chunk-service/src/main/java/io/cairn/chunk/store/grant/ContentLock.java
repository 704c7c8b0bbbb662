package io.cairn.chunk.store.grant;

import io.cairn.chunk.store.format.BlobKey;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Held by a thread that changes the data or the map of a blob, opens or closes it: it keeps readers
 * away. So it does with clients that read the file themselves, by ending the grant of the blob.
 * Thread-safe.
 */
public final class ContentLock {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final Grants grants;
    private final BlobKey key;

    /** The lock of a blob. */
    public ContentLock(Grants grants, BlobKey key) {
        this.grants = grants;
        this.key = key;
    }

    /** The lock of readers. */
    public Lock reading() {
        return lock.readLock();
    }

    /** On return nobody reads, or believes what was read meanwhile. */
    public void lock() {
        lock.writeLock().lock();
        grants.end(key);
    }

    /** Readers may come again. */
    public void unlock() {
        lock.writeLock().unlock();
    }
}
