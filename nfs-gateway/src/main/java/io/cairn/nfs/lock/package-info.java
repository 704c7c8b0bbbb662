/**
 * Locks over NFS: NLM version 4 (program 100021; RFC 1813, 6, over the X/Open specification of NLM)
 * and the status monitor NSM version 1 (program 100024), over {@link io.cairn.fs.HostLocks}.
 *
 * <p>Locks belong to the client machine and live in the replicated state. A gateway keeps nothing
 * but the requests that wait ({@link io.cairn.nfs.lock.BlockedLocks}); when it ends they are
 * forgotten, and clients, which repeat them anyway, find another gateway. So nothing is lost that
 * would have to be reclaimed, and there is no time after a start in which only reclaims are
 * allowed: DENIED_GRACE_PERIOD only tells that the cluster cannot answer now, and makes clients ask
 * again.
 *
 * <p>A machine is known by the name it gives and the address it calls from; see {@link
 * io.cairn.fs.LockHost}. An owner within it is the {@code svid} of a lock, as in other servers.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.nfs.lock;
