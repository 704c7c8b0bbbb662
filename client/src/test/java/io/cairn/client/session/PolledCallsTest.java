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
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileSystem.Created;
import io.cairn.fs.LaterChanges;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.runtime.Attendant;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a thread begins that looks for the answers itself. */
@Timeout(60)
class PolledCallsTest {
    private static final Caller KERNEL = Caller.checkedByKernel(0, 0);
    private static final int NEW = FileSystem.O_RDWR | FileSystem.O_EXCL;

    private final FakeCluster cluster = new FakeCluster(20);
    private final CairnFileSystem fs = cluster.connect();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** A thread that attends until it has to wait; then another one looks for the answers. */
    private final class Attending extends Thread implements Attendant {
        private volatile boolean attends = true;

        Attending(Runnable work) {
            super(work, "attending");
        }

        @Override
        public void handOver() {
            if (attends) {
                attends = false;
                Thread.startVirtualThread(this::lookInstead);
            }
        }

        private void lookInstead() {
            while (isAlive()) {
                fs.polled().poll();
                LockSupport.parkNanos(50_000);
            }
        }

        @Override
        public void glance() {}

        @Override
        public boolean attends() {
            return attends;
        }
    }

    /** Does something on a thread that attends. */
    private <T> T attending(Callable<T> work) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        new Attending(
                        () -> {
                            try {
                                result.complete(work.call());
                            } catch (Exception | AssertionError e) {
                                result.completeExceptionally(e);
                            }
                        })
                .start();
        return result.get(30, TimeUnit.SECONDS);
    }

    private CompletableFuture<Created> begin(String name, int flags) {
        return Objects.requireNonNull(later().create(KERNEL, 1, Name.of(name), 0644, flags));
    }

    private LaterChanges later() {
        return Objects.requireNonNull(fs.later(KERNEL));
    }

    /** Looks for answers until something is done. */
    private <T> T polled(CompletableFuture<T> promise) {
        while (!promise.isDone()) {
            fs.polled().poll();
            LockSupport.parkNanos(50_000);
        }
        return promise.join();
    }

    private Map<Long, Integer> openAtMaster() {
        return cluster.shared.sessions.values().iterator().next().open;
    }

    @Test
    void onlyWhoLooksForAnswersBegins() throws Exception {
        assertNull(attending(() -> fs.later(KERNEL)));
        assertEquals(0, cluster.network.polledLinesOpened());
        fs.polled().enter();
        assertEquals(1, cluster.network.polledLinesOpened());
        assertNull(fs.later(KERNEL));
        assertNull(attending(() -> fs.later(Caller.ROOT)));
    }

    @Test
    void manyFilesAreMadeAndCommittedAtATime() throws Exception {
        fs.polled().enter();
        List<OpenFile> files = new ArrayList<>();
        attending(
                () -> {
                    List<CompletableFuture<Created>> begun = new ArrayList<>();
                    for (int i = 0; i < 50; i++) {
                        begun.add(begin("f" + i, NEW));
                    }
                    assertEquals(50, fs.polled().expected());
                    begun.forEach(each -> files.add(polled(each).file()));
                    List<CompletableFuture<Void>> flushes = new ArrayList<>();
                    for (int i = 0; i < files.size(); i++) {
                        assertTrue(Objects.requireNonNull(files.get(i).beginFlush()).isDone());
                        files.get(i).write(0, ByteBuffer.wrap(bytes(1000 + i, i)));
                        flushes.add(Objects.requireNonNull(files.get(i).beginFlush()));
                    }
                    flushes.forEach(this::polled);
                    return true;
                });
        for (int i = 0; i < files.size(); i++) {
            long ino = files.get(i).ino();
            assertEquals(1, openAtMaster().get(ino));
            assertArrayEquals(bytes(1000 + i, i), readAll(cluster.connect(), ino));
            assertEquals(ino, fs.lookup(KERNEL, 1, Name.of("f" + i)).ino());
            files.get(i).close();
        }
        cluster.awaitTrue(() -> openAtMaster().isEmpty(), "the files are released");
    }

    @Test
    void whatIsThereAlreadyIsOpenedOrRefused() throws Exception {
        fs.polled().enter();
        CairnFileSystem other = cluster.connect();
        long ino = other.create(Caller.ROOT, 1, Name.of("there"), 0644, NEW).attributes().ino();
        attending(
                () -> {
                    try (OpenFile file = polled(begin("there", FileSystem.O_RDWR)).file()) {
                        assertEquals(ino, file.ino());
                    }
                    CompletableFuture<Created> refused = begin("there", NEW);
                    assertFails(Errno.EEXIST, refused);
                    return true;
                });
    }

    @Test
    void whatIsLostOnTheWayIsDoneOnce() throws Exception {
        fs.polled().enter();
        AtomicInteger calls = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) ->
                        switch (calls.incrementAndGet() % 7) {
                            case 0 -> FakeNetwork.Fate.LOSE_ANSWER;
                            case 3 -> FakeNetwork.Fate.LOSE_REQUEST;
                            default -> FakeNetwork.Fate.DELIVER;
                        });
        int before = cluster.shared.executed;
        int made = 0;
        for (int i = 0; i < 60; i++) {
            Name name = Name.of("f" + i);
            made +=
                    attending(
                            () -> {
                                LaterChanges changes = fs.later(KERNEL);
                                CompletableFuture<Created> begun =
                                        changes == null
                                                ? null
                                                : changes.create(KERNEL, 1, name, 0644, NEW);
                                (begun == null
                                                ? fs.create(KERNEL, 1, name, 0644, NEW)
                                                : polled(begun))
                                        .file()
                                        .close();
                                return begun == null ? 0 : 1;
                            });
        }
        assertEquals(60, cluster.shared.executed - before);
        assertTrue(made > 0, "none was begun");
    }

    /** Each exactly once, and seen at once, whatever is lost. */
    @Test
    void namesAndAttributesAreChanged() throws Exception {
        fs.polled().enter();
        AtomicInteger calls = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) ->
                        header[0] == 1 && calls.incrementAndGet() % 5 == 0
                                ? FakeNetwork.Fate.LOSE_ANSWER
                                : FakeNetwork.Fate.DELIVER);
        int begun = 0;
        for (int i = 0; i < 40; i++) {
            Name name = Name.of("d" + i);
            begun += attending(() -> changed(name)) ? 1 : 0;
        }
        assertTrue(begun > 0, "none was begun");
    }

    private boolean changed(Name name) {
        LaterChanges changes = fs.later(KERNEL);
        if (changes == null) {
            return false;
        }
        Name file = Name.of("f");
        Name other = Name.of("g");
        long dir = polled(changes.mkdir(KERNEL, 1, name, 0755)).ino();
        assertEquals(dir, fs.lookup(KERNEL, 1, name).ino());
        try (OpenFile made = fs.create(KERNEL, dir, file, 0644, NEW).file()) {
            made.write(0, ByteBuffer.wrap(bytes(100, 1)));
            AttributeChange change = AttributeChange.NONE.withMtime(7).withMode(0600);
            Attributes changed = polled(set(changes, made.ino(), change));
            assertEquals(7, changed.mtimeNs());
            assertEquals(100, changed.size());
            made.flush();
            assertEquals(7, cluster.connect().getAttributes(KERNEL, made.ino()).mtimeNs());
            assertFails(Errno.EEXIST, changes.mkdir(KERNEL, 1, name, 0755));
            polled(changes.rename(KERNEL, dir, file, 1, other, 0));
            assertEquals(made.ino(), fs.lookup(KERNEL, 1, other).ino());
            assertThrows(FsException.class, () -> fs.lookup(KERNEL, dir, file));
            polled(changes.unlink(KERNEL, 1, other));
            assertFails(Errno.ENOENT, changes.unlink(KERNEL, 1, other));
        }
        polled(changes.rmdir(KERNEL, 1, name));
        assertThrows(FsException.class, () -> fs.lookup(KERNEL, 1, name));
        return true;
    }

    private static CompletableFuture<Attributes> set(
            LaterChanges changes, long ino, AttributeChange change) {
        return Objects.requireNonNull(changes.setAttributes(KERNEL, ino, change));
    }

    private void assertFails(Errno errno, CompletableFuture<?> change) {
        Throwable failure = polled(change.handle((_, thrown) -> thrown));
        assertEquals(errno, Await.failure(failure).errno(), () -> String.valueOf(failure));
    }

    @Test
    void openFilesAreKnownAfterABreak() throws Exception {
        fs.polled().enter();
        attending(
                () -> {
                    int before = cluster.shared.executed;
                    CompletableFuture<Created> begun = begin("f", NEW);
                    fs.polled().flush();
                    cluster.awaitTrue(() -> cluster.shared.executed > before, "it is made");
                    cluster.network.disconnect(FakeCluster.MASTER);
                    OpenFile file = polled(begun).file();
                    fs.mkdir(KERNEL, 1, Name.of("after"), 0755);
                    assertEquals(1, openAtMaster().get(file.ino()));
                    file.close();
                    return true;
                });
        cluster.awaitTrue(() -> openAtMaster().isEmpty(), "the file is released");
    }

    @Test
    void whenNobodyLooksAnyMoreTheAnswersComeOtherwise() throws Exception {
        fs.polled().enter();
        attending(
                () -> {
                    CompletableFuture<Created> begun = begin("f", NEW);
                    fs.polled().leave();
                    begun.get(10, TimeUnit.SECONDS).file().close();
                    assertNull(fs.later(KERNEL));
                    return true;
                });
        assertEquals(1, cluster.network.polledLinesOpened());
    }
}
