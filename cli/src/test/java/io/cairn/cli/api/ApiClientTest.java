package io.cairn.cli.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which of several masters is asked, and that no change is made twice. */
final class ApiClientTest {
    private static final ApiRequest READ = ApiRequest.of("GET /cluster");
    private static final ApiRequest CHANGE = ApiRequest.of("POST /masters/{id}/lead", "m2");

    private final List<HttpServer> servers = new ArrayList<>();

    /** What a master does with a request. */
    private interface Master {
        void answer(HttpExchange exchange) throws IOException;
    }

    /** Answers with a status, and counts. */
    private static final class Steady implements Master {
        final AtomicInteger asked = new AtomicInteger();
        private final int status;

        Steady(int status) {
            this.status = status;
        }

        @Override
        public void answer(HttpExchange exchange) throws IOException {
            asked.incrementAndGet();
            byte[] body = "{\"detail\":\"so\"}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        }
    }

    @AfterEach
    void stop() {
        servers.forEach(server -> server.stop(0));
    }

    private URI start(Master master) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", master::answer);
        server.start();
        servers.add(server);
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** An address where nobody listens. */
    private URI dead() throws IOException {
        URI at = start(new Steady(200));
        servers.getLast().stop(0);
        return at;
    }

    private static ApiClient client(URI... bases) {
        return new ApiClient(Stream.of(bases).toList(), "cairn_x", null, Duration.ofSeconds(10));
    }

    @Test
    void theFirstThatAnswersIsAskedAgain() throws Exception {
        Steady second = new Steady(200);
        Steady third = new Steady(200);
        ApiClient client = client(dead(), start(second), start(third));
        client.send(READ);
        client.send(CHANGE);
        assertEquals(2, second.asked.get());
        servers.get(1).stop(0);
        client.send(CHANGE);
        assertEquals(1, third.asked.get());
    }

    @Test
    void noChangeIsSentTwice() throws Exception {
        AtomicInteger broken = new AtomicInteger();
        Steady next = new Steady(200);
        ApiClient client =
                client(
                        start(
                                exchange -> {
                                    broken.incrementAndGet();
                                    exchange.close();
                                }),
                        start(next));
        ApiException failure = assertThrows(ApiException.class, () -> client.send(CHANGE));
        assertEquals(ApiException.UNANSWERED, failure.status());
        assertEquals(1, broken.get());
        assertEquals(0, next.asked.get());
        client.send(READ);
        assertEquals(1, next.asked.get());
    }

    @Test
    void aMasterWithoutALeaderIsLeftForReading() throws Exception {
        Steady lonely = new Steady(503);
        Steady next = new Steady(200);
        ApiClient client = client(start(lonely), start(next));
        assertEquals(503, assertThrows(ApiException.class, () -> client.send(CHANGE)).status());
        assertEquals(0, next.asked.get());
        client.send(READ);
        assertEquals(1, next.asked.get());
        client.send(CHANGE);
        assertEquals(2, next.asked.get());
    }

    @Test
    void whatIsRefusedIsRefusedByAll() throws Exception {
        Steady refusing = new Steady(403);
        Steady next = new Steady(200);
        ApiClient client = client(start(refusing), start(next));
        assertEquals(403, assertThrows(ApiException.class, () -> client.send(READ)).status());
        assertEquals(0, next.asked.get());
    }

    @Test
    void whenNobodyAnswersItIsSaid() throws Exception {
        URI last = dead();
        ApiClient client = client(dead(), last);
        ApiException failure = assertThrows(ApiException.class, () -> client.send(READ));
        assertEquals(ApiException.UNANSWERED, failure.status());
        assertTrue(
                String.valueOf(failure.getMessage()).startsWith(last + " takes no connections"),
                failure.getMessage());
    }
}
