package io.cairn.client;

import io.cairn.cluster.Policy;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.Errno;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.FsException;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.wire.ContentMutation;
import io.cairn.wire.Reply;
import io.cairn.wire.TreeMutation;
import java.nio.ByteBuffer;

/**
 * Gives a file or directory another policy. Contents in chunks are copied into a file without a
 * name that has the new policy, made durable, and then exchanged with the old ones in one mutation,
 * if neither changed meanwhile; else the copy is made anew. A crash leaves the old contents, and
 * the copy goes with the session. Blocking.
 */
final class FileMover {
    private static final int MAX_TRIES = 5;
    private static final int COPY_BYTES = 4 << 20;

    private final CairnFileSystem fs;
    private final Mount mount;

    FileMover(CairnFileSystem fs) {
        this.fs = fs;
        this.mount = fs.mount();
    }

    /**
     * Sets the policy.
     *
     * @param parentIno a directory in which the copy may have a name for a moment
     */
    void setPolicy(long parentIno, long ino, Policy policy) {
        Reply reply = mount.master().change(new TreeMutation.SetPolicy(ino, policy));
        if (!(reply instanceof Reply.Failure failure && failure.errno() == Errno.ESTALE)) {
            fs.tree().absorb(Await.expect(reply, Reply.EntryReply.class));
            return;
        }
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            if (move(parentIno, ino, policy)) {
                return;
            }
        }
        throw new FsException(
                Errno.EBUSY,
                "inode " + ino + " changed during each of " + MAX_TRIES + " copies; try later");
    }

    private boolean move(long parentIno, long ino, Policy policy) {
        try (OpenFile source = fs.open(Caller.ROOT, ino, FileSystem.O_RDWR)) {
            source.flush();
            Attributes before = fs.tree().inode(ino).attributes();
            Name name = temporaryName(ino);
            FileSystem.Created copy =
                    fs.create(
                            Caller.ROOT,
                            parentIno,
                            name,
                            0600,
                            FileSystem.O_RDWR | FileSystem.O_EXCL);
            try (OpenFile target = copy.file()) {
                fs.unlink(Caller.ROOT, parentIno, name);
                fs.tree().change(Caller.ROOT, new TreeMutation.SetPolicy(target.ino(), policy));
                copy(source, target, before.size());
                target.sync(false);
                long copyVersion = fs.tree().inode(target.ino()).attributes().version();
                return swap(ino, before.version(), target.ino(), copyVersion);
            }
        }
    }

    private Name temporaryName(long ino) {
        long number;
        synchronized (mount.runtime().random()) {
            number = mount.runtime().random().nextLong();
        }
        return Name.of(".cairn-move-" + Long.toHexString(ino) + "-" + Long.toHexString(number));
    }

    /** Copies the data and keeps the holes. */
    private static void copy(OpenFile source, OpenFile target, long size) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(COPY_BYTES);
        long at = nextData(source, 0, size);
        while (at < size) {
            long end = Math.min(size, source.seek(at, false));
            while (at < end) {
                buffer.clear().limit((int) Math.min(COPY_BYTES, end - at));
                int count = source.read(at, buffer);
                if (count == 0) {
                    // Cut off meanwhile: the exchange will be refused.
                    return;
                }
                target.write(at, buffer.flip());
                at += count;
            }
            at = nextData(source, at, size);
        }
        if (size > 0) {
            target.allocate(0, 0, size);
        }
    }

    private static long nextData(OpenFile source, long from, long size) {
        if (from >= size) {
            return size;
        }
        try {
            return source.seek(from, true);
        } catch (FsException e) {
            if (e.errno() == Errno.ENXIO) {
                return size;
            }
            throw e;
        }
    }

    private boolean swap(long ino, long version, long copyIno, long copyVersion) {
        Reply reply =
                mount.master()
                        .change(
                                new ContentMutation.SwapContents(
                                        ino, version, copyIno, copyVersion));
        if (reply instanceof Reply.Failure failure && failure.errno() == Errno.ESTALE) {
            return false;
        }
        fs.tree().absorb(Await.expect(reply, Reply.EntryReply.class));
        return true;
    }

    /** Who may change a policy: who owns the inode. */
    static void require(Caller caller, Attributes inode) {
        if (!caller.checked() && caller.uid() != 0 && caller.uid() != inode.uid()) {
            throw new FsException(Errno.EPERM, "only the owner may set the policy");
        }
        if (inode.type() != FileType.FILE && inode.type() != FileType.DIRECTORY) {
            throw new FsException(Errno.EINVAL, "only files and directories have a policy");
        }
    }
}
