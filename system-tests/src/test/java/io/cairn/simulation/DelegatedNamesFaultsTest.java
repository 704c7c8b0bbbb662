package io.cairn.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileSystem.Created;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.simulation.StagedWork.Step;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Files of which the masters do not know yet, while their mount, its link or the leader fails. */
final class DelegatedNamesFaultsTest {
    private static final Caller CALLER = Caller.checkedByKernel(0, 0);
    private static final Name DIRECTORY = Name.of("d");
    private static final Name YOUNG = Name.of("young");
    private static final long LIMIT_MS = 120_000;

    /** As long as a lost mount is waited for. */
    private static final long LOST_MS = 5_000;

    /** What is left of a session then, and some more. */
    private static final long REST_OF_SESSION_MS = 16_000;

    /** No longer than without the right. */
    private static final long SOON_MS = 2_500;

    private final SimulatedCluster cluster = new SimulatedCluster(11, 3);
    private final SimulatedClient maker = cluster.clients.getFirst();
    private final SimulatedClient looker = cluster.clients.getLast();
    private final AtomicInteger stage = new AtomicInteger();
    private long directory;
    private long young;
    private @Nullable OpenFile open;
    private @Nullable FsException failed;
    private @Nullable Errno seen;
    private long waitedMs;

    private static Created create(CairnFileSystem fs, long parent, Name name) {
        int flags = FileSystem.O_RDWR | FileSystem.O_EXCL;
        return Objects.requireNonNull(
                        Objects.requireNonNull(fs.async(CALLER))
                                .create(CALLER, parent, name, 0644, flags))
                .join();
    }

    /** Makes files until one is made without the masters. */
    private void makeYoung(CairnFileSystem fs) {
        fs.mount().master().young().turnOn();
        directory =
                Objects.requireNonNull(fs.async(CALLER))
                        .mkdir(CALLER, FileSystem.ROOT_INO, DIRECTORY, 0755)
                        .join()
                        .ino();
        for (int i = 0; i < 1000; i++) {
            try (OpenFile file = create(fs, directory, Name.of("warm" + i)).file()) {
                if (fs.mount().master().young().size() == 1) {
                    break;
                }
                assertEquals(0, file.attributes().size());
            }
        }
        Created made = create(fs, directory, YOUNG);
        assertEquals(1, fs.mount().master().young().size());
        made.file().write(0, ByteBuffer.wrap(new byte[] {'x'}));
        young = made.attributes().ino();
        open = made.file();
    }

    /** Takes names away until one is gone of which the masters do not know. */
    private void removeEarly(CairnFileSystem fs) {
        fs.mount().master().young().turnOn();
        fs.answerEarly();
        AsyncChanges changes = Objects.requireNonNull(fs.async(CALLER));
        directory = changes.mkdir(CALLER, FileSystem.ROOT_INO, DIRECTORY, 0755).join().ino();
        Name first = Name.of("first");
        create(fs, directory, first).file().close();
        create(fs, directory, Name.of("kept")).file().close();
        Created made = create(fs, directory, YOUNG);
        young = made.attributes().ino();
        made.file().close();
        assertTrue(fs.readDirectory(CALLER, directory, 0, 100, true).end());
        changes.unlink(CALLER, directory, first).join();
        changes.unlink(CALLER, directory, YOUNG).join();
        assertFalse(fs.mount().master().young().isAllTold());
    }

    private void close() {
        try {
            Objects.requireNonNull(open).close();
        } catch (FsException e) {
            failed = e;
        }
    }

    private void look(CairnFileSystem fs) {
        long fromMs = cluster.simulation.millis();
        try {
            long parent = fs.lookup(Caller.ROOT, FileSystem.ROOT_INO, DIRECTORY).ino();
            assertEquals(young, fs.lookup(Caller.ROOT, parent, YOUNG).ino());
            seen = null;
        } catch (FsException e) {
            seen = e.errno();
        }
        waitedMs = cluster.simulation.millis() - fromMs;
    }

    private void take(CairnFileSystem fs) {
        look(fs);
        try (OpenFile file =
                fs.create(Caller.ROOT, directory, YOUNG, 0644, FileSystem.O_EXCL).file()) {
            assertEquals(0, file.attributes().size());
        }
    }

    private void until(int wanted) {
        assertTrue(
                cluster.simulation.runUntil(() -> stage.get() == wanted, LIMIT_MS),
                () -> "stage " + stage + ", not " + wanted + ": " + cluster.history.report());
        assertNull(cluster.history.violation());
    }

    /** The clients begin; one has made a file when this returns. */
    private void begin(List<Step> making, List<Step> looking) {
        cluster.begin();
        looker.start(new StagedWork(stage, LIMIT_MS, looking), 1000);
        maker.start(new StagedWork(stage, LIMIT_MS, making), 1000);
        until(1);
    }

    @Test
    void othersWaitAMomentForAMountThatIsKilled() {
        begin(List.of(new Step(0, this::makeYoung)), List.of(new Step(2, this::take)));
        maker.kill();
        stage.incrementAndGet();
        until(3);
        assertEquals(Errno.ENOENT, seen, "it was never closed");
        assertTrue(waitedMs < LOST_MS, () -> waitedMs + " ms");
    }

    @Test
    void nobodyWaitsForAMountThatHasMadeNothingForAWhile() {
        Step closing = new Step(1, _ -> close());
        begin(List.of(new Step(0, this::makeYoung), closing), List.of(new Step(3, this::look)));
        until(2);
        cluster.simulation.run(6_000);
        maker.kill();
        stage.incrementAndGet();
        until(4);
        assertNull(failed);
        assertNull(seen);
        assertTrue(waitedMs < SOON_MS, () -> waitedMs + " ms");
    }

    @Test
    void aNewLeaderWaitsForNobodyWhoHasMadeNothingForAWhile() {
        Step closing = new Step(1, _ -> close());
        begin(List.of(new Step(0, this::makeYoung), closing), List.of(new Step(3, this::look)));
        until(2);
        cluster.simulation.run(6_000);
        maker.kill();
        Objects.requireNonNull(cluster.masters.leader()).log().stepDown(10);
        stage.incrementAndGet();
        until(4);
        assertNull(seen);
        assertTrue(waitedMs < SOON_MS + 5_000, () -> waitedMs + " ms");
    }

    @Test
    void aNewLeaderIsToldOfTheFile() {
        Step closing = new Step(3, _ -> close());
        begin(List.of(new Step(0, this::makeYoung), closing), List.of(new Step(2, this::look)));
        Objects.requireNonNull(cluster.masters.leader()).log().stepDown(10);
        stage.incrementAndGet();
        until(3);
        assertNull(seen);
        until(4);
        assertNull(failed);
    }

    @Test
    void theFirstWhoAsksAfterAKilledLeaderAndMountSeesWhatWasClosed() {
        begin(List.of(new Step(0, this::makeYoung)), List.of(new Step(2, this::look)));
        maker.kill();
        Objects.requireNonNull(cluster.masters.leader()).crash();
        stage.incrementAndGet();
        until(3);
        assertEquals(Errno.ENOENT, seen, "it was never closed");
        assertTrue(waitedMs < LOST_MS + 5_000, () -> waitedMs + " ms");
    }

    @Test
    void whatWasTakenAwayIsGoneForEverybody() {
        begin(List.of(new Step(0, this::removeEarly)), List.of(new Step(1, this::look)));
        until(2);
        assertEquals(Errno.ENOENT, seen);
        assertTrue(waitedMs < SOON_MS, () -> waitedMs + " ms");
    }

    @Test
    void aNewLeaderIsToldWhatWasTakenAway() {
        begin(List.of(new Step(0, this::removeEarly)), List.of(new Step(2, this::look)));
        Objects.requireNonNull(cluster.masters.leader()).log().stepDown(10);
        stage.incrementAndGet();
        until(3);
        assertEquals(Errno.ENOENT, seen);
    }

    @Test
    void anFsyncOfTheDirectoryOutlastsTheMount() {
        Step syncing = new Step(1, fs -> fs.syncDirectory(directory));
        begin(List.of(new Step(0, this::removeEarly), syncing), List.of(new Step(3, this::look)));
        until(2);
        maker.kill();
        Objects.requireNonNull(cluster.masters.leader()).crash();
        stage.incrementAndGet();
        until(4);
        assertEquals(Errno.ENOENT, seen);
        assertTrue(waitedMs < LOST_MS + 5_000, () -> waitedMs + " ms");
    }

    @Test
    void whatAKilledMountHasNotToldIsThereForEverybodyAndStays() {
        Step again = new Step(3, this::look);
        begin(List.of(new Step(0, this::removeEarly)), List.of(new Step(2, this::look), again));
        maker.kill();
        stage.incrementAndGet();
        until(3);
        assertNull(seen, "nobody has told it");
        assertTrue(waitedMs < LOST_MS, () -> waitedMs + " ms");
        until(4);
        assertNull(seen);
    }

    @Test
    void aMountThatLostItsSessionTakesNothingAwayAfterwards() {
        Step syncing = new Step(3, this::sync);
        begin(
                List.of(new Step(0, this::removeEarly), syncing, new Step(4, this::look)),
                List.of(new Step(2, this::look), new Step(5, this::look)));
        cluster.network.partition(Set.of(maker.node()), Set.copyOf(cluster.masters.names()));
        stage.incrementAndGet();
        until(3);
        Errno ofOthers = seen;
        cluster.simulation.run(REST_OF_SESSION_MS);
        cluster.network.heal();
        until(5);
        assertEquals(ofOthers, seen, "both see the same");
        assertEquals(ofOthers == null ? Errno.EIO : null, failed == null ? null : failed.errno());
        until(6);
        assertEquals(ofOthers, seen);
    }

    @Test
    void aNewLeaderIsToldWhatTwoMountsTookAway() {
        long[] directories = new long[2];
        cluster.begin();
        looker.start(removing(directories, 0), 1000);
        maker.start(removing(directories, 1), 1000);
        until(4);
        Objects.requireNonNull(cluster.masters.leader()).log().stepDown(10);
        until(6);
        assertTrue(waitedMs < SOON_MS + 5_000, () -> waitedMs + " ms");
    }

    /** Takes names away shortly before the lead changes, and waits until they are told. */
    private StagedWork removing(long[] directories, int who) {
        Name name = Name.of("d" + who);
        Step making = new Step(who, fs -> directories[who] = filled(fs, name));
        Step removing =
                new Step(
                        2 + who,
                        fs -> {
                            unlink(fs, directories[who], 0);
                            unlink(fs, directories[who], 1);
                            assertFalse(fs.mount().master().young().isAllTold());
                        });
        Step syncing =
                new Step(
                        4 + who,
                        fs -> {
                            long fromMs = cluster.simulation.millis();
                            fs.syncDirectory(directories[who]);
                            waitedMs += cluster.simulation.millis() - fromMs;
                        });
        return new StagedWork(stage, LIMIT_MS, List.of(making, removing, syncing));
    }

    private static long filled(CairnFileSystem fs, Name name) {
        fs.mount().master().young().turnOn();
        fs.answerEarly();
        AsyncChanges changes = Objects.requireNonNull(fs.async(CALLER));
        long ino = changes.mkdir(CALLER, FileSystem.ROOT_INO, name, 0755).join().ino();
        for (int i = 0; i < 3; i++) {
            create(fs, ino, Name.of("f" + i)).file().close();
        }
        assertTrue(fs.readDirectory(CALLER, ino, 0, 100, true).end());
        return ino;
    }

    private static void unlink(CairnFileSystem fs, long ino, int file) {
        Objects.requireNonNull(fs.async(CALLER)).unlink(CALLER, ino, Name.of("f" + file)).join();
    }

    private void sync(CairnFileSystem fs) {
        try {
            fs.syncDirectory(directory);
        } catch (FsException e) {
            failed = e;
        }
    }

    @Test
    void aMountThatLostItsSessionTellsSoWhenTheFileIsClosed() {
        Step closing = new Step(3, _ -> close());
        begin(
                List.of(new Step(0, this::makeYoung), closing, new Step(4, this::look)),
                List.of(new Step(2, this::look), new Step(5, this::look)));
        cluster.network.partition(Set.of(maker.node()), Set.copyOf(cluster.masters.names()));
        stage.incrementAndGet();
        until(3);
        assertEquals(Errno.ENOENT, seen);
        assertTrue(waitedMs < LOST_MS, () -> waitedMs + " ms");
        cluster.simulation.run(REST_OF_SESSION_MS);
        cluster.network.heal();
        until(5);
        Errno ofMaker = seen;
        until(6);
        assertEquals(ofMaker, seen, "both see the same");
        assertEquals(failed == null ? null : Errno.ENOENT, seen, () -> "close told " + failed);
    }

    private void cutOff() {
        cluster.network.partition(Set.of(maker.node()), Set.copyOf(cluster.masters.names()));
        stage.incrementAndGet();
        until(3);
        assertTrue(waitedMs < LOST_MS, () -> waitedMs + " ms");
        cluster.network.heal();
    }

    @Test
    void aMountThatWasCutOffMakesWhatNobodyElseHasMade() {
        Step closing = new Step(3, _ -> close());
        begin(
                List.of(new Step(0, this::makeYoung), closing),
                List.of(new Step(2, this::look), new Step(4, this::look)));
        cutOff();
        assertEquals(Errno.ENOENT, seen);
        until(5);
        assertNull(failed, "its session goes on");
        assertNull(seen);
    }

    @Test
    void aMountThatWasCutOffLosesANameThatOthersHaveMade() {
        Step closing = new Step(3, _ -> close());
        Step again =
                new Step(
                        4,
                        fs -> {
                            long ino = fs.lookup(Caller.ROOT, directory, YOUNG).ino();
                            assertNotEquals(young, ino);
                        });
        begin(
                List.of(new Step(0, this::makeYoung), closing),
                List.of(new Step(2, this::take), again));
        cutOff();
        until(5);
        assertEquals(Errno.EIO, Objects.requireNonNull(failed).errno());
    }

    @Test
    void aMountThatWasCutOffTakesNothingAwayAfterwards() {
        Step syncing = new Step(3, this::sync);
        begin(
                List.of(new Step(0, this::removeEarly), syncing, new Step(4, this::look)),
                List.of(new Step(2, this::look), new Step(5, this::look)));
        cutOff();
        assertNull(seen, "nobody has told it");
        until(5);
        assertNull(seen);
        assertEquals(Errno.EIO, Objects.requireNonNull(failed).errno());
        until(6);
        assertNull(seen, "others could have written to it");
    }

    @Test
    void nobodyWaitsForAMountThatHasEnded() {
        cluster.begin();
        looker.start(new StagedWork(stage, LIMIT_MS, List.of(new Step(2, this::look))), 1000);
        Step closing = new Step(1, _ -> close());
        List<Step> making = List.of(new Step(0, this::makeYoung), closing);
        maker.start(new StagedWork(stage, 0, making), 1000);
        until(3);
        assertNull(failed);
        assertNull(seen);
        assertTrue(waitedMs < SOON_MS, () -> waitedMs + " ms");
    }
}
