package io.cairn.chunk.store.blob;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.store.CrashDisk;
import io.cairn.chunk.store.blob.IntentLogFile.Contents;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.IntentRecord;
import io.cairn.chunk.store.format.IntentRecord.Kind;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.format.TargetPaths;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the log remembers across kills and power losses. */
class IntentLogTest {
    private static final BlobKey A = new BlobKey(1, 2, 3);
    private static final BlobKey B = new BlobKey(1, 2, 4);
    private static final long IDENTITY = 42;
    private static final long BOOT = 0x1122_3344_5566_7788L;
    private static final int LEDGERS = 3;

    private final CrashDisk disk = new CrashDisk();
    private final TargetPaths paths = new TargetPaths(Path.of("/target"));
    private IntentLog log = log(Contents.untrusted());

    @BeforeEach
    void start() throws IOException {
        disk.makeDirectories(paths.root());
        log.rewrite();
    }

    private IntentLog log(Contents contents) {
        return new IntentLog(
                new IntentLogFile(disk, paths, IDENTITY, BOOT, () -> LEDGERS), contents);
    }

    private Contents read() throws IOException {
        return IntentLogFile.read(disk, paths, IDENTITY);
    }

    private static BlobKey key(int i) {
        return new BlobKey(1, i, 0);
    }

    @Test
    void cleanLogIsEmpty() throws IOException {
        assertEquals(new Contents(new HashMap<>(), true, BOOT, LEDGERS), read());
    }

    @Test
    void remembersAcrossAKill() throws IOException {
        log.beforeWrite(A, false);
        log.beforeWrite(B, true);
        disk.kill();
        assertEquals(
                new Contents(Map.of(A, Kind.NEW, B, Kind.INTENT), true, BOOT, LEDGERS), read());
    }

    @Test
    void intentsSurvivePowerLoss() throws IOException {
        Random random = new Random(1);
        for (int i = 0; i < 50; i++) {
            log.beforeWrite(key(2 * i), false);
            log.beforeWrite(key(2 * i + 1), true);
            log.beforeWrite(key(1000 + i), false);
            disk.losePower(random);
            Contents contents = read();
            assertTrue(contents.trusted());
            for (int j = 0; j <= i; j++) {
                assertEquals(Kind.INTENT, contents.kinds().get(key(2 * j + 1)));
            }
            log = log(contents);
            log.rewrite();
        }
    }

    @Test
    void busyBlobIsWrittenOnce() throws IOException {
        log.beforeWrite(A, true);
        long changes = disk.changes();
        log.flushed(A);
        log.beforeWrite(A, true);
        log.beforeWrite(A, true);
        assertEquals(changes, disk.changes());
        assertEquals(List.of(A), log.dirty(10));
        assertEquals(1, log.dirtyCount());
    }

    @Test
    void syncedBlobIsForgottenWhenTheLogIsRewritten() throws IOException {
        log.beforeWrite(A, false);
        log.beforeWrite(B, false);
        log.flushed(A);
        log.rewrite();
        assertEquals(Map.of(B, Kind.NEW), read().kinds());
    }

    @Test
    void fencesLast() throws IOException {
        log.beforeWrite(A, true);
        log.fence(A);
        log.rewrite();
        assertEquals(Map.of(A, Kind.FENCE), read().kinds());
        log.forget(A);
        assertEquals(Map.of(), read().kinds());
    }

    @Test
    void staysBounded() throws IOException {
        for (int i = 0; i < 30_000; i++) {
            log.beforeWrite(key(i), false);
            log.flushed(key(i));
        }
        log.beforeWrite(A, false);
        long bytes = disk.sizeOf(paths.intents());
        assertTrue(bytes < 10_000L * IntentRecord.BYTES, bytes + " bytes");
        assertEquals(Kind.NEW, read().kinds().get(A));
    }

    @Test
    void manyWaitForOneSync() throws Exception {
        int threads = 8;
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<Boolean>> results = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int first = t * 1000;
                Callable<Boolean> writer =
                        () -> {
                            for (int i = 0; i < 200; i++) {
                                log.beforeWrite(key(first + i), true);
                            }
                            return true;
                        };
                results.add(pool.submit(writer));
            }
            for (Future<Boolean> result : results) {
                assertTrue(result.get(30, TimeUnit.SECONDS));
            }
        }
        disk.losePower(new Random(5));
        assertEquals(1600, read().kinds().size());
    }

    @Test
    void failedSyncFailsForEver() throws IOException {
        disk.failNextForce();
        assertThrows(IOException.class, () -> log.beforeWrite(A, true));
        assertTrue(log.hasFailed());
        assertThrows(IOException.class, () -> log.beforeWrite(B, true));
        assertThrows(IOException.class, () -> log.beforeWrite(B, false));
    }

    @Test
    void damageBelowTheSyncedPartIsNoticed() throws IOException {
        for (int i = 0; i < 10; i++) {
            log.beforeWrite(key(i), true);
        }
        log.beforeWrite(A, false);
        long size = 64 + 11 * IntentRecord.BYTES; // Behind it there is only room.
        for (int offset = 0; offset < size - 2 * IntentRecord.BYTES; offset++) {
            CrashDisk copy = new CrashDisk();
            copyLog(copy, size);
            copy.flip(paths.intents(), offset);
            try {
                assertFalse(IntentLogFile.read(copy, paths, IDENTITY).trusted(), "byte " + offset);
            } catch (TargetException e) {
                assertEquals(TargetException.Reason.TOO_NEW, e.reason(), "byte " + offset);
            }
        }
        for (long cut = 0; cut < size - 2 * IntentRecord.BYTES; cut++) {
            CrashDisk copy = new CrashDisk();
            copyLog(copy, size);
            copy.cut(paths.intents(), cut);
            Contents contents = IntentLogFile.read(copy, paths, IDENTITY);
            long whole = (cut - 64) / IntentRecord.BYTES;
            assertTrue(!contents.trusted() || contents.kinds().size() == whole, "cut at " + cut);
        }
    }

    private void copyLog(CrashDisk copy, long size) throws IOException {
        copy.makeDirectories(paths.root());
        ByteBuffer bytes = ByteBuffer.allocate((int) size);
        try (var from = disk.open(paths.intents());
                var to = copy.openOrCreate(paths.intents())) {
            from.readAll(bytes, 0);
            to.write(bytes.flip(), 0);
        }
    }
}
