package io.cairn.client;

import static io.cairn.client.CairnFileSystemTest.bytes;
import static io.cairn.client.CairnFileSystemTest.readAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.file.OpenInode;
import io.cairn.client.session.Await;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.TreeMutation;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that holds a file open while another one cuts and lengthens it. */
class OthersChangesTest {
    private static final int APPEND = FileSystem.O_RDWR | FileSystem.O_APPEND;
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;

    private final FakeCluster cluster = new FakeCluster(16);
    private final CairnFileSystem first = slowClient();
    private final CairnFileSystem second = slowClient();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** Commits only when asked to. */
    private CairnFileSystem slowClient() {
        return cluster.connect(cluster.settings().withWriteBackDelayMs(600_000));
    }

    private OpenFile created(int flags, byte[] contents) {
        OpenFile file = first.create(Caller.ROOT, 1, Name.of("f"), 0644, flags).file();
        write(file, contents);
        file.flush();
        return file;
    }

    private static void write(OpenFile file, byte[] bytes) {
        file.write(0, ByteBuffer.wrap(bytes));
    }

    private void resize(CairnFileSystem fs, OpenFile file, long size) {
        fs.setAttributes(Caller.ROOT, file.ino(), AttributeChange.NONE.withSize(size));
    }

    private void awaitSize(OpenFile file, long size) {
        cluster.awaitTrue(() -> file.attributes().size() == size, "the size is " + size);
    }

    private void assertContents(byte[] wanted, OpenFile file) {
        assertArrayEquals(wanted, readAll(cluster.connect(), file.ino()));
    }

    private void flag(OpenFile file, int flags) {
        AttributeChange change = AttributeChange.NONE.withFlags(Attributes.ALL_FLAGS, flags);
        second.setAttributes(Caller.ROOT, file.ino(), change);
        cluster.awaitTrue(() -> file.attributes().flags() == flags, "flags " + flags);
    }

    /** What it has not committed is told as lost; the file is as it was when it was flagged. */
    @ParameterizedTest
    @ValueSource(ints = {100, 6000, 200_000})
    void whatAnotherMadeImmutableIsNotWritten(int length) {
        OpenFile file = created(FileSystem.O_RDWR, bytes(length, 1));
        file.write(length, ByteBuffer.wrap(bytes(10, 2)));
        flag(file, Attributes.IMMUTABLE);
        FsException refused = assertThrows(FsException.class, () -> write(file, bytes(4, 3)));
        assertEquals(Errno.EPERM, refused.errno());
        FsException lost = assertThrows(FsException.class, () -> file.sync(false));
        assertEquals(Errno.EPERM, lost.errno());
        file.sync(false);
        assertContents(bytes(length, 1), file);
        flag(file, 0);
        write(file, bytes(4, 3));
        file.close();
        byte[] model = bytes(length, 1);
        System.arraycopy(bytes(4, 3), 0, model, 0, 4);
        assertContents(model, file);
    }

    /** It hears of nothing until it is connected again. */
    private void makeDeaf() {
        cluster.network.ask(
                () -> {
                    cluster.shared.sessions.values().forEach(each -> each.connection = null);
                    return 0;
                });
    }

    /** Nobody could tell it: it asks before it takes the bytes. */
    @ParameterizedTest
    @ValueSource(ints = {FileSystem.O_RDWR, APPEND})
    void afterALostConnectionTheMasterIsAskedForFlags(int flags) {
        OpenFile file = created(flags, bytes(6000, 1));
        OpenInode state = ((ClientFile) file).state();
        makeDeaf();
        AttributeChange change =
                AttributeChange.NONE.withFlags(Attributes.ALL_FLAGS, Attributes.IMMUTABLE);
        second.setAttributes(Caller.ROOT, file.ino(), change);
        assertEquals(0, state.attributes().flags());
        cluster.network.disconnect(FakeCluster.MASTER);
        cluster.awaitTrue(
                () -> state.doubts().isOpen() || state.attributes().flags() != 0,
                "it doubts what it knows");
        cluster.awaitTrue(
                () -> first.mount().master().session().isConnected(), "requests go out at once");
        FsException refused = assertThrows(FsException.class, () -> write(file, bytes(4, 3)));
        assertEquals(Errno.EPERM, refused.errno());
        file.close();
        assertContents(bytes(6000, 1), file);
    }

    /** As on ext4 the bytes that were written before belong to what is immutable. */
    @Test
    void whatThisOneMadeImmutableIsCommittedBefore() {
        OpenFile file = created(FileSystem.O_RDWR, bytes(6000, 1));
        write(file, bytes(4000, 2));
        AttributeChange change =
                AttributeChange.NONE.withFlags(Attributes.ALL_FLAGS, Attributes.IMMUTABLE);
        first.setAttributes(Caller.ROOT, file.ino(), change);
        assertThrows(FsException.class, () -> write(file, bytes(4, 3)));
        file.close();
        byte[] model = bytes(6000, 1);
        System.arraycopy(bytes(4000, 2), 0, model, 0, 4000);
        assertContents(model, file);
    }

    /** Another one has cut the file and gone on with a clone of the chunk before it was heard. */
    @Test
    void whatComesAfterACloneThatWasNotHeardGoesToTheClone() {
        OpenFile file = created(FileSystem.O_RDWR, bytes(200_000, 1));
        cluster.network.ask(
                () -> {
                    cluster.shared.sessions.values().forEach(each -> each.connection = null);
                    return 0;
                });
        byte[] model = Arrays.copyOf(bytes(200_000, 1), 120_050);
        Arrays.fill(model, 100_000, 120_000, (byte) 0);
        for (int round = 0; round < 2; round++) {
            resize(second, file, 100_000);
            try (OpenFile other = second.open(Caller.ROOT, file.ino(), FileSystem.O_RDWR)) {
                other.write(120_000, ByteBuffer.wrap(bytes(50, 2)));
            }
            System.arraycopy(bytes(50, 2), 0, model, 120_000, 50);
            if (round == 0) {
                file.write(80_000, ByteBuffer.wrap(bytes(9000, 3)));
                file.sync(false);
                System.arraycopy(bytes(9000, 3), 0, model, 80_000, 9000);
            } else {
                file.allocate(PUNCH_HOLE | KEEP_SIZE, 85_000, 10_000);
                Arrays.fill(model, 85_000, 95_000, (byte) 0);
            }
            assertContents(model, file);
        }
        file.close();
        assertContents(model, file);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 6000, 200_000})
    void whatIsWrittenAfterACutIsThere(int length) {
        OpenFile file = created(FileSystem.O_RDWR, bytes(length, 1));
        resize(second, file, 0);
        awaitSize(file, 0);
        write(file, bytes(4, 2));
        file.sync(false);
        assertContents(bytes(4, 2), file);
        file.close();
    }

    /** Buffered, and at the chunk servers. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasWrittenBeforeACutIsCutOff(boolean stored) {
        for (int length : new int[] {100, 6000, 200_000}) {
            OpenFile file =
                    first.create(Caller.ROOT, 1, Name.of("g" + length), 0644, APPEND).file();
            write(file, bytes(length, 1));
            file.flush();
            write(file, bytes(length, 2));
            if (stored) {
                Await.get(((ClientFile) file).state().drain(), 10_000);
            }
            resize(second, file, length / 2);
            awaitSize(file, length / 2);
            write(file, bytes(10, 3));
            file.sync(false);
            byte[] model = Arrays.copyOf(bytes(length, 1), length / 2 + 10);
            System.arraycopy(bytes(10, 3), 0, model, length / 2, 10);
            assertContents(model, file);
            file.close();
            assertContents(model, file);
        }
    }

    @Test
    void afterALostConnectionTheMasterIsAskedBeforeAnAppend() {
        OpenFile file = created(APPEND, bytes(6000, 1));
        cluster.network.disconnect(FakeCluster.MASTER);
        // Nobody could tell the first client.
        cluster.network.ask(
                () -> {
                    cluster.shared.sessions.values().forEach(each -> each.connection = null);
                    return 0;
                });
        try (OpenFile other = second.open(Caller.ROOT, file.ino(), FileSystem.O_RDWR)) {
            other.write(6000, ByteBuffer.wrap(bytes(50, 2)));
        }
        write(file, bytes(10, 3));
        file.sync(false);
        byte[] model = Arrays.copyOf(bytes(6000, 1), 6060);
        System.arraycopy(bytes(50, 2), 0, model, 6000, 50);
        System.arraycopy(bytes(10, 3), 0, model, 6050, 10);
        assertContents(model, file);
        file.close();
    }

    /** Nobody can say whether they were written before the cut. */
    @Test
    void bytesThatACutTookUnheardAreTold() {
        OpenFile file = created(FileSystem.O_RDWR, bytes(6000, 1));
        write(file, bytes(6000, 2));
        Await.get(((ClientFile) file).state().drain(), 10_000);
        cluster.network.ask(
                () -> {
                    cluster.shared.sessions.values().forEach(each -> each.connection = null);
                    return 0;
                });
        resize(second, file, 0);
        cluster.network.disconnect(FakeCluster.MASTER);
        cluster.awaitTrue(
                () -> ((ClientFile) file).state().doubts().isOpen(), "it doubts what it knows");
        FsException told = assertThrows(FsException.class, () -> file.sync(false));
        assertEquals(Errno.EIO, told.errno());
        write(file, bytes(4, 3));
        file.sync(false);
        assertContents(bytes(4, 3), file);
        file.close();
    }

    /** Appends and writes of one client ask nobody. */
    @Test
    void whatOneClientWritesCostsNoRequests() {
        OpenFile file = created(APPEND, bytes(6000, 1));
        write(file, bytes(10, 2));
        int before = cluster.network.ask(() -> cluster.shared.requests);
        for (int i = 0; i < 500; i++) {
            write(file, bytes(10, i));
        }
        int after = cluster.network.ask(() -> cluster.shared.requests);
        assertEquals(0, after - before, "but for a renewal of the lease");
        file.close();
    }

    /** Then who moves its contents has to copy them anew. */
    @Test
    void whoIsKeptWaitingTooLongChangesTheInodeBeforeItGoesOn() {
        OpenFile file = created(FileSystem.O_RDWR, bytes(6000, 1));
        long version = cluster.namespace.require(file.ino()).attributes().version();
        long session = cluster.shared.sessions.keySet().iterator().next();
        List<Integer> changes = new CopyOnWriteArrayList<>();
        cluster.network.setFaults(
                (to, header) -> {
                    if (to.equals(FakeCluster.MASTER) && isSetAttributes(header)) {
                        changes.add(maskOf(header));
                    }
                    return FakeNetwork.Fate.DELIVER;
                });
        cluster.network.ask(
                () -> {
                    cluster.master.push(session, new Push.HoldStill(file.ino(), 100));
                    return 0;
                });
        cluster.awaitTrue(
                () -> cluster.namespace.require(file.ino()).attributes().version() > version,
                "the inode has another version");
        assertEquals(
                List.of(AttributeChange.ATIME | AttributeChange.ATIME_NOW),
                changes,
                "what each writer may do, also where a mount rule maps it to another user");
        write(file, bytes(4, 2));
        file.close();
        byte[] model = bytes(6000, 1);
        System.arraycopy(bytes(4, 2), 0, model, 0, 4);
        assertContents(model, file);
    }

    /** Else it would write where the file is no longer when the other one goes on. */
    @Test
    void whoCannotChangeTheInodeDoesNotGoOn() {
        CairnFileSystem soft =
                cluster.connect(
                        cluster.settings()
                                .withWriteBackDelayMs(600_000)
                                .withAttemptTimeoutMs(200)
                                .withRequestTimeoutMs(600));
        OpenFile file = soft.create(Caller.ROOT, 1, Name.of("f"), 0644, FileSystem.O_RDWR).file();
        write(file, bytes(6000, 1));
        file.flush();
        long version = cluster.namespace.require(file.ino()).attributes().version();
        cluster.network.setFaults(
                (to, header) ->
                        to.equals(FakeCluster.MASTER) && isSetAttributes(header)
                                ? FakeNetwork.Fate.LOSE_REQUEST
                                : FakeNetwork.Fate.DELIVER);
        cluster.network.ask(
                () -> {
                    for (long session : cluster.shared.sessions.keySet()) {
                        cluster.master.push(session, new Push.HoldStill(file.ino(), 100));
                    }
                    return 0;
                });
        cluster.awaitTrue(() -> isTimedOut(() -> write(file, bytes(4, 2))), "it is kept waiting");
        for (int i = 0; i < 3; i++) {
            assertTrue(isTimedOut(() -> write(file, bytes(4, 2))), "it went on");
        }
        cluster.network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
        cluster.awaitTrue(
                () -> cluster.namespace.require(file.ino()).attributes().version() > version,
                "the inode has another version");
        cluster.awaitTrue(() -> !isTimedOut(() -> write(file, bytes(4, 2))), "it goes on");
        file.close();
        byte[] model = bytes(6000, 1);
        System.arraycopy(bytes(4, 2), 0, model, 0, 4);
        assertContents(model, file);
    }

    private static boolean isSetAttributes(byte[] header) {
        Decoder in = new Decoder(header);
        return MasterRequest.read(in) == MasterRequest.MUTATION
                && Envelope.decode(in).mutation() instanceof TreeMutation.SetAttributes;
    }

    private static int maskOf(byte[] header) {
        Decoder in = new Decoder(header);
        var _ = MasterRequest.read(in);
        return assertInstanceOf(TreeMutation.SetAttributes.class, Envelope.decode(in).mutation())
                .change()
                .mask();
    }

    private static boolean isTimedOut(Runnable work) {
        try {
            work.run();
            return false;
        } catch (FsException e) {
            assertEquals(Errno.ETIMEDOUT, e.errno());
            return true;
        }
    }
}
