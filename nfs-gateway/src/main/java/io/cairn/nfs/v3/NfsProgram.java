package io.cairn.nfs.v3;

import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.rpc.RpcProgram;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** NFS version 3 (RFC 1813, 3): the switch over its procedures. Thread-safe. */
public final class NfsProgram implements RpcProgram {
    /** The program number. */
    public static final int NUMBER = 100003;

    private static final List<String> NAMES =
            List.of(
                    "null",
                    "getattr",
                    "setattr",
                    "lookup",
                    "access",
                    "readlink",
                    "read",
                    "write",
                    "create",
                    "mkdir",
                    "symlink",
                    "mknod",
                    "remove",
                    "rmdir",
                    "rename",
                    "link",
                    "readdir",
                    "readdirplus",
                    "fsstat",
                    "fsinfo",
                    "pathconf",
                    "commit");

    private static final int VERSION = 3;
    private static final int LAST_PROCEDURE = 21;

    private static final int SETATTR = 2;
    private static final int READ = 6;
    private static final int CREATE = 8;
    private static final int LINK = 15;
    private static final int READDIR = 16;
    private static final int READDIRPLUS = 17;

    /** The answer of any procedure but those that carry data, listings, or a path. */
    private static final int USUAL_REPLY_BYTES = 1024;

    private static final int READLINK = 5;
    private static final int READLINK_REPLY_BYTES = 8192;
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
        return procedure >= 0 && procedure <= LAST_PROCEDURE;
    }

    @Override
    public String nameOf(int procedure) {
        return NAMES.get(procedure);
    }

    @Override
    public boolean beginsWithStatus(int procedure) {
        return true;
    }

    @Override
    public boolean isOnce(RpcCall call) {
        int procedure = call.procedure();
        return procedure == SETATTR || (procedure >= CREATE && procedure <= LINK);
    }

    @Override
    public int replyBytes(RpcCall call, ByteBuf arguments) {
        return switch (call.procedure()) {
            case READ -> USUAL_REPLY_BYTES + count(arguments, 8);
            case READDIR -> USUAL_REPLY_BYTES + count(arguments, 16);
            case READDIRPLUS -> USUAL_REPLY_BYTES + count(arguments, 20);
            case READLINK -> READLINK_REPLY_BYTES;
            default -> USUAL_REPLY_BYTES;
        };
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
        switch (call.procedure()) {
            case 1 -> inodes.getattr(call, in, out);
            case SETATTR -> inodes.setattr(call, in, out);
            case 3 -> names.lookup(call, in, out);
            case 4 -> inodes.access(call, in, out);
            case READLINK -> inodes.readlink(call, in, out);
            case READ -> files.read(call, in, out);
            case 7 -> files.write(call, in, out);
            case CREATE -> names.create(call, in, out);
            case 9 -> names.mkdir(call, in, out);
            case 10 -> names.symlink(call, in, out);
            case 11 -> names.mknod(call, in, out);
            case 12 -> names.remove(call, in, out);
            case 13 -> names.rmdir(call, in, out);
            case 14 -> names.rename(call, in, out);
            case LINK -> names.link(call, in, out);
            case READDIR -> directories.readdir(call, in, out);
            case READDIRPLUS -> directories.readdirplus(call, in, out);
            case 18 -> inodes.fsstat(call, in, out);
            case 19 -> inodes.fsinfo(call, in, out);
            case 20 -> inodes.pathconf(call, in, out);
            case LAST_PROCEDURE -> files.commit(call, in, out);
            default -> throw new IllegalArgumentException("procedure " + call.procedure());
        }
    }
}
