package io.cairn.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.api.Json;
import io.cairn.master.backup.BackupReader;
import io.cairn.master.backup.BackupSummary;
import io.cairn.master.backup.Restore;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups over the API, and by a schedule. */
class BackupTest {
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

    private void set(String json) throws Exception {
        HttpResponse<String> done = bench.change("PATCH", "/configuration", json);
        assertEquals(200, done.statusCode(), done.body());
    }

    private boolean isTold(String path, String text) {
        try {
            return Json.text(bench.get(path)).contains(text);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private List<Path> files(Path where) throws Exception {
        try (Stream<Path> entries = Files.list(where)) {
            return entries.sorted().toList();
        }
    }

    @Test
    void aStreamIsAWholeBackup() throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(
                                URI.create(
                                        "http://"
                                                + bench.door.endpoint()
                                                + "/api/v1/backup/stream"))
                        .header("Authorization", "Bearer " + bench.token)
                        .build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<byte[]> answer =
                    http.send(request, HttpResponse.BodyHandlers.ofByteArray());
            assertEquals(200, answer.statusCode());
            BackupSummary summary =
                    new BackupReader("the stream", new ByteArrayInputStream(answer.body()))
                            .readAll((_, _, _) -> {});
            assertEquals(bench.master.service.namespace().clusterId(), summary.head().clusterId());
            assertTrue(summary.records() > 3, summary::toString);
            assertNow(summary.head().takenMs());
        }
        assertEquals(406, bench.send(wants("image/png")).statusCode());
        assertEquals(400, bench.send(bench.to("/backup/stream?since=1")).statusCode());
    }

    private static void assertNow(long wallMs) {
        long apartMs = Math.abs(System.currentTimeMillis() - wallMs);
        assertTrue(apartMs < 600_000, "wall time, not that since the start: " + wallMs);
    }

    @Test
    void aCheckTellsWhenItWasMade() throws Exception {
        HttpResponse<String> begun = bench.change("POST", "/fsck", "{}");
        assertEquals(200, begun.statusCode(), begun.body());
        AdminBench.until(() -> isTold("/fsck", "\"state\":\"done\""));
        assertTrue(isTold("/fsck", "\"inodes\":1,"));
        String finished = String.valueOf(bench.get("/fsck").get("finishedAt"));
        assertNow(Instant.parse(finished).toEpochMilli());
    }

    private HttpRequest.Builder wants(String type) {
        return bench.to("/backup/stream").header("Accept", type);
    }

    @Test
    void theLeaderBacksUpByItself() throws Exception {
        Path where = directory.resolve("backups");
        set("{\"backupDirectory\":\"" + where + "\"}");
        AdminBench.until(() -> isTold("/events", "backupFailed"));
        assertTrue(isTold("/cluster", "is no directory: make it, or mount its disk"));

        Files.createDirectory(where);
        String cluster = "cairn-%016x-".formatted(bench.master.service.namespace().clusterId());
        Files.createFile(where.resolve(cluster + "20010101T000000Z.backup"));
        Files.createFile(where.resolve(cluster + "20020101T000000Z.backup"));
        Files.createFile(where.resolve("cairn-0000000000000001-20010101T000000Z.backup"));
        set("{\"backupKeep\":2}");
        AdminBench.until(() -> isTold("/events", "backupMade"));
        List<Path> kept = files(where);
        assertEquals(3, kept.size(), kept::toString);
        assertTrue(kept.getFirst().toString().contains("0000000000000001"), "not of this cluster");
        assertTrue(kept.get(1).toString().endsWith("20020101T000000Z.backup"));
        assertTrue(Restore.verify(kept.get(2)).records() > 3);
        assertFalse(isTold("/cluster", "last backup"));

        HttpResponse<String> relative =
                bench.change("PATCH", "/configuration", "{\"backupDirectory\":\"b\"}");
        assertEquals(400, relative.statusCode(), relative.body());
        set("{\"backupDirectory\":\"\"}");
        assertTrue(isTold("/configuration", "\"backupDirectory\":\"\""));
    }
}
