package io.cairn.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that are slow: with the head, the body, the answer, the next request, a feed. */
@Timeout(60)
class WebTimeoutsTest {
    private static final int REQUEST_MS = 400;
    private static final int BIG_BYTES = 32 << 20;

    private final CountDownLatch feedEnded = new CountDownLatch(1);
    private final HttpServer door =
            new HttpServer(
                    Clock.system(),
                    new Endpoint("127.0.0.1", 0),
                    null,
                    this::answer,
                    new WebTimeouts(REQUEST_MS, REQUEST_MS, 10_000));
    private final long beganNs = System.nanoTime();

    @AfterEach
    void close() {
        door.close();
    }

    private WebAnswer answer(WebRequest request) {
        return switch (request.path()) {
            case "/big" -> WebAnswer.of(200, "text/plain", new byte[BIG_BYTES]);
            case "/flood" ->
                    WebAnswer.of(
                            "text/event-stream",
                            out -> {
                                try {
                                    while (true) {
                                        out.write(new byte[64 << 10]);
                                    }
                                } finally {
                                    feedEnded.countDown();
                                }
                            });
            default -> WebAnswer.of(200, "text/plain", "well");
        };
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), door.endpoint().port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Sends a byte now and then until the server has closed. */
    private static void dripUntilClosed(Socket socket) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (System.nanoTime() < end) {
            try {
                send(socket, "x");
            } catch (IOException e) {
                return;
            }
            Thread.sleep(20);
        }
        throw new AssertionError("the server still takes what comes");
    }

    /** No limit may strike before its time. */
    private void assertPatient() {
        long elapsedMs = (System.nanoTime() - beganNs) / 1_000_000;
        assertTrue(elapsedMs >= REQUEST_MS, "after " + elapsedMs + " ms");
    }

    @Test
    void aHeadThatDripsIsNotWaitedFor() throws Exception {
        try (Socket socket = connect()) {
            send(socket, "GET / HTTP/1.1\r\nHost: x\r\nx-slow: ");
            dripUntilClosed(socket);
            assertPatient();
        }
    }

    @Test
    void aBodyThatIsLateGets408() throws Exception {
        try (Socket socket = connect()) {
            send(socket, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nx");
            InputStream in = socket.getInputStream();
            String begin = new String(in.readNBytes(12), StandardCharsets.US_ASCII);
            assertEquals("HTTP/1.1 408", begin);
            assertPatient();
            String rest = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(rest.toLowerCase(Locale.ROOT).contains("connection: close"), rest);
            assertTrue(rest.contains("did not arrive within " + REQUEST_MS + " ms"), rest);
        }
    }

    @Test
    void aBodyThatDripsGets408AndTheEnd() throws Exception {
        try (Socket socket = connect()) {
            send(socket, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
            while (socket.getInputStream().available() == 0) {
                send(socket, "x");
                Thread.sleep(20);
            }
            assertPatient();
            String begin =
                    new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
            assertEquals("HTTP/1.1 408", begin);
            dripUntilClosed(socket);
        }
    }

    @Test
    void anAnswerThatNobodyTakesIsGivenUp() throws Exception {
        try (Socket socket = connect()) {
            send(socket, "GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
            InputStream in = socket.getInputStream();
            assertEquals('H', in.read());
            dripUntilClosed(socket);
            assertPatient();
            assertTrue(bytesLeft(in) < BIG_BYTES, "all of it came");
        }
    }

    private static long bytesLeft(InputStream in) throws IOException {
        byte[] buffer = new byte[64 << 10];
        long total = 0;
        try {
            for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
                total += got;
            }
        } catch (SocketException e) {
            // Reset: the end, too.
        }
        return total;
    }

    @Test
    void aConnectionWithoutANextRequestIsClosed() throws Exception {
        try (Socket socket = connect()) {
            send(socket, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            String all =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertTrue(all.startsWith("HTTP/1.1 200") && all.endsWith("well"), all);
            assertPatient();
        }
    }

    @Test
    void aFeedThatNobodyTakesEnds() throws Exception {
        try (Socket socket = connect()) {
            send(socket, "GET /flood HTTP/1.1\r\nHost: x\r\n\r\n");
            assertTrue(feedEnded.await(20, TimeUnit.SECONDS), "the feed goes on");
            assertPatient();
        }
    }
}
