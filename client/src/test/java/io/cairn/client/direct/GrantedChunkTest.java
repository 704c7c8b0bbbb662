package io.cairn.client.direct;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.runtime.Clock;
import io.cairn.runtime.local.LocalSocket;
import io.cairn.runtime.local.OpenDescriptor;
import io.cairn.runtime.local.SharedWords;
import io.cairn.wire.Crc32c;
import io.cairn.wire.chunk.ChunkReply.GrantReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.DirectRequest;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A chunk read by the client, and everything that makes it ask the server. */
final class GrantedChunkTest {
    private static final int BLOCK = 4096;
    private static final int LENGTH = 5 * BLOCK + 100;
    private static final long NUMBER = 77;
    private static final int WORD = 3;
    private static final long VALUE = 5;

    /** The time of the server is another one than here. */
    private static final long AHEAD_NS = TimeUnit.HOURS.toNanos(3);

    @TempDir private Path directory;
    private final Clock clock = Clock.system();
    private final byte[] bytes = new byte[LENGTH];
    private SharedWords.Shared memory;
    private LocalSocket listening;
    private LocalSocket accepted;
    private Path file;
    private DirectServer server;
    private GrantedChunk chunk;

    @BeforeEach
    void grant() throws Exception {
        new Random(1).nextBytes(bytes);
        file = Files.write(directory.resolve("blob"), Arrays.copyOf(bytes, 16 * BLOCK));
        memory = SharedWords.create(8);
        memory.words().set(WORD, VALUE);
        allow(60_000);
        Path socket = directory.resolve("direct");
        listening = LocalSocket.listen(socket);
        Thread door = Thread.ofPlatform().daemon().start(this::greet);
        server = DirectServer.connect(socket, NUMBER, clock);
        door.join();
        chunk = granted(bytes);
    }

    private void greet() {
        try {
            accepted = listening.accept();
            assertEquals(NUMBER, accepted.receive().second());
            accepted.send(DirectRequest.DONE, clock.nanoTime() + AHEAD_NS, memory.file());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** A grant whose checksums are those of some bytes. */
    private GrantedChunk granted(byte[] checked) throws IOException {
        int[] crcs = new int[(checked.length + BLOCK - 1) / BLOCK];
        ByteBuffer all = ByteBuffer.wrap(checked);
        for (int i = 0; i < crcs.length; i++) {
            int count = Math.min(BLOCK, checked.length - i * BLOCK);
            crcs[i] = Crc32c.ofPadded(all, i * BLOCK, count);
        }
        GrantReply grant = new GrantReply("", NUMBER, 1, WORD, VALUE, checked.length, crcs);
        return new GrantedChunk(server, grant, OpenDescriptor.reading(file), clock.nanoTime());
    }

    private void allow(long forMs) {
        long endNs = clock.nanoTime() + AHEAD_NS + TimeUnit.MILLISECONDS.toNanos(forMs);
        memory.words().set(DirectRequest.LEASE_WORD, endNs);
    }

    @AfterEach
    void close() {
        chunk.close();
        server.close();
        accepted.close();
        listening.close();
        memory.file().close();
    }

    private @Nullable ByteBuf read(int offset, int length) {
        return chunk.read(offset, length, clock.nanoTime());
    }

    private void assertReads(int offset, int length, int from, int end) {
        ByteBuf read = read(offset, length);
        assertNotNull(read);
        byte[] found = new byte[read.readableBytes()];
        read.readBytes(found).release();
        assertArrayEquals(Arrays.copyOfRange(bytes, from, end), found);
    }

    @Test
    void readsWholeBlocksUpToTheEnd() {
        assertReads(0, LENGTH, 0, LENGTH);
        assertReads(BLOCK + 5, 10, BLOCK, 2 * BLOCK);
        assertReads(5 * BLOCK, 1 << 20, 5 * BLOCK, LENGTH);
        assertReads(8 * BLOCK, BLOCK, 0, 0);
    }

    @Test
    void believesNothingWhenTheChunkHasChanged() {
        memory.words().set(WORD, VALUE + 1);
        assertNull(read(0, BLOCK));
        assertTrue(chunk.isOver());
        assertFalse(chunk.isBad());
    }

    @Test
    void waitsForTheRightToAnswerReads() {
        allow(-1);
        assertNull(read(0, BLOCK));
        assertNull(read(8 * BLOCK, BLOCK), "zeros are an answer, too");
        memory.words().set(DirectRequest.LEASE_WORD, DirectRequest.NO_LEASE);
        assertNull(read(0, BLOCK));
        assertFalse(chunk.isOver(), "it may come back");
        allow(60_000);
        assertReads(0, BLOCK, 0, BLOCK);
    }

    @Test
    void believesNothingWhenTheServerHasEnded() {
        accepted.close();
        assertNull(read(0, BLOCK));
        assertTrue(chunk.isLost());
    }

    @Test
    void tellsBadBlocks() throws Exception {
        byte[] others = bytes.clone();
        others[2 * BLOCK]++;
        chunk.close();
        chunk = granted(others);
        assertReads(0, BLOCK, 0, BLOCK);
        assertNull(read(BLOCK, 2 * BLOCK));
        assertTrue(chunk.isBad());
        assertNull(read(0, BLOCK), "the server is to look after it first");
    }

    @Test
    void aFileThatWasCutOffIsAskedFor() throws Exception {
        Files.write(file, Arrays.copyOf(bytes, BLOCK));
        assertNull(read(0, 2 * BLOCK));
        assertReads(0, BLOCK, 0, BLOCK);
    }

    @Test
    void grantsThatCannotBeAreRefused() {
        GrantReply wrongWord = new GrantReply("", NUMBER, 1, 8, VALUE, BLOCK, new int[1]);
        GrantReply wrongCount = new GrantReply("", NUMBER, 1, WORD, VALUE, BLOCK, new int[2]);
        for (GrantReply wrong : new GrantReply[] {wrongWord, wrongCount}) {
            assertThrows(
                    IOException.class,
                    () -> new GrantedChunk(server, wrong, OpenDescriptor.reading(file), 0));
        }
    }

    @Test
    void keepsThoseUsedLastAndClosesTheOthers() throws Exception {
        try (GrantedChunks chunks = new GrantedChunks(2, 100)) {
            long nowNs = clock.nanoTime();
            for (int i = 0; i < 3; i++) {
                chunks.put(new ChunkKey(9, i), granted(bytes));
            }
            assertEquals(2, chunks.size());
            assertNull(chunks.get(new ChunkKey(9, 0)));
            assertTrue(chunks.sweep(nowNs));
            memory.words().set(WORD, VALUE + 1);
            assertFalse(chunks.sweep(nowNs), "all have ended");
        }
    }

    @Test
    void memoryOfChecksumsIsLimited() throws Exception {
        try (GrantedChunks chunks = new GrantedChunks(100, 6)) {
            chunks.put(new ChunkKey(9, 0), granted(bytes));
            chunks.put(new ChunkKey(9, 1), granted(bytes));
            assertEquals(1, chunks.size());
            assertNotNull(chunks.get(new ChunkKey(9, 1)));
        }
    }
}
