package io.cairn.chunk.store.seal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.store.format.BlobKey;
import io.cairn.runtime.Disk.DiskFile;
import io.cairn.runtime.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An encrypted file is as a plain one for who uses it, and tells nothing to who reads the disk. */
final class SealedFileTest {
    private static final int BYTES = 73_792;
    private static final BlobKey BLOB = new BlobKey(3, 7, 0);

    @TempDir private Path directory;

    private static Seal seal(int salt) {
        byte[] salts = new byte[Seal.SALT_BYTES];
        salts[0] = (byte) salt;
        return new Seal(1, new byte[32], salts, BLOB);
    }

    private static void checkRead(DiskFile file, byte[] model, int from, int length)
            throws IOException {
        ByteBuffer read =
                length % 2 == 0 ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
        file.readAll(read, from);
        int there = Math.min(length, Math.max(0, BYTES - from));
        assertEquals(there, read.position());
        byte[] bytes = new byte[there];
        read.flip().get(bytes);
        assertArrayEquals(Arrays.copyOfRange(model, from, from + there), bytes);
    }

    @Test
    void itIsAsAPlainFile() throws IOException {
        Random random = new Random(5);
        byte[] model = new byte[BYTES];
        try (SealedFile file =
                seal(1).begin(new FileDisk().openOrCreate(directory.resolve("f")), BYTES)) {
            file.truncate(BYTES);
            assertEquals(BYTES, file.size());
            for (int i = 0; i < 2000; i++) {
                int from = random.nextInt(BYTES);
                int most = random.nextBoolean() ? 40 : BYTES - from;
                int length = 1 + random.nextInt(Math.min(most, BYTES - from));
                if (random.nextInt(8) == 0) {
                    int block = from & -4096;
                    int end = Math.min(BYTES, block + 4096);
                    file.punchHole(block, end - block);
                    Arrays.fill(model, block, end, (byte) 0);
                } else {
                    byte[] some = new byte[length];
                    if (random.nextInt(4) > 0) {
                        random.nextBytes(some);
                    }
                    file.write(ByteBuffer.wrap(some), from);
                    System.arraycopy(some, 0, model, from, length);
                }
                checkRead(file, model, random.nextInt(BYTES), 1 + random.nextInt(9000));
            }
            checkRead(file, model, 0, BYTES + 100);
            assertEquals(-1, file.read(ByteBuffer.allocate(10), BYTES));
        }
        assertEquals(Seal.sealedBytes(BYTES), Files.size(directory.resolve("f")));
    }

    @Test
    void theDiskTellsNothing() throws IOException {
        String text = "a secret line that is long enough to be found in the file\n";
        byte[] plain = text.repeat(1000).getBytes(StandardCharsets.US_ASCII);
        for (int salt : new int[] {1, 2}) {
            Path path = directory.resolve("f" + salt);
            try (SealedFile file = seal(salt).begin(new FileDisk().openOrCreate(path), BYTES)) {
                file.write(ByteBuffer.wrap(plain), 0);
            }
            String stored = Files.readString(path, StandardCharsets.ISO_8859_1);
            assertFalse(stored.contains("secret"));
            assertFalse(stored.contains("line that"));
        }
        byte[] one = Files.readAllBytes(directory.resolve("f1"));
        byte[] other = Files.readAllBytes(directory.resolve("f2"));
        assertTrue(Arrays.mismatch(one, other) == 0, "each file has keys of its own");
    }
}
