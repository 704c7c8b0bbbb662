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
final class LayoutLatchTest {
    private static final long LONG_MS = 30_000;

    private final Object lock = new Object();

    private void locked(Runnable call) {
        synchronized (lock) {
            call.run();
        }
    }

    @Test
    void otherNewsOfTheFileDoNotUseUpTheTimeOfWhoWaits() throws Exception {
        LayoutLatch gate = new LayoutLatch(lock, LONG_MS);
        locked(gate::close);
        Waiter writer =
                new Waiter(
                        () -> {
                            locked(gate::pass);
                            return true;
                        });
        for (int i = 0; i < 1000; i++) {
            writer.awaitWaiting();
            synchronized (lock) {
                lock.notifyAll();
            }
        }
        assertFalse(writer.isThrough());
        locked(gate::open);
        assertTrue(writer.result());
    }

    @Test
    void aGateThatStaysClosedIsAnError() {
        LayoutLatch gate = new LayoutLatch(lock, 50);
        locked(gate::close);
        FsException error = assertThrows(FsException.class, () -> locked(gate::pass));
        assertEquals(Errno.ETIMEDOUT, error.errno());
        locked(gate::open);
        locked(gate::pass);
    }
}
