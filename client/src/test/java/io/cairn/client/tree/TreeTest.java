package io.cairn.client.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.FakeCluster;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Names and attributes: which error comes first, and what this mount knows after a change. */
class TreeTest {
    private static final Caller USER = Caller.of(1000, 1000);
    private static final Name A = Name.of("a");
    private static final Name B = Name.of("b");

    private final FakeCluster cluster = new FakeCluster(16);
    private final CairnFileSystem fs = cluster.connect();

    @AfterEach
    void close() {
        cluster.close();
    }

    private static void fails(Errno errno, Executable call) {
        assertEquals(errno, assertThrows(FsException.class, call).errno());
    }

    private long directory(int mode) {
        return fs.mkdir(Caller.ROOT, 1, Name.of("d"), mode).ino();
    }

    @Test
    void aNameThatExistsIsToldBeforeAMissingPermission() {
        long directory = directory(0755);
        fs.mkdir(Caller.ROOT, directory, A, 0755);
        fails(Errno.EEXIST, () -> fs.mkdir(USER, directory, A, 0755));
        fails(Errno.EACCES, () -> fs.mkdir(USER, directory, B, 0755));
        fails(Errno.EACCES, () -> fs.symlink(USER, directory, B, new byte[] {'x'}));
    }

    @Test
    void whoMayNotSearchADirectoryLearnsNothingOfItsNames() {
        long directory = directory(0700);
        fs.mkdir(Caller.ROOT, directory, A, 0755);
        fails(Errno.EACCES, () -> fs.lookup(USER, directory, A));
        fails(Errno.EACCES, () -> fs.lookup(USER, directory, B));
        fails(Errno.EACCES, () -> fs.mkdir(USER, directory, A, 0755));
    }

    @Test
    void theTargetOfASymlinkHasALength() {
        fails(Errno.ENOENT, () -> fs.symlink(Caller.ROOT, 1, A, new byte[0]));
        byte[] tooLong = new byte[FileSystem.MAX_PATH_BYTES];
        fails(Errno.ENAMETOOLONG, () -> fs.symlink(Caller.ROOT, 1, A, tooLong));
        byte[] target = {'x', '/', 'y'};
        long ino = fs.symlink(Caller.ROOT, 1, A, target).ino();
        assertArrayEquals(target, fs.readlink(Caller.ROOT, ino));
        long directory = directory(0755);
        fails(Errno.EINVAL, () -> fs.readlink(Caller.ROOT, directory));
    }

    @Test
    void onlyADirectoryHasAParent() {
        long directory = directory(0755);
        long inner = fs.mkdir(Caller.ROOT, directory, A, 0755).ino();
        assertEquals(directory, fs.parent(inner));
        long node = fs.mknod(Caller.ROOT, directory, B, FileType.FIFO, 0644, 0).ino();
        fails(Errno.ENOTDIR, () -> fs.parent(node));
    }

    @Test
    void aChangeIsKnownWithoutAskingAgain() {
        long directory = directory(0755);
        long ino = fs.mkdir(Caller.ROOT, directory, A, 0755).ino();
        fs.rename(Caller.ROOT, directory, A, directory, B, 0);
        AttributeChange mode = AttributeChange.NONE.withMode(0711);
        fs.setAttributes(Caller.ROOT, ino, mode);
        int executed = cluster.shared.executed;
        assertEquals(0711, fs.lookup(Caller.ROOT, directory, B).mode());
        fails(Errno.ENOENT, () -> fs.lookup(Caller.ROOT, directory, A));
        fs.rmdir(Caller.ROOT, directory, B);
        assertEquals(executed + 1, cluster.shared.executed);
        fails(Errno.ENOENT, () -> fs.lookup(Caller.ROOT, directory, B));
    }

    @Test
    void onlyAFileHasASizeToSet() {
        long directory = directory(0755);
        AttributeChange size = AttributeChange.NONE.withSize(1);
        fails(Errno.EISDIR, () -> fs.setAttributes(Caller.ROOT, directory, size));
        long fifo = fs.mknod(Caller.ROOT, 1, A, FileType.FIFO, 0644, 0).ino();
        fails(Errno.EINVAL, () -> fs.setAttributes(Caller.ROOT, fifo, size));
    }
}
