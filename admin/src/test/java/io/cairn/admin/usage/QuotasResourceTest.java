package io.cairn.admin.usage;

import static org.junit.jupiter.api.Assertions.assertEquals;
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

class QuotasResourceTest {
    @TempDir Path directory;
    private AdminBench bench;
    private long dir;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
        Forest forest = new Forest(bench.master.service);
        dir = forest.mkdir(Forest.ROOT, "d").ino();
        forest.create(dir, "f", "12345");
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private Map<String, Object> set(String body) throws Exception {
        HttpResponse<String> answer = bench.change("POST", "/quotas", body);
        assertEquals(200, answer.statusCode(), answer.body());
        return AdminBench.object(answer);
    }

    private void refused(int status, String word, String body) throws Exception {
        HttpResponse<String> answer = bench.change("POST", "/quotas", body);
        assertEquals(status, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains(word), answer.body());
    }

    @Test
    void limitsAreSetOneByOneListedAndRemoved() throws Exception {
        Map<String, Object> quota = set("{\"path\":\"/d\",\"hardInodes\":10}");
        assertEquals("directory-" + dir, quota.get("id"));
        assertEquals("ok", quota.get("state"));
        quota = set("{\"path\":\"/d\",\"hardLengthBytes\":5,\"softLengthBytes\":4}");
        assertEquals("full", quota.get("state"));
        assertEquals(10, ((Map<?, ?>) quota.get("hard")).get("inodes"));
        set("{\"user\":1000,\"hardSpaceBytes\":1048576,\"graceMs\":1000}");
        assertEquals(2, bench.items("/quotas").size());
        List<Map<String, Object>> above = bench.items("/quotas?above=true");
        assertEquals(List.of("/d"), above.stream().map(each -> each.get("path")).toList());
        assertEquals(204, bench.change("DELETE", "/quotas/user-1000", "").statusCode());
        assertEquals(404, bench.change("DELETE", "/quotas/user-1000", "").statusCode());
        assertEquals(1, bench.items("/quotas").size());
    }

    @Test
    void badQuotasAreRefusedWithAWord() throws Exception {
        refused(400, "Give one of", "{\"hardInodes\":10}");
        refused(400, "Give a limit", "{\"path\":\"/d\"}");
        refused(400, "soft limit", "{\"path\":\"/d\",\"hardInodes\":1,\"softInodes\":2}");
        refused(404, "no such", "{\"path\":\"/no such\",\"hardInodes\":1}");
        refused(409, "not a directory", "{\"path\":\"/d/f\",\"hardInodes\":1}");
        refused(409, "holds more", "{\"path\":\"/d\",\"hardLengthBytes\":1,\"strict\":true}");
        HttpResponse<String> plan =
                bench.change(
                        "POST", "/quotas?plan=true", "{\"path\":\"/d\",\"hardLengthBytes\":1}");
        assertTrue(plan.body().contains("nothing more is taken"), plan.body());
        assertTrue(bench.items("/quotas").isEmpty());
    }
}
