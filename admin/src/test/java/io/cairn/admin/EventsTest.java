package io.cairn.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.api.Json;
import io.cairn.admin.api.Role;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class EventsTest {
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

    private boolean isTold(String kind, String subject) {
        try {
            return bench.items("/events?limit=1000").stream()
                    .anyMatch(e -> kind.equals(e.get("kind")) && subject.equals(e.get("subject")));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Timeout(60)
    void whatHappensIsTold() throws Exception {
        AdminBench.until(() -> isTold("leader", "m1"));
        long session = bench.openSession("host:/mnt 1");
        AdminBench.until(() -> isTold("sessionBegan", Json.hex(session)));
        bench.startServers();
        AdminBench.until(() -> isTold("poolsMade", "pools"));
        bench.change("DELETE", "/sessions/" + Json.hex(session), "");
        AdminBench.until(() -> isTold("sessionEnded", Json.hex(session)));
        assertTrue(isTold("change", "first"));
        // No heartbeats come any more: after its lease a server is down.
        AdminBench.until(() -> isTold("serverDown", "c1"));
        AdminBench.until(() -> isTold("groupsUnavailable", "groups"));
        // The other server is down a moment later, by its own lease.
        AdminBench.until(() -> isTold("serverDown", "c2"));
        AdminBench.until(this::isCritical);
    }

    private boolean isCritical() {
        try {
            Object health = bench.get("/cluster").get("health");
            return Json.text(health).contains("\"level\":\"critical\"");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void eventsComeAfterThoseThatAreKnown() throws Exception {
        AdminBench.until(() -> isTold("leader", "m1"));
        long session = bench.openSession("host:/mnt 1");
        AdminBench.until(() -> isTold("sessionBegan", Json.hex(session)));
        Map<String, Object> all = bench.get("/events");
        List<Map<String, Object>> items = AdminBench.itemsOf(all);
        assertEquals(all.get("last"), items.getLast().get("id"));
        assertEquals(List.of(), bench.items("/events?after=" + all.get("last")));
        assertEquals(
                items.subList(1, items.size()),
                bench.items("/events?after=" + items.getFirst().get("id")));
        assertEquals(400, bench.send(bench.to("/events?after=yesterday")).statusCode());
    }

    @Test
    @Timeout(60)
    void theStreamTellsStateAndEventsAsTheyHappen() throws Exception {
        HttpResponse<InputStream> response =
                bench.http()
                        .send(
                                bench.to("/events/stream").build(),
                                HttpResponse.BodyHandlers.ofInputStream());
        assertEquals(200, response.statusCode());
        assertEquals("text/event-stream", response.headers().firstValue("content-type").orElse(""));
        try (BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            Map<String, Object> state = next(in, "state");
            assertEquals("m1", state.get("leader"));
            long session = bench.openSession("host:/mnt 1");
            Map<String, Object> event = next(in, "event");
            while (!"sessionBegan".equals(event.get("kind"))) {
                event = next(in, "event");
            }
            assertEquals(Json.hex(session), event.get("subject"));
        }
    }

    private static Map<String, Object> next(BufferedReader in, String kind) throws Exception {
        String line = in.readLine();
        while (!("event: " + kind).equals(line)) {
            if (line == null) {
                throw new AssertionError("the stream ended");
            }
            line = in.readLine();
        }
        while (!line.startsWith("data: ")) {
            line = String.valueOf(in.readLine());
        }
        return Json.object(line.substring(6).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    @Timeout(60)
    void theStreamEndsWithTheToken() throws Exception {
        String secret = bench.newToken("watcher", Role.READ);
        HttpResponse<InputStream> response =
                bench.http()
                        .send(
                                bench.to("/events/stream", secret).build(),
                                HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream in = response.body()) {
            bench.change("DELETE", "/tokens/watcher", "");
            assertTrue(in.readAllBytes().length > 0);
        }
    }

    @Test
    void aStreamNeedsATokenAndKnowsItsParameters() throws Exception {
        assertEquals(401, bench.send(bench.to("/events/stream", "wrong")).statusCode());
        assertEquals(400, bench.send(bench.to("/events/stream?since=1")).statusCode());
        assertEquals(
                406,
                bench.send(bench.to("/events/stream").header("Accept", "image/png")).statusCode());
        assertEquals(405, bench.change("POST", "/events/stream", "").statusCode());
    }
}
