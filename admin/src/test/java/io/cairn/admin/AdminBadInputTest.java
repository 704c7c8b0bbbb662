package io.cairn.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.api.Records;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Tokens;
import io.cairn.wire.master.RecordChange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What clients send that they should not, over bare sockets where an HTTP library would refuse. */
@Timeout(120)
class AdminBadInputTest {
    @TempDir Path directory;
    private AdminBench bench;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private Socket socket() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), bench.door.endpoint().port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Sends bytes and returns all that comes until the connection ends. */
    private String raw(String request) throws IOException {
        try (Socket socket = socket()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String head(String method, String path) {
        return "%s /api/v1%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                .formatted(method, path, bench.token);
    }

    private static final String END = "Connection: close\r\n\r\n";

    @Test
    void hugeHeadersAndAddressesAreRefused() throws Exception {
        String headers = "X-Filler: " + "x".repeat(30_000) + "\r\n";
        assertTrue(raw(head("GET", "/cluster") + headers + END).startsWith("HTTP/1.1 431 "));
        assertTrue(raw(head("GET", "/" + "x".repeat(30_000)) + END).startsWith("HTTP/1.1 414 "));
        assertEquals(200, bench.send(bench.to("/cluster")).statusCode());
    }

    @Test
    void aBodyOverTheLimitIsRefusedBeforeAndWhileItComes() throws Exception {
        String told = head("POST", "/tokens") + "Content-Length: 1048577\r\n" + END;
        String answer = raw(told);
        assertTrue(answer.startsWith("HTTP/1.1 413 "), answer);
        assertTrue(answer.contains("urn:cairn:problem:body-too-large"), answer);
        String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
        String chunked =
                head("POST", "/tokens") + "Transfer-Encoding: chunked\r\n" + END + chunk.repeat(17);
        assertTrue(raw(chunked).startsWith("HTTP/1.1 413 "));
        assertEquals(1, bench.items("/tokens").size());
    }

    @Test
    void halfARequestDoesNothing() throws Exception {
        String body = "{\"name\":\"half\",\"role\":\"read\"}";
        try (Socket socket = socket()) {
            String half =
                    head("POST", "/tokens")
                            + "Content-Type: application/json\r\nContent-Length: "
                            + (body.length() + 1)
                            + "\r\n\r\n"
                            + body;
            socket.getOutputStream().write(half.getBytes(StandardCharsets.UTF_8));
            socket.shutdownOutput();
            assertEquals(-1, socket.getInputStream().read());
        }
        assertEquals(1, bench.items("/tokens").size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET /cluster",
                "GET /api/v1/cluster HTTP/9.9",
                "GET http://evil.example/api/v1/cluster HTTP/1.1",
                "GET  HTTP/1.1",
                "G\u0001T / HTTP/1.1"
            })
    void whatIsNotHttpIsABadRequest(String line) throws Exception {
        String answer = raw(line + "\r\nHost: localhost\r\n" + END);
        assertTrue(answer.isEmpty() || answer.startsWith("HTTP/1.1 400 "), answer);
        assertEquals(200, bench.send(bench.to("/cluster")).statusCode());
    }

    @Test
    void twoLengthsAreNotSmuggled() throws Exception {
        String smuggled =
                head("POST", "/tokens")
                        + "Content-Type: application/json\r\nContent-Length: 4\r\n"
                        + "Content-Length: 60\r\n\r\n{}\r\n";
        String answer = raw(smuggled);
        assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
    }

    @Test
    void aRequestNeedsAHostThatWeKnow() throws Exception {
        String noHost = "GET /api/v1/cluster HTTP/1.1\r\n" + END;
        assertTrue(raw(noHost).startsWith("HTTP/1.1 400 "));
        for (String host : List.of("evil.example", "localhost.evil.example")) {
            String answer = raw("GET / HTTP/1.1\r\nHost: " + host + "\r\n" + END);
            assertTrue(answer.startsWith("HTTP/1.1 421 "), host + ": " + answer);
        }
        // RFC 9112, 3.2: what cannot be a host is a bad request.
        for (String host : List.of("a b", "[::1")) {
            String answer = raw("GET / HTTP/1.1\r\nHost: " + host + "\r\n" + END);
            assertTrue(answer.startsWith("HTTP/1.1 400 "), host + ": " + answer);
        }
        for (String host : List.of("localhost:80", "127.0.0.1", "[::1]:9870", "Admin.Example")) {
            String answer = raw("GET / HTTP/1.1\r\nHost: " + host + "\r\n" + END);
            assertTrue(answer.startsWith("HTTP/1.1 404 ") || answer.startsWith("HTTP/1.1 200 "));
        }
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrder() throws Exception {
        String three =
                String.join(
                        "\r\n",
                        head("GET", "/configuration"),
                        head("HEAD", "/cluster"),
                        head("GET", "/tokens/first") + END);
        String answer = raw(three);
        assertEquals(3, answer.split("HTTP/1.1 200 OK", -1).length - 1, answer);
        assertTrue(answer.indexOf("standardReplicas") < answer.indexOf("\"name\":\"first\""));
        assertFalse(answer.contains("\"clusterId\""), "HEAD has no body");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST|/tokens|{\"name\":7,\"role\":\"read\"}|name",
                "POST|/tokens|{\"name\":\"a b\",\"role\":\"read\"}|name",
                "POST|/tokens|{\"name\":\"x\",\"role\":\"king\"}|role",
                "POST|/tokens|{\"name\":\"x\"}|role",
                "POST|/tokens|{\"name\":\"x\",\"role\":\"read\",\"rôle\":1}|rôle",
                "POST|/tokens|{\"name\":\"x\",\"role\":\"read\",\"expiresAt\":\"soon\"}|expiresAt",
                "PATCH|/configuration|{\"standardReplicas\":\"2\"}|standardReplicas",
                "PATCH|/configuration|{\"standardReplicas\":2.5}|standardReplicas",
                "PATCH|/configuration|{\"standardReplicas\":99999999999999999999}|standardReplicas",
                "PATCH|/configuration|{\"standardReplicas\":-1}|standardReplicas",
                "PATCH|/configuration|{\"logLevels\":[]}|logLevels",
                "PUT|/exports|{\"lines\":\"/ *\"}|lines",
                "PUT|/exports|{\"lines\":[1]}|lines[0]",
                "POST|/exports|{}|line",
                "POST|/mount-rules|{\"rule\":\"/ 10.0.0.0/8(rx)\"}|rule",
                "POST|/mount-rules|{\"rule\":\"/no/such 10.0.0.0/8(rw)\"}|rule",
                "POST|/mount-rules|{\"rule\":\"/ *(deny=unlnk)\"}|rule",
                "POST|/mount-rules|{\"rule\":\"/ *\",\"at\":0}|at",
                "POST|/mount-rules|{\"rule\":\"/ *\",\"user\":\"a b\"}|rule",
                "POST|/mount-users|{\"name\":\"a b\",\"verifier\":\"x\"}|name",
                "POST|/mount-users|{\"name\":\"a\",\"verifier\":\"x\"}|verifier",
                "POST|/mount-users|{\"name\":\"a\"}|verifier"
            })
    void wrongFieldsAreNamed(String method, String path, String body, String field)
            throws Exception {
        HttpResponse<String> answer = bench.change(method, path, body);
        assertEquals(400, answer.statusCode(), answer.body());
        assertEquals(field, AdminBench.object(answer).get("field"), answer.body());
        assertEquals(
                "application/problem+json", answer.headers().firstValue("content-type").orElse(""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"name\":",
                "[]",
                "null",
                "\"text\"",
                "{\"name\":\"x\",\"name\":\"y\",\"role\":\"read\"}",
                "{\"name\":\"x\",\"role\":\"read\"} {}",
                "{\"name\":\"x\",\"role\":\"read\"}garbage"
            })
    void whatIsNotOneJsonObjectIsMalformed(String body) throws Exception {
        HttpResponse<String> answer = bench.change("POST", "/tokens", body);
        assertEquals(400, answer.statusCode(), answer.body());
        assertEquals(1, bench.items("/tokens").size());
    }

    @Test
    void deepJsonIsMalformed() throws Exception {
        String deep = "{\"a\":".repeat(20_000) + "1" + "}".repeat(20_000);
        assertEquals(400, bench.change("POST", "/tokens", deep).statusCode());
    }

    @Test
    void typesAreAskedFor() throws Exception {
        String body = "{\"name\":\"x\",\"role\":\"read\"}";
        HttpResponse<String> plain =
                bench.send(
                        bench.to("/tokens")
                                .header("Content-Type", "text/plain")
                                .method("POST", HttpRequest.BodyPublishers.ofString(body)));
        assertEquals(415, plain.statusCode());
        HttpResponse<String> picture =
                bench.send(bench.to("/cluster").header("Accept", "image/png"));
        assertEquals(406, picture.statusCode());
    }

    @Test
    void addressesThatAreNotPercentEncodedAreMalformed() throws Exception {
        assertTrue(raw(head("GET", "/servers/%zz") + END).startsWith("HTTP/1.1 400 "));
        assertTrue(raw(head("GET", "/servers/%") + END).startsWith("HTTP/1.1 400 "));
        assertTrue(raw(head("GET", "/groups?state=%ff") + END).startsWith("HTTP/1.1 400 "));
        assertTrue(raw(head("GET", "/groups?limit=1&limit=2") + END).startsWith("HTTP/1.1 400 "));
        assertTrue(raw(head("GET", "/servers/%ff") + END).startsWith("HTTP/1.1 404 "));
        assertTrue(raw(head("GET", "/../../etc/passwd") + END).startsWith("HTTP/1.1 404 "));
    }

    @Test
    void noFileOutsideOfTheConsoleIsServed() throws Exception {
        for (String path :
                List.of(
                        "/..%2f..%2fetc/passwd",
                        "//etc/passwd", "/.hidden", "/a/./b.js", "/nothing.js")) {
            String answer = raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + END);
            assertTrue(answer.startsWith("HTTP/1.1 404 "), path + ": " + answer);
        }
        String above = raw("GET /../AdminApi.class HTTP/1.1\r\nHost: localhost\r\n" + END);
        assertTrue(above.startsWith("HTTP/1.1 400 "), above);
        String post = raw("POST /index.html HTTP/1.1\r\nHost: localhost\r\n" + END);
        assertTrue(post.startsWith("HTTP/1.1 405 "), post);
    }

    @Test
    void anExpiredTokenIsRefusedByName() throws Exception {
        String secret = "cairn_expired";
        Tokens.Token old =
                new Tokens.Token(
                        "old",
                        Role.ADMIN,
                        Tokens.hash(secret),
                        "2001-01-01T00:00:00Z",
                        "2002-01-01T00:00:00Z",
                        0);
        new Records(bench.master.service).change(new RecordChange("token/old", 0, old.stored()));
        HttpResponse<String> answer = bench.send(bench.to("/cluster", secret));
        assertEquals(401, answer.statusCode());
        assertTrue(answer.body().contains("'old' expired"), answer.body());
        assertTrue(bench.send(bench.to("/tokens/old")).body().contains("\"expired\":true"));
    }

    @Test
    void aClientThatReadsSlowlyGetsAllInTheEnd() throws Exception {
        try (Socket socket = socket()) {
            socket.setReceiveBufferSize(16 << 10);
            OutputStream out = socket.getOutputStream();
            String request = head("GET", "/openapi.json") + "\r\n";
            for (int i = 0; i < 3; i++) {
                out.write(request.getBytes(StandardCharsets.ISO_8859_1));
            }
            out.write((head("GET", "/cluster") + END).getBytes(StandardCharsets.ISO_8859_1));
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            InputStream in = socket.getInputStream();
            byte[] piece = new byte[4096];
            for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                all.write(piece, 0, n);
            }
            String text = all.toString(StandardCharsets.UTF_8);
            assertEquals(4, text.split("HTTP/1.1 200 OK", -1).length - 1);
        }
    }

    @Test
    void manyConnectionsThatSayNothingDoNotKeepOthersOut() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                silent.add(socket());
            }
            assertEquals(200, bench.send(bench.to("/cluster")).statusCode());
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }
}
