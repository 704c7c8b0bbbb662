package io.cairn.client.file;

import static io.cairn.client.CairnFileSystemTest.bytes;
import static io.cairn.client.CairnFileSystemTest.readAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.client.ClientFile;
import io.cairn.client.FakeCluster;
import io.cairn.client.session.Await;
import io.cairn.client.session.ClientRuntime;
import io.cairn.client.session.ClientSettings;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Appends of a mount beside what else happens to the file in it. */
class AppendsTest {
    private static final int SMALL = 3000;
    private static final int LARGE = 100_000;
    private static final long WAIT_MS = 30_000;

    private final FakeCluster cluster = new FakeCluster(16);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch wanted = new CountDownLatch(1);
    private final CairnFileSystem fs = connect();

    /** The holder of the token whom no mount knows, and where. */
    private long stranger;

    private long tokenIno;

    /** A client that tells when a commit begins to fetch the token. */
    private CairnFileSystem connect() {
        ClientRuntime runtime =
                new ClientRuntime(
                        Clock.system(),
                        cluster.scheduler,
                        new Random(1),
                        task -> {
                            wanted.countDown();
                            threads.execute(task);
                        });
        ClientSettings settings =
                cluster.settings().withRequestTimeoutMs(WAIT_MS).withWriteBackDelayMs(600_000);
        return CairnFileSystem.connect(
                settings, cluster.network, runtime, new CompositeMeterRegistry());
    }

    @AfterEach
    void close() {
        fs.close();
        cluster.close();
        threads.close();
    }

    private long create(int length) {
        CairnFileSystem other = cluster.connect();
        FileSystem.Created made =
                other.create(Caller.ROOT, 1, Name.of("f"), 0644, FileSystem.O_RDWR);
        try (OpenFile file = made.file()) {
            file.write(0, ByteBuffer.wrap(bytes(length, 1)));
            return file.ino();
        }
    }

    private void holdToken(long ino) {
        Lock token = new Lock(Lock.Kind.APPEND, Lock.Mode.EXCLUSIVE, 1, 0, Lock.TO_END, 0);
        SessionMutation take = new SessionMutation.SetLock(ino, token, false, 1);
        tokenIno = ino;
        cluster.network.ask(
                () -> {
                    stranger = cluster.namespace.stranger();
                    return cluster.namespace.apply(stranger, 1, take);
                });
    }

    private void releaseToken() {
        cluster.network.ask(() -> cluster.master.release(stranger, tokenIno, 1));
    }

    private void awaitQueued(int count) {
        cluster.awaitTrue(
                () -> cluster.network.ask(() -> cluster.namespace.waiting()) == count,
                count + " wait for the token");
    }

    private CompletableFuture<Void> start(Runnable call) {
        return CompletableFuture.runAsync(call, threads);
    }

    private static void append(OpenFile file) {
        file.write(0, ByteBuffer.wrap(bytes(100, 2)));
    }

    private CompletableFuture<Void> truncate(long ino) {
        AttributeChange change = AttributeChange.NONE.withSize(LARGE);
        return start(() -> fs.setAttributes(Caller.ROOT, ino, change));
    }

    private static byte[] extendedThenAppended() {
        byte[] model = Arrays.copyOf(bytes(SMALL, 1), LARGE + 100);
        System.arraycopy(bytes(100, 2), 0, model, LARGE, 100);
        return model;
    }

    /**
     * The append has the turn and waits for the token, then for the truncation; the truncation
     * keeps writers out and its commit needs the token to move the contents out of the inode.
     */
    @Test
    void aTruncationThatMovesContentsDoesNotWaitForAnAppendThatWaitsForIt() throws Exception {
        long ino = create(SMALL);
        holdToken(ino);
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDWR | FileSystem.O_APPEND)) {
            CompletableFuture<Void> append = start(() -> append(file));
            awaitQueued(1);
            CompletableFuture<Void> truncation = truncate(ino);
            assertTrue(wanted.await(WAIT_MS, TimeUnit.MILLISECONDS), "the commit needs the token");
            releaseToken();
            truncation.get(WAIT_MS / 2, TimeUnit.MILLISECONDS);
            append.get(WAIT_MS / 2, TimeUnit.MILLISECONDS);
        }
        assertArrayEquals(extendedThenAppended(), readAll(cluster.connect(), ino));
    }

    /** As before, and the token is recalled when it was just taken. */
    @Test
    void aCommitDoesNotWaitForTheReleaseThatWaitsForIt() throws Exception {
        long ino = create(SMALL);
        holdToken(ino);
        CairnFileSystem other = cluster.connect();
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDWR | FileSystem.O_APPEND);
                OpenFile later =
                        other.open(Caller.ROOT, ino, FileSystem.O_RDWR | FileSystem.O_APPEND)) {
            CompletableFuture<Void> append = start(() -> append(file));
            awaitQueued(1);
            CompletableFuture<Void> truncation = truncate(ino);
            assertTrue(wanted.await(WAIT_MS, TimeUnit.MILLISECONDS), "the commit needs the token");
            CompletableFuture<Void> next = start(() -> append(later));
            awaitQueued(2);
            releaseToken();
            truncation.get(WAIT_MS / 2, TimeUnit.MILLISECONDS);
            append.get(WAIT_MS / 2, TimeUnit.MILLISECONDS);
            next.get(WAIT_MS / 2, TimeUnit.MILLISECONDS);
        }
        byte[] found = readAll(cluster.connect(), ino);
        assertEquals(LARGE + 200, found.length);
        assertArrayEquals(bytes(100, 2), Arrays.copyOfRange(found, LARGE, LARGE + 100));
        assertArrayEquals(bytes(100, 2), Arrays.copyOfRange(found, LARGE + 100, LARGE + 200));
    }

    /**
     * Both move the contents out of the inode, each with the bytes that were there; who comes
     * second has to put its own bytes over the other's again before its commit is done.
     *
     * @param commit what the second one does
     */
    private void moveBoth(Consumer<OpenFile> commit) throws Exception {
        long ino = create(SMALL);
        holdToken(ino);
        CairnFileSystem other = cluster.connect(cluster.settings().withWriteBackDelayMs(600_000));
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDWR);
                OpenFile first = other.open(Caller.ROOT, ino, FileSystem.O_RDWR)) {
            first.write(LARGE, ByteBuffer.wrap(bytes(100, 3)));
            file.write(100, ByteBuffer.wrap(bytes(LARGE - 100, 2)));
            CompletableFuture<Void> moved = start(first::flush);
            awaitQueued(1);
            CompletableFuture<Void> committed = start(() -> commit.accept(file));
            awaitQueued(2);
            releaseToken();
            moved.get(WAIT_MS, TimeUnit.MILLISECONDS);
            committed.get(WAIT_MS, TimeUnit.MILLISECONDS);
            byte[] model = Arrays.copyOf(bytes(SMALL, 1), LARGE + 100);
            System.arraycopy(bytes(LARGE - 100, 2), 0, model, 100, LARGE - 100);
            System.arraycopy(bytes(100, 3), 0, model, LARGE, 100);
            assertArrayEquals(model, readAll(cluster.connect(), ino));
        }
    }

    private boolean isDurable(ChunkKey chunk) {
        return cluster.network.ask(
                () -> cluster.servers.stream().anyMatch(each -> each.flushed.contains(chunk)));
    }

    @Test
    void aCommitWaitsForBytesThatItPutOverAnothersMove() throws Exception {
        moveBoth(OpenFile::flush);
    }

    @Test
    void aSyncMakesBytesDurableThatItPutOverAnothersMove() throws Exception {
        moveBoth(
                file -> {
                    file.sync(false);
                    long oid = ((ClientFile) file).state().layout().lastOid();
                    assertTrue(isDurable(new ChunkKey(oid, 0)));
                });
    }

    @Test
    void anAppendThatATruncationKeptOutGoesToTheNewEnd() throws Exception {
        long ino = create(2 * LARGE);
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDWR | FileSystem.O_APPEND)) {
            OpenInode state = ((ClientFile) file).state();
            append(file);
            file.flush();
            state.closeGate();
            Thread writer = Thread.ofPlatform().start(() -> append(file));
            cluster.awaitTrue(
                    () -> writer.getState() == Thread.State.TIMED_WAITING, "the append waits");
            Mutation cut = new TreeMutation.SetAttributes(ino, AttributeChange.NONE.withSize(50));
            Reply reply = fs.mount().master().change(cut, 0);
            state.adopt(Await.expect(reply, Reply.EntryReply.class).inode());
            state.openGate();
            writer.join(WAIT_MS);
            assertFalse(writer.isAlive());
        }
        byte[] model = Arrays.copyOf(bytes(2 * LARGE, 1), 150);
        System.arraycopy(bytes(100, 2), 0, model, 50, 100);
        assertArrayEquals(model, readAll(cluster.connect(), ino));
    }
}
