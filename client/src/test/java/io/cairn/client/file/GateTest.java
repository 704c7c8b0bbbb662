package io.cairn.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.Waiter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class GateTest {
    private static final long LONG_MS = 30_000;

    private final Object lock = new Object();

    @Test
    void otherNewsOfTheFileDoNotUseUpTheTimeOfWhoWaits() throws Exception {
        Gate gate = new Gate(lock, LONG_MS);
        gate.close();
        Waiter writer =
                new Waiter(
                        () -> {
                            gate.pass();
                            return true;
                        });
        for (int i = 0; i < 1000; i++) {
            writer.awaitWaiting();
            synchronized (lock) {
                lock.notifyAll();
            }
        }
        assertFalse(writer.isThrough());
        gate.open();
        assertTrue(writer.result());
    }

    @Test
    void aGateThatStaysClosedIsAnError() {
        Gate gate = new Gate(lock, 50);
        gate.close();
        FsException error = assertThrows(FsException.class, gate::pass);
        assertEquals(Errno.ETIMEDOUT, error.errno());
        gate.open();
        gate.pass();
    }
}
