package io.cairn.admin.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.AdminBench;
import io.cairn.admin.Forest;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Shape;
import io.cairn.admin.api.ShapeCheck;
import io.cairn.cluster.Inode;
import io.cairn.fs.Name;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobsResourceTest {
    @TempDir Path directory;
    private AdminBench bench;
    private Forest forest;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
        forest = new Forest(bench.master.service);
        Inode t = forest.mkdir(Forest.ROOT, "t");
        Inode d = forest.mkdir(t.ino(), "d");
        for (int i = 0; i < 40; i++) {
            forest.create(i % 2 == 0 ? t.ino() : d.ino(), "f" + i, "hello");
        }
    }

    @AfterEach
    void close() {
        assertEquals(List.of(), bench.master.service.namespace().check());
        bench.close();
    }

    private String order(String body) throws Exception {
        HttpResponse<String> answer = bench.change("POST", "/jobs", body);
        assertEquals(201, answer.statusCode(), answer.body());
        Map<String, Object> job = AdminBench.object(answer);
        ShapeCheck.check(JobDocument.SHAPE, job, "job");
        String id = String.valueOf(job.get("id"));
        assertEquals("/api/v1/jobs/" + id, answer.headers().firstValue("location").orElse(""));
        return id;
    }

    private Map<String, Object> job(String id) throws Exception {
        Map<String, Object> job = bench.get("/jobs/" + id);
        ShapeCheck.check(JobDocument.SHAPE, job, "job");
        return job;
    }

    private Map<String, Object> await(String id, String state) throws Exception {
        long end = System.nanoTime() + 30_000_000_000L;
        Map<String, Object> job = job(id);
        while (!state.equals(job.get("state"))) {
            assertTrue(System.nanoTime() < end, job.toString());
            Thread.sleep(10);
            job = job(id);
        }
        return job;
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return assertInstanceOf(Map.class, value);
    }

    private static List<?> list(@Nullable Object value) {
        return assertInstanceOf(List.class, value);
    }

    private int status(String method, String path, String body) throws Exception {
        return bench.change(method, path, body).statusCode();
    }

    @Test
    void aTreeIsCounted() throws Exception {
        String id = order("{\"kind\":\"usage\",\"path\":\"/t/\"}");
        Map<String, Object> job = await(id, "done");
        assertEquals("/t", job.get("path"));
        assertEquals("first", job.get("owner"));
        assertEquals(42, map(job.get("progress")).get("names"));
        Map<?, ?> totals = map(job.get("totals"));
        assertEquals(40, totals.get("files"));
        assertEquals(2, totals.get("directories"));
        assertEquals(200, totals.get("sizeBytes"));
        Map<?, ?> share = map(list(totals.get("byReplicas")).getFirst());
        assertEquals(0, share.get("replicas"));
        assertEquals(40, share.get("files"));
    }

    @Test
    void aTreeIsRemovedAsPlanned() throws Exception {
        String body = "{\"kind\":\"remove\",\"path\":\"/t\"}";
        HttpResponse<String> plan = bench.change("POST", "/jobs?plan=true", body);
        assertEquals(200, plan.statusCode(), plan.body());
        ShapeCheck.check(Plan.shape(), AdminBench.object(plan), "plan");
        Map<?, ?> change = map(list(AdminBench.object(plan).get("changes")).getFirst());
        assertEquals(42, map(change.get("from")).get("names"));
        assertEquals(true, map(change.get("from")).get("complete"));
        assertEquals(200, bench.send(bench.to("/files/t")).statusCode());
        String etag = String.valueOf(AdminBench.object(plan).get("etag"));
        HttpRequest.Builder request =
                bench.to("/jobs")
                        .header("Content-Type", "application/json")
                        .header("If-Match", "\"" + etag + "\"")
                        .POST(HttpRequest.BodyPublishers.ofString(body));
        HttpResponse<String> done = bench.send(request);
        assertEquals(201, done.statusCode(), done.body());
        await(String.valueOf(AdminBench.object(done).get("id")), "done");
        assertEquals(404, bench.send(bench.to("/files/t")).statusCode());
        assertEquals(404, status("POST", "/jobs", body));
        forest.mkdir(Forest.ROOT, "t");
        assertEquals(412, bench.send(request).statusCode());
    }

    @Test
    void modesOwnersAndPoliciesChange() throws Exception {
        await(order("{\"kind\":\"chmod\",\"path\":\"/t\",\"mode\":\"go=,u+X\"}"), "done");
        await(order("{\"kind\":\"chown\",\"path\":\"/t\",\"gid\":7}"), "done");
        String id =
                order(
                        "{\"kind\":\"policy\",\"path\":\"/t\",\"replicas\":3,"
                                + "\"chunkSizeBytes\":65536}");
        Map<String, Object> job = await(id, "done");
        assertEquals(Map.of("replicas", 3, "chunkSizeBytes", 65536), job.get("edit"));
        assertEquals(42, map(job.get("totals")).get("changed"));
        Map<String, Object> file = bench.get("/files/t/d/f1");
        assertEquals("0600", file.get("mode"));
        assertEquals(7, file.get("gid"));
        assertEquals(3, map(file.get("policy")).get("replicas"));
    }

    @Test
    void aJobIsPausedSlowedResumedCancelledAndForgotten() throws Exception {
        String id = order("{\"kind\":\"usage\",\"path\":\"/t\",\"maxPerSecond\":1}");
        HttpResponse<String> paused =
                bench.change("PATCH", "/jobs/" + id, "{\"state\":\"paused\",\"maxPerSecond\":2}");
        assertEquals(200, paused.statusCode(), paused.body());
        assertEquals("paused", AdminBench.object(paused).get("state"));
        assertEquals(2, AdminBench.object(paused).get("maxPerSecond"));
        HttpResponse<String> plan =
                bench.change("PATCH", "/jobs/" + id + "?plan=true", "{\"state\":\"running\"}");
        assertEquals(1, list(AdminBench.object(plan).get("changes")).size());
        assertEquals(200, status("PATCH", "/jobs/" + id, "{\"state\":\"running\"}"));
        assertEquals("running", job(id).get("state"));
        HttpRequest.Builder stale =
                bench.to("/jobs/" + id)
                        .header("If-Match", "\"" + AdminBench.object(plan).get("etag") + "\"")
                        .DELETE();
        assertEquals(412, bench.send(stale).statusCode());
        assertEquals(204, status("DELETE", "/jobs/" + id, ""));
        assertEquals("cancelled", job(id).get("state"));
        assertEquals(409, status("PATCH", "/jobs/" + id, "{\"state\":\"running\"}"));
        assertEquals(204, status("DELETE", "/jobs/" + id, ""));
        assertEquals(404, status("DELETE", "/jobs/" + id, ""));
    }

    @Test
    void jobsAreListedTheLastFirst() throws Exception {
        List<Object> ordered = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ordered.addFirst(order("{\"kind\":\"usage\",\"path\":\"/t\",\"maxPerSecond\":1}"));
        }
        List<Object> seen = new ArrayList<>();
        Object next = "";
        while (next != null) {
            Map<String, Object> page =
                    bench.get("/jobs?limit=2" + (next.equals("") ? "" : "&after=" + next));
            ShapeCheck.check(Shape.page(JobDocument.SHAPE), page, "page");
            list(page.get("items")).forEach(item -> seen.add(map(item).get("id")));
            next = page.get("next");
        }
        assertEquals(ordered, seen);
        assertEquals(2, list(bench.get("/jobs?state=running").get("items")).size());
        assertEquals(3, list(bench.get("/jobs?state=queued").get("items")).size());
        assertEquals(400, bench.send(bench.to("/jobs?state=lost")).statusCode());
    }

    @Test
    void errorsAreToldWithTheirPaths() throws Exception {
        long ino = forest.mkdir(Forest.ROOT, "deep").ino();
        for (int i = 0; i < 1003; i++) {
            ino = forest.mkdir(ino, "d").ino();
        }
        String id = order("{\"kind\":\"remove\",\"path\":\"/deep\",\"maxPerSecond\":100000}");
        Map<String, Object> job = await(id, "failed");
        assertEquals(1, map(job.get("totals")).get("errors"));
        Map<?, ?> error = map(list(job.get("errors")).getFirst());
        assertEquals("ELOOP", error.get("errno"));
        assertTrue(String.valueOf(error.get("path")).startsWith("/deep/d/d"));
    }

    @Test
    void badInputIsToldAndNothingIsOrdered() throws Exception {
        forest.create(Forest.ROOT, Name.of(new byte[] {(byte) 0xfe}), "");
        String[][] wrong = {
            {"400", "{}"},
            {"400", "{\"kind\":\"remove\"}"},
            {"400", "{\"kind\":\"delete\",\"path\":\"/t\"}"},
            {"400", "{\"kind\":\"remove\",\"path\":\"t\"}"},
            {"400", "{\"kind\":\"remove\",\"path\":\"/t\",\"pathHex\":\"2f74\"}"},
            {"400", "{\"kind\":\"remove\",\"pathHex\":\"2f7\"}"},
            {"400", "{\"kind\":\"remove\",\"path\":\"/t\",\"mode\":\"0\"}"},
            {"400", "{\"kind\":\"chmod\",\"path\":\"/t\"}"},
            {"400", "{\"kind\":\"chmod\",\"path\":\"/t\",\"mode\":\"rwx\"}"},
            {"400", "{\"kind\":\"chown\",\"path\":\"/t\",\"uid\":null}"},
            {"400", "{\"kind\":\"policy\",\"path\":\"/t\"}"},
            {"400", "{\"kind\":\"usage\",\"path\":\"/t\",\"maxPerSecond\":0}"},
            {"400", "{\"kind\":\"usage\",\"path\":\"/t/../t\"}"},
            {"404", "{\"kind\":\"usage\",\"path\":\"/nothing\"}"},
            {"409", "{\"kind\":\"remove\",\"path\":\"/\"}"},
        };
        for (String[] each : wrong) {
            HttpResponse<String> answer = bench.change("POST", "/jobs", each[1]);
            assertEquals(each[0], String.valueOf(answer.statusCode()), each[1] + answer.body());
        }
        assertEquals(List.of(), bench.get("/jobs").get("items"));
        assertEquals(404, status("PATCH", "/jobs/77", "{\"state\":\"paused\"}"));
        assertEquals(404, status("PATCH", "/jobs/x", "{\"state\":\"paused\"}"));
        String id = order("{\"kind\":\"usage\",\"pathHex\":\"2ffe\"}");
        assertEquals("2ffe", job(id).get("pathHex"));
        assertEquals(400, status("PATCH", "/jobs/" + id, "{}"));
        assertEquals(400, status("PATCH", "/jobs/" + id, "{\"state\":\"done\"}"));
    }
}
