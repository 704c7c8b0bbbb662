package io.cairn.chunk.store.blob;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.store.CrashDisk;
import io.cairn.chunk.store.blob.IntentLogFile.Contents;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.ChangedBlocks;
import io.cairn.chunk.store.format.Claim;
import io.cairn.chunk.store.format.IntentRecord;
import io.cairn.chunk.store.format.IntentRecord.Kind;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.format.TargetPaths;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
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
    private static final Claim SYNCED = new Claim(5, 1, 2);

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

    private static ChangedBlocks changed(Claim... claims) {
        ChangedBlocks changed = new ChangedBlocks();
        List.of(claims).forEach(changed::add);
        return changed;
    }

    private static BlobKey key(int i) {
        return new BlobKey(1, i, 0);
    }

    @Test
    void cleanLogIsEmpty() throws IOException {
        assertEquals(new Contents(Map.of(), Map.of(), true, BOOT, LEDGERS), read());
    }

    @Test
    void remembersAcrossAKill() throws IOException {
        log.beforeWrite(A, null);
        log.beforeWrite(B, SYNCED);
        disk.kill();
        assertEquals(
                new Contents(
                        Map.of(A, Kind.NEW, B, Kind.INTENT),
                        Map.of(B, changed(SYNCED)),
                        true,
                        BOOT,
                        LEDGERS),
                read());
    }

    @Test
    void intentsSurvivePowerLoss() throws IOException {
        Random random = new Random(1);
        for (int i = 0; i < 50; i++) {
            log.beforeWrite(key(2 * i), null);
            log.beforeWrite(key(2 * i + 1), SYNCED);
            log.beforeWrite(key(1000 + i), null);
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
        log.beforeWrite(A, SYNCED);
        long changes = disk.changes();
        log.flushed(A, 5);
        log.beforeWrite(A, SYNCED);
        log.beforeWrite(A, SYNCED);
        assertEquals(changes, disk.changes());
        assertEquals(List.of(A), log.dirty(10));
        assertEquals(1, log.dirtyCount());
    }

    /** Each is on stable media before it is changed, and until a later sync is known. */
    @Test
    void claimsOfBlocksSurvivePowerLoss() throws IOException {
        Random random = new Random(2);
        log.beforeWrite(A, new Claim(5, 1, 2));
        log.beforeWrite(A, new Claim(5, 2, 1));
        log.beforeWrite(A, new Claim(5, 9, 1));
        log.beforeWrite(B, new Claim(5, 0, 0));
        disk.losePower(random);
        assertEquals(changed(new Claim(5, 1, 2), new Claim(5, 9, 1)), read().changed().get(A));
        assertEquals(changed(new Claim(5, 0, 0)), read().changed().get(B));
        log = log(read());
        log.rewrite();
        assertEquals(changed(new Claim(5, 1, 2), new Claim(5, 9, 1)), read().changed().get(A));
        log.beforeWrite(A, new Claim(8, 30, 1));
        disk.losePower(random);
        assertEquals(changed(new Claim(8, 30, 1)), read().changed().get(A));
        assertEquals(changed(new Claim(8, 30, 1)), log.changed(A));
    }

    @Test
    void manyPlacesCostFewRecords() throws IOException {
        long before = disk.changes();
        for (int i = 0; i < 16_384; i++) {
            log.beforeWrite(A, new Claim(5, i * 7919 % 16_384, 1));
        }
        long records = (disk.changes() - before) / 2;
        assertTrue(records < 20, records + " records");
    }

    @Test
    void syncedBlobIsForgottenWhenTheLogIsRewritten() throws IOException {
        log.beforeWrite(A, null);
        log.beforeWrite(B, null);
        log.flushed(A, 5);
        log.rewrite();
        assertEquals(Map.of(B, Kind.NEW), read().kinds());
    }

    @Test
    void fencesLast() throws IOException {
        log.beforeWrite(A, SYNCED);
        log.fence(A);
        log.rewrite();
        assertEquals(Map.of(A, Kind.FENCE), read().kinds());
        log.forget(A);
        assertEquals(Map.of(), read().kinds());
    }

    @Test
    void staysBounded() throws IOException {
        for (int i = 0; i < 30_000; i++) {
            log.beforeWrite(key(i), null);
            log.flushed(key(i), 5);
        }
        log.beforeWrite(A, null);
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
                                log.beforeWrite(key(first + i), SYNCED);
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
        assertThrows(IOException.class, () -> log.beforeWrite(A, SYNCED));
        assertTrue(log.hasFailed());
        assertThrows(IOException.class, () -> log.beforeWrite(B, SYNCED));
        assertThrows(IOException.class, () -> log.beforeWrite(B, null));
    }

    @Test
    void damageBelowTheSyncedPartIsNoticed() throws IOException {
        for (int i = 0; i < 10; i++) {
            log.beforeWrite(key(i), SYNCED);
        }
        log.beforeWrite(A, null);
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
