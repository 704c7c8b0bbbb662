package io.cairn.metadata.job;

import io.cairn.base.Errno;
import io.cairn.fs.Name;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.wire.Decoder;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;

/**
 * A name at which a tree job failed.
 *
 * @param path bytes; a very long one is cut in front
 * @param errno what went wrong
 * @param message what went wrong, and with what
 */
public record JobError(byte[] path, Errno errno, String message) {
    /** Keeps its own copy of the path. */
    public JobError {
        path = path.clone();
    }

    public byte[] encode() {
        return Keys.value(32 + path.length).i32(errno.number()).bytes(path).text(message).toBytes();
    }

    public static JobError decode(byte[] value) {
        Decoder in = Keys.open(Store.Family.JOB, value);
        Errno errno = Errno.ofNumber(in.i32());
        return new JobError(in.bytes(), errno == null ? Errno.EIO : errno, in.text());
    }

    /** A path below another one, cut in front to a length. */
    public static byte[] join(byte[] root, List<Name> names, int maxBytes) {
        ByteArrayOutputStream path = new ByteArrayOutputStream();
        boolean isSlash = root.length == 1 && root[0] == '/';
        path.write(root, 0, isSlash && !names.isEmpty() ? 0 : root.length);
        for (Name name : names) {
            path.write('/');
            path.write(name.bytes(), 0, name.length());
        }
        byte[] all = path.toByteArray();
        return all.length <= maxBytes
                ? all
                : Arrays.copyOfRange(all, all.length - maxBytes, all.length);
    }
}
