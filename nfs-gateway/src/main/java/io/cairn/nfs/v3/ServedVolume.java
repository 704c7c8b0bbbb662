package io.cairn.nfs.v3;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.tree.PathWalker;
import io.cairn.fs.AttributeStamp;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.nfs.export.ClientRule;
import io.cairn.nfs.export.Export;
import io.cairn.nfs.export.Exports;
import io.cairn.nfs.export.HostNames;
import io.cairn.nfs.export.NameServices;
import io.cairn.nfs.export.UserGroups;
import io.cairn.nfs.rpc.RpcCall;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The filesystem as the procedures see it: handles, who may, and the parts of answers that many
 * procedures share. Thread-safe.
 */
final class ServedVolume {
    /** Names longer than this are not even looked at. */
    private static final int MAX_NAME_BYTES = 4096;

    private static final int MAX_HANDLE_BYTES = 64;
    private static final int MAX_DEPTH = 4096;

    private final FileSystem fs;
    private final HandleCodec handles;
    private final Exports exports;
    private final UserGroups groups;
    private final HostNames hosts;

    ServedVolume(FileSystem fs, HandleCodec handles, Exports exports, NameServices services) {
        this.fs = fs;
        this.handles = handles;
        this.exports = exports;
        this.groups = services.groups();
        this.hosts = services.hosts();
    }

    FileSystem fs() {
        return fs;
    }

    Exports exports() {
        return exports;
    }

    /** The work of a procedure with the targets of its handles, in their order. */
    interface Work {
        void run(Target[] targets);
    }

    /** The part behind the status of a failure; a target is null when its handle was no good. */
    interface Failure {
        void write(@Nullable Target[] targets);
    }

    /**
     * Runs a procedure with several handles; the only place where exceptions become statuses.
     *
     * @param handles the handles among the arguments
     * @param work writes the whole answer of a success, status included
     */
    void serve(RpcCall call, List<byte[]> handles, XdrWriter out, Work work, Failure failure) {
        Target[] targets = new Target[handles.size()];
        int status;
        try {
            for (int i = 0; i < targets.length; i++) {
                targets[i] = target(call, handles.get(i));
            }
            work.run(targets);
            return;
        } catch (NfsException e) {
            status = e.status();
        } catch (FsException e) {
            status = NfsStatus.of(e);
        }
        out.reset();
        out.i32(status);
        failure.write(targets);
    }

    /** {@link Work} with one target. */
    interface SingleWork {
        void run(Target target);
    }

    /** {@link Failure} with one target. */
    interface SingleFailure {
        void write(@Nullable Target target);
    }

    /** Runs a procedure with one handle. */
    void serve(RpcCall call, byte[] handle, XdrWriter out, SingleWork work, SingleFailure failure) {
        serve(
                call,
                List.of(handle),
                out,
                (Target[] targets) -> work.run(targets[0]),
                (@Nullable Target[] targets) -> failure.write(targets[0]));
    }

    /** BADHANDLE, STALE when the export is gone, ACCES when it is not for this client. */
    Target target(RpcCall call, byte[] bytes) {
        HandleCodec.Handle handle = handles.decode(bytes);
        Export export = exports.ofId(handle.exportId());
        if (export == null) {
            throw new NfsException(NfsStatus.STALE);
        }
        return target(call, export, handle.ino());
    }

    /** An inode of an export; ACCES when the export is not for this client. */
    Target target(RpcCall call, Export export, long ino) {
        ClientRule rule = export.ruleFor(call.peer().getAddress(), hosts);
        if (rule == null || !rule.allowsPort(call.peer().getPort())) {
            throw new NfsException(NfsStatus.ACCES);
        }
        return new Target(export, rule, rule.caller(groups.complete(call.credential())), ino);
    }

    // ---- arguments

    static byte[] handle(XdrReader in) {
        return in.opaque(MAX_HANDLE_BYTES);
    }

    static byte[] name(XdrReader in) {
        return in.opaque(MAX_NAME_BYTES);
    }

    static boolean isDot(byte[] name) {
        return name.length == 1 && name[0] == '.';
    }

    static boolean isDotDot(byte[] name) {
        return name.length == 2 && name[0] == '.' && name[1] == '.';
    }

    /**
     * A name to make or to take away. ACCES for the empty one, NAMETOOLONG, INVAL with a slash or
     * NUL.
     *
     * @param ifDots the status for {@code .} and {@code ..}
     */
    static Name name(byte[] bytes, int ifDots) {
        if (bytes.length == 0) {
            throw new NfsException(NfsStatus.ACCES);
        }
        if (isDot(bytes) || isDotDot(bytes)) {
            throw new NfsException(ifDots);
        }
        return Name.of(bytes);
    }

    // ---- inodes

    /** The attributes of an inode; STALE when it has no name any more. */
    Attributes attributes(Target target) {
        return living(fs.getAttributes(target.caller(), target.ino()));
    }

    /**
     * The same as they are now. A client appends behind the size that GETATTR tells, and throws
     * away what it keeps of a file when these have changed since.
     */
    Attributes freshAttributes(Target target) {
        return living(fs.freshAttributes(target.caller(), target.ino()));
    }

    /** The inode of a name now: a client that opens it by this answer asks no more. */
    Attributes freshLookup(Target directory, Name name) {
        Caller caller = directory.caller();
        Attributes found = fs.lookup(caller, directory.ino(), name);
        if (!found.isFile()) {
            return found;
        }
        try {
            Attributes fresh = fs.freshAttributes(caller, found.ino());
            if (fresh.nlink() > 0) {
                return fresh;
            }
        } catch (FsException e) {
            if (e.errno() != Errno.ESTALE) {
                throw e;
            }
        }
        // Another file has taken its name.
        return fs.lookup(caller, directory.ino(), name);
    }

    /**
     * NOTDIR unless a target is a directory: told before what is wrong with a name, and before who
     * may. One that was removed is left to who does the work.
     */
    void requireDirectory(Target target) {
        if (!fs.getAttributes(target.caller(), target.ino()).isDirectory()) {
            throw new NfsException(NfsStatus.NOTDIR);
        }
    }

    static Attributes living(Attributes found) {
        if (found.nlink() == 0) {
            throw new NfsException(NfsStatus.STALE);
        }
        return found;
    }

    /** The root of an export. */
    long root(Export export) {
        if (export.path().equals("/")) {
            return FileSystem.ROOT_INO;
        }
        Attributes found = new PathWalker(fs, Caller.ROOT).resolve(export.path());
        if (!found.isDirectory()) {
            throw new NfsException(NfsStatus.STALE);
        }
        return found.ino();
    }

    /**
     * The directory above another one, never above the root of the export: that is its own parent.
     * STALE for a directory that is no longer below it.
     */
    long parent(Target directory) {
        long root = root(directory.export());
        if (directory.ino() == root) {
            return root;
        }
        long parent = fs.parent(directory.ino());
        if (root != FileSystem.ROOT_INO) {
            requireBelow(parent, root);
        }
        return parent;
    }

    private void requireBelow(long ino, long root) {
        long at = ino;
        for (int depth = 0; at != root; depth++) {
            if (at == FileSystem.ROOT_INO || depth > MAX_DEPTH) {
                throw new NfsException(NfsStatus.STALE);
            }
            at = fs.parent(at);
        }
    }

    // ---- answers

    /** A handle. */
    byte[] handle(Export export, Attributes inode) {
        return handles.encode(new HandleCodec.Handle(export.id(), inode.ino(), inode.generation()));
    }

    void attributes(XdrWriter out, Attributes inode) {
        AttributeCodec.write(out, inode, handles.filesystem());
    }

    /** {@code post_op_attr} with attributes. */
    void postOp(XdrWriter out, Attributes inode) {
        out.bool(true);
        attributes(out, inode);
    }

    /** {@code post_op_attr} of a target as it is now, if it can be told. */
    void postOp(XdrWriter out, @Nullable Target target) {
        Attributes now = target == null ? null : find(target.ino());
        out.bool(now != null);
        if (now != null) {
            attributes(out, now);
        }
    }

    /** {@code wcc_data} of a target: exact when the call saw it, else without what was before. */
    void wcc(XdrWriter out, Target target, Changes changes) {
        Changes.Change change = changes.find(target.ino());
        if (change == null) {
            wcc(out, target);
        } else {
            wcc(out, change);
        }
    }

    /** The same with other attributes when the call did not see the target. */
    void wcc(XdrWriter out, Attributes otherwise, Changes changes) {
        Changes.Change change = changes.find(otherwise.ino());
        if (change == null) {
            out.bool(false);
            postOp(out, otherwise);
        } else {
            wcc(out, change);
        }
    }

    private void wcc(XdrWriter out, Changes.Change change) {
        AttributeStamp before = change.before();
        out.bool(true).i64(before.size());
        AttributeCodec.time(out, before.mtimeNs());
        AttributeCodec.time(out, before.ctimeNs());
        postOp(out, change.after());
    }

    /** {@code wcc_data} of a target, without what it was before. */
    void wcc(XdrWriter out, @Nullable Target target) {
        out.bool(false);
        postOp(out, target);
    }

    private @Nullable Attributes find(long ino) {
        try {
            return fs.getAttributes(Caller.ROOT, ino);
        } catch (FsException e) {
            return null;
        }
    }
}
