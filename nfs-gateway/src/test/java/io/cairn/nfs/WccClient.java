package io.cairn.nfs;

import io.cairn.fs.AttributeChange;
import io.cairn.fs.AttributeStamp;
import io.cairn.fs.Attributes;
import io.cairn.nfs.NfsClient.Handle;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The procedures that change things, from the side of a client that looks at wcc_data only. */
public final class WccClient {
    /** What a call says of an inode: before, if told, and after. */
    public record Wcc(@Nullable AttributeStamp before, @Nullable Attributes after) {
        /** The state after the call. */
        public AttributeStamp afterStamp() {
            return AttributeStamp.of(NfsCodec.required(after));
        }
    }

    private final NfsClient client;

    /** Over a connection, which stays the caller's. */
    public WccClient(NfsClient client) {
        this.client = client;
    }

    private List<Wcc> call(
            int procedure, int count, Consumer<XdrReader> skip, Consumer<XdrWriter> arguments) {
        XdrReader results = client.call(NfsClient.NFS, procedure, arguments);
        int status = results.i32();
        if (status == 0) {
            skip.accept(results);
        } else if (procedure == NfsClient.LINK) {
            NfsCodec.postOp(results);
        }
        List<Wcc> found = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            found.add(NfsCodec.wccData(results));
        }
        if (status != 0 && found.stream().anyMatch(wcc -> wcc.before() != null)) {
            throw new AssertionError("a failed call knows what was before");
        }
        return found;
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    private static void skipMade(XdrReader in) {
        if (in.bool()) {
            in.opaque(64);
        }
        NfsCodec.postOp(in);
    }

    /** CREATE (GUARDED), MKDIR, SYMLINK or MKNOD of a FIFO; the directory. */
    public Wcc make(int procedure, Handle directory, String name) {
        return call(
                        procedure,
                        1,
                        WccClient::skipMade,
                        out -> makeArguments(out, procedure, directory, name))
                .getFirst();
    }

    private static void makeArguments(XdrWriter out, int procedure, Handle directory, String name) {
        out.opaque(directory.bytes()).opaque(bytes(name));
        if (procedure == NfsClient.CREATE) {
            out.i32(1);
        } else if (procedure == NfsClient.MKNOD) {
            out.i32(7);
        }
        NfsCodec.change(out, AttributeChange.NONE.withMode(0755));
        if (procedure == NfsClient.SYMLINK) {
            out.opaque(bytes("target"));
        }
    }

    /** REMOVE or RMDIR; the directory. */
    public Wcc takeAway(int procedure, Handle directory, String name) {
        return call(
                        procedure,
                        1,
                        in -> {},
                        out -> out.opaque(directory.bytes()).opaque(bytes(name)))
                .getFirst();
    }

    /** RENAME; both directories. */
    public List<Wcc> rename(Handle from, String oldName, Handle to, String newName) {
        return call(
                NfsClient.RENAME,
                2,
                in -> {},
                out ->
                        out.opaque(from.bytes())
                                .opaque(bytes(oldName))
                                .opaque(to.bytes())
                                .opaque(bytes(newName)));
    }

    /** LINK; the directory. */
    public Wcc link(Handle file, Handle directory, String name) {
        return call(
                        NfsClient.LINK,
                        1,
                        NfsCodec::postOp,
                        out ->
                                out.opaque(file.bytes())
                                        .opaque(directory.bytes())
                                        .opaque(bytes(name)))
                .getFirst();
    }

    /** SETATTR without guard; the inode. */
    public Wcc setattr(Handle handle, AttributeChange change) {
        return call(
                        NfsClient.SETATTR,
                        1,
                        in -> {},
                        out -> {
                            NfsCodec.change(out.opaque(handle.bytes()), change);
                            out.bool(false);
                        })
                .getFirst();
    }

    /** WRITE; the file. */
    public Wcc write(Handle handle, long offset, byte[] data, int stable) {
        return call(
                        NfsClient.WRITE,
                        1,
                        in -> {},
                        out ->
                                out.opaque(handle.bytes())
                                        .i64(offset)
                                        .i32(data.length)
                                        .i32(stable)
                                        .opaque(data))
                .getFirst();
    }

    /** COMMIT of everything; the file. */
    public Wcc commit(Handle handle) {
        return call(NfsClient.COMMIT, 1, in -> {}, out -> out.opaque(handle.bytes()).i64(0).i32(0))
                .getFirst();
    }
}
