package io.cairn.http;

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
import java.util.List;
import java.util.Random;
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
    private static final byte[] REQUEST =
            String.join(
                            "\r\n",
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
                            "")
                    .getBytes(StandardCharsets.ISO_8859_1);

    private final AdminServer door =
            new AdminServer(
                    Clock.system(),
                    new Endpoint("127.0.0.1", 0),
                    new AdminServer.Pages(List::of, () -> "cairn_up 1\n", () -> "{}"));

    @AfterEach
    void close() {
        door.close();
    }

    private static byte[] changed(Random random) {
        byte[] bytes = REQUEST.clone();
        for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] = (byte) random.nextInt();
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes[at] = "\r\n:;, {}\"0f%/".getBytes(StandardCharsets.UTF_8)[at % 12];
                case 3 -> bytes = Arrays.copyOf(bytes, at);
                default -> {
                    bytes = new byte[random.nextInt(REQUEST.length)];
                    random.nextBytes(bytes);
                }
            }
        }
        return bytes;
    }

    /** All that is answered until the server ends the connection. */
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
            return "";
        }
    }

    private void run(int rounds) throws IOException {
        Random random = new Random(SEED);
        for (int round = 0; round < rounds; round++) {
            String answer = say(changed(random));
            assertFalse(
                    answer.startsWith("HTTP/1.1 500"),
                    "seed %d, round %d: %s".formatted(SEED, round, answer));
        }
        byte[] good = "GET /metrics HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.UTF_8);
        assertTrue(say(good).endsWith("cairn_up 1\n"), "others are served");
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
