package io.cairn.admin.usage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.cairn.admin.AdminBench;
import io.cairn.admin.Forest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsageResourceTest {
    @TempDir Path directory;
    private AdminBench bench;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
        Forest forest = new Forest(bench.master.service);
        long d = forest.mkdir(Forest.ROOT, "d").ino();
        forest.create(d, "small", "1");
        forest.create(forest.mkdir(d, "sub").ino(), "large", "x".repeat(600));
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private Map<String, Object> get(String path) throws Exception {
        return bench.get(path);
    }

    private List<?> items(String path, String field) throws Exception {
        List<?> items = assertInstanceOf(List.class, get(path).get("items"));
        return items.stream().map(item -> ((Map<?, ?>) item).get(field)).toList();
    }

    @Test
    void aTreeIsToldAtOnce() throws Exception {
        Map<String, Object> usage = get("/usage/d");
        assertEquals("/d", usage.get("path"));
        assertEquals(3, usage.get("inodes"));
        assertEquals(601, usage.get("lengthBytes"));
        assertEquals(1536, usage.get("spaceBytes"));
        assertEquals(4, get("/usage/").get("inodes"));
    }

    @Test
    void theLargestComesFirst() throws Exception {
        assertEquals(List.of("sub", "small"), items("/top/d", "name"));
        assertEquals(List.of("directory", "file"), items("/top/d?by=length", "type"));
        assertEquals(List.of(2), items("/top/d?by=inodes&limit=1", "inodes"));
    }

    @Test
    void ownersAreListed() throws Exception {
        assertEquals(List.of(601), items("/owners?kind=users", "lengthBytes"));
        assertEquals(List.of(0), items("/owners?kind=groups", "id"));
        assertEquals(400, bench.send(bench.to("/owners?kind=others")).statusCode());
        assertEquals(409, bench.send(bench.to("/usage/d/small")).statusCode());
    }
}
