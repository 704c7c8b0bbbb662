package io.cairn.nfs.export;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The exports that are kept in the filesystem itself, in the attribute {@code
 * trusted.cairn.exports} of its root, for all gateways: one line of exports(5) each, UTF-8, ended
 * by a line feed. The admin API writes it. Replicated and durable like every attribute.
 * Thread-safe; blocks.
 */
public final class ExportList {
    private static final byte[] ATTRIBUTE =
            "trusted.cairn.exports".getBytes(StandardCharsets.US_ASCII);

    private final FileSystem fs;

    /** The list of a filesystem, which stays the caller's. */
    public ExportList(FileSystem fs) {
        this.fs = fs;
    }

    /** The lines; null when nobody has ever added one. */
    public @Nullable List<String> lines() {
        try {
            byte[] text = fs.getXattr(Caller.ROOT, FileSystem.ROOT_INO, ATTRIBUTE);
            return new String(text, StandardCharsets.UTF_8).lines().toList();
        } catch (FsException e) {
            if (e.errno() == Errno.ENODATA) {
                return null;
            }
            throw e;
        }
    }
}
