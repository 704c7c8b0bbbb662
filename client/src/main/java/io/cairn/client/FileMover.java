package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.file.Mount;
import io.cairn.client.file.Standstill;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.OpenFile;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.function.BooleanSupplier;

/**
 * Gives a file or directory another policy. Contents in chunks are copied into a file without a
 * name that has the new policy, made durable, and then exchanged with the old ones in one mutation,
 * if neither changed meanwhile. Writers go on while most is copied; for the rest, and the exchange,
 * all clients keep them waiting a moment ({@link Standstill}), having committed what they wrote. A
 * crash leaves the old contents, and the copy goes with the session. Blocking.
 */
final class FileMover {
    private static final int MAX_TRIES = 20;

    /** How long writers may be kept waiting. */
    private static final int STILL_MS = 5000;

    /** A move that takes longer is tried again, with less left to be copied. */
    private static final long BUSY_MS = 3000;

    private final CairnFileSystem fs;
    private final Mount mount;

    FileMover(CairnFileSystem fs) {
        this.fs = fs;
        this.mount = fs.mount();
    }

    /**
     * Sets the policy.
     *
     * @param parentIno a directory in which the copy may be made
     */
    void setPolicy(long parentIno, long ino, Policy policy) {
        if (!fs.tree().attributes(ino).isFile()) {
            fs.tree().change(Caller.ROOT, new TreeMutation.SetPolicy(ino, policy));
            return;
        }
        untilDone(() -> setHere(ino, policy) || move(ino, policy, parentIno));
    }

    /** Moves the contents of a file that was cut in many places to where they are of one object. */
    void makeWhole(long ino) {
        Policy policy = fs.tree().inode(ino).policy();
        untilDone(() -> move(ino, policy, FileSystem.ROOT_INO));
    }

    private void untilDone(BooleanSupplier attempt) {
        FsException last = busy();
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            try {
                if (attempt.getAsBoolean()) {
                    return;
                }
            } catch (FsException e) {
                if (e.errno() != Errno.EBUSY) {
                    throw e;
                }
                // Somebody does not answer: until its session has ended nobody knows what it has.
                last = e;
                fs.contents().pause(Math.min(1000L << Math.min(tries, 2), mount.timeoutMs()));
            }
        }
        throw last;
    }

    private static FsException busy() {
        return new FsException(Errno.EBUSY, "it is written faster than it can be moved");
    }

    /** Sets it while nobody else writes, unless the contents have to be moved for it. */
    private boolean setHere(long ino, Policy policy) {
        holdStill(ino, STILL_MS);
        try {
            Reply reply = mount.master().change(new TreeMutation.SetPolicy(ino, policy));
            if (reply instanceof Reply.Failure failure && failure.errno() == Errno.ESTALE) {
                fs.tree().inode(ino);
                return false;
            }
            fs.tree().absorb(Await.expect(reply, Reply.EntryReply.class));
            return true;
        } finally {
            goOn(ino);
        }
    }

    private void holdStill(long ino, int ms) {
        Await.expect(mount.master().ask(new Query.HoldStill(ino, ms)), Reply.Done.class);
    }

    private void goOn(long ino) {
        Promises.whenDone(mount.master().query(new Query.HoldStill(ino, 0)), (_, _) -> {});
    }

    /**
     * A file for a copy. It never has a name: one that lost it would go to the trash. In an
     * immutable directory none can be made, but in one above that is not.
     */
    private FileSystem.Created makeCopy(long parentIno) {
        int flags = FileSystem.O_RDWR | FileSystem.O_EXCL;
        long at = parentIno;
        while (true) {
            try {
                return fs.createUnnamed(Caller.ROOT, at, 0600, flags);
            } catch (FsException e) {
                if (e.errno() != Errno.EPERM || at == FileSystem.ROOT_INO) {
                    throw e;
                }
            }
            at = fs.tree().inode(at).parentIno();
        }
    }

    private boolean move(long ino, Policy policy, long parentIno) {
        // Not for writing: the contents stay the same, so immutable and append-only files move.
        try (ClientFile source = fs.openInode(Caller.ROOT, ino, FileSystem.O_RDONLY);
                OpenFile target = makeCopy(parentIno).file()) {
            fs.tree().change(Caller.ROOT, new TreeMutation.SetPolicy(target.ino(), policy));
            return move(source, target);
        }
    }

    private boolean move(ClientFile source, OpenFile target) {
        ContentCopy content = new ContentCopy(fs, source, target);
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            source.commit();
            content.round(fs.tree().inode(source.ino()));
            target.sync(false);
            source.state().closeGate();
            try {
                if (finish(content, source, target)) {
                    return true;
                }
            } finally {
                source.state().openGate();
                goOn(source.ino());
            }
        }
        return false;
    }

    /** Copies the rest and exchanges the contents, unless that takes too long. */
    private boolean finish(ContentCopy content, ClientFile source, OpenFile target) {
        long beginMs = mount.nowMs();
        holdStill(source.ino(), STILL_MS);
        source.commit();
        Inode inode = fs.tree().inode(source.ino());
        content.round(inode);
        target.sync(false);
        long copyVersion = fs.tree().inode(target.ino()).attributes().version();
        return mount.nowMs() - beginMs < BUSY_MS
                && swap(source.ino(), inode.attributes().version(), target.ino(), copyVersion);
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

    /** The owner of the inode may change a policy. */
    static void require(Caller caller, Attributes inode) {
        if (!caller.checked() && caller.uid() != 0 && caller.uid() != inode.uid()) {
            throw new FsException(Errno.EPERM, "only the owner may set the policy");
        }
        if (inode.type() != FileType.FILE && inode.type() != FileType.DIRECTORY) {
            throw new FsException(Errno.EINVAL, "only files and directories have a policy");
        }
    }
}
