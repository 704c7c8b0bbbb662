package io.cairn.chunk.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.blob.BlobVerification;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.pack.Codec;
import io.cairn.chunk.store.seal.Keyring;
import io.cairn.chunk.store.seal.Rings;
import io.cairn.runtime.FileDisk;
import io.cairn.seal.WrappedKey;
import io.cairn.wire.chunk.ChunkAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Blobs of groups with a key are encrypted, whatever happens to them. */
final class SealedBlobTest {
    private static final String LINE = "nobody who has the disk alone may read this line.\n";
    private static final ChunkAddress CHUNK = StoreWorld.chunk(1, 0);

    @TempDir private Path temporary;

    private StoreWorld world(Keyring ring) throws TargetException {
        return new StoreWorld(new FileDisk(), temporary.resolve("target"), ring);
    }

    private static byte[] text(int bytes) {
        byte[] line = LINE.getBytes(StandardCharsets.US_ASCII);
        byte[] text = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            text[i] = line[i % line.length];
        }
        return text;
    }

    private void assertNothingPlain() throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> all = Files.walk(temporary)) {
            all.filter(Files::isRegularFile).forEach(files::add);
        }
        for (Path file : files) {
            String stored = Files.readString(file, StandardCharsets.ISO_8859_1);
            assertFalse(stored.contains("nobody who has"), file.toString());
            assertFalse(stored.contains("this line"), file.toString());
        }
    }

    @Test
    void itReadsAsBeforeAndNothingOnTheDiskIsPlain() throws Exception {
        StoreWorld world = world(Rings.of(1));
        byte[] model = text(50_000);
        world.write(CHUNK, 0, model);
        world.target().flush(CHUNK);
        assertNothingPlain();
        world.restart();
        assertArrayEquals(model, world.read(CHUNK));
        assertTrue(world.target().verify(CHUNK));

        ChunkAddress clone = StoreWorld.chunk(2, 0);
        world.target().cloneFrom(clone, 1, 30_001);
        assertArrayEquals(Arrays.copyOf(model, 30_001), world.read(clone));
        assertTrue(world.target().verification().pack(BlobKey.of(CHUNK), Codec.ZSTD));
        assertArrayEquals(model, world.read(CHUNK));
        assertTrue(world.target().verify(CHUNK));
        assertNothingPlain();
        world.zero(CHUNK, 5_000, 9_000);
        Arrays.fill(model, 5_000, 14_000, (byte) 0);
        assertArrayEquals(model, world.read(CHUNK));
        FsException refused =
                assertThrows(FsException.class, () -> world.target().grants().grant(CHUNK));
        assertEquals(Errno.EBUSY, refused.errno());
        world.restart();
        assertArrayEquals(model, world.read(CHUNK));
        assertArrayEquals(text(30_001), world.read(clone));
        assertNothingPlain();
        world.target().close();
    }

    @Test
    void aServerWithoutTheKeyDoesNotOpenTheTarget() throws Exception {
        StoreWorld world = world(Rings.of(1));
        world.write(CHUNK, 0, text(9_000));
        world.target().close();
        TargetException without =
                assertThrows(TargetException.class, () -> world(new Keyring(null)));
        assertTrue(String.valueOf(without.getMessage()).contains("--master-key-file"));
        TargetException wrong =
                assertThrows(TargetException.class, () -> world(new Keyring(Rings.master(2))));
        assertTrue(String.valueOf(wrong.getMessage()).contains("does not open key 1"));
        world(new Keyring(Rings.master(1))).target().close();
    }

    @Test
    void aServerWithoutTheKeyWritesNothing() throws Exception {
        Keyring ring = new Keyring(null);
        ring.learn(List.of(Rings.key(1)));
        ring.placeBy(_ -> 1);
        StoreWorld world = world(ring);
        FsException refused =
                assertThrows(FsException.class, () -> world.write(CHUNK, 0, text(9_000)));
        assertEquals(Errno.EIO, refused.errno());
        assertTrue(String.valueOf(refused.getMessage()).contains("--master-key-file"));
        ring.placeBy(_ -> Keyring.UNKNOWN);
        refused = assertThrows(FsException.class, () -> world.write(CHUNK, 0, text(9_000)));
        assertEquals(Errno.NOT_READY, refused.errno());
        world.target().close();
        assertNothingPlain();
    }

    @Test
    void whatADroppedKeyEncryptedIsGone() throws Exception {
        Keyring ring = Rings.of(1);
        StoreWorld world = world(ring);
        world.write(CHUNK, 0, text(9_000));
        world.target().flush(CHUNK);
        ChunkAddress unsynced = StoreWorld.chunk(2, 0);
        world.write(unsynced, 0, text(9_000));
        String wrapped = new String(Rings.key(1).bytes(), StandardCharsets.ISO_8859_1);
        Path keys = temporary.resolve("target/keys");
        assertTrue(Files.readString(keys, StandardCharsets.ISO_8859_1).contains(wrapped));

        assertTrue(ring.learn(List.of(WrappedKey.dropped(1))));
        world.target().verification().refreshKeys();
        assertFalse(Files.readString(keys, StandardCharsets.ISO_8859_1).contains(wrapped));
        for (ChunkAddress chunk : List.of(CHUNK, unsynced)) {
            FsException gone = assertThrows(FsException.class, () -> world.read(chunk));
            assertEquals(Errno.EIO, gone.errno());
            assertTrue(String.valueOf(gone.getMessage()).contains("dropped"), gone.getMessage());
        }
        assertTrue(world.target().healthy(), "the disk is well");
        assertTrue(world.target().verification().isLost(BlobKey.of(CHUNK)));
        assertTrue(world.target().verification().takeFound().isEmpty(), "it is no damage");
        world.restart();
        FsException gone = assertThrows(FsException.class, () -> world.read(CHUNK));
        assertTrue(String.valueOf(gone.getMessage()).contains("dropped"), gone.getMessage());
        ring.learn(List.of(Rings.key(1)));
        assertThrows(FsException.class, () -> world.read(CHUNK), "it does not come back");

        ring.learn(List.of(Rings.key(2)));
        ring.placeBy(_ -> 2);
        world.target().delete(StoreWorld.GROUP, 1, 0);
        ChunkAddress next = StoreWorld.chunk(3, 0);
        world.write(next, 0, text(9_000));
        assertArrayEquals(text(9_000), world.read(next));
        world.target().close();
        assertNothingPlain();
    }

    /** However many chunks there are. */
    @Test
    void aDroppedKeyIsOneLineInTheLog() throws Exception {
        Keyring ring = Rings.of(1);
        StoreWorld world = world(ring);
        List<ChunkAddress> chunks = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            chunks.add(StoreWorld.chunk(i, 0));
            world.write(chunks.getLast(), 0, text(9_000));
        }
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger logger = (Logger) LoggerFactory.getLogger(Keyring.class.getPackageName());
        Logger blobs = (Logger) LoggerFactory.getLogger(BlobVerification.class.getPackageName());
        logger.addAppender(lines);
        blobs.addAppender(lines);
        try {
            ring.learn(List.of(WrappedKey.dropped(1)));
            world.target().verification().refreshKeys();
            for (ChunkAddress chunk : chunks) {
                assertThrows(FsException.class, () -> world.read(chunk));
                assertTrue(world.target().verification().isLost(BlobKey.of(chunk)));
            }
        } finally {
            logger.detachAppender(lines);
            blobs.detachAppender(lines);
        }
        assertEquals(
                List.of("Key 1 was dropped: what it encrypts cannot be read any more"),
                lines.list.stream()
                        .filter(each -> each.getLevel().isGreaterOrEqual(Level.INFO))
                        .map(ILoggingEvent::getFormattedMessage)
                        .toList());
        world.target().close();
    }

    /** Masters of an old backup may give a number once more. */
    @Test
    void anotherKeyByTheSameNumberReplacesNone() throws Exception {
        Keyring ring = Rings.of(1);
        StoreWorld world = world(ring);
        world.write(CHUNK, 0, text(9_000));
        WrappedKey other = Rings.another(1);
        assertFalse(ring.learn(List.of(other)));
        world.target().verification().refreshKeys();
        world.restart();
        assertArrayEquals(text(9_000), world.read(CHUNK));
        world.target().close();
        Keyring shared = new Keyring(Rings.master(1));
        shared.learn(List.of(other));
        TargetException refused = assertThrows(TargetException.class, () -> world(shared));
        assertTrue(String.valueOf(refused.getMessage()).contains("key 1 is another one"));
        world(new Keyring(Rings.master(1))).target().close();
    }

    @Test
    void aTargetTakesOverAnotherMasterKey() throws Exception {
        Keyring former = Rings.of(1);
        StoreWorld world = world(former);
        world.write(CHUNK, 0, text(9_000));
        assertFalse(former.learn(List.of(Rings.key(1, 2))), "it does not open that one");
        world.target().verification().refreshKeys();
        world.write(CHUNK, 9_000, text(1_000));
        world.target().close();

        Keyring both = new Keyring(Rings.master(2).after(Rings.master(1)));
        StoreWorld between = world(both);
        assertTrue(both.learn(List.of(Rings.key(1, 2))));
        between.target().verification().refreshKeys();
        assertEquals(10_000, between.read(CHUNK).length);
        between.target().close();
        assertThrows(TargetException.class, () -> world(new Keyring(Rings.master(1))));
        StoreWorld last = world(new Keyring(Rings.master(2)));
        assertArrayEquals(text(9_000), Arrays.copyOf(last.read(CHUNK), 9_000));
        last.target().close();
    }

    @Test
    void filesOfTwoKeysAndPlainOnesAreReadSideBySide() throws Exception {
        Keyring ring = Rings.of(1);
        StoreWorld world = world(ring);
        world.write(CHUNK, 0, text(9_000));
        ring.learn(List.of(Rings.key(2)));
        ring.placeBy(_ -> 2);
        world.write(StoreWorld.chunk(2, 0), 0, text(8_000));
        ring.placeBy(_ -> 0);
        world.write(StoreWorld.chunk(3, 0), 0, text(7_000));
        world.target().close();
        StoreWorld again = world(new Keyring(Rings.master(1)));
        assertArrayEquals(text(9_000), again.read(CHUNK));
        assertArrayEquals(text(8_000), again.read(StoreWorld.chunk(2, 0)));
        assertArrayEquals(text(7_000), again.read(StoreWorld.chunk(3, 0)));
        again.target().close();
    }
}
