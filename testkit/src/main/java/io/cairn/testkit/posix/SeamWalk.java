package io.cairn.testkit.posix;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Path resolution over a {@link FileSystem}, as path_resolution(7) tells it. Immutable.
 *
 * @param fs where to look
 * @param caller who needs search permission on the way
 * @param startIno directory of relative paths
 */
record SeamWalk(FileSystem fs, Caller caller, long startIno) {
    private static final int MAX_LINKS_FOLLOWED = 40;

    /**
     * All of a path but its last component.
     *
     * @param directoryIno the directory of the last component
     * @param last the last component; empty for the root alone
     * @param slash whether slashes follow it
     */
    record Parent(long directoryIno, String last, boolean slash) {
        boolean isDots() {
            return last.isEmpty() || last.equals(".") || last.equals("..");
        }

        /** The last component as a name; ENAMETOOLONG. */
        Name name() {
            return Name.of(last.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** Finds everything but the last component. */
    Parent parent(String path) {
        return parent(path, startIno, new int[1]);
    }

    /** Finds an inode. */
    Attributes find(String path, boolean follow) {
        return find(path, startIno, follow, new int[1]);
    }

    /**
     * Where {@code open} with O_CREAT ends: symbolic links at the end are followed even if they
     * lead to nothing, but not before slashes.
     */
    Parent creatable(String path) {
        int[] followed = new int[1];
        Parent parent = parent(path, startIno, followed);
        while (!parent.isDots() && !parent.slash) {
            Attributes found = lookup(parent);
            if (found == null || found.type() != FileType.SYMLINK) {
                break;
            }
            parent = parent(target(found, followed), parent.directoryIno, followed);
        }
        return parent;
    }

    /** The entry that a parent names, or null. */
    @Nullable Attributes lookup(Parent parent) {
        try {
            return fs.lookup(caller, parent.directoryIno, parent.name());
        } catch (FsException e) {
            if (e.errno() == Errno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    private Parent parent(String path, long from, int[] followed) {
        if (path.isEmpty()) {
            throw new FsException(Errno.ENOENT, "the empty path");
        }
        if (path.length() >= FileSystem.MAX_PATH_BYTES) {
            throw new FsException(Errno.ENAMETOOLONG, "path of " + path.length() + " bytes");
        }
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        boolean slash = end < path.length();
        int lastStart = path.lastIndexOf('/', end - 1) + 1;
        long at = path.charAt(0) == '/' ? FileSystem.ROOT_INO : existing(from);
        for (String component : path.substring(0, lastStart).split("/", -1)) {
            if (!component.isEmpty()) {
                at = directory(step(at, component, true, followed));
            }
        }
        requireSearch(at);
        return new Parent(at, path.substring(Math.min(lastStart, end), end), slash);
    }

    /** A working directory is held by nothing at this seam: it may have been removed. */
    private long existing(long directoryIno) {
        try {
            return fs.getAttributes(caller, directoryIno).ino();
        } catch (FsException e) {
            throw e.errno() == Errno.ESTALE ? new FsException(Errno.ENOENT, "removed") : e;
        }
    }

    private Attributes find(String path, long from, boolean follow, int[] followed) {
        Parent parent = parent(path, from, followed);
        String last = parent.last.isEmpty() ? "." : parent.last;
        Attributes found = step(parent.directoryIno, last, follow || parent.slash, followed);
        if (parent.slash) {
            directory(found);
        }
        return found;
    }

    private Attributes step(long directoryIno, String component, boolean follow, int[] followed) {
        requireSearch(directoryIno);
        if (component.equals(".")) {
            return fs.getAttributes(caller, directoryIno);
        }
        if (component.equals("..")) {
            return fs.getAttributes(caller, fs.parent(directoryIno));
        }
        Name name = Name.of(component.getBytes(StandardCharsets.ISO_8859_1));
        Attributes found = fs.lookup(caller, directoryIno, name);
        if (!follow || found.type() != FileType.SYMLINK) {
            return found;
        }
        return find(target(found, followed), directoryIno, true, followed);
    }

    private void requireSearch(long directoryIno) {
        fs.access(caller, directoryIno, FileSystem.ACCESS_EXECUTE);
    }

    private String target(Attributes symlink, int[] followed) {
        if (++followed[0] > MAX_LINKS_FOLLOWED) {
            throw new FsException(Errno.ELOOP, "more than 40 symbolic links");
        }
        return new String(fs.readlink(caller, symlink.ino()), StandardCharsets.ISO_8859_1);
    }

    private static long directory(Attributes found) {
        if (!found.isDirectory()) {
            throw new FsException(Errno.ENOTDIR, "inode " + found.ino() + " is no directory");
        }
        return found.ino();
    }
}
