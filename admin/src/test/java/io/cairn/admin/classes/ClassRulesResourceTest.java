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

final class ClassRulesResourceTest {
    @TempDir private Path directory;
    private AdminBench bench;
    private Forest forest;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
        forest = new Forest(bench.master.service);
        forest.mkdir(Forest.ROOT, "d");
        done(201, "POST", "/classes", "{\"name\":\"videos\",\"chunkSizeBytes\":16777216}");
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

    @Test
    void rulesAreAddedToldAndRemoved() throws Exception {
        Map<String, Object> made =
                done(
                        201,
                        "POST",
                        "/class-rules",
                        "{\"class\":\"videos\",\"name\":\"*.mp4\",\"below\":\"/d\",\"uid\":0}");
        assertEquals(1, made.get("id"));
        assertEquals("/d", made.get("below"));
        assertNull(made.get("gid"));
        made =
                done(
                        201,
                        "POST",
                        "/class-rules",
                        "{\"class\":\"videos\",\"gid\":4294967294,\"before\":1}");
        assertEquals(2, made.get("id"));
        assertEquals(4294967294L, made.get("gid"));
        List<Map<String, Object>> rules = bench.items("/class-rules");
        assertEquals(List.of(2, 1), rules.stream().map(each -> each.get("id")).toList());
        assertEquals(List.of(2, 1), bench.get("/classes/videos").get("rules"));
        long dir = forest.mkdir(Forest.ROOT, "e").ino();
        forest.create(dir, "f.mp4", "1");
        assertNull(bench.get("/directory-classes/e/f.mp4").get("class"));
        refused(409, "rule 2: videos --group 4294967294", "DELETE", "/classes/videos", "");
        done(200, "PUT", "/directory-classes/d", "{\"class\":\"videos\"}");
        assertEquals("/d", bench.get("/directory-classes/d").get("from"));
        assertEquals(204, bench.change("DELETE", "/class-rules/2", "").statusCode());
        refused(404, "There are: 1", "DELETE", "/class-rules/2", "");
        assertEquals(204, bench.change("DELETE", "/class-rules/1", "").statusCode());
        refused(404, "There are none", "DELETE", "/class-rules/1", "");
    }

    @Test
    void theReasonOfAFileIsTold() throws Exception {
        done(201, "POST", "/class-rules", "{\"class\":\"videos\",\"name\":\"*.mp4\"}");
        forest.create(Forest.ROOT, "f.mp4", "1");
        String reason = "rule 1: videos --name '*.mp4'";
        Map<String, Object> held = bench.get("/directory-classes/f.mp4");
        assertEquals("videos", held.get("class"));
        assertNull(held.get("from"));
        assertEquals(reason, held.get("rule"));
        Map<String, Object> file = bench.get("/files/f.mp4");
        assertEquals("videos", file.get("storageClass"));
        assertEquals(reason, file.get("storageClassRule"));
        assertEquals(16777216, ((Map<?, ?>) file.get("policy")).get("chunkSizeBytes"));
    }

    @Test
    void badRulesAreRefusedWithAWord() throws Exception {
        forest.create(Forest.ROOT, "f", "1");
        String any = "{\"class\":\"videos\",\"name\":\"*.mp4\"";
        refused(
                400,
                "character 3",
                "POST",
                "/class-rules",
                "{\"class\":\"videos\",\"name\":\"*.[mp4\"}");
        refused(400, "all files", "POST", "/class-rules", "{\"class\":\"videos\"}");
        refused(
                400,
                "There are: videos",
                "POST",
                "/class-rules",
                "{\"class\":\"x\",\"name\":\"*\"}");
        refused(404, "absent", "POST", "/class-rules", any + ",\"below\":\"/absent\"}");
        refused(409, "not a directory", "POST", "/class-rules", any + ",\"below\":\"/f\"}");
        refused(404, "There are none", "POST", "/class-rules", any + ",\"before\":3}");
        HttpResponse<String> plan = bench.change("POST", "/class-rules?plan=true", any + "}");
        assertTrue(plan.body().contains("new files"), plan.body());
        assertEquals(List.of(), bench.items("/class-rules"));
        done(201, "POST", "/class-rules", any + "}");
        refused(409, "rule 1", "POST", "/class-rules", any + "}");
    }
}
