package io.cairn.client.session;

import static io.cairn.client.CairnFileSystemTest.bytes;
import static io.cairn.client.CairnFileSystemTest.readAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.FakeCluster;
import io.cairn.client.FakeNetwork;
import io.cairn.client.FakePolledNetwork;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileSystem.Created;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls over the connection that the thread which asks runs itself. */
@Timeout(60)
class PolledLeaderTest {
    private static final Caller KERNEL = Caller.checkedByKernel(0, 0);
    private static final int NEW = FileSystem.O_RDWR | FileSystem.O_EXCL;

    private final FakeCluster cluster = withoutSweeps();
    private final FakePolledNetwork network = new FakePolledNetwork(cluster.network);
    private final CairnFileSystem fs = cluster.connect(network);
    private final AsyncChanges changes = Objects.requireNonNull(fs.async(KERNEL));

    /** Nothing goes out by itself while requests are counted. */
    private static FakeCluster withoutSweeps() {
        FakeCluster cluster = new FakeCluster(20);
        cluster.writeBackDelayMs = 600_000;
        return cluster;
    }

    @AfterEach
    void close() {
        network.leave();
        cluster.close();
    }

    /** This thread polls from now on; returns when there is something to poll. */
    private void poll() {
        network.enter();
        network.own();
        Name name = Name.of("nobody");
        cluster.awaitTrue(
                () -> {
                    assertThrows(FsException.class, () -> polled(() -> fs.lookup(KERNEL, 1, name)));
                    return network.isOpen();
                },
                "a polled connection");
    }

    private CompletableFuture<Created> begin(String name, int flags) {
        return Objects.requireNonNull(changes.create(KERNEL, 1, Name.of(name), 0644, flags));
    }

    /** Looks for answers until something is done. */
    private <T> T polled(CompletableFuture<T> promise) {
        while (!promise.isDone()) {
            network.poll();
            LockSupport.parkNanos(50_000);
        }
        try {
            return promise.join();
        } catch (CompletionException e) {
            throw Await.failure(e);
        }
    }

    /** Lets another thread do what waits, and looks for its answers. */
    private <T> T polled(Supplier<T> work) {
        return polled(CompletableFuture.supplyAsync(work, Thread::startVirtualThread));
    }

    private Map<Long, Integer> openAtMaster() {
        return cluster.shared.sessions.values().iterator().next().open;
    }

    @Test
    void nothingGoesWhereNobodyLooks() {
        fs.mkdir(KERNEL, 1, Name.of("before"), 0755);
        assertEquals(0, network.opened());
        poll();
        network.leave();
        int before = network.calls();
        fs.mkdir(KERNEL, 1, Name.of("after"), 0755);
        changes.mkdir(KERNEL, 1, Name.of("begun"), 0755).join();
        assertEquals(before, network.calls());
    }

    @Test
    void whoOwnsTheLoopFindsItsAnswersItself() throws Exception {
        poll();
        int before = network.calls();
        // As the watch of a door: an answer may take longer than the thread looks.
        AtomicBoolean over = new AtomicBoolean();
        Thread watch =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!over.get()) {
                                        LockSupport.parkNanos(2_000_000);
                                        network.poll();
                                    }
                                });
        fs.mkdir(KERNEL, 1, Name.of("here"), 0755);
        over.set(true);
        watch.join();
        polled(() -> fs.mkdir(KERNEL, 1, Name.of("elsewhere"), 0755));
        assertTrue(network.calls() >= before + 2);
        assertEquals(0, network.expected());
        assertNull(fs.async(Caller.ROOT), "whose rights nobody has checked");
    }

    @Test
    void manyFilesAreMadeAndCommittedAtATime() {
        poll();
        List<CompletableFuture<Created>> begun = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            begun.add(begin("f" + i, NEW));
        }
        assertEquals(50, network.expected());
        List<OpenFile> files = new ArrayList<>();
        begun.forEach(each -> files.add(polled(each).file()));
        List<CompletableFuture<Void>> flushes = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            assertTrue(Objects.requireNonNull(files.get(i).beginFlush()).isDone());
            files.get(i).write(0, ByteBuffer.wrap(bytes(1000 + i, i)));
            flushes.add(Objects.requireNonNull(files.get(i).beginFlush()));
        }
        flushes.forEach(this::polled);
        for (int i = 0; i < files.size(); i++) {
            long ino = files.get(i).ino();
            Name name = Name.of("f" + i);
            assertEquals(1, openAtMaster().get(ino));
            assertArrayEquals(bytes(1000 + i, i), readAll(cluster.connect(), ino));
            assertEquals(ino, polled(() -> fs.lookup(KERNEL, 1, name)).ino());
            close(files.get(i));
        }
        cluster.awaitTrue(() -> openAtMaster().isEmpty(), "the files are released");
    }

    private void close(OpenFile file) {
        boolean _ =
                polled(
                        () -> {
                            file.close();
                            return true;
                        });
    }

    @Test
    void attributesGoAlongWithWhatWasWritten() {
        poll();
        OpenFile file = polled(begin("f", NEW)).file();
        long ino = file.ino();
        file.write(0, ByteBuffer.wrap(bytes(100, 1)));
        int before = cluster.shared.executed;
        Attributes timed = polled(set(ino, AttributeChange.NONE.withAtime(5).withMtime(7)));
        assertEquals(1, cluster.shared.executed - before);
        assertEquals(
                List.of(100L, 5L, 7L), List.of(timed.size(), timed.atimeNs(), timed.mtimeNs()));
        file.write(50, ByteBuffer.wrap(bytes(100, 1)));
        AttributeChange change = AttributeChange.NONE.withUid(3).withGid(4).withMode(0640);
        Attributes owned = polled(set(ino, change));
        assertEquals(2, cluster.shared.executed - before);
        assertEquals(List.of(3, 4, 0640), List.of(owned.uid(), owned.gid(), owned.mode()));
        assertTrue(owned.mtimeNs() > 7, "it was written later");
        assertTrue(Objects.requireNonNull(file.beginFlush()).isDone(), "nothing is left");
        assertEquals(owned, cluster.connect().getAttributes(Caller.ROOT, ino));
        close(file);
    }

    /** The write is done all the same, and the caller hears why the times were not set. */
    @Test
    void attributesThatAreRefusedTakeNothingAlong() {
        poll();
        OpenFile file = polled(begin("f", NEW)).file();
        long ino = file.ino();
        CairnFileSystem other = cluster.connect();
        int append = Attributes.APPEND;
        other.setAttributes(Caller.ROOT, ino, AttributeChange.NONE.withFlags(append, append));
        file.write(0, ByteBuffer.wrap(bytes(100, 1)));
        AttributeChange times = AttributeChange.NONE.withAtime(5).withMtime(7);
        assertFails(Errno.EPERM, set(ino, times));
        assertArrayEquals(bytes(100, 1), readAll(cluster.connect(), ino));
        close(file);
    }

    @Test
    void whatIsThereAlreadyIsOpenedOrRefused() {
        poll();
        CairnFileSystem other = cluster.connect();
        long ino = other.create(Caller.ROOT, 1, Name.of("there"), 0644, NEW).attributes().ino();
        OpenFile file = polled(begin("there", FileSystem.O_RDWR)).file();
        assertEquals(ino, file.ino());
        close(file);
        assertFails(Errno.EEXIST, begin("there", NEW));
    }

    @Test
    void whatIsLostOnTheWayIsDoneOnce() {
        poll();
        AtomicInteger calls = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) ->
                        switch (calls.incrementAndGet() % 7) {
                            case 0 -> FakeNetwork.Fate.LOSE_ANSWER;
                            case 3 -> FakeNetwork.Fate.LOSE_REQUEST;
                            default -> FakeNetwork.Fate.DELIVER;
                        });
        int before = cluster.shared.executed;
        for (int i = 0; i < 60; i++) {
            close(polled(begin("f" + i, NEW)).file());
        }
        assertEquals(60, cluster.shared.executed - before);
        cluster.network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
        poll();
        assertTrue(network.opened() > 1, "it breaks and is made anew");
    }

    /** Each exactly once, and seen at once, whatever is lost. */
    @Test
    void namesAndAttributesAreChanged() {
        poll();
        AtomicInteger calls = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) ->
                        header[0] == 1 && calls.incrementAndGet() % 5 == 0
                                ? FakeNetwork.Fate.LOSE_ANSWER
                                : FakeNetwork.Fate.DELIVER);
        for (int i = 0; i < 20; i++) {
            change(Name.of("d" + i));
        }
    }

    private void change(Name name) {
        Name file = Name.of("f");
        Name other = Name.of("g");
        long dir = polled(changes.mkdir(KERNEL, 1, name, 0755)).ino();
        assertEquals(dir, polled(() -> fs.lookup(KERNEL, 1, name)).ino());
        OpenFile made = polled(() -> fs.create(KERNEL, dir, file, 0644, NEW)).file();
        made.write(0, ByteBuffer.wrap(bytes(100, 1)));
        AttributeChange change = AttributeChange.NONE.withMtime(7).withMode(0600);
        Attributes changed = polled(set(made.ino(), change));
        assertEquals(7, changed.mtimeNs());
        assertEquals(100, changed.size());
        polled(Objects.requireNonNull(made.beginFlush()));
        assertEquals(7, cluster.connect().getAttributes(KERNEL, made.ino()).mtimeNs());
        assertFails(Errno.EEXIST, changes.mkdir(KERNEL, 1, name, 0755));
        polled(changes.rename(KERNEL, dir, file, 1, other, 0));
        assertEquals(made.ino(), polled(() -> fs.lookup(KERNEL, 1, other)).ino());
        assertThrows(FsException.class, () -> polled(() -> fs.lookup(KERNEL, dir, file)));
        polled(changes.unlink(KERNEL, 1, other));
        assertFails(Errno.ENOENT, changes.unlink(KERNEL, 1, other));
        close(made);
        polled(changes.rmdir(KERNEL, 1, name));
        assertThrows(FsException.class, () -> polled(() -> fs.lookup(KERNEL, 1, name)));
    }

    private CompletableFuture<Attributes> set(long ino, AttributeChange change) {
        return Objects.requireNonNull(changes.setAttributes(KERNEL, ino, change));
    }

    private void assertFails(Errno errno, CompletableFuture<?> change) {
        Throwable failure = polled(change.handle((_, thrown) -> thrown));
        assertEquals(errno, Await.failure(failure).errno(), () -> String.valueOf(failure));
    }

    @Test
    void openFilesAreKnownAfterABreak() {
        poll();
        int before = cluster.shared.executed;
        CompletableFuture<Created> begun = begin("f", NEW);
        network.flush();
        cluster.awaitTrue(() -> cluster.shared.executed > before, "it is made");
        cluster.network.disconnect(FakeCluster.MASTER);
        OpenFile file = polled(begun).file();
        polled(() -> fs.mkdir(KERNEL, 1, Name.of("after"), 0755));
        assertEquals(1, openAtMaster().get(file.ino()));
        close(file);
        cluster.awaitTrue(() -> openAtMaster().isEmpty(), "the file is released");
    }
}
