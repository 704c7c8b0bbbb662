package io.cairn.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests of strangers, changed at random: an answer or the end, and never a defect. */
class StrangeRequestsTest {
    private static final int ROUNDS = Integer.getInteger("cairn.fuzz.rounds", 150);
    private static final long SEED = Long.getLong("cairn.fuzz.seed", 1);
    private static final int LONGER = 50;
    private static final int MAX_ANSWER_BYTES = 64 << 10;

    /** At most one connection of so many is reset. */
    private static final int MAX_RESETS = 10;

    /** At least one request of so many gets to the handler. */
    private static final int MIN_HEARD = 50;

    /** Refused before a handler hears of it. */
    private static final byte[] REFUSED =
            request(
                    "POST /metrics?a=b HTTP/1.1",
                    "Host: x",
                    "Authorization: Bearer cairn-0123456789",
                    "Content-Type: application/json",
                    "Transfer-Encoding: chunked",
                    "",
                    "10",
                    "{\"name\":\"alice\"}",
                    "0",
                    "",
                    "");

    /** For a handler. */
    private static final byte[] HEARD =
            request(
                    "PUT /api/v1/users/alice?dry-run=%74rue HTTP/1.1",
                    "Host: x",
                    "Authorization: Bearer cairn-0123456789",
                    "Content-Type: application/json; charset=utf-8",
                    "Content-Length: 16",
                    "",
                    "{\"name\":\"alice\"}");

    private final AtomicInteger heard = new AtomicInteger();
    private final AdminServer door =
            new AdminServer(
                    Clock.system(),
                    new Endpoint("127.0.0.1", 0),
                    null,
                    new AdminServer.Pages(List::of, () -> "cairn_up 1\n", () -> "{}"),
                    this::hear);
    private int resets;

    private static byte[] request(String... lines) {
        return String.join("\r\n", lines).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Says what it has heard. */
    private WebAnswer hear(WebRequest request) {
        heard.getAndIncrement();
        String all =
                String.join(
                        " ",
                        request.method(),
                        request.path(),
                        request.query(),
                        String.valueOf(request.header("authorization")),
                        new String(request.body(), StandardCharsets.ISO_8859_1));
        return WebAnswer.of(200, WebAnswer.JSON, WebProblem.quoted(all));
    }

    @AfterEach
    void close() {
        door.close();
    }

    private static byte[] changed(Random random, byte[] sample) {
        byte[] bytes = sample.clone();
        for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] = (byte) random.nextInt();
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes[at] = "\r\n:;, {}\"0f%/".getBytes(StandardCharsets.UTF_8)[at % 12];
                case 3 -> bytes = Arrays.copyOf(bytes, at);
                default -> {
                    bytes = new byte[random.nextInt(sample.length)];
                    random.nextBytes(bytes);
                }
            }
        }
        return bytes;
    }

    /** All that is answered until the server ends the connection; nothing after a reset. */
    private String say(byte[] bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), door.endpoint().port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
            try (InputStream in = socket.getInputStream()) {
                byte[] answer = in.readNBytes(MAX_ANSWER_BYTES + 1);
                assertTrue(answer.length <= MAX_ANSWER_BYTES, "an answer without end");
                return new String(answer, StandardCharsets.ISO_8859_1);
            }
        } catch (SocketException e) {
            // It has closed before it had read everything.
            resets++;
            return "";
        }
    }

    private void run(int rounds) throws IOException {
        Random random = new Random(SEED);
        for (int round = 0; round < rounds; round++) {
            byte[] asked = changed(random, round % 2 == 0 ? REFUSED : HEARD);
            String answer = say(asked);
            assertFalse(
                    answer.startsWith("HTTP/1.1 500"),
                    () -> "%s: %s".formatted(HexFormat.of().formatHex(asked), answer));
        }
        assertTrue(resets <= rounds / MAX_RESETS, resets + " connections are reset");
        assertTrue(heard.get() >= rounds / MIN_HEARD, "few are heard: " + heard);
        byte[] good = "GET /metrics HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.UTF_8);
        assertTrue(say(good).endsWith("cairn_up 1\n"), "others are served");
    }

    @Test
    void unchangedTheyAreRefusedAndHeard() throws IOException {
        assertTrue(say(REFUSED).startsWith("HTTP/1.1 405 "));
        assertEquals(0, heard.get());
        String answer = say(HEARD);
        assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
        String told =
                "PUT /api/v1/users/alice dry-run=%74rue Bearer cairn-0123456789"
                        + " {\"name\":\"alice\"}";
        assertTrue(answer.endsWith(WebProblem.quoted(told)), answer);
        assertEquals(0, resets);
    }

    @Test
    void changedRequestsAreAnsweredOrEnd() throws IOException {
        run(ROUNDS);
    }

    @Test
    @Tag("long")
    @Timeout(3600)
    void forLong() throws IOException {
        run(LONGER * ROUNDS);
    }
}
