package io.cairn.net;

import static io.cairn.net.NetworkRig.LOOPBACK;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What every {@link Line} does. */
public abstract class LineContract {
    public final NetworkRig rig;
    public final EchoHandler echo = new EchoHandler();

    public LineContract(NetworkRig rig) {
        this.rig = rig;
    }

    @AfterEach
    public void close() throws InterruptedException {
        rig.close();
    }

    public final Line line(Listener listener) {
        return Objects.requireNonNull(rig.client.line(listener.endpoint(), 5_000));
    }

    /** A service that does not answer of itself. */
    private Listener listenAndKeep(CompletableFuture<Answer> kept) {
        return rig.server.listen(
                LOOPBACK,
                (from, request, answer) -> {
                    request.release();
                    kept.complete(answer);
                });
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    public void callsAreAnswered() {
        Listener listener = rig.server.listen(LOOPBACK, echo);
        try (Line line = line(listener)) {
            assertEquals(listener.endpoint(), line.remote());
            for (int i = 0; i < 100; i++) {
                byte[] request = bytes("x".repeat(i * 300) + i);
                assertArrayEquals(request, line.call(request, 5_000).header());
            }
            byte[] tooLong = new byte[Line.MAX_REQUEST_BYTES + 1];
            FsException error = assertThrows(FsException.class, () -> line.call(tooLong, 5_000));
            assertEquals(Errno.EINVAL, error.errno());
            assertArrayEquals(bytes("still"), line.call(bytes("still"), 5_000).header());
        }
    }

    @Test
    public void answersMayCarryBulkBytes() {
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) -> {
                            int length = Integer.parseInt(NetworkRig.text(request));
                            answer.send(new Message(request.header(), rig.pattern(length, length)));
                        });
        try (Line line = line(listener)) {
            for (int length : new int[] {1, 4096, 16 << 10, 100_000, 1 << 20, 0, 7}) {
                Message answer = line.call(bytes("" + length), 5_000);
                assertEquals("" + length, NetworkRig.text(answer));
                assertEquals(length, answer.payloadBytes());
                ByteBuf expected = rig.pattern(length, length);
                assertEquals(
                        expected,
                        Objects.requireNonNullElse(answer.payload(), Unpooled.EMPTY_BUFFER));
                expected.release();
                answer.release();
            }
        }
    }

    @Test
    public void bulkBytesThatComeTooLateAreReleased() {
        CompletableFuture<Answer> late = new CompletableFuture<>();
        Listener listener = listenAndKeep(late);
        try (Line line = line(listener)) {
            FsException error = assertThrows(FsException.class, () -> line.call(bytes("x"), 50));
            assertEquals(Errno.ETIMEDOUT, error.errno());
        }
        NetworkRig.get(late).send(new Message(new byte[0], rig.pattern(5000, 1)));
    }

    @Test
    public void anErrorOfTheHandlerLeavesTheLineOpen() {
        Listener listener =
                rig.server.listen(
                        LOOPBACK,
                        (from, request, answer) -> {
                            request.release();
                            throw new FsException(Errno.NOT_LEADER, "master:1");
                        });
        try (Line line = line(listener)) {
            for (int i = 0; i < 2; i++) {
                FsException error =
                        assertThrows(FsException.class, () -> line.call(bytes("x"), 5_000));
                assertEquals(Errno.NOT_LEADER, error.errno());
                assertEquals("master:1", error.getMessage());
            }
            assertTrue(line.isOpen());
        }
    }

    @Test
    public void aCallThatIsNotAnsweredEndsTheLine() {
        CompletableFuture<Answer> never = new CompletableFuture<>();
        Listener listener = listenAndKeep(never);
        try (Line line = line(listener)) {
            FsException error = assertThrows(FsException.class, () -> line.call(bytes("x"), 50));
            assertEquals(Errno.ETIMEDOUT, error.errno());
            assertFalse(line.isOpen());
            error = assertThrows(FsException.class, () -> line.call(bytes("x"), 50));
            assertEquals(Errno.DISCONNECTED, error.errno());
        }
        never.join().fail(new FsException(Errno.EIO));
    }

    @Test
    public void closingFailsTheCallInProgress() throws Exception {
        failsACall((line, listener) -> line.close());
    }

    @Test
    public void theEndOfTheServiceFailsTheCallInProgress() throws Exception {
        failsACall((line, listener) -> listener.close());
    }

    private void failsACall(BiConsumer<Line, Listener> ending) throws Exception {
        CompletableFuture<Answer> never = new CompletableFuture<>();
        Listener listener = listenAndKeep(never);
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
        Answer answer = never.get(5, TimeUnit.SECONDS);
        ending.accept(line, listener);
        assertEquals(Errno.DISCONNECTED, ended.get(5, TimeUnit.SECONDS));
        caller.join(5_000);
        assertFalse(line.isOpen());
        answer.fail(new FsException(Errno.EIO));
    }
}
