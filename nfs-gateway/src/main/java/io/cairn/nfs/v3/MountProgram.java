package io.cairn.nfs.v3;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.nfs.export.ClientRule;
import io.cairn.nfs.export.Export;
import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.rpc.RpcProgram;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * MOUNT version 3 (RFC 1813, 5): from a path to the first handle. A path below that of an export is
 * good, too; it is not followed through symbolic links or {@code ..}. The mounts of clients are
 * remembered for {@code showmount} only, up to a number. Thread-safe; blocks.
 */
public final class MountProgram implements RpcProgram {
    /** The program number. */
    public static final int NUMBER = 100005;

    private static final int VERSION = 3;

    private static final int MAX_PATH_BYTES = 1024;
    private static final int MAX_ARGUMENT_BYTES = 8192;
    private static final int MAX_MOUNTS = 1024;
    private static final int AUTH_SYS = 1;

    private static final int SERVERFAULT = 10006;

    private record MountPoint(String host, String path) {}

    private final ServedVolume volume;
    private final FileSystem fs;
    private final Set<MountPoint> mounts = new LinkedHashSet<>();

    MountProgram(ServedVolume volume) {
        this.volume = volume;
        this.fs = volume.fs();
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
    public String nameOf(int procedure) {
        return MountProcedure.CODES.of(procedure).title();
    }

    @Override
    public boolean beginsWithStatus(int procedure) {
        return MountProcedure.CODES.of(procedure) == MountProcedure.MNT;
    }

    @Override
    public boolean hasProcedure(int version, int procedure) {
        return MountProcedure.CODES.find(procedure) != null;
    }

    @Override
    public int replyBytes(RpcCall call, ByteBuf arguments) {
        return switch (MountProcedure.CODES.of(call.procedure())) {
            case DUMP, EXPORT -> 1 << 20;
            case NULL, MNT, UMNT, UMNTALL -> 256;
        };
    }

    @Override
    public void serve(RpcCall call, XdrReader in, XdrWriter out) {
        switch (MountProcedure.CODES.of(call.procedure())) {
            case MNT -> mount(call, in.opaque(MAX_ARGUMENT_BYTES), out);
            case DUMP -> dump(out);
            case UMNT -> forget(call, in.opaque(MAX_ARGUMENT_BYTES));
            case UMNTALL -> forget(call, null);
            case EXPORT -> exports(out);
            case NULL -> {
                // The door answers it.
            }
        }
    }

    private void mount(RpcCall call, byte[] path, XdrWriter out) {
        try {
            if (path.length > MAX_PATH_BYTES) {
                throw new FsException(Errno.ENAMETOOLONG);
            }
            String text = text(path);
            Export export = exportOf(text);
            if (export == null) {
                throw new FsException(Errno.EACCES, "not exported");
            }
            Target root = volume.target(call, export, volume.root(export));
            Attributes found = descend(root.ino(), text.substring(latin(export).length()));
            out.i32(NfsStatus.OK).opaque(volume.handle(export, found));
            out.i32(1).i32(AUTH_SYS);
            remember(new MountPoint(call.peer().getAddress().getHostAddress(), text));
        } catch (FsException e) {
            out.reset();
            out.i32(status(e.errno()));
        } catch (NfsException e) {
            out.reset();
            out.i32(e.status() == NfsStatus.STALE ? NfsStatus.NOENT : e.status());
        }
    }

    /** The bytes of a path as chars. An empty one is the root: libnfs asks so, as of Linux. */
    private static String text(byte[] path) {
        return path.length == 0 ? "/" : new String(path, StandardCharsets.ISO_8859_1);
    }

    /** The export with the longest path at or above a path. */
    private @Nullable Export exportOf(String path) {
        Export best = null;
        for (Export export : volume.exports().all()) {
            String own = latin(export);
            boolean covers =
                    path.startsWith("/")
                            && (own.isEmpty() || path.equals(own) || path.startsWith(own + "/"));
            if (covers && (best == null || own.length() > latin(best).length())) {
                best = export;
            }
        }
        return best;
    }

    /** The bytes of the path of an export as chars, without the slash of the root. */
    private static String latin(Export export) {
        String path =
                new String(
                        export.path().getBytes(StandardCharsets.UTF_8),
                        StandardCharsets.ISO_8859_1);
        return path.equals("/") ? "" : path;
    }

    private Attributes descend(long rootIno, String rest) {
        Attributes at = fs.getAttributes(Caller.ROOT, rootIno);
        for (String part : rest.split("/", -1)) {
            if (part.isEmpty() || part.equals(".")) {
                continue;
            }
            if (part.equals("..")) {
                throw new FsException(Errno.EACCES, "a path with ..");
            }
            Name name = Name.of(part.getBytes(StandardCharsets.ISO_8859_1));
            at = fs.lookup(Caller.ROOT, at.ino(), name);
        }
        if (!at.isDirectory()) {
            throw new FsException(Errno.ENOTDIR);
        }
        return at;
    }

    /** A {@code mountstat3}. */
    private static int status(Errno errno) {
        return switch (errno) {
            case ENOENT, ESTALE -> NfsStatus.NOENT;
            case EACCES, EPERM -> NfsStatus.ACCES;
            case ENOTDIR -> NfsStatus.NOTDIR;
            case EINVAL, ELOOP -> NfsStatus.INVAL;
            case ENAMETOOLONG -> NfsStatus.NAMETOOLONG;
            case EIO -> NfsStatus.IO;
            default -> SERVERFAULT;
        };
    }

    private void remember(MountPoint mount) {
        synchronized (mounts) {
            if (mounts.size() < MAX_MOUNTS) {
                mounts.add(mount);
            }
        }
    }

    private void forget(RpcCall call, byte @Nullable [] path) {
        String host = call.peer().getAddress().getHostAddress();
        String text = path == null ? null : text(path);
        synchronized (mounts) {
            mounts.removeIf(
                    mount -> mount.host.equals(host) && (text == null || mount.path.equals(text)));
        }
    }

    private void dump(XdrWriter out) {
        List<MountPoint> all;
        synchronized (mounts) {
            all = List.copyOf(mounts);
        }
        for (MountPoint mount : all) {
            out.bool(true);
            out.opaque(mount.host.getBytes(StandardCharsets.US_ASCII));
            out.opaque(mount.path.getBytes(StandardCharsets.ISO_8859_1));
        }
        out.bool(false);
    }

    private void exports(XdrWriter out) {
        for (Export export : volume.exports().all()) {
            out.bool(true).opaque(export.path().getBytes(StandardCharsets.UTF_8));
            for (ClientRule rule : export.rules()) {
                out.bool(true).opaque(rule.clients().getBytes(StandardCharsets.UTF_8));
            }
            out.bool(false);
        }
        out.bool(false);
    }
}
