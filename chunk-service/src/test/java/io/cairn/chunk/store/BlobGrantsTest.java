package io.cairn.chunk.store;

import static io.cairn.chunk.store.StoreWorld.BLOCK;
import static io.cairn.chunk.store.StoreWorld.GROUP;
import static io.cairn.chunk.store.StoreWorld.bytes;
import static io.cairn.chunk.store.StoreWorld.chunk;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.direct.DirectSocket;
import io.cairn.chunk.peer.Lease;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.grant.GrantWords;
import io.cairn.chunk.store.pack.Codec;
import io.cairn.runtime.Clock;
import io.cairn.runtime.FileDisk;
import io.cairn.runtime.local.CachedFile;
import io.cairn.runtime.local.LocalSocket;
import io.cairn.runtime.local.OpenDescriptor;
import io.cairn.runtime.local.SharedWords;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.GrantReply;
import io.cairn.wire.chunk.DirectRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Grants end before the file changes, and files go to the right clients. */
final class BlobGrantsTest {
    private static final long MACHINE = 99;
    private static final ChunkAddress A = chunk(0x1122334455667788L, 0);
    private static final ChunkAddress B = chunk(0x42, 7);

    @TempDir private Path temporary;
    private StoreWorld world;
    private DirectSocket door;
    private LocalSocket socket;
    private SharedWords words;

    @BeforeEach
    void open() throws Exception {
        world = new StoreWorld(new FileDisk(), temporary.resolve("target"));
        Path path = temporary.resolve("target/direct");
        door =
                Objects.requireNonNull(
                        DirectSocket.open(path, MACHINE, new Random(3), Clock.system()));
        world.target().grants().begin(door.words(), door);
        socket = LocalSocket.connect(path, 10_000);
        socket.send(DirectRequest.HELLO, door.server(), null);
        try (OpenDescriptor memory = Objects.requireNonNull(socket.receive().file())) {
            words = SharedWords.of(memory);
        }
    }

    @AfterEach
    void close() {
        socket.close();
        door.close();
        world.target().close();
    }

    private GrantReply grant(ChunkAddress chunk) {
        return world.target().grants().grant(chunk);
    }

    private boolean isValid(GrantReply grant) {
        return words.get(grant.word()) == grant.value();
    }

    private void assertEnds(ChunkAddress chunk, Runnable change) {
        GrantReply first = grant(chunk);
        assertTrue(isValid(first));
        change.run();
        assertFalse(isValid(first));
    }

    @Test
    void givesNoGrantOfAPackedBlob() {
        world.write(A, 0, new byte[5 * BLOCK]);
        assertEnds(A, () -> world.target().verification().pack(BlobKey.of(A), Codec.LZ4));
        StorageTargetTest.fails(Errno.EBUSY, () -> grant(A));
        world.write(A, 0, bytes(1, 10));
        assertTrue(isValid(grant(A)));
    }

    @Test
    void passesTheFileOfAGrantOnce() throws Exception {
        byte[] data = bytes(1, 2 * BLOCK + 100);
        world.write(A, 0, data);
        GrantReply grant = grant(A);
        assertEquals(data.length, grant.lengthBytes());
        assertEquals(3, grant.crcs().length);
        assertEquals(door.server(), grant.server());
        socket.send(DirectRequest.TAKE, grant.ticket(), null);
        ByteBuffer found = ByteBuffer.allocateDirect(data.length);
        try (CachedFile file = new CachedFile(Objects.requireNonNull(socket.receive().file()))) {
            assertTrue(file.read(found, 0));
        }
        byte[] read = new byte[data.length];
        found.get(read);
        assertArrayEquals(data, read);
        socket.send(DirectRequest.TAKE, grant.ticket(), null);
        LocalSocket.Received again = socket.receive();
        assertEquals(DirectRequest.REFUSED, again.first());
        assertNull(again.file());
    }

    @Test
    void endsBeforeEveryChange() {
        world.write(A, 0, bytes(1, 2 * BLOCK));
        world.write(B, 0, bytes(2, BLOCK));
        GrantReply other = grant(B);
        assertEnds(A, () -> world.write(A, 5, bytes(3, 10)));
        assertEnds(A, () -> world.zero(A, 0, 10));
        assertEnds(A, () -> world.install(A, 9, bytes(4, BLOCK), 1));
        assertEnds(A, () -> world.target().delete(GROUP, A.oid(), A.index()));
        assertTrue(isValid(other), "another chunk is another matter");
        assertEquals(Errno.ENOENT, assertThrows(FsException.class, () -> grant(A)).errno());
    }

    @Test
    void lastsWhileNothingChanges() {
        world.write(A, 0, bytes(1, BLOCK));
        GrantReply grant = grant(A);
        world.read(A);
        world.target().flush(A);
        assertTrue(isValid(grant));
        assertEquals(grant.word(), grant(A).word());
        world.write(A, 0, bytes(2, 1));
        assertFalse(isValid(grant));
    }

    @Test
    void endsWithTheTermOfTheGroup() {
        world.write(A, 0, bytes(1, BLOCK));
        assertEnds(A, () -> world.target().grants().endGroup(GROUP));
        GrantReply grant = grant(A);
        world.target().grants().endGroup(GROUP + 1);
        assertTrue(isValid(grant));
    }

    @Test
    void theOldestEndsWhenNoWordIsLeft() throws Exception {
        SharedWords.Shared few = SharedWords.create(3);
        try (OpenDescriptor _ = few.file()) {
            StoreWorld small = new StoreWorld(new FileDisk(), temporary.resolve("small"));
            small.target().grants().begin(new GrantWords(few.words()), door);
            GrantReply[] grants = new GrantReply[3];
            for (int i = 0; i < 3; i++) {
                ChunkAddress each = chunk(7, i);
                small.write(each, 0, bytes(i, 10));
                grants[i] = small.target().grants().grant(each);
            }
            assertFalse(few.words().get(grants[0].word()) == grants[0].value());
            assertTrue(few.words().get(grants[1].word()) == grants[1].value());
            assertTrue(few.words().get(grants[2].word()) == grants[2].value());
            small.target().close();
        }
    }

    @Test
    void onlyClientsOfThisMachineGetGrants() {
        world.target().grants().requireMachine(MACHINE);
        FsException refused =
                assertThrows(FsException.class, () -> world.target().grants().requireMachine(1));
        assertEquals(Errno.EOPNOTSUPP, refused.errno());
    }

    @Test
    void theSocketIsItsOwnersAlone() throws Exception {
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(Path.of(door.socket()))));
    }

    @Test
    void anotherServerThanAskedForSaysSo() throws Exception {
        try (LocalSocket other = LocalSocket.connect(Path.of(door.socket()), 10_000)) {
            other.send(DirectRequest.HELLO, door.server() + 1, null);
            assertEquals(DirectRequest.REFUSED, other.receive().first());
        }
        assertFalse(socket.hasEnded());
        door.close();
        assertTrue(socket.hasEnded());
        assertThrows(IOException.class, () -> LocalSocket.connect(Path.of(door.socket()), 1_000));
    }

    /** As the ends of mounts that are killed. */
    @Test
    void clientsThatEndLeaveNothingBehind() throws Exception {
        world.write(A, 0, bytes(1, BLOCK));
        for (int i = 0; i < 200; i++) {
            GrantReply grant = grant(A);
            awaitGreeting().close();
            assertTrue(isValid(grant));
        }
        awaitGreeting().close();
    }

    /** The server needs a moment to see that earlier clients have gone. */
    private LocalSocket awaitGreeting() throws IOException {
        long endNs = System.nanoTime() + 60_000_000_000L;
        while (true) {
            LocalSocket client = LocalSocket.connect(Path.of(door.socket()), 10_000);
            try {
                client.send(DirectRequest.HELLO, door.server(), null);
                try (OpenDescriptor memory = client.receive().file()) {
                    assertNotNull(memory);
                    return client;
                }
            } catch (IOException e) {
                client.close();
                if (System.nanoTime() - endNs > 0) {
                    throw e;
                }
            }
        }
    }

    @Test
    void aPathTooLongForASocketMeansNoGrants() {
        Path path = temporary.resolve("x".repeat(LocalSocket.MAX_NAME_BYTES));
        assertNull(DirectSocket.open(path, MACHINE, new Random(3), Clock.system()));
        assertNotNull(socket);
    }

    @Test
    void showsUntilWhenReadsMayBeAnswered() {
        Clock clock = Clock.system();
        Lease lease = new Lease(clock);
        lease.showTo(door.words()::allowUntil);
        assertEquals(DirectRequest.NO_LEASE, words.get(DirectRequest.LEASE_WORD));
        long nowNs = clock.nanoTime();
        lease.renew(nowNs, 60_000);
        long endNs = words.get(DirectRequest.LEASE_WORD);
        assertTrue(endNs > nowNs && endNs < nowNs + 60_000_000_000L);
        lease.end();
        assertEquals(DirectRequest.NO_LEASE, words.get(DirectRequest.LEASE_WORD));
    }
}
