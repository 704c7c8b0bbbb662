package io.cairn.nfs.v3;

import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.Usage;
import io.cairn.nfs.export.TransferSizes;
import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;

/**
 * Questions about one inode: GETATTR, SETATTR, ACCESS, READLINK, FSSTAT, FSINFO, PATHCONF (RFC
 * 1813, 3.3.1, 2, 4, 5, 18 to 20). Thread-safe; blocks.
 */
final class InodeProcedures {
    private static final int READ = 1;
    private static final int LOOKUP = 2;
    private static final int MODIFY = 4;
    private static final int EXTEND = 8;
    private static final int DELETE = 16;
    private static final int EXECUTE = 32;
    private static final int CHANGES = MODIFY | EXTEND | DELETE;

    private static final int FSF_LINK = 1;
    private static final int FSF_SYMLINK = 2;
    private static final int FSF_HOMOGENEOUS = 8;
    private static final int FSF_CANSETTIME = 16;

    private static final int BLOCK_BYTES = 4096;
    private static final int PREFERRED_LISTING_BYTES = 64 << 10;

    private final ServedVolume volume;
    private final FileSystem fs;
    private final int transferBytes;

    /**
     * Over a volume.
     *
     * @param transferBytes largest READ and WRITE
     */
    InodeProcedures(ServedVolume volume, int transferBytes) {
        this.volume = volume;
        this.fs = volume.fs();
        this.transferBytes = transferBytes;
    }

    void getattr(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        volume.serve(
                call,
                handle,
                out,
                target -> {
                    Attributes found = volume.freshAttributes(target);
                    volume.attributes(out.i32(NfsStatus.OK), found);
                },
                target -> {});
    }

    void setattr(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        AttributeChange wanted = AttributeCodec.change(in);
        AttributeChange change = in.bool() ? wanted.withGuard(AttributeCodec.time(in)) : wanted;
        volume.serve(
                call,
                handle,
                out,
                target -> {
                    target.requireWritable();
                    AttributeCodec.require(change);
                    Attributes before = volume.attributes(target);
                    Changes changes = new Changes();
                    Attributes after =
                            change.mask() == 0 ? before : change(target, before, change, changes);
                    volume.wcc(out.i32(NfsStatus.OK), after, changes);
                },
                target -> volume.wcc(out, target));
    }

    /**
     * Changes attributes. The owner may truncate whatever the mode: a client has checked that when
     * the file was opened.
     */
    private Attributes change(
            Target target, Attributes before, AttributeChange change, Changes changes) {
        int judged =
                AttributeChange.MODE
                        | AttributeChange.UID
                        | AttributeChange.GID
                        | AttributeChange.ATIME
                        | AttributeChange.MTIME;
        if (!change.has(AttributeChange.SIZE) || change.has(judged) || !target.owns(before)) {
            return fs.setAttributes(changes.of(target), target.ino(), change);
        }
        AttributeChange cut =
                target.losesPrivilege(before)
                        ? change.withBits(AttributeChange.KILL_PRIVILEGE)
                        : change;
        return fs.setAttributes(target.trusted().watchedBy(changes), target.ino(), cut);
    }

    /** The part of an answer behind the attributes. */
    private interface Rest {
        void write(Target target, Attributes inode);
    }

    /** The form that most answers about an inode have: status, attributes, and the rest. */
    private void describe(RpcCall call, byte[] handle, XdrWriter out, Rest rest) {
        volume.serve(
                call,
                handle,
                out,
                target -> {
                    Attributes found = volume.attributes(target);
                    volume.postOp(out.i32(NfsStatus.OK), found);
                    rest.write(target, found);
                },
                target -> volume.postOp(out, target));
    }

    void access(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        int asked = in.i32();
        describe(call, handle, out, (target, found) -> out.i32(asked & granted(target, found)));
    }

    private int granted(Target target, Attributes inode) {
        boolean executes = allows(target, FileSystem.ACCESS_EXECUTE);
        boolean writes = allows(target, FileSystem.ACCESS_WRITE);
        int bits = allows(target, FileSystem.ACCESS_READ) ? READ : 0;
        if (inode.isDirectory()) {
            bits |= executes ? LOOKUP : 0;
            bits |= executes && writes ? CHANGES : 0;
        } else {
            bits |= writes ? MODIFY | EXTEND : 0;
            bits |= executes ? EXECUTE : 0;
        }
        return target.rule().readOnly() ? bits & ~CHANGES : bits;
    }

    private boolean allows(Target target, int accessBits) {
        try {
            fs.access(target.caller(), target.ino(), accessBits);
            return true;
        } catch (FsException e) {
            return switch (e.errno()) {
                case EACCES, EPERM, EROFS -> false;
                default -> throw e;
            };
        }
    }

    void readlink(RpcCall call, XdrReader in, XdrWriter out) {
        describe(
                call,
                ServedVolume.handle(in),
                out,
                (target, _) -> out.opaque(fs.readlink(target.caller(), target.ino())));
    }

    void fsstat(RpcCall call, XdrReader in, XdrWriter out) {
        describe(
                call,
                ServedVolume.handle(in),
                out,
                (target, _) -> {
                    Usage usage = fs.usage(target.ino());
                    out.i64(usage.totalBytes()).i64(usage.freeBytes());
                    out.i64(usage.availableBytes());
                    out.i64(usage.inodes() + usage.freeInodes()).i64(usage.freeInodes());
                    out.i64(usage.freeInodes()).i32(0);
                });
    }

    void fsinfo(RpcCall call, XdrReader in, XdrWriter out) {
        describe(
                call,
                ServedVolume.handle(in),
                out,
                (target, _) -> {
                    TransferSizes sizes = target.rule().sizes();
                    int read = Math.min(sizes.readBytes(), transferBytes);
                    int write = Math.min(sizes.writeBytes(), transferBytes);
                    out.i32(read).i32(read).i32(BLOCK_BYTES);
                    out.i32(write).i32(write).i32(BLOCK_BYTES);
                    out.i32(PREFERRED_LISTING_BYTES).i64(FileSystem.MAX_FILE_BYTES);
                    AttributeCodec.time(out, 1);
                    out.i32(FSF_LINK | FSF_SYMLINK | FSF_HOMOGENEOUS | FSF_CANSETTIME);
                });
    }

    void pathconf(RpcCall call, XdrReader in, XdrWriter out) {
        describe(
                call,
                ServedVolume.handle(in),
                out,
                (_, _) -> {
                    out.i32(FileSystem.MAX_LINKS).i32(Name.MAX_BYTES);
                    // no_trunc, chown_restricted, case_insensitive, case_preserving
                    out.bool(true).bool(true).bool(false).bool(true);
                });
    }
}
