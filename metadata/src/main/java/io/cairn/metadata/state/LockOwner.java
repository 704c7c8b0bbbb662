package io.cairn.metadata.state;

import io.cairn.metadata.lock.HostTable;

/**
 * The holder of a lock, or one that waits for it: an owner within its session or, negative, the
 * machine behind a gateway that {@link HostTable} knows. Ordered so that all owners of a session
 * are neighbours.
 *
 * @param session the session or machine
 * @param owner the opaque number of the owner, chosen by the client
 */
public record LockOwner(long session, long owner) implements Comparable<LockOwner> {
    @Override
    public int compareTo(LockOwner other) {
        int bySession = Long.compareUnsigned(session, other.session);
        return bySession != 0 ? bySession : Long.compareUnsigned(owner, other.owner);
    }
}
