package io.cairn.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.api.Json;
import io.cairn.admin.api.Role;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.TargetLoad;
import io.cairn.wire.scrub.ScrubReport;
import io.cairn.wire.scrub.ScrubReport.Finding;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullUnmarked
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

    @Test
    void formerPoolsThatHoldNothingGo() throws Exception {
        bench.startServers();
        AdminBench.until(() -> isTold("poolsMade", "pools"));
        assertFalse(isTold("poolsRetired", "pools"));
        // Nothing is stored, so younger pools over three servers take the place of the first.
        AdminBench.until(() -> isToldWhileAllLive("poolsRetired"));
        assertEquals(
                0, number(((Map<?, ?>) bench.get("/cluster").get("counts")).get("formerPools")));
    }

    private boolean isToldWhileAllLive(String kind) {
        try {
            for (int i = 1; i <= 3; i++) {
                bench.heartbeat("c" + i, i);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return isTold(kind, "pools");
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
    void aDamagedCopyIsToldOnceWithFileServerAndDisk() throws Exception {
        bench.startServers();
        AdminBench.until(() -> isTold("poolsMade", "pools"));
        Forest forest = new Forest(bench.master.service);
        Inode file = forest.create(Forest.ROOT, "report.odt", "x");
        long version = file.attributes().version();
        Layout layout =
                forest.made(new ContentMutation.Spill(file.ino(), version, 9_000, 1, 9_000))
                        .layout();
        long oid = layout.runs().getFirst().oid();
        List<Finding> findings =
                List.of(
                        new Finding(1, 1, oid, 2, true, "1 blocks fail their checksum"),
                        new Finding(2, 1, 0xdead, 0, false, "it is missing"));
        ScrubReport scrub = new ScrubReport(0, 0, 3, 3, true, 0, 0, 3, 2, 1, 1, findings);
        bench.heartbeat("c1", 1, TargetLoad.NONE, scrub);
        AdminBench.until(() -> isTold("copyMended", "/report.odt"));
        AdminBench.until(() -> isTold("copyDamaged", Json.hex(0xdead)));
        bench.heartbeat("c1", 1, TargetLoad.NONE, scrub);
        long session = bench.openSession("host:/mnt 1");
        AdminBench.until(() -> isTold("sessionBegan", Json.hex(session)));
        List<String> told =
                bench.items("/events?limit=1000").stream()
                        .filter(event -> String.valueOf(event.get("kind")).startsWith("copy"))
                        .map(event -> String.valueOf(event.get("text")))
                        .toList();
        assertEquals(
                List.of(
                        "The copy of chunk 2 of /report.odt on disk /disks/1 of chunk server c1 was"
                            + " damaged (1 blocks fail their checksum): a good copy has taken its"
                            + " place.",
                        "The copy of chunk 0 of object 000000000000dead, of no file that has a"
                                + " name, on disk /disks/1 of chunk server c1 was damaged (it is"
                                + " missing): no good copy has been found so far; reading it may"
                                + " fail."),
                told);
        Map<String, Object> target = bench.get("/targets/1");
        assertTrue(Json.text(target).contains("\"mended\":1"), Json.text(target));
        HttpResponse<String> ordered = bench.change("POST", "/targets/1/scrub", "");
        assertEquals(200, ordered.statusCode(), ordered.body());
        assertTrue(!String.valueOf(bench.get("/targets/1").get("scrubOrder")).equals("null"));
        assertEquals(404, bench.change("POST", "/targets/99/scrub", "").statusCode());
        String body = "{\"scrubPeriodSeconds\": 86400, \"scrubSharePercent\": 5}";
        assertEquals(200, bench.change("PATCH", "/configuration", body).statusCode());
        assertEquals(86_400, number(bench.get("/configuration").get("scrubPeriodSeconds")));
        assertEquals(5, number(bench.get("/configuration").get("scrubSharePercent")));
        String wrong = "{\"scrubSharePercent\": 0}";
        assertEquals(400, bench.change("PATCH", "/configuration", wrong).statusCode());
    }

    private static long number(Object value) {
        return ((Number) value).longValue();
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
