package io.cairn.nfs;

import io.cairn.cluster.Endpoint;
import io.cairn.nfs.rpc.RpcLimits;
import org.jspecify.annotations.Nullable;

/**
 * How a gateway listens. Immutable.
 *
 * @param listen where NFS and MOUNT are served
 * @param mountPort a second port on the same address for MOUNT, for clients that insist; null for
 *     none
 * @param transferBytes largest READ and WRITE: 4 KiB to 1 MiB
 * @param limits of connections and memory
 */
public record NfsSettings(
        Endpoint listen, @Nullable Integer mountPort, int transferBytes, RpcLimits limits) {
    private static final int MIN_TRANSFER_BYTES = 4096;
    private static final int MAX_TRANSFER_BYTES = 1 << 20;

    /** Refuses transfer sizes out of range. */
    public NfsSettings {
        if (transferBytes < MIN_TRANSFER_BYTES || transferBytes > MAX_TRANSFER_BYTES) {
            throw new IllegalArgumentException(
                    "transfers of " + transferBytes + " bytes; 4096 to 1048576 are possible");
        }
    }

    /** The standard settings at an address. */
    public static NfsSettings of(Endpoint listen) {
        return new NfsSettings(listen, null, MAX_TRANSFER_BYTES, RpcLimits.STANDARD);
    }

    /** The same with MOUNT on a port of its own, too. */
    public NfsSettings withMountPort(int port) {
        return new NfsSettings(listen, port, transferBytes, limits);
    }

    /** The same with other limits. */
    public NfsSettings withLimits(RpcLimits newLimits) {
        return new NfsSettings(listen, mountPort, transferBytes, newLimits);
    }
}
