package io.cairn.admin.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.AdminBench;
import io.cairn.admin.Forest;
import io.cairn.fs.Name;
import io.cairn.master.LoneMaster;
import io.cairn.wire.master.TreeMutation;
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
    private Forest forest;
    private long dir;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory, LoneMaster.withoutServers());
        forest = new Forest(bench.master.service);
        dir = forest.mkdir(Forest.ROOT, "dir").ino();
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
        refused(400, "outside of it", "/dir", "/dir/dir2");
        refused(400, "outside of it", "/", "/dir/dir2");
        refused(409, "exists already", "/dir", "/dir/f");
        refused(400, "is not a directory", "/dir/f", "/dir/f/g");
        refused(400, "begins with", "/dir/f", "g");
        refused(400, "begins with", "/dir/f", "/dir/");
        refused(400, "the trash", "/dir/f", "/.trash/g");
        assertEquals(
                201,
                bench.change("POST", "/snapshots", "{\"directory\":\"/dir\",\"name\":\"s\"}")
                        .statusCode());
        refused(400, "in a snapshot", "/dir/f", "/dir/.snapshots/s/g");
        refused(400, "name one of them", "/dir/.snapshots", "/dir2");
        refused(400, "in a snapshot", "/dir", "/dir/.snapshots/s/dir2");
        refused(404, "/dir/.snapshots/s/no", "/dir/.snapshots/s/no", "/dir2");
        refused(404, "/dir/.snapshots/no", "/dir/.snapshots/no/f", "/dir2");
    }

    private void cloneOfDir(String source) throws Exception {
        HttpResponse<String> plan = ask("?plan=true", source, "/dir2");
        assertEquals(200, plan.statusCode(), plan.body());
        assertTrue(plan.body().contains("/dir2"), plan.body());
        HttpResponse<String> made = ask("", source, "/dir2");
        assertEquals(201, made.statusCode(), made.body());
        Map<String, Object> document = AdminBench.object(made);
        assertEquals(source, document.get("source"));
        assertEquals("/dir2", document.get("target"));
        String path = "/jobs/" + document.get("job");
        assertEquals("/api/v1" + path, made.headers().firstValue("location").orElse(""));
        long end = System.nanoTime() + 60_000_000_000L;
        while (!"done".equals(bench.get(path).get("state"))) {
            assertTrue(System.nanoTime() < end, bench.get(path).toString());
            Thread.sleep(10);
        }
        assertEquals("clone", bench.get(path).get("kind"));
        assertEquals("/dir2", bench.get(path).get("path"));
        assertEquals("8", String.valueOf(bench.get("/files/dir2/f").get("sizeBytes")));
    }

    @Test
    void clonesADirectoryWithASnapshotThatGoes() throws Exception {
        cloneOfDir("/dir");
        long end = System.nanoTime() + 60_000_000_000L;
        while (!bench.master.service.namespace().snapshots().isEmpty()) {
            assertTrue(System.nanoTime() < end, "the snapshot for the clone stays");
            Thread.sleep(10);
        }
        HttpResponse<String> reserved =
                bench.change(
                        "POST", "/snapshots", "{\"directory\":\"/dir\",\"name\":\".clone-1\"}");
        assertEquals(400, reserved.statusCode(), reserved.body());
    }

    @Test
    void clonesADirectoryOutOfASnapshot() throws Exception {
        assertEquals(
                201,
                bench.change("POST", "/snapshots", "{\"directory\":\"/dir\",\"name\":\"s\"}")
                        .statusCode());
        forest.made(new TreeMutation.Unlink(dir, Name.of("f")));
        cloneOfDir("/dir/.snapshots/s");
        assertEquals(1, bench.master.service.namespace().snapshots().size());
    }

    @Test
    void bringsAFileBackFromASnapshot() throws Exception {
        assertEquals(
                201,
                bench.change("POST", "/snapshots", "{\"directory\":\"/dir\",\"name\":\"s\"}")
                        .statusCode());
        forest.made(new TreeMutation.Unlink(dir, Name.of("f")));
        assertEquals(404, bench.send(bench.to("/files/dir/f")).statusCode());
        HttpResponse<String> made = ask("", "/dir/.snapshots/s/f", "/dir/f");
        assertEquals(201, made.statusCode(), made.body());
        Map<String, Object> document = AdminBench.object(made);
        assertEquals("/dir/.snapshots/s/f", document.get("source"));
        assertEquals("/dir/f", document.get("target"));
        assertEquals(8, document.get("sizeBytes"));
        assertEquals(document.get("ino"), bench.get("/files/dir/f").get("ino"));
        refused(409, "exists already", "/dir/.snapshots/s/f", "/dir/f");
    }
}
