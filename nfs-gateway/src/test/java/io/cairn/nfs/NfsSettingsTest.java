package io.cairn.nfs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.cluster.Endpoint;
import io.cairn.nfs.lock.LockPace;
import io.cairn.nfs.rpc.RpcLimits;
import org.junit.jupiter.api.Test;

class NfsSettingsTest {
    private static final Endpoint AT = new Endpoint("127.0.0.1", 2049);

    @Test
    void eachMethodChangesWhatItNames() {
        RpcLimits limits = RpcLimits.STANDARD.withBudgetBytes(12L << 20);
        assertEquals(
                new NfsSettings(AT, 1, 2, 3, 1 << 20, limits, LockPace.STANDARD, 4, true),
                NfsSettings.of(AT)
                        .withMountPort(1)
                        .withPortmapPort(2)
                        .withRpcbindPort(3)
                        .withLimits(limits)
                        .withLockPace(LockPace.STANDARD)
                        .withSlowMs(4)
                        .withManagedGids());
    }
}
