package io.cairn.admin.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.AdminBench;
import io.cairn.admin.Forest;
import io.cairn.cluster.Inode;
import io.cairn.fs.AttributeChange;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.master.TreeMutation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The space of snapshots as the status tells it. */
class HeldCountTest {
    private static final int SIZE = 9_000;

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

    private Object told() throws Exception {
        return bench.get("/cluster").get("capacity") instanceof Map<?, ?> capacity
                ? capacity.get("snapshotBytes")
                : "nothing";
    }

    private void take(String name) throws Exception {
        String body = "{\"directory\":\"/\",\"name\":\"%s\"}".formatted(name);
        assertEquals(201, bench.change("POST", "/snapshots", body).statusCode());
    }

    @Test
    void whatOnlySnapshotsHoldIsCountedOnceAMinute() throws Exception {
        assertEquals(0, told(), "there are no snapshots");
        Forest forest = new Forest(bench.master.service);
        Inode file = forest.create(Forest.ROOT, "f", "contents");
        forest.spill(file, SIZE);
        int copies = bench.master.service.servers().space().replicas();
        ManualClock clock = new ManualClock(5_000);
        HeldCount count = new HeldCount(bench.master.service, clock, Runnable::run);
        assertEquals(0L, count.bytes());
        take("monday");
        assertNull(count.bytes(), "not counted yet");
        count.tick(1);
        assertEquals(0L, count.bytes(), "the file has it, too");
        AttributeChange empty = AttributeChange.NONE.withSize(0);
        forest.made(new TreeMutation.SetAttributes(file.ino(), empty));
        count.tick(1);
        assertEquals(0L, count.bytes(), "the pause is not over");
        clock.advance(60_000);
        count.tick(1);
        assertEquals((long) SIZE * copies, count.bytes());
        count.tick(2);
        assertEquals((long) SIZE * copies, count.bytes(), "counted anew after a change of leader");
        long end = System.nanoTime() + 60_000_000_000L;
        while (!(told() instanceof Number)) {
            assertTrue(System.nanoTime() < end, "the status tells it");
            Thread.sleep(20);
        }
    }

    /** There is one snapshot, which alone holds the contents of a file. */
    private HeldCount countOfEmptied(ManualClock clock, Executor workers) throws Exception {
        Forest forest = new Forest(bench.master.service);
        Inode file = forest.create(Forest.ROOT, "f", "contents");
        forest.spill(file, SIZE);
        take("monday");
        AttributeChange empty = AttributeChange.NONE.withSize(0);
        forest.made(new TreeMutation.SetAttributes(file.ino(), empty));
        return new HeldCount(bench.master.service, clock, workers);
    }

    @Test
    void theNextSnapshotIsCountedAtOnceWhenAllBeforeAreDropped() throws Exception {
        HeldCount count = countOfEmptied(new ManualClock(5_000), Runnable::run);
        count.tick(1);
        int copies = bench.master.service.servers().space().replicas();
        assertEquals((long) SIZE * copies, count.bytes());
        for (Map<String, Object> each : bench.items("/snapshots")) {
            String path = "/snapshots/" + each.get("number");
            assertEquals(204, bench.change("DELETE", path, "").statusCode());
        }
        count.tick(1);
        assertEquals(0L, count.bytes());
        take("tuesday");
        assertNull(count.bytes(), "what monday held is no number of tuesday");
        count.tick(1);
        assertEquals(0L, count.bytes());
    }

    @Test
    void aCountThatRunsEndsWhenItIsClosed() throws Exception {
        List<Runnable> begun = new ArrayList<>();
        HeldCount count = countOfEmptied(new ManualClock(5_000), begun::add);
        count.tick(1);
        count.close();
        begun.removeFirst().run();
        assertNull(count.bytes(), "nothing was read");
    }
}
