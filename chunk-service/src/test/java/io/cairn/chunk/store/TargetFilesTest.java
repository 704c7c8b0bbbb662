package io.cairn.chunk.store;

import static io.cairn.chunk.store.StoreWorld.bytes;
import static io.cairn.chunk.store.StoreWorld.chunk;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.format.TargetException.Reason;
import io.cairn.runtime.FileDisk;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which directories are opened as targets and which are refused, on a real disk. */
class TargetFilesTest {
    @TempDir Path temporary;
    private Path directory;

    @BeforeEach
    void place() {
        directory = temporary.resolve("disk/target");
    }

    private StoreWorld open() throws TargetException {
        return new StoreWorld(new FileDisk(), directory);
    }

    private void refused(Reason reason, String file) {
        TargetException refusal = assertThrows(TargetException.class, this::open);
        assertEquals(reason, refusal.reason());
        String message = String.valueOf(refusal.getMessage());
        assertTrue(message.contains(file), message);
        assertTrue(message.contains(";"), "names a remedy: " + message);
    }

    private void format() throws TargetException {
        open().target().close();
    }

    private void change(String name, int offset, int value) throws Exception {
        Path path = directory.resolve(name);
        byte[] bytes = Files.readAllBytes(path);
        ByteBuffer.wrap(bytes).putInt(offset, value);
        Files.write(path, bytes);
    }

    @Test
    void formatsAnEmptyDirectory() throws Exception {
        Files.createDirectories(directory.resolve("lost+found"));
        StoreWorld world = open();
        assertNotEquals(0, world.target().identity());
        assertEquals(0, world.target().clusterId());
        assertTrue(world.target().healthy());
        assertTrue(world.target().capacityBytes() >= world.target().freeBytes());
        world.target().close();
    }

    @Test
    void finishesAFormattingThatWasCutOff() throws Exception {
        Files.createDirectories(directory.resolve("pg"));
        Files.createDirectories(directory.resolve("incoming"));
        Files.write(directory.resolve("FORMAT.new"), new byte[3]);
        format();
        assertTrue(Files.exists(directory.resolve("FORMAT")));
    }

    @Test
    void refusesADirectoryOfOtherThings() throws Exception {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("letter.txt"), "dear");
        refused(Reason.NOT_EMPTY, directory.toString());
        assertEquals(
                List.of("letter.txt"), new FileDisk().list(directory), "nothing was put there");
    }

    @Test
    void refusesATargetWithoutFormat() throws Exception {
        format();
        Files.delete(directory.resolve("FORMAT"));
        refused(Reason.CORRUPT, "FORMAT");
    }

    @Test
    void refusesOtherFormats() throws Exception {
        format();
        change("FORMAT", 8, 2);
        refused(Reason.TOO_NEW, "FORMAT");
        change("FORMAT", 8, 0);
        refused(Reason.TOO_OLD, "FORMAT");
        change("FORMAT", 8, 1);
        change("FORMAT", 16, 4711);
        refused(Reason.CORRUPT, "FORMAT");
        change("FORMAT", 0, 4711);
        refused(Reason.FOREIGN, "FORMAT");
    }

    @Test
    void refusesATruncatedFormat() throws Exception {
        format();
        byte[] whole = Files.readAllBytes(directory.resolve("FORMAT"));
        for (int length = 0; length < whole.length; length++) {
            Files.write(directory.resolve("FORMAT"), Arrays.copyOf(whole, length));
            refused(Reason.CORRUPT, "FORMAT");
        }
    }

    @Test
    void refusesAnotherCluster() throws Exception {
        StoreWorld world = open();
        world.target().adoptCluster(5);
        world.target().adoptCluster(5);
        TargetException refusal =
                assertThrows(TargetException.class, () -> world.target().adoptCluster(6));
        assertEquals(Reason.FOREIGN, refusal.reason());
        world.target().close();
        StoreWorld again = open();
        assertEquals(5, again.target().clusterId());
        again.target().close();
    }

    @Test
    void refusesADirectoryInUse() throws Exception {
        StoreWorld world = open();
        refused(Reason.IN_USE, "LOCK");
        world.target().close();
        format();
    }

    @Test
    void refusesALogOfALaterVersion() throws Exception {
        format();
        change("intents", 8, 2);
        refused(Reason.TOO_NEW, "intents");
    }

    @Test
    void refusesAFileInPlaceOfADirectory() throws Exception {
        Files.createDirectories(directory.getParent());
        Files.writeString(directory, "x");
        refused(Reason.UNUSABLE, directory.toString());
    }

    @Test
    void damagedLogCostsAVerificationOnly() throws Exception {
        StoreWorld world = open();
        byte[] data = bytes(1, 5000);
        world.write(chunk(1, 0), 0, data);
        world.target().close();
        for (int offset : new int[] {0, 12, 20, 28}) {
            change("intents", offset, 99);
            StoreWorld again = open();
            assertEquals(1, again.target().chunks().total());
            assertEquals(5000, again.read(chunk(1, 0)).length);
            again.target().close();
        }
        Files.delete(directory.resolve("intents"));
        format();
    }
}
