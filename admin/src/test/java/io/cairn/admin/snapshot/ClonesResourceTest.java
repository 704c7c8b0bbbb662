package io.cairn.admin.snapshot;

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

class ClonesResourceTest {
    @TempDir Path directory;
    private AdminBench bench;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
        Forest forest = new Forest(bench.master.service);
        long dir = forest.mkdir(Forest.ROOT, "dir").ino();
        forest.create(dir, "f", "contents");
    }

    @AfterEach
    void close() {
        assertEquals(List.of(), bench.master.service.namespace().check());
        bench.close();
    }

    private HttpResponse<String> ask(String query, String source, String target) throws Exception {
        return bench.change(
                "POST",
                "/clones" + query,
                "{\"source\":\"%s\",\"target\":\"%s\"}".formatted(source, target));
    }

    private void refused(int status, String why, String source, String target) throws Exception {
        HttpResponse<String> answer = ask("", source, target);
        assertEquals(status, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains(why), answer.body());
    }

    @Test
    void clonesAFile() throws Exception {
        HttpResponse<String> plan = ask("?plan=true", "/dir/f", "/dir/g");
        assertEquals(200, plan.statusCode(), plan.body());
        assertEquals(404, bench.send(bench.to("/files/dir/g")).statusCode());
        HttpResponse<String> made = ask("", "/dir/f", "/dir/g");
        assertEquals(201, made.statusCode(), made.body());
        Map<String, Object> document = AdminBench.object(made);
        assertEquals("/dir/g", document.get("target"));
        assertEquals(8, document.get("sizeBytes"));
        assertEquals(document.get("ino"), bench.get("/files/dir/g").get("ino"));
        assertEquals(201, ask("", "/dir/f", "/h").statusCode());
    }

    @Test
    void saysWhyNot() throws Exception {
        refused(404, "/dir/no", "/dir/no", "/dir/g");
        refused(404, "/no", "/dir/f", "/no/g");
        refused(409, "exists already", "/dir/f", "/dir/f");
        refused(400, "only regular files", "/dir", "/dir2");
        refused(400, "is not a directory", "/dir/f", "/dir/f/g");
        refused(400, "begins with", "/dir/f", "g");
        refused(400, "begins with", "/dir/f", "/dir/");
        refused(400, "the trash", "/dir/f", "/.trash/g");
        assertEquals(
                201,
                bench.change("POST", "/snapshots", "{\"directory\":\"/dir\",\"name\":\"s\"}")
                        .statusCode());
        refused(400, "in a snapshot", "/dir/.snapshots/s/f", "/dir/g");
        refused(400, "in a snapshot", "/dir/f", "/dir/.snapshots/s/g");
    }
}
