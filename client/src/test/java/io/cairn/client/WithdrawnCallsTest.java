package io.cairn.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.runtime.PendingRequest;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.TreeMutation;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operations whose process was told that it was interrupted while they waited. */
@Timeout(60)
class WithdrawnCallsTest {
    private static final long SOON_MS = 30_000;
    private static final Name NAME = Name.of("d");

    private final FakeCluster cluster = new FakeCluster(16);
    private final CairnFileSystem fs =
            cluster.connect(
                    cluster.settings()
                            .withRequestTimeoutMs(600_000)
                            .withAttemptTimeoutMs(300)
                            .withBuffers(8 << 20, 0));

    @AfterEach
    void close() {
        cluster.network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
        cluster.close();
    }

    /** A thread of a door. */
    private static final class Asker extends Thread {
        private final PendingRequest errand = new PendingRequest();
        private final Runnable operation;
        private volatile @Nullable Errno failure;

        Asker(Runnable operation) {
            this.operation = operation;
            start();
        }

        @Override
        public void run() {
            try {
                errand.run(operation);
            } catch (FsException e) {
                failure = e.errno();
            }
        }

        void isInterrupted(FakeCluster cluster) throws InterruptedException {
            cluster.awaitTrue(errand::cancel, "the wait of the operation");
            join(SOON_MS);
            assertFalse(isAlive(), "the operation goes on");
            assertEquals(Errno.EINTR, failure);
        }
    }

    /** What happens to the requests to make a directory; counts them. */
    private AtomicInteger mkdirs(FakeNetwork.Fate fate) {
        AtomicInteger seen = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) -> {
                    if (!to.equals(FakeCluster.MASTER) || !isMkdir(header)) {
                        return FakeNetwork.Fate.DELIVER;
                    }
                    seen.getAndIncrement();
                    return fate;
                });
        return seen;
    }

    private static boolean isMkdir(byte[] header) {
        Decoder in = new Decoder(header);
        return MasterRequest.read(in) == MasterRequest.MUTATION
                && Envelope.decode(in).mutation() instanceof TreeMutation.Mkdir;
    }

    private void mkdir() {
        fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, NAME, 0755);
    }

    /** More than fit into the window of a session. */
    private void othersGoOn() {
        for (int i = 0; i < 2000; i++) {
            Name other = Name.of("other" + i);
            fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, other, 0755);
        }
    }

    @Test
    void whatDidNotArriveIsNeverDone() throws Exception {
        AtomicInteger seen = mkdirs(FakeNetwork.Fate.LOSE_REQUEST);
        Asker asker = new Asker(this::mkdir);
        cluster.awaitTrue(() -> seen.get() > 0, "the request");
        asker.isInterrupted(cluster);
        cluster.network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
        othersGoOn();
        FsException e =
                assertThrows(
                        FsException.class, () -> fs.lookup(Caller.ROOT, FileSystem.ROOT_INO, NAME));
        assertEquals(Errno.ENOENT, e.errno());
        mkdir();
    }

    @Test
    void whatWasDoneStaysAndIsSeen() throws Exception {
        AtomicInteger seen = mkdirs(FakeNetwork.Fate.HOLD_ANSWER);
        Asker asker = new Asker(this::mkdir);
        cluster.awaitTrue(() -> seen.get() > 0, "the request");
        asker.isInterrupted(cluster);
        cluster.network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
        assertTrue(fs.lookup(Caller.ROOT, FileSystem.ROOT_INO, NAME).isDirectory());
        othersGoOn();
        cluster.network.deliverLate();
        assertTrue(fs.lookup(Caller.ROOT, FileSystem.ROOT_INO, NAME).isDirectory());
    }

    /** Whoever is told EINTR has no file that it could close. */
    @Test
    void aFileThatWasMadeAllTheSameIsNotOpen() throws Exception {
        AtomicInteger seen = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) -> {
                    if (!to.equals(FakeCluster.MASTER) || !isCreate(header)) {
                        return FakeNetwork.Fate.DELIVER;
                    }
                    seen.getAndIncrement();
                    return FakeNetwork.Fate.HOLD_ANSWER;
                });
        Asker asker =
                new Asker(
                        () ->
                                fs.create(
                                        Caller.ROOT,
                                        FileSystem.ROOT_INO,
                                        NAME,
                                        0644,
                                        FileSystem.O_RDWR));
        cluster.awaitTrue(() -> seen.get() > 0, "the request");
        asker.isInterrupted(cluster);
        cluster.network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
        cluster.network.deliverLate();
        long ino = fs.lookup(Caller.ROOT, FileSystem.ROOT_INO, NAME).ino();
        cluster.awaitTrue(() -> cluster.network.ask(() -> opens(ino)) == 0, "nobody has it open");
    }

    private int opens(long ino) {
        return cluster.shared.sessions.values().stream()
                .mapToInt(session -> session.open.getOrDefault(ino, 0))
                .sum();
    }

    private static boolean isCreate(byte[] header) {
        Decoder in = new Decoder(header);
        return MasterRequest.read(in) == MasterRequest.MUTATION
                && Envelope.decode(in).mutation() instanceof TreeMutation.Create;
    }

    @Test
    void whatWaitsForAMasterIsDroppedAtOnce() throws Exception {
        cluster.network.stop(FakeCluster.MASTER);
        cluster.network.disconnect(FakeCluster.MASTER);
        Asker asker = new Asker(this::mkdir);
        asker.isInterrupted(cluster);
        Asker reader = new Asker(() -> fs.open(Caller.ROOT, FileSystem.ROOT_INO, 0));
        reader.isInterrupted(cluster);
        // For the end of the mount.
        cluster.network.listen(FakeCluster.MASTER, cluster.master);
    }

    @Test
    void aWriteThatWaitsForRoomPutsNothingAfterIt() throws Exception {
        try (OpenFile file =
                fs.create(Caller.ROOT, FileSystem.ROOT_INO, NAME, 0644, FileSystem.O_RDWR).file()) {
            cluster.network.setFaults(
                    (to, header) ->
                            to.equals(FakeCluster.MASTER)
                                    ? FakeNetwork.Fate.DELIVER
                                    : FakeNetwork.Fate.HOLD_ANSWER);
            ByteBuffer bytes = ByteBuffer.allocate(40 << 20);
            Asker asker = new Asker(() -> file.write(0, bytes));
            asker.isInterrupted(cluster);
            int put = bytes.position();
            assertTrue(put < 40 << 20, "all fitted");
            cluster.network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
            file.sync(false);
            assertEquals(put, fs.getAttributes(Caller.ROOT, file.ino()).size());
        }
    }
}
