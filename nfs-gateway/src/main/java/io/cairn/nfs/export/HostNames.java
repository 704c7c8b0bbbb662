package io.cairn.nfs.export;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** The name service for machines. Thread-safe; may block for some seconds. */
public interface HostNames {
    /** Nobody has a name. */
    HostNames NONE =
            new HostNames() {
                @Override
                public @Nullable String nameOf(InetAddress address) {
                    return null;
                }

                @Override
                public boolean isMember(String netgroup, String host) {
                    return false;
                }
            };

    /**
     * The whole name of a machine, if the name leads back to its address: who may choose what the
     * reverse entry of his address says must not become another machine by it. Null when there is
     * none.
     */
    @Nullable String nameOf(InetAddress address);

    /** Whether a host, by name or by address, is in a netgroup, as innetgr(3) has it. */
    boolean isMember(String netgroup, String host);
}
