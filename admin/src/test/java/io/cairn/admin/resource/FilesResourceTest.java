package io.cairn.admin.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.AdminBench;
import io.cairn.admin.Forest;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Shape;
import io.cairn.admin.api.ShapeCheck;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Inode;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.fs.Name;
import io.cairn.wire.master.LeaderMutation;
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

class FilesResourceTest {
    @TempDir Path directory;
    private AdminBench bench;
    private Forest forest;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
        forest = new Forest(bench.master.service);
    }

    @AfterEach
    void close() {
        assertEquals(List.of(), bench.master.service.namespace().check());
        bench.close();
    }

    private Map<String, Object> get(String path) throws Exception {
        Map<String, Object> document = bench.get(path);
        Shape shape =
                path.startsWith("/files")
                        ? InodeDocument.shape()
                        : Shape.page(new Shape.Anything());
        ShapeCheck.check(shape, document, "answer");
        return document;
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return assertInstanceOf(Map.class, value);
    }

    private static List<?> list(@Nullable Object value) {
        return assertInstanceOf(List.class, value);
    }

    private static int status(HttpResponse<String> response) {
        return response.statusCode();
    }

    @Test
    void aFileIsToldWithItsPolicyAndLayout() throws Exception {
        Inode d = forest.mkdir(Forest.ROOT, "dir with space");
        Inode f = forest.create(d.ino(), "f", "hello");
        Map<String, Object> file = get("/files/dir%20with%20space/f");
        assertEquals("/dir with space/f", file.get("path"));
        assertEquals(String.valueOf(f.ino()), file.get("ino"));
        assertEquals("file", file.get("type"));
        assertEquals("0644", file.get("mode"));
        assertEquals(5, file.get("sizeBytes"));
        assertEquals(512, file.get("usedBytes"));
        assertNull(map(file.get("policy")).get("replicas"));
        assertEquals(2, map(file.get("effectivePolicy")).get("replicas"));
        assertEquals(true, map(file.get("layout")).get("inline"));
        assertEquals(List.of(), map(file.get("chunks")).get("items"));
        assertEquals(file, get("/files?ino=" + f.ino()));
        Map<String, Object> parent = get("/files/dir%20with%20space");
        assertEquals("directory", parent.get("type"));
        assertEquals(1, parent.get("entries"));
        assertEquals("/", get("/files").get("path"));
        assertEquals("/", get("/files/").get("path"));
    }

    @Test
    void namesThatAreNotTextAreToldByTheirBytes() throws Exception {
        forest.create(Forest.ROOT, Name.of(new byte[] {'a', (byte) 0xff}), "");
        Map<String, Object> file = get("/files/a%FF");
        assertEquals("/a\ufffd", file.get("path"));
        assertEquals("2f61ff", file.get("pathHex"));
        Map<?, ?> entry = map(list(get("/entries/").get("items")).getFirst());
        assertEquals("a\ufffd", entry.get("name"));
        assertEquals("61ff", entry.get("nameHex"));
    }

    @Test
    void linksAreNotFollowed() throws Exception {
        Inode d = forest.mkdir(Forest.ROOT, "d");
        forest.create(d.ino(), "f", "");
        forest.symlink(Forest.ROOT, "l", "/d");
        assertEquals("/d", get("/files/l").get("target"));
        assertEquals(404, status(bench.send(bench.to("/files/l/f"))));
    }

    @Test
    void chunksAreToldInPages() throws Exception {
        pools();
        Inode f = forest.create(Forest.ROOT, "f", "");
        forest.spill(f, 10L << 22);
        Map<String, Object> file = get("/files/f?chunks=4");
        assertEquals(10, map(file.get("layout")).get("chunks"));
        List<Object> indexes = new ArrayList<>();
        Object next = collect(indexes, file);
        while (next != null) {
            next = collect(indexes, get("/files/f?chunks=4&chunksAfter=" + next));
        }
        assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), indexes);
        Map<?, ?> chunk = map(list(map(file.get("chunks")).get("items")).getFirst());
        Map<?, ?> replica = map(list(chunk.get("replicas")).getFirst());
        assertEquals("c1", replica.get("server"));
        assertEquals("serving", replica.get("state"));
    }

    private static @Nullable Object collect(List<Object> indexes, Map<String, Object> file) {
        Map<?, ?> chunks = map(file.get("chunks"));
        list(chunks.get("items")).forEach(chunk -> indexes.add(map(chunk).get("index")));
        return chunks.get("next");
    }

    private void pools() {
        ClusterMap map =
                new ClusterMap(
                        1,
                        List.of(new ChunkServer(1, "c1", new Endpoint("localhost", 1), 1)),
                        List.of(new Target(1, 5, 1)),
                        List.of(new Pool(1, 1, 1, 1)),
                        List.of(
                                new PlacementGroup(
                                        1,
                                        1,
                                        1,
                                        List.of(
                                                new PlacementGroup.Member(
                                                        1, MemberState.SERVING)))));
        forest.submit(new LeaderMutation.ChangeMap(map.since(ClusterMap.EMPTY)));
    }

    @Test
    void aDirectoryIsListedInPages() throws Exception {
        Inode d = forest.mkdir(Forest.ROOT, "d");
        for (int i = 0; i < 25; i++) {
            forest.create(d.ino(), "f" + i, "x");
        }
        List<Object> names = new ArrayList<>();
        Object next = "";
        while (next != null) {
            Map<String, Object> page =
                    get("/entries/d?limit=10" + (next.equals("") ? "" : "&after=" + next));
            list(page.get("items")).forEach(item -> names.add(map(item).get("name")));
            next = page.get("next");
        }
        assertEquals(25, names.size());
        assertEquals(25, names.stream().distinct().count());
        assertEquals(400, status(bench.send(bench.to("/entries/d?after=xyz"))));
        assertEquals(400, status(bench.send(bench.to("/entries/d?limit=0"))));
        forest.create(Forest.ROOT, "f", "");
        assertEquals(409, status(bench.send(bench.to("/entries/f"))));
    }

    @Test
    void oneFileIsChangedAsPlanned() throws Exception {
        Inode f = forest.create(Forest.ROOT, "f", "x");
        String body = "{\"mode\":\"u+x,go=\",\"uid\":1000,\"replicas\":2}";
        HttpResponse<String> plan = bench.change("PATCH", "/files/f?plan=true", body);
        assertEquals(200, status(plan), plan.body());
        ShapeCheck.check(Plan.shape(), AdminBench.object(plan), "plan");
        assertEquals(3, list(AdminBench.object(plan).get("changes")).size());
        assertEquals("0644", get("/files/f").get("mode"));
        String etag = String.valueOf(AdminBench.object(plan).get("etag"));
        HttpRequest.Builder request =
                bench.to("/files/f")
                        .header("Content-Type", "application/json")
                        .header("If-Match", "\"" + etag + "\"")
                        .method("PATCH", HttpRequest.BodyPublishers.ofString(body));
        HttpResponse<String> done = bench.send(request);
        assertEquals(200, status(done), done.body());
        Map<String, Object> file = get("/files/f");
        assertEquals("0700", file.get("mode"));
        assertEquals(1000, file.get("uid"));
        assertEquals(2, map(file.get("policy")).get("replicas"));
        assertEquals(412, status(bench.send(request)));
        HttpResponse<String> back = bench.change("PATCH", "/files/f", "{\"replicas\":null}");
        assertEquals(200, status(back), back.body());
        assertNull(map(get("/files/f").get("policy")).get("replicas"));
        assertNotNull(bench.master.service.namespace().inode(f.ino()));
    }

    @Test
    void compressionAndInlineLimitAreFieldsOfThePolicy() throws Exception {
        forest.create(Forest.ROOT, "f", "x");
        String body = "{\"compression\":\"zstd\",\"inlineLimitBytes\":0}";
        HttpResponse<String> plan = bench.change("PATCH", "/files/f?plan=true", body);
        assertTrue(plan.body().contains("no pool with compression zstd"), plan.body());
        assertEquals(200, status(bench.change("PATCH", "/files/f", body)));
        Map<?, ?> policy = map(get("/files/f").get("policy"));
        assertEquals("zstd", policy.get("compression"));
        assertEquals(0, policy.get("inlineLimitBytes"));
        HttpResponse<String> large =
                bench.change("PATCH", "/files/f", "{\"chunkSizeBytes\":33554432}");
        assertEquals(400, status(large), large.body());
        assertEquals(200, status(bench.change("PATCH", "/files/f", "{\"compression\":null}")));
        policy = map(get("/files/f").get("policy"));
        assertNull(policy.get("compression"));
        assertEquals(0, policy.get("inlineLimitBytes"));
        assertEquals(200, status(bench.change("PATCH", "/files/f", "{\"inlineLimitBytes\":null}")));
        assertNull(map(get("/files/f").get("policy")).get("inlineLimitBytes"));
    }

    @Test
    void badInputIsToldAndChangesNothing() throws Exception {
        forest.create(Forest.ROOT, "f", "x");
        forest.symlink(Forest.ROOT, "l", "/f");
        assertEquals(404, status(bench.send(bench.to("/files/nothing"))));
        assertEquals(404, status(bench.send(bench.to("/files/f/under"))));
        assertEquals(404, status(bench.send(bench.to("/files?ino=99999"))));
        assertEquals(400, status(bench.send(bench.to("/files?ino=x"))));
        assertEquals(400, status(bench.send(bench.to("/files/f?ino=1"))));
        assertEquals(400, status(bench.send(bench.to("/files/..%2ff/.."))));
        assertEquals(400, status(bench.send(bench.to("/files/" + "n".repeat(300)))));
        String[][] wrong = {
            {"{}", "400"},
            {"{\"mode\":\"u+y\"}", "400"},
            {"{\"mode\":755}", "400"},
            {"{\"replicas\":0}", "400"},
            {"{\"replicas\":16}", "400"},
            {"{\"chunkSizeBytes\":100000}", "400"},
            {"{\"compression\":\"gzip\"}", "400"},
            {"{\"compression\":\"zstd\",\"chunkSizeBytes\":33554432}", "400"},
            {"{\"inlineLimitBytes\":100}", "400"},
            {"{\"inlineLimitBytes\":32768}", "400"},
            {"{\"replica\":1}", "400"},
            {"{\"uid\":-1}", "400"},
            {"{\"uid\":4294967295}", "400"},
            {"[1]", "400"},
        };
        for (String[] each : wrong) {
            HttpResponse<String> answer = bench.change("PATCH", "/files/f", each[0]);
            assertEquals(each[1], String.valueOf(status(answer)), each[0] + answer.body());
        }
        assertEquals(409, status(bench.change("PATCH", "/files/l", "{\"mode\":\"0600\"}")));
        assertEquals(409, status(bench.change("PATCH", "/files/l", "{\"replicas\":1}")));
        assertEquals(405, status(bench.change("DELETE", "/files/f", "")));
        assertTrue(
                bench.change("PATCH", "/files/f", "{\"replica\":1}").body().contains("replicas"));
        assertEquals("0644", get("/files/f").get("mode"));
    }
}
