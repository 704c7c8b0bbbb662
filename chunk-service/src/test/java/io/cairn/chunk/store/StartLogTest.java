package io.cairn.chunk.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.runtime.Disk;
import io.cairn.runtime.Disk.DiskFile;
import io.cairn.testkit.simulated.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StartLogTest {
    private static final TargetPaths PATHS = new TargetPaths(Path.of("/target"));
    private final SimulatedDisk disk = new SimulatedDisk(1 << 20);

    @BeforeEach
    void makeRoot() throws IOException {
        disk.makeDirectories(PATHS.root());
    }

    private StartLog begin(long start) {
        StartLog log = new StartLog(disk, PATHS);
        assertEquals(List.of(), log.list());
        log.begin(start);
        return log;
    }

    @Test
    void startsAreKeptUntilTheMasterKnowsALaterOne() {
        assertEquals(List.of(0L, 5L), begin(5).list());
        assertEquals(List.of(0L, 5L, 6L), begin(6).list());
        StartLog log = begin(7);
        log.confirm(6);
        assertEquals(List.of(0L, 5L, 6L, 7L), log.list());
        log.confirm(7);
        log.confirm(7);
        assertEquals(List.of(7L), log.list());
        assertEquals(List.of(7L, 8L), begin(8).list());
    }

    @Test
    void theFirstIsKeptHoweverManyComeAfterIt() {
        begin(5).confirm(5);
        for (long start = 100; start < 400; start++) {
            begin(start);
        }
        List<Long> last = begin(9).list();
        assertEquals(5, last.getFirst());
        assertEquals(List.of(399L, 9L), last.subList(last.size() - 2, last.size()));
        assertEquals(100, last.size());
    }

    @Test
    void oneWriteThatWasCutOffLeavesTheOneBefore() throws IOException {
        begin(5).confirm(5);
        begin(6);
        damage(1);
        assertEquals(List.of(5L, 7L), begin(7).list());
    }

    /** So that nobody is called a copy for it. */
    @Test
    void whatIsLostCountsAsAny() throws IOException {
        begin(5).confirm(5);
        damage(0);
        damage(1);
        assertEquals(List.of(0L, 6L), begin(6).list());
    }

    private void damage(int slot) throws IOException {
        try (DiskFile file = disk.open(PATHS.starts())) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), slot * 4096L + 100);
        }
    }

    @Test
    void aFullDiskTakesIt() throws IOException {
        begin(5);
        Disk other = disk;
        try (DiskFile hog = other.openOrCreate(Path.of("/target/hog"))) {
            for (long at = 0; ; at += 4096) {
                hog.write(ByteBuffer.allocate(4096), at);
            }
        } catch (IOException e) {
            assertEquals(List.of(0L, 5L, 6L), begin(6).list());
        }
    }
}
