package io.cairn.nfs.v3;

import io.cairn.base.FsException;
import io.cairn.client.tree.Permissions;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import io.netty.buffer.ByteBuf;

/** READ, WRITE and COMMIT (RFC 1813, 3.3.6, 7 and 21). Thread-safe; blocks. */
final class FileProcedures {
    private static final int UNSTABLE = 0;
    private static final int DATA_SYNC = 1;
    private static final int FILE_SYNC = 2;

    /** More than any record holds; the record is what bounds a WRITE. */
    private static final int MAX_DATA_BYTES = 16 << 20;

    private final ServedVolume volume;
    private final FileSystem fs;
    private final OpenFiles files;
    private final int transferBytes;

    /**
     * Over a volume.
     *
     * @param transferBytes no READ gives more
     */
    FileProcedures(ServedVolume volume, OpenFiles files, int transferBytes) {
        this.volume = volume;
        this.fs = volume.fs();
        this.files = files;
        this.transferBytes = transferBytes;
    }

    void read(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        long offset = in.i64();
        int count = (int) Math.min(in.u32(), transferBytes);
        volume.serve(
                call,
                handle,
                out,
                target -> read(target, offset, count, out),
                target -> volume.postOp(out, target));
    }

    private void read(Target target, long offset, int count, XdrWriter out) {
        Attributes found = requireFile(target);
        requireRead(target, found);
        try (OpenFiles.Use use = files.use(target.ino(), false)) {
            boolean beyond = offset < 0 || offset > FileSystem.MAX_FILE_BYTES;
            ByteBuf data = out.allocate(count);
            try {
                int length = 0;
                if (!beyond && count > 0) {
                    length = use.file().read(offset, data.nioBuffer(0, count));
                }
                data.writerIndex(length);
                Attributes after = ServedVolume.living(use.file().attributes());
                volume.postOp(out.i32(NfsStatus.OK), after);
                boolean eof = beyond || offset + length >= after.size();
                out.i32(length).bool(eof).payload(data.retain());
            } finally {
                data.release();
            }
        }
    }

    private Attributes requireFile(Target target) {
        Attributes found = volume.attributes(target);
        if (found.type() == FileType.DIRECTORY) {
            throw new NfsException(NfsStatus.ISDIR);
        }
        if (!found.isFile()) {
            throw new NfsException(NfsStatus.INVAL);
        }
        return found;
    }

    /**
     * A caller that may execute may read, as a program is paged in; the owner may whatever the mode
     * (4.4).
     */
    private void requireRead(Target target, Attributes file) {
        if (target.owns(file)) {
            return;
        }
        Caller caller = target.caller();
        try {
            fs.access(caller, target.ino(), FileSystem.ACCESS_READ);
        } catch (FsException e) {
            fs.access(caller, target.ino(), FileSystem.ACCESS_EXECUTE);
        }
    }

    void write(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        long offset = in.i64();
        long count = in.u32();
        int stable = in.choice(FILE_SYNC);
        ByteBuf data = in.slice(MAX_DATA_BYTES);
        volume.serve(
                call,
                handle,
                out,
                target -> {
                    target.requireWritable();
                    if (count != data.readableBytes()) {
                        throw new NfsException(NfsStatus.INVAL);
                    }
                    if (offset < 0 || offset > FileSystem.MAX_FILE_BYTES - count) {
                        throw new NfsException(NfsStatus.FBIG);
                    }
                    write(target, offset, stable, data, out);
                },
                target -> volume.wcc(out, target));
    }

    private void write(Target target, long offset, int stable, ByteBuf data, XdrWriter out) {
        Attributes before = requireFile(target);
        requireWrite(target, before);
        try (OpenFiles.Use use = files.use(target.ino(), true);
                OpenFiles.FileChange change = use.change(stable != UNSTABLE)) {
            // It may have been open before: then only this keeps what is there.
            Permissions.requireNoAppend(use.file().attributes());
            // Before the write: what follows a change of the verifier has to be written again.
            long verifier = files.verifier();
            int count = data.readableBytes();
            if (count > 0) {
                if (target.losesPrivilege(before)) {
                    fs.setAttributes(
                            target.trusted(),
                            target.ino(),
                            AttributeChange.NONE.withBits(AttributeChange.KILL_PRIVILEGE));
                }
                use.file().write(offset, data.nioBuffer());
                if (stable != UNSTABLE) {
                    use.file().sync(stable == DATA_SYNC);
                }
            }
            volume.wcc(out.i32(NfsStatus.OK), use.file().attributes(), change.seen());
            out.i32(count).i32(stable).i64(verifier);
        }
    }

    private void requireWrite(Target target, Attributes file) {
        if (!target.owns(file)) {
            fs.access(target.caller(), target.ino(), FileSystem.ACCESS_WRITE);
        }
    }

    /** The whole file is committed, whatever the range: that is allowed and costs little more. */
    void commit(RpcCall call, XdrReader in, XdrWriter out) {
        byte[] handle = ServedVolume.handle(in);
        in.i64();
        in.i32();
        volume.serve(
                call,
                handle,
                out,
                target -> {
                    target.requireWritable();
                    requireWrite(target, requireFile(target));
                    try (OpenFiles.Use use = files.use(target.ino(), false);
                            OpenFiles.FileChange change = use.change(true)) {
                        use.file().sync(false);
                        FsException lost = files.takeError(target.ino());
                        if (lost != null) {
                            throw lost;
                        }
                        volume.wcc(out.i32(NfsStatus.OK), use.file().attributes(), change.seen());
                        out.i64(files.verifier());
                    }
                },
                target -> volume.wcc(out, target));
    }
}
