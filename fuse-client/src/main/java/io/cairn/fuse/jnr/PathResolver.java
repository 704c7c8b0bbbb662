package io.cairn.fuse.jnr;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fuse.loop.OpenFiles;
import io.cairn.fuse.sys.RawMemory;

/**
 * From the paths of libfuse to inodes: one lookup for each component, which the cache of the
 * filesystem answers. There is no second cache of whole paths here, because nothing would tell it
 * of renames by other mounts. Thread-safe.
 */
final class PathResolver {
    /**
     * A name in a directory.
     *
     * @param parentIno the directory
     * @param name the name
     */
    record Place(long parentIno, Name name) {}

    private final FileSystem fileSystem;
    private final OpenFiles files;
    private final HiddenFiles hidden;
    private final long rootIno;

    PathResolver(FileSystem fileSystem, long rootIno, OpenFiles files, HiddenFiles hidden) {
        this.fileSystem = fileSystem;
        this.rootIno = rootIno;
        this.files = files;
        this.hidden = hidden;
    }

    /** The inode of a path, as the address of a C string. */
    long ino(Caller caller, long path) {
        if (isRoot(path)) {
            return rootIno;
        }
        Place place = place(caller, path);
        long hiddenIno = hidden.ino(place.name());
        if (hiddenIno != 0) {
            return hiddenIno;
        }
        return fileSystem.lookup(caller, place.parentIno(), place.name()).ino();
    }

    /** The attributes of a path; those of an open file as this mount knows them. */
    Attributes attributes(Caller caller, long path) {
        if (isRoot(path)) {
            return fileSystem.getAttributes(caller, rootIno);
        }
        Place place = place(caller, path);
        long hiddenIno = hidden.ino(place.name());
        if (hiddenIno != 0) {
            return fileSystem.getAttributes(caller, hiddenIno);
        }
        Attributes found = fileSystem.lookup(caller, place.parentIno(), place.name());
        return files.current(caller, found);
    }

    private static boolean isRoot(long path) {
        return path == 0 || RawMemory.getByte(path + 1) == 0;
    }

    /** The directory of a path and the name in it. */
    Place place(Caller caller, long path) {
        long parent = rootIno;
        long at = path + 1;
        while (true) {
            int length = 0;
            byte end;
            while ((end = RawMemory.getByte(at + length)) != 0 && end != '/') {
                length++;
            }
            if (length > Name.MAX_BYTES) {
                throw new FsException(Errno.ENAMETOOLONG);
            }
            Name name = Name.of(RawMemory.getBytes(at, length));
            if (end == 0) {
                return new Place(parent, name);
            }
            parent = fileSystem.lookup(caller, parent, name).ino();
            at += length + 1;
        }
    }
}
