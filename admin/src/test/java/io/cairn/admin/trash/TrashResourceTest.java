package io.cairn.admin.trash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.AdminBench;
import io.cairn.admin.Forest;
import io.cairn.fs.Name;
import io.cairn.wire.master.TreeMutation;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrashResourceTest {
    @TempDir Path directory;
    private AdminBench bench;
    private Forest forest;
    private long dir;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
        forest = new Forest(bench.master.service);
        dir = forest.mkdir(Forest.ROOT, "dir").ino();
        assertEquals(200, change("PUT", "/retention/", "{\"seconds\":3600}").statusCode());
    }

    @AfterEach
    void close() {
        assertEquals(List.of(), bench.master.service.namespace().check());
        bench.close();
    }

    private HttpResponse<String> change(String method, String path, String body) throws Exception {
        return bench.change(method, path, body);
    }

    private void remove(String name) {
        forest.create(dir, name, "contents");
        forest.made(new TreeMutation.Unlink(dir, Name.of(name)));
    }

    private List<Object> paths(String query) throws Exception {
        return bench.items("/trash" + query).stream().map(each -> each.get("path")).toList();
    }

    @Test
    void listsPageByPageAndBelowAPath() throws Exception {
        for (int i = 0; i < 5; i++) {
            remove("f" + i);
        }
        remove("f1.txt");
        assertEquals(6, paths("").size());
        assertEquals(List.of("/dir/f1"), paths("?path=/dir/f1"));
        assertEquals(6, paths("?path=/dir/").size());
        assertEquals(List.of(), paths("?path=/di"));
        Map<String, Object> page = bench.get("/trash?limit=4");
        assertEquals(4, AdminBench.itemsOf(page).size());
        assertEquals(2, paths("?limit=4&after=" + page.get("next")).size());
        Map<String, Object> first = AdminBench.itemsOf(page).getFirst();
        assertEquals("file", first.get("type"));
        assertEquals(8, first.get("sizeBytes"));
        Map<String, Object> sums = bench.get("/trash/sums");
        assertEquals(6, sums.get("files"));
        assertEquals(48, sums.get("sizeBytes"));
    }

    @Test
    void restoresTheLastVersionAsPlanned() throws Exception {
        remove("f");
        remove("f");
        HttpResponse<String> plan =
                change("POST", "/trash/restore?plan=true", "{\"path\":\"/dir\"}");
        assertTrue(plan.body().contains("1 file and 0 directories"), plan.body());
        assertEquals(2, paths("").size());
        HttpResponse<String> done = change("POST", "/trash/restore", "{\"path\":\"/dir/f\"}");
        assertEquals(1, AdminBench.object(done).get("entries"), done.body());
        assertEquals("/dir/f", bench.get("/files/dir/f").get("path"));
        assertEquals(1, paths("").size());
        assertEquals(404, change("POST", "/trash/restore", "{\"path\":\"/no\"}").statusCode());
        assertEquals(400, change("POST", "/trash/restore", "{\"path\":\"\"}").statusCode());
    }

    @Test
    void purgesADayOrAll() throws Exception {
        remove("f");
        String none = "{\"path\":\"/.trash/1999-12-31/dir/f\"}";
        assertEquals(404, change("POST", "/trash/purge", none).statusCode());
        assertEquals(200, change("POST", "/trash/purge", "{\"path\":\"/\"}").statusCode());
        assertEquals(List.of(), paths(""));
        assertEquals(0, bench.get("/trash/sums").get("files"));
    }

    /** More than one entry of the log. */
    @Test
    void purgesManyInOneRequest() throws Exception {
        for (int i = 0; i < 600; i++) {
            remove("f" + i);
        }
        HttpResponse<String> all = change("POST", "/trash/purge", "{\"path\":\"/\"}");
        assertEquals(600, AdminBench.object(all).get("entries"), all.body());
        assertNull(AdminBench.object(all).get("next"));
        assertEquals(0, bench.get("/trash/sums").get("files"));
    }

    @Test
    void purgesAgainFromWhereItCame() throws Exception {
        remove("f");
        long nowMs = bench.master.service.wallMs();
        String early = "\"after\":\"" + (nowMs - 3_600_000) * 1_000_000 + " 0 0 7 11\"}";
        HttpResponse<String> none = change("POST", "/trash/purge", "{\"path\":\"/\"," + early);
        Map<String, Object> answer = AdminBench.object(none);
        assertEquals(7, answer.get("entries"), "removed after the purge began");
        assertEquals(11, answer.get("heldBytes"));
        assertNull(answer.get("next"));
        assertEquals(1, paths("").size());
        String late = "\"after\":\"" + (nowMs + 3_600_000) * 1_000_000 + " 0 0 7 0\"}";
        HttpResponse<String> one = change("POST", "/trash/purge", "{\"path\":\"/\"," + late);
        assertEquals(8, AdminBench.object(one).get("entries"));
        assertEquals(List.of(), paths(""));
        String bad = "{\"path\":\"/\",\"after\":\"x\"}";
        assertEquals(400, change("POST", "/trash/purge", bad).statusCode());
    }

    @Test
    void whoFollowsAMarkDoesNotWaitForLaterDeletions() throws Exception {
        remove("f");
        assertEquals(200, change("POST", "/trash/purge", "{\"path\":\"/\"}").statusCode());
        Object mark = bench.get("/trash/sums").get("mark");
        long end = System.nanoTime() + 30_000_000_000L;
        while (!Integer.valueOf(0).equals(awaiting(mark)) && System.nanoTime() < end) {
            Thread.sleep(10);
        }
        Object pieces = bench.get("/trash/sums?mark=" + mark).get("mark");
        assertEquals("n0", pieces);
        assertEquals(0, bench.get("/trash/sums?mark=n0").get("awaitingDeletion"));
        assertEquals(400, bench.send(bench.to("/trash/sums?mark=now")).statusCode());
    }

    private Object awaiting(Object mark) throws Exception {
        return bench.get("/trash/sums?mark=" + mark).get("awaitingDeletion");
    }

    @Test
    void tellsHowLongADirectoryKeeps() throws Exception {
        assertEquals(3600, bench.get("/retention/").get("seconds"));
        assertNull(bench.get("/retention/dir").get("seconds"));
        assertEquals(200, change("PUT", "/retention/dir", "{\"seconds\":0}").statusCode());
        assertEquals(0, bench.get("/retention/dir").get("seconds"));
        remove("f");
        assertEquals(List.of(), paths(""));
        assertEquals(200, change("PUT", "/retention/dir", "{\"seconds\":null}").statusCode());
        assertNull(bench.get("/retention/dir").get("seconds"));
        forest.create(dir, "file", "");
        assertEquals(409, change("PUT", "/retention/dir/file", "{\"seconds\":1}").statusCode());
        assertEquals(400, change("PUT", "/retention/dir", "{\"seconds\":-1}").statusCode());
        assertEquals(404, change("PUT", "/retention/no", "{\"seconds\":1}").statusCode());
    }
}
