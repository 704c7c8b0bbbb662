package io.cairn.net;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.fs.Errno;
import io.cairn.fs.FsException;
import io.cairn.wire.MalformedMessageException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
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

    @Test
    void bulkyAnswersAreRefused() {
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) ->
                                answer.send(new Message(new byte[0], rig.pattern(10, 0))));
        try (Line line = line(listener)) {
            FsException error = assertThrows(FsException.class, () -> line.call(bytes("x"), 5_000));
            assertEquals(Errno.EPROTO, error.errno());
        }
    }

    @Test
    void theEndOfTheServiceFailsTheCallInProgress() throws Exception {
        CompletableFuture<Answer> never = new CompletableFuture<>();
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) -> {
                            request.release();
                            never.complete(answer);
                        });
        Line line = line(listener);
        CompletableFuture<Errno> ended = new CompletableFuture<>();
        Thread caller =
                new Thread(
                        () -> {
                            try {
                                line.call(bytes("x"), 60_000);
                            } catch (FsException e) {
                                ended.complete(e.errno());
                            }
                        });
        caller.start();
        never.get(5, TimeUnit.SECONDS);
        listener.close();
        assertEquals(Errno.DISCONNECTED, ended.get(5, TimeUnit.SECONDS));
        caller.join(5_000);
        assertFalse(line.isOpen());
    }
}
