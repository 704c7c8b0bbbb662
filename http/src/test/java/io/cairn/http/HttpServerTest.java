package io.cairn.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class HttpServerTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir Path directory;
    private final CountDownLatch ended = new CountDownLatch(1);
    private @Nullable HttpServer door;

    @AfterEach
    void close() {
        if (door != null) {
            door.close();
        }
    }

    private HttpServer open(@Nullable WebCertificate certificate) {
        HttpServer opened =
                new HttpServer(
                        Clock.system(),
                        new Endpoint("127.0.0.1", 0),
                        certificate,
                        this::answer,
                        new WebTimeouts(HttpServer.REQUEST_MS, 15_000, 50));
        door = opened;
        return opened;
    }

    private WebAnswer answer(WebRequest request) {
        return switch (request.path()) {
            case "/echo" -> WebAnswer.of(200, "text/plain", request.body());
            case "/feed" ->
                    WebAnswer.of(
                            "text/event-stream",
                            out -> {
                                try {
                                    while (true) {
                                        out.write("tick\n".getBytes(StandardCharsets.UTF_8));
                                        Thread.sleep(20);
                                    }
                                } finally {
                                    ended.countDown();
                                }
                            });
            default -> throw new IllegalStateException("expected by the test");
        };
    }

    private static HttpRequest request(String scheme, HttpServer at, String path, byte[] body) {
        URI uri = URI.create(scheme + "://localhost:" + at.endpoint().port() + path);
        return HttpRequest.newBuilder(uri)
                .version(HttpClient.Version.HTTP_1_1)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
    }

    @Test
    void aBodyUpToTheLimitArrivesAndGoesBack() throws Exception {
        HttpServer at = open(null);
        byte[] body = new byte[HttpServer.MAX_BODY_BYTES];
        body[body.length - 1] = 7;
        try (HttpClient http = HttpClient.newHttpClient()) {
            for (int i = 0; i < 3; i++) {
                HttpResponse<byte[]> echo =
                        http.send(
                                request("http", at, "/echo", body),
                                HttpResponse.BodyHandlers.ofByteArray());
                assertEquals(200, echo.statusCode());
                assertEquals(body.length, echo.body().length);
                assertEquals(7, echo.body()[body.length - 1]);
            }
            HttpResponse<String> failed =
                    http.send(
                            request("http", at, "/defect", new byte[0]),
                            HttpResponse.BodyHandlers.ofString());
            assertEquals(500, failed.statusCode());
            assertTrue(failed.body().contains("urn:cairn:problem:defect"), failed.body());
        }
    }

    private static Socket connect(HttpServer at) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), at.endpoint().port());
        socket.setSoTimeout(30_000);
        return socket;
    }

    private static boolean isServed(Socket socket) throws IOException {
        String request = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n";
        try {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return socket.getInputStream().read() == 'H';
        } catch (SocketException e) {
            return false;
        }
    }

    @Test
    void oneAddressGetsHalfOfTheConnectionsAndThePlaceOfThoseThatGo() throws Exception {
        HttpServer at = open(null);
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < HttpServer.MAX_CONNECTIONS / 2; i++) {
                // Several threads accept: the order of the next one is certain only afterwards.
                sockets.add(connect(at));
                assertTrue(isServed(sockets.getLast()), "connection " + i);
            }
            try (Socket beyond = connect(at)) {
                assertFalse(isServed(beyond), "one too many is served");
            }
            sockets.getFirst().close();
            assertTrue(isServedSoon(at), "the place of one that has gone stays taken");
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static boolean isServedSoon(HttpServer at) throws Exception {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (System.nanoTime() < endNs) {
            try (Socket next = connect(at)) {
                if (isServed(next)) {
                    return true;
                }
            }
            Thread.sleep(20);
        }
        return false;
    }

    @Test
    void aFeedEndsWhenItsClientGoes() throws Exception {
        HttpServer at = open(null);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), at.endpoint().port())) {
            socket.setSoTimeout(30_000);
            String request = "GET /feed HTTP/1.1\r\nHost: x\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            String begin = new String(in.readNBytes(300), StandardCharsets.UTF_8);
            String headers = begin.toLowerCase(Locale.ROOT);
            assertTrue(headers.contains("transfer-encoding: chunked"), begin);
            assertTrue(headers.contains("x-accel-buffering: no"), "a proxy gathers it: " + begin);
            assertTrue(begin.contains("tick"), begin);
        }
        assertTrue(ended.await(20, TimeUnit.SECONDS), "the feed goes on");
    }

    @Test
    void aFeedEndsWhenTheDoorCloses() throws Exception {
        HttpServer at = open(null);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), at.endpoint().port())) {
            String request = "GET /feed HTTP/1.1\r\nHost: x\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            // The header comes before the feed has begun, and one that has not need not end.
            String begin =
                    new String(socket.getInputStream().readNBytes(300), StandardCharsets.UTF_8);
            assertTrue(begin.contains("tick"), begin);
            at.close();
            assertTrue(ended.await(20, TimeUnit.SECONDS), "the feed goes on");
        }
    }

    /** A key and a certificate for localhost, made by the JDK's keytool. */
    private KeyStore keys(String name) throws Exception {
        Path store = directory.resolve(name + ".p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                "web",
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=localhost",
                                "-ext",
                                "san=dns:localhost,dns:*.Cairn.example",
                                "-storetype",
                                "PKCS12",
                                "-storepass",
                                new String(PASSWORD),
                                "-keystore",
                                store.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("keytool.log").toFile())
                        .start();
        assertTrue(keytool.waitFor(50, TimeUnit.SECONDS));
        assertEquals(0, keytool.exitValue(), Files.readString(directory.resolve("keytool.log")));
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        return keys;
    }

    private Path pem(String type, byte[] bytes) throws IOException {
        Path file = directory.resolve(type.replace(' ', '_') + ".pem");
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(
                file, "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
    }

    private static SSLContext trusting(KeyStore keys) throws Exception {
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("web", keys.getCertificate("web"));
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private static boolean isTrusted(HttpServer at, SSLContext context) throws Exception {
        try (HttpClient http = HttpClient.newBuilder().sslContext(context).build()) {
            return http.send(
                                    request("https", at, "/echo", new byte[0]),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (SSLException e) {
            return false;
        }
    }

    @Test
    void aNewCertificateIsTakenAndOneThatIsNoneIsNot() throws Exception {
        KeyStore first = keys("first");
        Path chain = pem("CERTIFICATE", first.getCertificate("web").getEncoded());
        Path key = pem("PRIVATE KEY", first.getKey("web", PASSWORD).getEncoded());
        HttpServer at = open(WebCertificate.read(chain, key));
        assertTrue(isTrusted(at, trusting(first)));
        KeyStore second = keys("second");
        pem("PRIVATE KEY", second.getKey("web", PASSWORD).getEncoded());
        pem("CERTIFICATE", second.getCertificate("web").getEncoded());
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!isTrusted(at, trusting(second))) {
            assertTrue(System.nanoTime() < endNs, "the old certificate stays");
            Thread.sleep(20);
        }
        assertFalse(isTrusted(at, trusting(first)));
        Files.writeString(chain, "nothing");
        Thread.sleep(200);
        assertTrue(isTrusted(at, trusting(second)), "the last good one has gone");
        FsException other =
                assertThrows(
                        FsException.class,
                        () ->
                                WebCertificate.read(
                                        pem(
                                                "CERTIFICATE",
                                                first.getCertificate("web").getEncoded()),
                                        key));
        assertTrue(String.valueOf(other.getMessage()).contains("another certificate"));
    }

    @Test
    void overTlsTheServerProvesItself() throws Exception {
        KeyStore keys = keys("keys");
        Path chain = pem("CERTIFICATE", keys.getCertificate("web").getEncoded());
        Path key = pem("PRIVATE KEY", keys.getKey("web", PASSWORD).getEncoded());
        WebCertificate certificate = WebCertificate.read(chain, key);
        assertTrue(certificate.names().contains("localhost"));
        assertTrue(certificate.names().contains("*.cairn.example"));
        HttpServer at = open(certificate);
        SSLContext context = trusting(keys);
        try (HttpClient http = HttpClient.newBuilder().sslContext(context).build();
                HttpClient stranger = HttpClient.newHttpClient()) {
            for (int i = 0; i < 2; i++) {
                HttpResponse<String> echo =
                        http.send(
                                request("https", at, "/echo", new byte[] {'h', 'i'}),
                                HttpResponse.BodyHandlers.ofString());
                assertEquals("hi", echo.body());
            }
            assertThrows(
                    IOException.class,
                    () ->
                            stranger.send(
                                    request("https", at, "/echo", new byte[0]),
                                    HttpResponse.BodyHandlers.ofString()));
        }
    }

    @Test
    void aCertificateThatCannotBeUsedIsNamed() throws Exception {
        Path none = directory.resolve("none.pem");
        Path empty = Files.createFile(directory.resolve("empty.pem"));
        FsException absent =
                assertThrows(FsException.class, () -> WebCertificate.read(none, empty));
        assertTrue(String.valueOf(absent.getMessage()).contains("none.pem"));
        FsException wrong =
                assertThrows(FsException.class, () -> WebCertificate.read(empty, empty));
        assertTrue(String.valueOf(wrong.getMessage()).contains("PKCS #8"));
    }
}
