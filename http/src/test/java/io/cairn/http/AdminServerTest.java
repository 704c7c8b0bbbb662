package io.cairn.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AdminServerTest {
    private volatile List<String> reasons = List.of();
    private final AdminServer door =
            new AdminServer(
                    Clock.system(),
                    new Endpoint("127.0.0.1", 0),
                    new AdminServer.Pages(
                            () -> reasons,
                            () -> "cairn_up 1\n",
                            () -> {
                                if (reasons.contains("defect")) {
                                    throw new IllegalStateException("expected by the test");
                                }
                                return "{}";
                            }));
    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        http.close();
        door.close();
    }

    private HttpResponse<String> ask(String method, String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://" + door.endpoint() + path))
                        .timeout(Duration.ofSeconds(60))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void aliveAndReady() throws Exception {
        HttpResponse<String> live = ask("GET", "/health/live");
        assertEquals(200, live.statusCode());
        assertEquals("{\"live\":true}\n", live.body());
        HttpResponse<String> ready = ask("GET", "/health/ready?verbose=1");
        assertEquals(200, ready.statusCode());
        assertEquals("{\"ready\":true}\n", ready.body());
    }

    @Test
    void notReadySaysWhy() throws Exception {
        reasons = List.of("no \"leader\"", "line\nbreak");
        HttpResponse<String> ready = ask("GET", "/health/ready");
        assertEquals(503, ready.statusCode());
        assertEquals(
                "{\"ready\":false,\"reasons\":[\"no \\\"leader\\\"\",\"line\\u000abreak\"]}\n",
                ready.body());
        assertEquals(200, ask("GET", "/health/live").statusCode());
    }

    @Test
    void metricsAndStatusHaveTheirTypes() throws Exception {
        HttpResponse<String> metrics = ask("GET", "/metrics");
        assertEquals("cairn_up 1\n", metrics.body());
        assertEquals(
                "text/plain; version=0.0.4; charset=utf-8",
                metrics.headers().firstValue("content-type").orElse(""));
        HttpResponse<String> status = ask("GET", "/status");
        assertEquals("{}", status.body());
        assertEquals("application/json", status.headers().firstValue("content-type").orElse(""));
    }

    @Test
    void headHasNoBody() throws Exception {
        HttpResponse<String> head = ask("HEAD", "/metrics");
        assertEquals(200, head.statusCode());
        assertEquals("", head.body());
        assertEquals("11", head.headers().firstValue("content-length").orElse(""));
    }

    @Test
    void othersAreRefused() throws Exception {
        assertEquals(404, ask("GET", "/").statusCode());
        assertEquals(404, ask("GET", "/health").statusCode());
        HttpResponse<String> post = ask("POST", "/metrics");
        assertEquals(405, post.statusCode());
        assertEquals("GET, HEAD", post.headers().firstValue("allow").orElse(""));
        assertEquals(405, ask("DELETE", "/status").statusCode());
    }

    @Test
    void aFailingPageIsAnErrorOfTheServer() throws Exception {
        reasons = List.of("defect");
        assertEquals(500, ask("GET", "/status").statusCode());
        assertEquals(200, ask("GET", "/metrics").statusCode());
    }

    private String raw(byte[] bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), door.endpoint().port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
            try (InputStream in = socket.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            }
        }
    }

    @Test
    void whatIsNotHttpIsABadRequest() throws Exception {
        String answer = raw("CAIRN\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
        assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
        String longLine = "GET /" + "a".repeat(20_000) + " HTTP/1.1\r\n\r\n";
        String refused = raw(longLine.getBytes(StandardCharsets.ISO_8859_1));
        assertTrue(refused.startsWith("HTTP/1.1 414 "), refused);
        assertEquals(200, ask("GET", "/health/live").statusCode());
    }

    @Test
    void anOldClientIsServed() throws IOException {
        String answer = raw("GET /health/live HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
        assertTrue(answer.endsWith("{\"live\":true}\n"), answer);
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrder() throws IOException {
        String three =
                String.join(
                        " HTTP/1.1\r\nHost: x\r\n",
                        "GET /health/live",
                        "\r\nHEAD /metrics",
                        "\r\nGET /metrics",
                        "Connection: close\r\n\r\n");
        String answer = raw(three.getBytes(StandardCharsets.UTF_8));
        assertEquals(4, answer.split("HTTP/1.1 200 OK", -1).length);
        assertEquals(1, answer.split("cairn_up 1", -1).length - 1);
        assertTrue(answer.indexOf("live") < answer.indexOf("cairn_up"), answer);
    }

    @Test
    void aPortInUseIsNamed() {
        FsException error =
                assertThrows(
                        FsException.class,
                        () ->
                                new AdminServer(
                                        Clock.system(),
                                        door.endpoint(),
                                        new AdminServer.Pages(List::of, () -> "", () -> "")));
        assertEquals(Errno.EBUSY, error.errno());
        assertTrue(String.valueOf(error.getMessage()).contains(door.endpoint().toString()));
    }
}
