package io.cairn.nfs.export;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.XattrChange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The exports that are kept in the filesystem itself, in the attribute {@code
 * trusted.cairn.exports} of its root, for all gateways: one line of exports(5) each, UTF-8, ended
 * by a line feed. Replicated and durable like every attribute. A change is made only to the list
 * that it was decided on, so that none is lost. Thread-safe; blocks.
 */
public final class ExportList {
    private static final byte[] ATTRIBUTE =
            "trusted.cairn.exports".getBytes(StandardCharsets.US_ASCII);

    private static final int MAX_TRIES = 64;

    private final FileSystem fs;

    /** The list of a filesystem, which stays the caller's. */
    public ExportList(FileSystem fs) {
        this.fs = fs;
    }

    /** The lines; null when nobody has ever added one. */
    public @Nullable List<String> lines() {
        byte[] text = read();
        return text == null ? null : lines(text);
    }

    private static List<String> lines(byte @Nullable [] text) {
        return text == null ? List.of() : new String(text, StandardCharsets.UTF_8).lines().toList();
    }

    private byte @Nullable [] read() {
        try {
            return fs.getXattr(Caller.ROOT, FileSystem.ROOT_INO, ATTRIBUTE);
        } catch (FsException e) {
            if (e.errno() == Errno.ENODATA) {
                return null;
            }
            throw e;
        }
    }

    /**
     * Adds a line, in the place of one for the same path.
     *
     * @throws IllegalArgumentException when it is not a line of exports(5)
     * @throws FsException E2BIG beyond 64 KiB together; EBUSY when others change it all the time
     */
    public void put(String line) {
        Export added = Export.parse(line);
        change(
                before -> {
                    List<String> kept = without(before, added.path());
                    kept.add(line.strip());
                    Exports.of(kept.stream().map(Export::pathOf).map(ExportList::closed).toList());
                    return kept;
                });
    }

    /**
     * Takes the line of a path out; false when there is none.
     *
     * @throws FsException EBUSY when others change the list all the time
     */
    public boolean remove(String path) {
        String clean = Export.of(path, List.of()).path();
        return change(
                before -> {
                    List<String> kept = without(before, clean);
                    return kept.size() == before.size() ? null : kept;
                });
    }

    private static Export closed(String path) {
        return Export.of(path, List.of());
    }

    private static List<String> without(List<String> before, String path) {
        List<String> kept = new ArrayList<>();
        for (String line : before) {
            if (!Export.pathOf(line).equals(path)) {
                kept.add(line);
            }
        }
        return kept;
    }

    /** The new lines; null leaves them. */
    private interface Edit {
        @Nullable List<String> apply(List<String> before);
    }

    /** Reads, decides, and writes if nobody else did meanwhile; false when there was no need. */
    private boolean change(Edit edit) {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            byte[] before = read();
            List<String> after = edit.apply(lines(before));
            if (after == null) {
                return false;
            }
            if (store(before, after)) {
                return true;
            }
        }
        throw new FsException(Errno.EBUSY, "the list of exports is changed all the time");
    }

    private boolean store(byte @Nullable [] before, List<String> lines) {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        int flags = before == null ? FileSystem.XATTR_CREATE : 0;
        try {
            fs.setXattr(
                    Caller.ROOT,
                    FileSystem.ROOT_INO,
                    new XattrChange(ATTRIBUTE, bytes, flags, before));
            return true;
        } catch (FsException e) {
            if (e.errno() == Errno.ECANCELED || e.errno() == Errno.EEXIST) {
                return false;
            }
            throw e;
        }
    }
}
