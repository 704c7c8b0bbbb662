package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

/** Tree jobs of real masters, one of which is killed, as mounts see them. */
@Timeout(value = 300)
final class TreeJobTest {
    private static final int FILES = 1500;

    @TempDir private Path directory;
    private final HttpClient http = HttpClient.newHttpClient();
    private ProcessCluster cluster;
    private Path a = Path.of("/");
    private Path b = Path.of("/");

    @BeforeEach
    void startCluster() throws Exception {
        cluster = new ProcessCluster(directory, 1);
        cluster.startMasters(1, 1);
        cluster.startChunkServers(1);
        cluster.awaitFirstToken();
        a = cluster.mount("a");
        b = cluster.mount("b");
        Files.createDirectories(a.resolve("t/d"));
        for (int i = 0; i < FILES; i++) {
            Files.createFile(a.resolve((i % 2 == 0 ? "t/f" : "t/d/f") + i));
        }
    }

    @AfterEach
    void stopCluster() {
        http.close();
        cluster.close();
    }

    /** Asks; again while there is no leader, as the answer says. */
    private Map<String, Object> ask(String method, String path, String body) throws Exception {
        HttpResponse<String> answer = send(method, path, body);
        for (int i = 0; answer.statusCode() == 503 && i < 60; i++) {
            Thread.sleep(1000);
            answer = send(method, path, body);
        }
        assertTrue(answer.statusCode() < 300, answer.statusCode() + " " + answer.body());
        return JSON.std.mapFrom(answer.body());
    }

    private HttpResponse<String> send(String method, String path, String body) throws Exception {
        String address =
                cluster.process("m1")
                        .await("admin on (?:http://)?(127[.0-9]+:[0-9]+)", 60)
                        .group(1);
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://" + address + "/api/v1" + path))
                        .timeout(Duration.ofSeconds(20))
                        .header("Content-Type", "application/json")
                        .header("Authorization", "Bearer " + token())
                        .method(
                                method,
                                body.isEmpty()
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body))
                        .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private String token() throws IOException {
        return Files.readString(directory.resolve("m1").resolve("admin.token")).strip();
    }

    private String order(String body) throws Exception {
        return String.valueOf(ask("POST", "/jobs", body).get("id"));
    }

    private long count(String job, String part, String name) throws Exception {
        Map<?, ?> of = map(ask("GET", "/jobs/" + job, "").get(part));
        return assertInstanceOf(Number.class, of.get(name)).longValue();
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return assertInstanceOf(Map.class, value);
    }

    private void awaitDone(String job) {
        Poll.until(
                "job " + job, 60, () -> "done".equals(ask("GET", "/jobs/" + job, "").get("state")));
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> names = Files.list(directory)) {
            return names.toList();
        }
    }

    @Test
    void aTreeIsRemovedAlthoughTheMasterIsKilledAndAnOpenFileStaysReadable() throws Exception {
        byte[] contents = new byte[3_000_000];
        contents[77] = 7;
        Files.write(a.resolve("t/open"), contents);
        assertEquals(FILES / 2, list(b.resolve("t/d")).size());
        try (InputStream open = Files.newInputStream(b.resolve("t/open"))) {
            String job = order("{\"kind\":\"remove\",\"path\":\"/t\",\"maxPerSecond\":300}");
            Poll.until("some names", 60, () -> count(job, "progress", "names") > 200);
            cluster.kill("m1");
            cluster.start("m1");
            cluster.process("m1").await(CairnProcess.READY, 60);
            awaitDone(job);
            assertEquals(FILES + 3, count(job, "progress", "names"));
            assertEquals(FILES + 3, count(job, "totals", "changed"));
            assertEquals(0, count(job, "totals", "errors"));
            assertArrayEquals(contents, open.readAllBytes());
        }
        Poll.until("b has heard of it", 30, () -> !Files.exists(b.resolve("t")));
        assertFalse(Files.exists(a.resolve("t")));
        Files.createDirectory(b.resolve("t"));
        // It was looked up by itself, so a may believe for a second that it is not there.
        Poll.until("a finds the new one", 30, () -> Files.exists(a.resolve("t")));
        assertEquals(List.of(), list(a.resolve("t")));
    }

    @Test
    void whoHasListedADirectoryHearsWhatAJobRemovesFromIt() throws Exception {
        assertEquals(FILES / 2, list(b.resolve("t/d")).size());
        awaitDone(order("{\"kind\":\"remove\",\"path\":\"/t/d\",\"maxPerSecond\":100000}"));
        Poll.until("b has heard of it", 30, () -> !Files.exists(b.resolve("t/d")));
        assertEquals(FILES / 2, list(b.resolve("t")).size());
        awaitDone(order("{\"kind\":\"chmod\",\"path\":\"/t\",\"mode\":\"u=rX,go=\"}"));
        Poll.until(
                "b sees the mode",
                30,
                () ->
                        PosixFilePermissions.toString(
                                        Files.getPosixFilePermissions(b.resolve("t/f0")))
                                .equals("r--------"));
        String usage = order("{\"kind\":\"usage\",\"path\":\"/t\"}");
        awaitDone(usage);
        assertEquals(FILES / 2, count(usage, "totals", "files"));
    }
}
