package io.cairn.client.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Paths over a {@link FileSystem}: resolution as the kernel does it, and a few conveniences for
 * programs that have no mount. Paths are bytes, separated by {@code /}, and begin at the root of
 * the filesystem whether or not they begin with a slash. Thread-safe; blocks.
 */
public final class PathWalker {
    private static final int MAX_SYMLINKS = 40;

    private final FileSystem fs;
    private final Caller caller;

    /**
     * A walker that acts for a caller.
     *
     * @param fs stays open when the walker is forgotten
     */
    public PathWalker(FileSystem fs, Caller caller) {
        this.fs = fs;
        this.caller = caller;
    }

    /**
     * Where a path leads.
     *
     * @param parentIno the directory in which its last name is looked up; of the root: itself
     * @param name the last name; null for the root and paths that end in {@code .} or {@code ..}
     * @param target what is there, null when nothing is
     */
    public record Place(long parentIno, @Nullable Name name, @Nullable Attributes target) {
        /** The attributes of the path; ENOENT when there is none. */
        public Attributes required() {
            if (target == null) {
                throw new FsException(Errno.ENOENT);
            }
            return target;
        }
    }

    /**
     * Finds what a path names; symbolic links on the way are followed, the last one if asked to.
     *
     * @throws FsException ENOENT, ENOTDIR, EACCES; ELOOP over 40 links; ENAMETOOLONG over 4095
     *     bytes
     */
    public Attributes resolve(byte[] path, boolean followLast) {
        return locate(path, followLast).required();
    }

    /** The same for text, as UTF-8. */
    public Attributes resolve(String path) {
        return resolve(path.getBytes(StandardCharsets.UTF_8), true);
    }

    /** Finds a path whose last name need not exist; otherwise like {@link #resolve}. */
    public Place locate(byte[] path, boolean followLast) {
        if (path.length == 0) {
            throw new FsException(Errno.ENOENT, "the empty path");
        }
        if (path.length >= FileSystem.MAX_PATH_BYTES) {
            throw new FsException(Errno.ENAMETOOLONG, "path of " + path.length + " bytes");
        }
        ArrayDeque<byte[]> rest = new ArrayDeque<>(split(path));
        boolean mustBeDirectory = path[path.length - 1] == '/';
        long directory = FileSystem.ROOT_INO;
        int links = 0;
        Place place = here(directory);
        while (!rest.isEmpty()) {
            byte[] part = rest.pop();
            if (isDots(part)) {
                directory = part.length == 2 ? fs.parent(directory) : directory;
                place = here(directory);
                continue;
            }
            Name name = Name.of(part);
            boolean last = rest.isEmpty();
            Attributes found = lookup(directory, name, last);
            if (found == null) {
                return new Place(directory, name, null);
            }
            place = new Place(directory, name, found);
            if (found.type() == FileType.SYMLINK && (!last || followLast || mustBeDirectory)) {
                if (++links > MAX_SYMLINKS) {
                    throw new FsException(Errno.ELOOP);
                }
                byte[] target = fs.readlink(caller, found.ino());
                if (target.length > 0 && target[0] == '/') {
                    directory = FileSystem.ROOT_INO;
                }
                List<byte[]> parts = split(target);
                for (int i = parts.size() - 1; i >= 0; i--) {
                    rest.push(parts.get(i));
                }
                place = here(directory);
            } else if (!last || mustBeDirectory) {
                if (!found.isDirectory()) {
                    throw new FsException(Errno.ENOTDIR);
                }
                directory = found.ino();
            }
        }
        return place;
    }

    private Place here(long directory) {
        return new Place(fs.parent(directory), null, fs.getAttributes(caller, directory));
    }

    private @Nullable Attributes lookup(long directory, Name name, boolean last) {
        try {
            return fs.lookup(caller, directory, name);
        } catch (FsException e) {
            if (e.errno() == Errno.ENOENT && last) {
                return null;
            }
            throw e;
        }
    }

    private static boolean isDots(byte[] part) {
        return part[0] == '.' && (part.length == 1 || (part.length == 2 && part[1] == '.'));
    }

    private static List<byte[]> split(byte[] path) {
        List<byte[]> parts = new ArrayList<>();
        int begin = 0;
        for (int at = 0; at <= path.length; at++) {
            if (at == path.length || path[at] == '/') {
                if (at > begin) {
                    parts.add(Arrays.copyOfRange(path, begin, at));
                }
                begin = at + 1;
            }
        }
        return parts;
    }
}
