package io.cairn.nfs;

import io.cairn.cluster.Endpoint;
import io.cairn.nfs.lock.LockPace;
import io.cairn.nfs.rpc.RpcLimits;
import org.jspecify.annotations.Nullable;

/**
 * How a gateway listens. Immutable.
 *
 * @param listen where NFS and MOUNT are served
 * @param mountPort a second port on the same address for MOUNT, for clients that insist; null for
 *     none
 * @param portmapPort a port on the same address for a port mapper of our own, normally 111; null
 *     for none
 * @param rpcbindPort the port of the rpcbind of this machine with which to register, normally 111;
 *     null for no registration
 * @param transferBytes largest READ and WRITE: 4 KiB to 1 MiB
 * @param limits of connections and memory
 * @param lockPace how machines are called back about their locks
 * @param slowMs calls that take longer are logged
 * @param manageGids whether the groups of callers are those that this machine knows, instead of the
 *     16 that clients can send
 */
public record NfsSettings(
        Endpoint listen,
        @Nullable Integer mountPort,
        @Nullable Integer portmapPort,
        @Nullable Integer rpcbindPort,
        int transferBytes,
        RpcLimits limits,
        LockPace lockPace,
        long slowMs,
        boolean manageGids) {
    private static final int MAX_TRANSFER_BYTES = 1 << 20;

    /** The standard settings at an address. */
    public static NfsSettings of(Endpoint listen) {
        return new NfsSettings(
                listen,
                null,
                null,
                null,
                MAX_TRANSFER_BYTES,
                RpcLimits.STANDARD,
                LockPace.STANDARD,
                2000,
                false);
    }

    /** The same with MOUNT on a port of its own, too; 0 takes a free one. */
    public NfsSettings withMountPort(int port) {
        return ports(port, portmapPort, rpcbindPort);
    }

    /** The same with a port mapper; 0 takes a free one. */
    public NfsSettings withPortmapPort(int port) {
        return ports(mountPort, port, rpcbindPort);
    }

    /** The same, registered with an rpcbind. */
    public NfsSettings withRpcbindPort(int port) {
        return ports(mountPort, portmapPort, port);
    }

    /** The same with another time from which on calls are logged. */
    public NfsSettings withSlowMs(long ms) {
        return service(limits, lockPace, ms, manageGids);
    }

    /** The same with the groups of callers from this machine. */
    public NfsSettings withManagedGids() {
        return service(limits, lockPace, slowMs, true);
    }

    /** The same with other limits. */
    public NfsSettings withLimits(RpcLimits newLimits) {
        return service(newLimits, lockPace, slowMs, manageGids);
    }

    /** The same with another pace of callbacks. */
    public NfsSettings withLockPace(LockPace newPace) {
        return service(limits, newPace, slowMs, manageGids);
    }

    private NfsSettings ports(
            @Nullable Integer mount, @Nullable Integer portmap, @Nullable Integer rpcbind) {
        return new NfsSettings(
                listen,
                mount,
                portmap,
                rpcbind,
                transferBytes,
                limits,
                lockPace,
                slowMs,
                manageGids);
    }

    private NfsSettings service(
            RpcLimits newLimits, LockPace newPace, long newSlowMs, boolean newManageGids) {
        return new NfsSettings(
                listen,
                mountPort,
                portmapPort,
                rpcbindPort,
                transferBytes,
                newLimits,
                newPace,
                newSlowMs,
                newManageGids);
    }
}
