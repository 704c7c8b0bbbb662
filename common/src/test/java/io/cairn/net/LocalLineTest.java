package io.cairn.net;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.FsException;
import io.cairn.wire.MalformedMessageException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Lines to a service of the same process. */
class LocalLineTest extends LineContract {
    LocalLineTest() {
        super(NetworkRig.inProcess());
    }

    @Test
    void theServiceTakesTheRequestOnTheCallersThread() {
        ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) -> {
                            threads.add(Thread.currentThread());
                            answer.send(request);
                        });
        try (Line line = line(listener)) {
            assertInstanceOf(LocalLine.class, line);
            line.call(bytes("x"), 5_000);
        }
        assertSame(Thread.currentThread(), threads.poll());
    }

    @Test
    void aMalformedRequestEndsTheLine() {
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) -> {
                            throw new MalformedMessageException("expected by the test");
                        });
        try (Line line = line(listener)) {
            assertThrows(FsException.class, () -> line.call(bytes("x"), 5_000));
            assertFalse(line.isOpen());
        }
    }
}
