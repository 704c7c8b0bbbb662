package io.cairn.nfs.export;

import io.cairn.fs.Caller;
import io.cairn.fs.Errno;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FsException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The exports that are kept in the filesystem itself, in the attribute {@code
 * trusted.cairn.exports} of its root, for all gateways: one line of exports(5) each, UTF-8, ended
 * by a line feed. Replicated and durable like every attribute. Two changes at the same moment may
 * undo one of them. Thread-safe; blocks.
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

    /**
     * Adds a line, in the place of one for the same path.
     *
     * @throws IllegalArgumentException when it is not a line of exports(5)
     * @throws FsException E2BIG beyond 64 KiB together
     */
    public void put(String line) {
        Export added = Export.parse(line);
        List<String> kept = without(added.path());
        kept.add(line.strip());
        Exports.of(kept.stream().map(Export::parse).toList());
        store(kept);
    }

    /** Takes the line of a path out; false when there is none. */
    public boolean remove(String path) {
        List<String> before = lines();
        List<String> kept = without(Export.of(path, List.of()).path());
        if (before == null || kept.size() == before.size()) {
            return false;
        }
        store(kept);
        return true;
    }

    private List<String> without(String path) {
        List<String> before = lines();
        List<String> kept = new ArrayList<>();
        for (String line : before == null ? List.<String>of() : before) {
            if (!Export.parse(line).path().equals(path)) {
                kept.add(line);
            }
        }
        return kept;
    }

    private void store(List<String> lines) {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        fs.setXattr(Caller.ROOT, FileSystem.ROOT_INO, ATTRIBUTE, bytes, 0);
    }
}
