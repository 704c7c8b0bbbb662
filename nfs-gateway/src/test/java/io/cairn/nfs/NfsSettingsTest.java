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
        LockPace pace = new LockPace(5, 6, 7, 8, 9);
        assertEquals(
                new NfsSettings(AT, 1, 2, 3, 1 << 20, limits, pace, 4, true),
                NfsSettings.of(AT)
                        .withMountPort(1)
                        .withPortmapPort(2)
                        .withRpcbindPort(3)
                        .withLimits(limits)
                        .withLockPace(pace)
                        .withSlowMs(4)
                        .withManagedGids());
    }
}
