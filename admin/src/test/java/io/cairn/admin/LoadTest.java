package io.cairn.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.api.Json;
import io.cairn.admin.watch.DiskErrors;
import io.cairn.wire.master.TargetLoad;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Load and errors of targets, from heartbeats to documents. */
class LoadTest {
    private static final long MIB = 1 << 20;

    @TempDir Path directory;
    private AdminBench bench;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
        bench.startServers();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    /** A server that writes 2 MiB a second, in reads and writes of 3 ms, with errors. */
    private static TargetLoad after(long seconds, long errors) {
        return new TargetLoad(
                seconds * 1000,
                seconds * MIB,
                seconds * 2 * MIB,
                seconds * MIB,
                seconds * 4 * MIB,
                seconds,
                seconds * 4,
                0,
                seconds * 3_000_000,
                seconds * 12_000_000,
                0,
                errors,
                errors == 0 ? -1 : 0);
    }

    private static Map<?, ?> map(Map<String, Object> document, String field) {
        return assertInstanceOf(Map.class, document.get(field));
    }

    @Test
    void ratesAreNotKnownBeforeTheSecondHeartbeat() throws Exception {
        bench.heartbeat("c3", 3, after(100, 0));
        Map<?, ?> rates = map(bench.get("/cluster"), "rates");
        assertTrue(rates.containsKey("writtenBytesPerSecond"));
        assertNull(rates.get("writtenBytesPerSecond"), "not 0, and not since the start");
        assertNotNull(rates.get("operationsPerSecond"));
    }

    @Test
    void theClusterItsServersAndItsTargetsTellWhatTheyDo() throws Exception {
        for (int second = 1; second <= 2; second++) {
            bench.heartbeat("c1", 1, after(second, 0));
            bench.heartbeat("c2", 2, after(second, 0));
        }
        Map<?, ?> all = map(bench.get("/cluster"), "rates");
        assertEquals(2 * MIB, number(all, "readBytesPerSecond"));
        assertEquals(4 * MIB, number(all, "writtenBytesPerSecond"));
        assertEquals(2 * MIB, number(all, "diskReadBytesPerSecond"));
        assertEquals(8 * MIB, number(all, "diskWrittenBytesPerSecond"));
        assertEquals(8.0, all.get("writesPerSecond"));
        assertEquals(3.0, all.get("readMs"));
        assertEquals(3.0, all.get("writeMs"));
        assertNull(all.get("syncMs"), "nothing was made durable");
        Map<?, ?> server = map(bench.get("/servers/c2"), "load");
        assertEquals(2 * MIB, number(server, "writtenBytesPerSecond"));
        Map<String, Object> target = bench.items("/targets").getFirst();
        assertEquals("/disks/1", target.get("directory"));
        assertEquals(MIB, number(map(target, "load"), "readBytesPerSecond"));
        assertEquals(0L, number(map(target, "load"), "errors"));
    }

    private static long number(Map<?, ?> document, String field) {
        return assertInstanceOf(Number.class, document.get(field), field).longValue();
    }

    @Test
    void errorsOfADiskAreAReasonToLookAtIt() throws Exception {
        assertTrue(bench.items("/events?limit=1000").stream().noneMatch(LoadTest::isError));
        bench.heartbeat("c1", 1, after(60, 3));
        String health = Json.text(bench.get("/cluster").get("health"));
        assertTrue(
                health.contains("Disk /disks/1 of chunk server c1 has had 3 errors since "),
                health);
        assertTrue(health.contains("Look at the log of c1"), health);
        Map<?, ?> load = map(bench.get("/servers/c1"), "load");
        assertEquals(3L, number(load, "errors"));
        assertNotNull(load.get("lastErrorAt"));
        AdminBench.until(
                () -> {
                    try {
                        return bench.items("/events?limit=1000").stream()
                                .anyMatch(LoadTest::isError);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
    }

    private static boolean isError(Map<String, Object> event) {
        return Objects.equals(event.get("kind"), "diskErrors")
                && String.valueOf(event.get("text")).contains("/disks/1 of chunk server c1");
    }

    @Test
    void anErrorOfLongAgoIsNoReason() throws Exception {
        long dayMs = DiskErrors.LATELY.toMillis();
        bench.heartbeat(
                "c1", 1, new TargetLoad(2 * dayMs, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, dayMs + 1000));
        assertEquals(5L, number(map(bench.get("/servers/c1"), "load"), "errors"));
        assertEquals("All is well.", map(bench.get("/cluster"), "health").get("sentence"));
    }

    @Test
    void theHistoryIsThereFromTheBeginning() throws Exception {
        Map<String, Object> load = bench.get("/load?limit=1");
        assertEquals(5000, load.get("everyMs"));
        assertTrue(assertInstanceOf(List.class, load.get("items")).size() <= 1);
    }
}
