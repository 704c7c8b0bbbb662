package io.cairn.admin.classes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.AdminBench;
import io.cairn.admin.Forest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClassesResourceTest {
    @TempDir private Path directory;
    private AdminBench bench;
    private Forest forest;
    private long dir;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
        forest = new Forest(bench.master.service);
        dir = forest.mkdir(Forest.ROOT, "d").ino();
        forest.create(dir, "f", "12345");
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private Map<String, Object> done(int status, String method, String path, String body)
            throws Exception {
        HttpResponse<String> answer = bench.change(method, path, body);
        assertEquals(status, answer.statusCode(), answer.body());
        return AdminBench.object(answer);
    }

    private void refused(int status, String word, String method, String path, String body)
            throws Exception {
        HttpResponse<String> answer = bench.change(method, path, body);
        assertEquals(status, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains(word), answer.body());
    }

    private Map<String, Object> get(String path) throws Exception {
        return bench.get(path);
    }

    private Map<String, Object> schedule(String path) throws Exception {
        for (Map<String, Object> each : bench.items("/snapshot-schedules")) {
            if (path.equals(each.get("directory"))) {
                return each;
            }
        }
        return Map.of();
    }

    @Test
    void directoriesOfAClassHaveItsScheduleOfSnapshots() throws Exception {
        String body = "{\"name\":\"kept\",\"schedule\":\"monthly=3,daily=7\"}";
        assertEquals("daily=7,monthly=3", done(201, "POST", "/classes", body).get("schedule"));
        assertEquals(List.of(), bench.items("/snapshot-schedules"));
        String assigned = "{\"class\":\"kept\"}";
        HttpResponse<String> plan = bench.change("PUT", "/directory-classes/d?plan=true", assigned);
        assertTrue(plan.body().contains("taken and kept: daily=7,monthly=3"), plan.body());
        done(200, "PUT", "/directory-classes/d", assigned);
        assertEquals("kept", schedule("/d").get("class"));
        assertEquals("daily=7,monthly=3", schedule("/d").get("schedule"));
        refused(409, "schedule of class 'kept'", "DELETE", "/snapshot-schedules/d", "");

        done(200, "PUT", "/snapshot-schedules/d", "{\"monthly\":2}");
        assertNull(schedule("/d").get("class"));
        assertEquals("monthly=2", schedule("/d").get("schedule"));
        assertEquals(204, bench.change("DELETE", "/snapshot-schedules/d", "").statusCode());
        done(200, "PATCH", "/classes/kept", "{\"schedule\":\"weekly=1\"}");
        assertEquals("weekly=1", schedule("/d").get("schedule"));
        done(200, "PATCH", "/classes/kept", "{\"replicas\":2}");
        assertEquals("weekly=1", get("/classes/kept").get("schedule"));
        done(200, "PATCH", "/classes/kept", "{\"schedule\":null}");
        assertEquals(List.of(), bench.items("/snapshot-schedules"));
    }

    @Test
    void schedulesOfClassesAreCheckedAndGoWithThem() throws Exception {
        String with = "{\"name\":\"kept\",\"schedule\":\"%s\"}";
        for (String bad : List.of("yearly=1", "daily=0", "daily", "daily=1,daily=2", "")) {
            refused(400, "schedule", "POST", "/classes", with.formatted(bad));
        }
        refused(400, "more than 4000", "POST", "/classes", with.formatted("daily=4000,weekly=1"));
        done(201, "POST", "/classes", with.formatted("daily=1500"));
        forest.mkdir(dir, "e");
        forest.mkdir(dir, "g");
        String assigned = "{\"class\":\"kept\"}";
        done(200, "PUT", "/directory-classes/d", assigned);
        done(200, "PUT", "/directory-classes/d/e", assigned);
        done(200, "PUT", "/directory-classes/d/e", assigned);
        refused(409, "would keep 4500", "PUT", "/directory-classes/d/g", assigned);
        refused(409, "at most 4000", "PATCH", "/classes/kept", "{\"schedule\":\"daily=2001\"}");
        done(200, "PATCH", "/classes/kept", "{\"schedule\":\"daily=2000\"}");
        done(200, "PUT", "/directory-classes/d", "{\"class\":null}");
        done(200, "PUT", "/directory-classes/d/e", "{\"class\":null}");
        assertEquals(List.of(), bench.items("/snapshot-schedules"));
        assertEquals(204, bench.change("DELETE", "/classes/kept", "").statusCode());
        done(201, "POST", "/classes", "{\"name\":\"kept\",\"replicas\":2}");
        assertNull(get("/classes/kept").get("schedule"));
    }

    @Test
    void aClassIsMadeAssignedChangedAndRemoved() throws Exception {
        Map<String, Object> made =
                done(
                        201,
                        "POST",
                        "/classes",
                        "{\"name\":\"videos\",\"replicas\":2,\"chunkSizeBytes\":16777216}");
        assertEquals(2, made.get("replicas"));
        assertNull(made.get("stripe"));
        Map<String, Object> held =
                done(200, "PUT", "/directory-classes/d", "{\"class\":\"videos\"}");
        assertEquals("videos", held.get("class"));
        assertEquals(List.of("/d"), get("/classes/videos").get("directories"));
        assertEquals(1, get("/classes/videos").get("directoryCount"));
        forest.create(dir, "g", "1");
        held = get("/directory-classes/d/g");
        assertEquals("videos", held.get("class"));
        assertEquals("/d", held.get("from"));
        assertNull(get("/directory-classes/").get("class"));
        Map<String, Object> file = get("/files/d/g");
        assertEquals("videos", file.get("storageClass"));
        assertEquals("/d", file.get("storageClassFrom"));
        assertEquals(
                16777216, ((Map<?, ?>) file.get("policy")).get("chunkSizeBytes"), file.toString());
        refused(409, "used by /d", "DELETE", "/classes/videos", "");
        Map<String, Object> changed =
                done(
                        200,
                        "PATCH",
                        "/classes/videos",
                        "{\"chunkSizeBytes\":null,\"trashSeconds\":60}");
        assertEquals(2, changed.get("replicas"));
        assertNull(changed.get("chunkSizeBytes"));
        assertEquals(60, changed.get("trashSeconds"));
        held = done(200, "PUT", "/directory-classes/d", "{\"class\":null}");
        assertNull(held.get("class"));
        assertEquals(204, bench.change("DELETE", "/classes/videos", "").statusCode());
        assertEquals(List.of(), bench.items("/classes"));
    }

    @Test
    void aClassHasACompression() throws Exception {
        Map<String, Object> made =
                done(201, "POST", "/classes", "{\"name\":\"texts\",\"compression\":\"zstd\"}");
        assertEquals("zstd", made.get("compression"));
        done(200, "PUT", "/directory-classes/d", "{\"class\":\"texts\"}");
        forest.create(dir, "packed", "1");
        Map<String, Object> file = get("/files/d/packed");
        assertEquals("zstd", ((Map<?, ?>) file.get("policy")).get("compression"));
        assertEquals("none", ((Map<?, ?>) file.get("layout")).get("compression"), "no pool yet");
        made = done(200, "PATCH", "/classes/texts", "{\"replicas\":1}");
        assertEquals("zstd", made.get("compression"));
        made = done(200, "PATCH", "/classes/texts", "{\"compression\":null}");
        assertNull(made.get("compression"));
        assertEquals(1, made.get("replicas"));
        refused(400, "none, lz4, zstd", "PATCH", "/classes/texts", "{\"compression\":\"gzip\"}");
        HttpResponse<String> plan =
                bench.change("PATCH", "/classes/texts?plan=true", "{\"compression\":\"lz4\"}");
        assertTrue(plan.body().contains("compression lz4 yet"), plan.body());
    }

    @Test
    void aClassHasALimitOfContentsInTheMasters() throws Exception {
        Map<String, Object> made =
                done(201, "POST", "/classes", "{\"name\":\"large\",\"inlineLimitBytes\":0}");
        assertEquals(0, made.get("inlineLimitBytes"));
        done(200, "PUT", "/directory-classes/d", "{\"class\":\"large\"}");
        forest.create(dir, "file", "");
        Map<String, Object> file = get("/files/d/file");
        assertEquals(0, ((Map<?, ?>) file.get("policy")).get("inlineLimitBytes"));
        made = done(200, "PATCH", "/classes/large", "{\"inlineLimitBytes\":16384}");
        assertEquals(16_384, made.get("inlineLimitBytes"));
        refused(400, "power of two", "PATCH", "/classes/large", "{\"inlineLimitBytes\":3000}");
        refused(400, "16384", "PATCH", "/classes/large", "{\"inlineLimitBytes\":32768}");
        refused(400, "says nothing", "PATCH", "/classes/large", "{\"inlineLimitBytes\":null}");
    }

    @Test
    void aClassHasLabelsThatSomeServerHas() throws Exception {
        String ssd = "{\"name\":\"fast\",\"replicas\":1,\"labels\":\"%s\"}";
        refused(400, "gives one", "POST", "/classes", ssd.formatted("disk=ssd"));
        bench.startServers();
        done(200, "PATCH", "/servers/c1", "{\"labels\":{\"disk\":\"ssd\",\"rack\":\"r1\"}}");
        refused(400, "mean 'disk=ssd'?", "POST", "/classes", ssd.formatted("disk=sdd"));
        refused(400, "mean 'disk=ssd'?", "POST", "/classes", ssd.formatted("ssd"));
        refused(400, "disk=ssd, rack=r1", "POST", "/classes", ssd.formatted("disk=ssd,!rack"));
        refused(400, "character 10", "POST", "/classes", ssd.formatted("disk=ssd,=1"));
        HttpResponse<String> plan =
                bench.change("POST", "/classes?plan=true", ssd.formatted("disk=ssd"));
        assertTrue(plan.body().contains("no pool with the labels 'disk=ssd'"), plan.body());
        Map<String, Object> made = done(201, "POST", "/classes", ssd.formatted("disk=ssd"));
        assertEquals("disk=ssd", made.get("labels"));
        done(200, "PUT", "/directory-classes/d", "{\"class\":\"fast\"}");
        AdminBench.until(
                () ->
                        bench.master.service.namespace().clusterMap().pools().stream()
                                .anyMatch(pool -> !pool.labels().isAny()));
        forest.create(dir, "quick", "1");
        Map<String, Object> file = get("/files/d/quick");
        assertEquals("disk=ssd", ((Map<?, ?>) file.get("policy")).get("labels"));
        assertEquals("disk=ssd", ((Map<?, ?>) file.get("layout")).get("labels"));
        plan = bench.change("PATCH", "/classes/fast?plan=true", "{\"replicas\":2}");
        assertTrue(plan.body().contains("Only 1 chunk server"), plan.body());
        String two = "{\"labels\":\"disk=ssd; rack=r1\"}";
        refused(400, "2 copies, and files have 1 copy", "PATCH", "/classes/fast", two);
        String both = "{\"replicas\":2,\"labels\":\"disk=ssd; %s\"}";
        refused(400, "labels 'rack=r2'", "PATCH", "/classes/fast", both.formatted("rack=r2"));
        plan = bench.change("PATCH", "/classes/fast?plan=true", both.formatted("rack=r1"));
        assertTrue(plan.body().contains("Only 1 chunk server"), plan.body());
        made = done(200, "PATCH", "/classes/fast", both.formatted("any"));
        assertEquals("disk=ssd; any", made.get("labels"));
        refused(400, "Labels for 2 copies", "PATCH", "/classes/fast", "{\"replicas\":1}");
        made = done(200, "PATCH", "/classes/fast", "{\"labels\":null}");
        assertNull(made.get("labels"));
        made = done(200, "PATCH", "/classes/fast", "{\"labels\":\"any\"}");
        assertEquals("any", made.get("labels"));
    }

    @Test
    void largeChunksAreNotPacked() throws Exception {
        String body = "{\"name\":\"texts\",\"compression\":\"zstd\",\"chunkSizeBytes\":%d}";
        refused(400, "16 MiB at most", "POST", "/classes", body.formatted(1 << 25));
        done(201, "POST", "/classes", body.formatted(1 << 24));
        refused(400, "no compression", "PATCH", "/classes/texts", "{\"chunkSizeBytes\":67108864}");
        done(
                200,
                "PATCH",
                "/classes/texts",
                "{\"chunkSizeBytes\":67108864,\"compression\":\"none\"}");
        refused(400, "16777216", "PATCH", "/classes/texts", "{\"compression\":\"lz4\"}");
    }

    @Test
    void badOrdersAreRefusedWithAWord() throws Exception {
        done(201, "POST", "/classes", "{\"name\":\"a\",\"replicas\":1}");
        refused(409, "already", "POST", "/classes", "{\"name\":\"a\",\"replicas\":1}");
        refused(400, "a-z", "POST", "/classes", "{\"name\":\"A b\",\"replicas\":1}");
        refused(400, "says nothing", "POST", "/classes", "{\"name\":\"b\"}");
        refused(400, "says nothing", "PATCH", "/classes/a", "{\"replicas\":null}");
        refused(
                400,
                "power of two",
                "POST",
                "/classes",
                "{\"name\":\"b\",\"chunkSizeBytes\":1000000}");
        refused(404, "There are: a", "PATCH", "/classes/none", "{\"replicas\":1}");
        refused(400, "There are: a", "PUT", "/directory-classes/d", "{\"class\":\"none\"}");
        refused(409, "not a directory", "PUT", "/directory-classes/d/f", "{\"class\":\"a\"}");
        refused(404, "absent", "PUT", "/directory-classes/absent", "{\"class\":\"a\"}");
        HttpResponse<String> plan =
                bench.change("PUT", "/directory-classes/d?plan=true", "{\"class\":\"a\"}");
        assertTrue(plan.body().contains("new files"), plan.body());
        assertNull(get("/directory-classes/d").get("class"));
    }
}
