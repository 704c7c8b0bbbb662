package io.cairn.client.lock;

import io.cairn.fs.Lock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which locks this client may hold: those it was granted, and those of requests whose outcome is
 * not known. One that was refused leaves nothing. Thread-safe; never blocks.
 */
final class LockClaims {
    /** Stands for all requests that were granted. */
    private static final long GRANTED = 0;

    /** Somebody who may hold a lock on an inode. */
    record Holder(long ino, Lock.Kind kind, long owner) {}

    /** The requests of each holder that may have set a lock, by inode. */
    private final Map<Long, Map<Holder, Set<Long>>> byInode = new ConcurrentHashMap<>();

    /** A request, with a number above 0, is sent. */
    synchronized void begin(Holder holder, long requestId) {
        byInode.computeIfAbsent(holder.ino, _ -> new HashMap<>())
                .computeIfAbsent(holder, _ -> new HashSet<>())
                .add(requestId);
    }

    /** The request has set a lock. */
    synchronized void grant(Holder holder, long requestId) {
        // The session in which it began may be over: then it was granted in the next one.
        begin(holder, GRANTED);
        refuse(holder, requestId);
    }

    /** The request has set no lock, and never will. */
    synchronized void refuse(Holder holder, long requestId) {
        Map<Holder, Set<Long>> known = byInode.get(holder.ino);
        Set<Long> requests = known == null ? null : known.get(holder);
        if (requests != null && requests.remove(requestId) && requests.isEmpty()) {
            release(holder);
        }
    }

    /** The holder has no locks on the inode any more. */
    synchronized void release(Holder holder) {
        Map<Holder, Set<Long>> known = byInode.get(holder.ino);
        if (known != null && known.remove(holder) != null && known.isEmpty()) {
            byInode.remove(holder.ino);
        }
    }

    synchronized boolean has(Holder holder) {
        Map<Holder, Set<Long>> known = byInode.get(holder.ino);
        return known != null && known.containsKey(holder);
    }

    /** Whether anybody may hold a lock on an inode. */
    boolean has(long ino) {
        return byInode.containsKey(ino);
    }

    /** The session is gone, and all locks with it: the inodes on which there may have been any. */
    synchronized Set<Long> clear() {
        Set<Long> inos = new HashSet<>(byInode.keySet());
        byInode.clear();
        return inos;
    }
}
