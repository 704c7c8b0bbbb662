package io.cairn.nfs;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileType;
import io.cairn.nfs.rpc.Credential;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The procedures of NFS version 3 and MOUNT, from the client's side. Thread-safe. */
public final class NfsClient implements AutoCloseable {
    public static final int GETATTR = 1;
    public static final int SETATTR = 2;
    public static final int LOOKUP = 3;
    public static final int ACCESS = 4;
    public static final int READLINK = 5;
    public static final int READ = 6;
    public static final int WRITE = 7;
    public static final int CREATE = 8;
    public static final int MKDIR = 9;
    public static final int SYMLINK = 10;
    public static final int MKNOD = 11;
    public static final int REMOVE = 12;
    public static final int RMDIR = 13;
    public static final int RENAME = 14;
    public static final int LINK = 15;
    public static final int READDIR = 16;
    public static final int READDIRPLUS = 17;
    public static final int FSSTAT = 18;
    public static final int FSINFO = 19;
    public static final int PATHCONF = 20;
    public static final int COMMIT = 21;

    public static final int NFS = 100003;
    public static final int MOUNT = 100005;

    /** A file handle. */
    public record Handle(byte[] bytes) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Handle h && Arrays.equals(bytes, h.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    /** A handle with attributes. */
    public record Node(Handle handle, Attributes attributes) {}

    /** One entry of a listing. */
    public record Entry(long ino, byte[] name, long cookie, @Nullable Node node) {
        /** The name as text. */
        public String text() {
            return new String(name, StandardCharsets.UTF_8);
        }
    }

    /** One answer of READDIR or READDIRPLUS. */
    public record Page(List<Entry> entries, boolean end, long verifier) {}

    /** What READ gives. */
    public record ReadBytes(byte[] bytes, boolean eof) {}

    /** What WRITE gives. */
    public record Written(int count, int committed, long verifier) {}

    private final RpcClient rpc;
    private final Credential credential;

    /** A client that acts for one user. */
    public NfsClient(Endpoint server, Credential credential) {
        this(new RpcClient(server), credential);
    }

    private NfsClient(RpcClient rpc, Credential credential) {
        this.rpc = rpc;
        this.credential = credential;
    }

    /** The same connection for another user. */
    public NfsClient as(Caller caller) {
        return new NfsClient(rpc, Credential.sys(caller.uid(), caller.gid(), caller.groups()));
    }

    /** The connection. */
    public RpcClient rpc() {
        return rpc;
    }

    /** A call whose RPC part succeeds; what it answers. */
    public XdrReader call(int program, int procedure, Consumer<XdrWriter> arguments) {
        RpcClient.Answer answer = rpc.call(program, 3, procedure, credential, arguments);
        if (!answer.accepted() || answer.status() != 0) {
            throw new AssertionError("RPC status " + answer.status());
        }
        return answer.results();
    }

    private XdrReader nfs(int procedure, Consumer<XdrWriter> arguments) {
        XdrReader results = call(NFS, procedure, arguments);
        NfsError.check(results.i32());
        return results;
    }

    /** MNT: the first handle. */
    public Handle mount(String path) {
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        XdrReader results = call(MOUNT, 1, out -> out.opaque(bytes));
        NfsError.check(results.i32());
        return new Handle(results.opaque(64));
    }

    public Attributes getattr(Handle handle) {
        return NfsCodec.attributes(nfs(GETATTR, out -> out.opaque(handle.bytes)));
    }

    /** SETATTR; with a guard unless it is negative. */
    public Attributes setattr(Handle handle, AttributeChange change, long guardNs) {
        XdrReader results =
                nfs(
                        SETATTR,
                        out -> {
                            NfsCodec.change(out.opaque(handle.bytes), change);
                            out.bool(guardNs >= 0);
                            if (guardNs >= 0) {
                                NfsCodec.time(out, guardNs);
                            }
                        });
        return NfsCodec.wcc(results);
    }

    public Node lookup(Handle directory, byte[] name) {
        XdrReader results = nfs(LOOKUP, out -> out.opaque(directory.bytes).opaque(name));
        Handle handle = new Handle(results.opaque(64));
        return new Node(handle, NfsCodec.required(NfsCodec.postOp(results)));
    }

    /** The same with a name as text. */
    public Node lookup(Handle directory, String name) {
        return lookup(directory, name.getBytes(StandardCharsets.UTF_8));
    }

    public int access(Handle handle, int bits) {
        XdrReader results = nfs(ACCESS, out -> out.opaque(handle.bytes).i32(bits));
        NfsCodec.postOp(results);
        return results.i32();
    }

    public byte[] readlink(Handle handle) {
        XdrReader results = nfs(READLINK, out -> out.opaque(handle.bytes));
        NfsCodec.postOp(results);
        return results.opaque(4096);
    }

    public ReadBytes read(Handle handle, long offset, int count) {
        XdrReader results = nfs(READ, out -> out.opaque(handle.bytes).i64(offset).i32(count));
        NfsCodec.postOp(results);
        int length = results.i32();
        boolean eof = results.bool();
        byte[] data = results.opaque(1 << 20);
        if (data.length != length) {
            throw new AssertionError(data.length + " bytes instead of " + length);
        }
        return new ReadBytes(data, eof);
    }

    public Written write(Handle handle, long offset, byte[] data, int stable) {
        XdrReader results =
                nfs(
                        WRITE,
                        out ->
                                out.opaque(handle.bytes)
                                        .i64(offset)
                                        .i32(data.length)
                                        .i32(stable)
                                        .opaque(data));
        NfsCodec.wcc(results);
        return new Written(results.i32(), results.i32(), results.i64());
    }

    /** COMMIT of everything; the verifier. */
    public long commit(Handle handle) {
        XdrReader results = nfs(COMMIT, out -> out.opaque(handle.bytes).i64(0).i32(0));
        NfsCodec.wcc(results);
        return results.i64();
    }

    /** CREATE: UNCHECKED 0 or GUARDED 1. */
    public Node create(Handle directory, String name, int how, AttributeChange change) {
        byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
        return made(
                nfs(
                        CREATE,
                        out ->
                                NfsCodec.change(
                                        out.opaque(directory.bytes).opaque(bytes).i32(how),
                                        change)));
    }

    /** CREATE EXCLUSIVE. */
    public Node create(Handle directory, String name, long verifier) {
        byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
        return made(
                nfs(CREATE, out -> out.opaque(directory.bytes).opaque(bytes).i32(2).i64(verifier)));
    }

    /** MKDIR and SYMLINK; a target makes it the latter. */
    public Node make(
            Handle directory, byte[] name, AttributeChange change, byte @Nullable [] target) {
        return made(
                nfs(
                        target == null ? MKDIR : SYMLINK,
                        out -> {
                            NfsCodec.change(out.opaque(directory.bytes).opaque(name), change);
                            if (target != null) {
                                out.opaque(target);
                            }
                        }));
    }

    public Node mkdir(Handle directory, String name) {
        return make(
                directory,
                name.getBytes(StandardCharsets.UTF_8),
                AttributeChange.NONE.withMode(0755),
                null);
    }

    public Node mknod(
            Handle directory, byte[] name, FileType type, AttributeChange change, long rdev) {
        return made(
                nfs(
                        MKNOD,
                        out -> {
                            out.opaque(directory.bytes).opaque(name).i32(NfsCodec.code(type));
                            NfsCodec.change(out, change);
                            if (type == FileType.CHARACTER_DEVICE
                                    || type == FileType.BLOCK_DEVICE) {
                                NfsCodec.device(out, rdev);
                            }
                        }));
    }

    private static Node made(XdrReader results) {
        if (!results.bool()) {
            throw new AssertionError("no handle of what was made");
        }
        Handle handle = new Handle(results.opaque(64));
        Attributes attributes = NfsCodec.required(NfsCodec.postOp(results));
        NfsCodec.wcc(results);
        return new Node(handle, attributes);
    }

    public void remove(Handle directory, byte[] name) {
        NfsCodec.wcc(nfs(REMOVE, out -> out.opaque(directory.bytes).opaque(name)));
    }

    public void remove(Handle directory, String name) {
        remove(directory, name.getBytes(StandardCharsets.UTF_8));
    }

    public void rmdir(Handle directory, byte[] name) {
        NfsCodec.wcc(nfs(RMDIR, out -> out.opaque(directory.bytes).opaque(name)));
    }

    public void rename(Handle from, byte[] oldName, Handle to, byte[] newName) {
        nfs(RENAME, out -> out.opaque(from.bytes).opaque(oldName).opaque(to.bytes).opaque(newName));
    }

    public Attributes link(Handle file, Handle directory, byte[] name) {
        XdrReader results =
                nfs(LINK, out -> out.opaque(file.bytes).opaque(directory.bytes).opaque(name));
        return NfsCodec.required(NfsCodec.postOp(results));
    }

    public Page readdir(Handle directory, long cookie, int count) {
        return page(
                nfs(READDIR, out -> out.opaque(directory.bytes).i64(cookie).i64(0).i32(count)),
                false);
    }

    public Page readdirplus(Handle directory, long cookie, int names, int count) {
        return page(
                nfs(
                        READDIRPLUS,
                        out ->
                                out.opaque(directory.bytes)
                                        .i64(cookie)
                                        .i64(0)
                                        .i32(names)
                                        .i32(count)),
                true);
    }

    private static Page page(XdrReader results, boolean plus) {
        NfsCodec.postOp(results);
        long verifier = results.i64();
        List<Entry> entries = new ArrayList<>();
        while (results.bool()) {
            long ino = results.i64();
            byte[] name = results.opaque(255);
            long cookie = results.i64();
            Attributes attributes = plus ? NfsCodec.postOp(results) : null;
            boolean known = plus && results.bool();
            Handle handle = known ? new Handle(results.opaque(64)) : null;
            Node node = handle == null || attributes == null ? null : new Node(handle, attributes);
            entries.add(new Entry(ino, name, cookie, node));
        }
        return new Page(entries, results.bool(), verifier);
    }

    /** The six numbers of FSSTAT. */
    public long[] fsstat(Handle handle) {
        XdrReader results = nfs(FSSTAT, out -> out.opaque(handle.bytes));
        NfsCodec.postOp(results);
        long[] numbers = new long[6];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = results.i64();
        }
        return numbers;
    }

    @Override
    public void close() {
        rpc.close();
    }
}
