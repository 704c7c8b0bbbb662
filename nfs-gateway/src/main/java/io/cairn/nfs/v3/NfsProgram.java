package io.cairn.nfs.v3;

import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.rpc.RpcProgram;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import io.netty.buffer.ByteBuf;

/** NFS version 3 (RFC 1813, 3): the switch over its procedures. Thread-safe. */
public final class NfsProgram implements RpcProgram {
    /** The program number. */
    public static final int NUMBER = 100003;

    private static final int VERSION = 3;
    private static final int MAX_HANDLE_BYTES = 64;

    private final InodeProcedures inodes;
    private final NameProcedures names;
    private final FileProcedures files;
    private final DirectoryProcedures directories;
    private final int transferBytes;

    NfsProgram(ServedVolume volume, OpenFiles open, int transferBytes) {
        this.inodes = new InodeProcedures(volume, transferBytes);
        this.names = new NameProcedures(volume);
        this.files = new FileProcedures(volume, open, transferBytes);
        this.directories = new DirectoryProcedures(volume, transferBytes);
        this.transferBytes = transferBytes;
    }

    @Override
    public int number() {
        return NUMBER;
    }

    @Override
    public int lowVersion() {
        return VERSION;
    }

    @Override
    public boolean hasProcedure(int version, int procedure) {
        return NfsProcedure.CODES.find(procedure) != null;
    }

    @Override
    public String nameOf(int procedure) {
        return NfsProcedure.CODES.of(procedure).title();
    }

    @Override
    public boolean beginsWithStatus(int procedure) {
        return true;
    }

    @Override
    public boolean isOnce(RpcCall call) {
        return NfsProcedure.CODES.of(call.procedure()).isOnce();
    }

    @Override
    public int replyBytes(RpcCall call, ByteBuf arguments) {
        NfsProcedure procedure = NfsProcedure.CODES.of(call.procedure());
        int skip = procedure.countOffset();
        return procedure.replyBytes() + (skip < 0 ? 0 : count(arguments, skip));
    }

    /** The count that stands some bytes behind the handle. */
    private int count(ByteBuf arguments, int skip) {
        int begin = arguments.readerIndex();
        int left = arguments.readableBytes();
        if (left < 4) {
            return 0;
        }
        int handle = arguments.getInt(begin);
        int at = 4 + ((handle + 3) & ~3) + skip;
        if (handle < 0 || handle > MAX_HANDLE_BYTES || left < at + 4) {
            return 0;
        }
        return (int) Math.min(arguments.getUnsignedInt(begin + at), transferBytes);
    }

    @Override
    public void serve(RpcCall call, XdrReader in, XdrWriter out) {
        switch (NfsProcedure.CODES.of(call.procedure())) {
            case GETATTR -> inodes.getattr(call, in, out);
            case SETATTR -> inodes.setattr(call, in, out);
            case LOOKUP -> names.lookup(call, in, out);
            case ACCESS -> inodes.access(call, in, out);
            case READLINK -> inodes.readlink(call, in, out);
            case READ -> files.read(call, in, out);
            case WRITE -> files.write(call, in, out);
            case CREATE -> names.create(call, in, out);
            case MKDIR -> names.mkdir(call, in, out);
            case SYMLINK -> names.symlink(call, in, out);
            case MKNOD -> names.mknod(call, in, out);
            case REMOVE -> names.remove(call, in, out);
            case RMDIR -> names.rmdir(call, in, out);
            case RENAME -> names.rename(call, in, out);
            case LINK -> names.link(call, in, out);
            case READDIR -> directories.readdir(call, in, out);
            case READDIRPLUS -> directories.readdirplus(call, in, out);
            case FSSTAT -> inodes.fsstat(call, in, out);
            case FSINFO -> inodes.fsinfo(call, in, out);
            case PATHCONF -> inodes.pathconf(call, in, out);
            case COMMIT -> files.commit(call, in, out);
            case NULL -> {
                // The door answers it.
            }
        }
    }
}
