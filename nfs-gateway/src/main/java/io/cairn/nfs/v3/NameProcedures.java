package io.cairn.nfs.v3;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Names: LOOKUP, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, RENAME, LINK (RFC 1813, 3.3.3 and 8
 * to 15). Thread-safe; blocks.
 */
final class NameProcedures {
    private static final int UNCHECKED = 0;
    private static final int EXCLUSIVE = 2;
    private static final int VERIFIER_BYTES = 8;
    private static final int CREATE_TRIES = 8;
    private static final int STANDARD_FILE_MODE = 0644;
    private static final int STANDARD_DIRECTORY_MODE = 0755;

    /** Of a file made by EXCLUSIVE, until the client sets another one. */
    private static final int EXCLUSIVE_MODE = 0600;

    /** Stands for the verifier 0, which the filesystem takes for none. */
    private static final long ZERO_VERIFIER = 0x436169726e4e4653L;

    private final ServedVolume volume;
    private final FileSystem fs;

    NameProcedures(ServedVolume volume) {
        this.volume = volume;
        this.fs = volume.fs();
    }

    void lookup(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        byte[] name = ServedVolume.name(in);
        volume.serve(
                call,
                handle,
                out,
                directory -> {
                    volume.requireDirectory(directory);
                    Attributes found = find(directory, name);
                    out.i32(NfsStatus.OK).opaque(volume.handle(directory.export(), found));
                    volume.postOp(out, found);
                    volume.postOp(out, directory);
                },
                target -> volume.postOp(out, target));
    }

    private Attributes find(Target directory, byte[] name) {
        boolean up = ServedVolume.isDotDot(name);
        if (!up && !ServedVolume.isDot(name)) {
            return volume.freshLookup(directory, ServedVolume.name(name, NfsStatus.ACCES));
        }
        Attributes here = volume.attributes(directory);
        fs.access(directory.caller(), directory.ino(), FileSystem.ACCESS_EXECUTE);
        return up ? fs.getAttributes(directory.caller(), volume.parent(directory)) : here;
    }

    void create(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        byte[] name = ServedVolume.name(in);
        int how = in.choice(EXCLUSIVE);
        AttributeChange wanted =
                how == EXCLUSIVE ? AttributeChange.NONE : AttributeCodec.change(in);
        long verifier = how == EXCLUSIVE ? ByteBuffer.wrap(in.fixed(VERIFIER_BYTES)).getLong() : 0;
        make(
                call,
                handle,
                out,
                wanted,
                (directory, caller) -> {
                    Name checked = ServedVolume.name(name, NfsStatus.EXIST);
                    if (how == EXCLUSIVE) {
                        return fs.createExclusive(
                                caller,
                                directory.ino(),
                                checked,
                                EXCLUSIVE_MODE,
                                verifier == 0 ? ZERO_VERIFIER : verifier);
                    }
                    return create(directory, caller, checked, wanted, how == UNCHECKED);
                });
    }

    private Attributes create(
            Target directory,
            Caller caller,
            Name name,
            AttributeChange wanted,
            boolean orExisting) {
        int mode = mode(wanted, STANDARD_FILE_MODE);
        for (int tries = 0; tries < CREATE_TRIES; tries++) {
            try {
                Attributes made = fs.mknod(caller, directory.ino(), name, FileType.FILE, mode, 0);
                return finish(directory, made, wanted);
            } catch (FsException e) {
                if (e.errno() != Errno.EEXIST || !orExisting) {
                    throw e;
                }
            }
            Attributes existing = existing(directory, name);
            if (existing != null) {
                return reuse(directory, existing, wanted);
            }
        }
        throw new NfsException(NfsStatus.JUKEBOX);
    }

    private @Nullable Attributes existing(Target directory, Name name) {
        try {
            return fs.lookup(directory.caller(), directory.ino(), name);
        } catch (FsException e) {
            if (e.errno() == Errno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    /** UNCHECKED on a file that exists: of the attributes only the size counts. */
    private Attributes reuse(Target directory, Attributes existing, AttributeChange wanted) {
        if (!existing.isFile()) {
            throw new NfsException(NfsStatus.EXIST);
        }
        if (!wanted.has(AttributeChange.SIZE)) {
            return existing;
        }
        AttributeChange size = AttributeChange.NONE.withSize(wanted.size());
        return fs.setAttributes(directory.caller(), existing.ino(), size);
    }

    private static int mode(AttributeChange wanted, int standard) {
        return wanted.has(AttributeChange.MODE) ? wanted.mode() : standard;
    }

    /** Sets what the making of an inode did not. Only the superuser can choose an owner. */
    private Attributes finish(Target directory, Attributes made, AttributeChange wanted) {
        AttributeChange rest = wanted.without(AttributeChange.MODE);
        boolean superuser = directory.caller().uid() == 0;
        if (!superuser || wanted.uid() == made.uid()) {
            rest = rest.without(AttributeChange.UID);
        }
        if (!superuser || wanted.gid() == made.gid()) {
            rest = rest.without(AttributeChange.GID);
        }
        if (!made.isFile() || wanted.size() == 0) {
            rest = rest.without(AttributeChange.SIZE);
        }
        int any = AttributeChange.UID | AttributeChange.GID | AttributeChange.SIZE;
        if (!rest.has(any | AttributeChange.ATIME | AttributeChange.MTIME)) {
            return made;
        }
        return fs.setAttributes(directory.trusted(), made.ino(), rest);
    }

    /** Makes something in a directory. */
    private interface Maker {
        Attributes make(Target directory, Caller caller);
    }

    private void make(
            RpcCall call, byte[] handle, XdrWriter out, AttributeChange wanted, Maker maker) {
        volume.serve(
                call,
                handle,
                out,
                directory -> {
                    volume.requireDirectory(directory);
                    directory.requireWritable();
                    AttributeCodec.require(wanted);
                    Changes changes = new Changes();
                    Attributes made = maker.make(directory, changes.of(directory));
                    out.i32(NfsStatus.OK);
                    out.bool(true).opaque(volume.handle(directory.export(), made));
                    volume.postOp(out, made);
                    volume.wcc(out, directory, changes);
                },
                target -> volume.wcc(out, target));
    }

    void mkdir(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        byte[] name = ServedVolume.name(in);
        AttributeChange wanted = AttributeCodec.change(in);
        make(
                call,
                handle,
                out,
                wanted,
                (directory, caller) -> {
                    Name checked = ServedVolume.name(name, NfsStatus.EXIST);
                    int mode = mode(wanted, STANDARD_DIRECTORY_MODE);
                    return finish(
                            directory, fs.mkdir(caller, directory.ino(), checked, mode), wanted);
                });
    }

    void symlink(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        byte[] name = ServedVolume.name(in);
        AttributeChange wanted = AttributeCodec.change(in);
        byte[] path = in.opaque(2 * FileSystem.MAX_PATH_BYTES);
        make(
                call,
                handle,
                out,
                wanted,
                (directory, caller) -> {
                    Name checked = ServedVolume.name(name, NfsStatus.EXIST);
                    requireNoNul(path);
                    return finish(
                            directory, fs.symlink(caller, directory.ino(), checked, path), wanted);
                });
    }

    private static void requireNoNul(byte[] path) {
        for (byte b : path) {
            if (b == 0) {
                throw new NfsException(NfsStatus.INVAL);
            }
        }
    }

    void mknod(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        byte[] name = ServedVolume.name(in);
        FileType type = AttributeCodec.type(in.i32());
        boolean device = type == FileType.CHARACTER_DEVICE || type == FileType.BLOCK_DEVICE;
        boolean special = device || type == FileType.SOCKET || type == FileType.FIFO;
        AttributeChange wanted = special ? AttributeCodec.change(in) : AttributeChange.NONE;
        long rdev = device ? AttributeCodec.device(in.i32(), in.i32()) : 0;
        make(
                call,
                handle,
                out,
                wanted,
                (directory, caller) -> {
                    if (type == null || !special) {
                        throw new NfsException(NfsStatus.BADTYPE);
                    }
                    Name checked = ServedVolume.name(name, NfsStatus.EXIST);
                    int mode = mode(wanted, STANDARD_FILE_MODE);
                    return finish(
                            directory,
                            fs.mknod(caller, directory.ino(), checked, type, mode, rdev),
                            wanted);
                });
    }

    void remove(RpcCall call, XdrReader in, XdrWriter out) {
        takeAway(call, in, out, false);
    }

    void rmdir(RpcCall call, XdrReader in, XdrWriter out) {
        takeAway(call, in, out, true);
    }

    private void takeAway(RpcCall call, XdrReader in, XdrWriter out, boolean directory) {
        byte[] handle = ServedVolume.handle(in);
        byte[] name = ServedVolume.name(in);
        volume.serve(
                call,
                handle,
                out,
                parent -> {
                    volume.requireDirectory(parent);
                    parent.requireWritable();
                    boolean up = directory && ServedVolume.isDotDot(name);
                    Name checked = ServedVolume.name(name, up ? NfsStatus.EXIST : NfsStatus.INVAL);
                    Changes changes = new Changes();
                    if (directory) {
                        fs.rmdir(changes.of(parent), parent.ino(), checked);
                    } else {
                        fs.unlink(changes.of(parent), parent.ino(), checked);
                    }
                    volume.wcc(out.i32(NfsStatus.OK), parent, changes);
                },
                target -> volume.wcc(out, target));
    }

    void rename(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] from = ServedVolume.handle(in);
        byte[] oldName = ServedVolume.name(in);
        byte[] to = ServedVolume.handle(in);
        byte[] newName = ServedVolume.name(in);
        volume.serve(
                call,
                List.of(from, to),
                out,
                targets -> {
                    volume.requireDirectory(targets[0]);
                    volume.requireDirectory(targets[1]);
                    targets[0].requireWritable();
                    requireSameExport(targets);
                    Name source = ServedVolume.name(oldName, NfsStatus.INVAL);
                    Name target = ServedVolume.name(newName, NfsStatus.INVAL);
                    Changes changes = new Changes();
                    fs.rename(
                            changes.of(targets[0]),
                            targets[0].ino(),
                            source,
                            targets[1].ino(),
                            target,
                            0);
                    out.i32(NfsStatus.OK);
                    volume.wcc(out, targets[0], changes);
                    volume.wcc(out, targets[1], changes);
                },
                targets -> {
                    volume.wcc(out, targets[0]);
                    volume.wcc(out, targets[1]);
                });
    }

    private static void requireSameExport(Target[] targets) {
        if (targets[0].export().id() != targets[1].export().id()) {
            throw new NfsException(NfsStatus.XDEV);
        }
    }

    void link(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] file = ServedVolume.handle(in);
        byte[] directory = ServedVolume.handle(in);
        byte[] name = ServedVolume.name(in);
        volume.serve(
                call,
                List.of(file, directory),
                out,
                targets -> {
                    volume.requireDirectory(targets[1]);
                    targets[1].requireWritable();
                    requireSameExport(targets);
                    Changes changes = new Changes();
                    Attributes linked =
                            fs.link(
                                    changes.of(targets[0]),
                                    targets[0].ino(),
                                    targets[1].ino(),
                                    ServedVolume.name(name, NfsStatus.EXIST));
                    volume.postOp(out.i32(NfsStatus.OK), linked);
                    volume.wcc(out, targets[1], changes);
                },
                targets -> {
                    volume.postOp(out, targets[0]);
                    volume.wcc(out, targets[1]);
                });
    }
}
