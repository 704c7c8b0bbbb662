package io.cairn.master.backup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.master.store.MemoryDirectory;
import io.cairn.master.store.RocksStore;
import io.cairn.master.store.StoreSettings;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.state.StoredState;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupFileTest {
    private static final long CLUSTER = 0x00c0ffee00c0ffeeL;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private final MemoryStore store = new MemoryStore();
    private final Namespace namespace = new Namespace(store);
    private long index;

    private void apply(long session, long sequence, Mutation mutation) {
        byte[] envelope = new Envelope(session, sequence, 0, 0, mutation).toBytes();
        ByteBuffer entry = ByteBuffer.allocate(4 + envelope.length);
        entry.putInt(envelope.length).put(envelope);
        namespace.apply(3, ++index, entry.array());
    }

    /** A cluster with so many files of so many bytes each. */
    private byte[] backup(int files, int bytes) throws IOException {
        Random random = new Random(7);
        apply(0, 1, new LeaderMutation.Found(CLUSTER, 2, 16_384));
        apply(0, 2, new SessionMutation.OpenSession("test"));
        for (int i = 0; i < files; i++) {
            byte[] contents = new byte[bytes];
            random.nextBytes(contents);
            apply(
                    1,
                    i + 1,
                    new TreeMutation.Create(
                            1,
                            Name.of("f" + i),
                            FileType.FILE,
                            0644,
                            0,
                            0,
                            0,
                            false,
                            0,
                            contents,
                            false));
        }
        assertEquals(files + 1, namespace.inodeCount());
        return write(store);
    }

    private BackupHead head() {
        return new BackupHead(CLUSTER, 3, index, 1_700_000_000_000L, 1, "1.0");
    }

    private byte[] write(StoredState state) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BackupSummary summary = BackupWriter.write(state, head(), out);
        assertEquals(out.size(), summary.bytes());
        return out.toByteArray();
    }

    private static BackupSummary read(byte[] file) throws IOException {
        return new BackupReader("the file", new ByteArrayInputStream(file))
                .readAll((_, _, _) -> {});
    }

    private static String refusal(byte[] file) {
        return String.valueOf(assertThrows(IOException.class, () -> read(file)).getMessage());
    }

    @Test
    void aRestoredStoreIsTheOneThatWasKept() throws IOException {
        byte[] file = backup(100, 16_000);
        assertTrue(file.length > 4 * BackupWriter.BLOCK_BYTES, "several blocks");
        Path path = Files.write(directory.resolve("file"), file);
        BackupSummary told = Restore.verify(path);
        assertEquals(head(), told.head());
        Path checkpoint = directory.resolve("checkpoint");
        BackupSummary restored = Restore.restore(path, directory.resolve("s"), checkpoint, 0);
        assertEquals(told.records(), restored.records());
        assertArrayEquals(told.sha256(), restored.sha256());
        try (RocksStore again = RocksStore.open(checkpoint, StoreSettings.standard())) {
            assertEquals(3, again.appliedTerm());
            assertEquals(index, again.appliedIndex());
            Namespace same = new Namespace(again);
            assertArrayEquals(namespace.fingerprint(), same.fingerprint());
            assertEquals(List.of(), same.check());
            try (StoredState snapshot = again.snapshot()) {
                assertArrayEquals(file, write(snapshot), "the same whatever store it came from");
            }
        }
    }

    @Test
    void anotherClusterDiffersInItsIdOnly() throws IOException {
        Path path = Files.write(directory.resolve("file"), backup(3, 10));
        Path checkpoint = directory.resolve("checkpoint");
        Restore.restore(path, directory.resolve("s"), checkpoint, 77);
        try (RocksStore again = RocksStore.open(checkpoint, StoreSettings.standard())) {
            Namespace other = new Namespace(again);
            assertEquals(77, other.clusterId());
            assertEquals(2, other.standardReplicas());
            assertEquals(16_384, other.inlineLimitBytes());
            assertEquals(4, other.inodeCount());
        }
    }

    @Test
    void whatWasCutOffAnywhereIsRefused() throws IOException {
        byte[] file = backup(3, 10);
        for (int length = 0; length < file.length; length++) {
            String told = refusal(Arrays.copyOf(file, length));
            assertTrue(told.contains("the file is no whole backup: it ends after"), told);
        }
        String longer = refusal(Arrays.copyOf(file, file.length + 1));
        assertTrue(longer.contains("something follows its end"), longer);
        assertEquals(file.length, read(file).bytes());
    }

    @Test
    void aFlippedBitAnywhereIsRefused() throws IOException {
        byte[] file = backup(3, 10);
        for (int bit = 0; bit < file.length * 8; bit += 3) {
            byte[] hurt = file.clone();
            hurt[bit / 8] ^= (byte) (1 << (bit % 8));
            String told = refusal(hurt);
            assertTrue(told.startsWith("the file"), told);
        }
    }

    /** Each block is whole; they do not belong together. */
    @Test
    void blocksOfAnotherBackupAreRefused() throws IOException {
        byte[] file = backup(3, 10);
        apply(1, 9, new TreeMutation.Mkdir(1, Name.of("d9"), 0755, 0, 0));
        byte[] later = write(store);
        int headBytes = 16 + head().fields().length + 4;
        byte[] mixed = later.clone();
        System.arraycopy(file, 0, mixed, 0, headBytes);
        assertTrue(refusal(mixed).contains("the checksum of block 0"), refusal(mixed));
    }

    @Test
    void foreignAndNewerFilesAreToldApart() throws IOException {
        byte[] file = backup(3, 10);
        String foreign =
                refusal("#!/bin/sh\necho no backup at all\n".getBytes(StandardCharsets.UTF_8));
        assertTrue(foreign.contains("the file is no backup of a Cairn cluster"), foreign);
        byte[] newer = file.clone();
        newer[11] = 2;
        assertTrue(refusal(newer).contains("has format 2, this release reads up to 1"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BackupWriter.write(store, new BackupHead(CLUSTER, 3, index, 0, 99, "9.9"), out);
        String level = refusal(out.toByteArray());
        assertTrue(level.contains("at level 99") && level.contains("release 9.9"), level);
    }

    /** Sums are right, but a record is missing, or comes twice: made by a faulty program. */
    @Test
    void recordsOutOfOrderAreRefused() throws IOException {
        byte[] fields = head().fields();
        ByteBuffer head = ByteBuffer.allocate(16 + fields.length + 4);
        head.putLong(BackupHead.MAGIC).putInt(1).putInt(fields.length).put(fields);
        CRC32C crc = new CRC32C();
        crc.update(head.array(), 0, head.position());
        head.putInt((int) crc.getValue());
        byte[] twice = {
            0, 0, 0, 4, 'M', 'E', 'T', 'A', 0, 0, 0, 1, 0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0, 9
        };
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(head.array());
        out.write(BackupWriter.encode(BackupWriter.RECORDS, 0, twice, (int) crc.getValue()));
        assertTrue(refusal(out.toByteArray()).contains("the keys of table META are not in order"));
    }

    @Test
    void aFailureOfTheOutputComesAsItIs() throws IOException {
        backup(40, 16_000);
        IOException full = new IOException("no space left");
        OutputStream out =
                new OutputStream() {
                    private int bytes;

                    @Override
                    public void write(int b) {
                        throw new AssertionError("pieces are longer");
                    }

                    @Override
                    public void write(byte[] piece) throws IOException {
                        bytes += piece.length;
                        if (bytes > 300_000) {
                            throw full;
                        }
                    }
                };
        assertEquals(
                full,
                assertThrows(IOException.class, () -> BackupWriter.write(store, head(), out)));
    }
}
