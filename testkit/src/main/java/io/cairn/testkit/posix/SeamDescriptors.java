package io.cairn.testkit.posix;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Lock;
import io.cairn.fs.OpenFile;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The descriptors of one process over a {@link FileSystem}. Thread-safe. */
final class SeamDescriptors {
    private final FileSystem fs;
    private final AtomicLong owners;
    private final long processOwner;
    private final TreeMap<Integer, SeamDescriptor> open = new TreeMap<>();

    /**
     * No descriptors yet.
     *
     * @param owners where identities of lock owners come from, shared by all processes
     */
    SeamDescriptors(FileSystem fs, AtomicLong owners) {
        this.fs = fs;
        this.owners = owners;
        this.processOwner = owners.incrementAndGet();
    }

    /** A POSIX lock of this process, as struct flock tells it. */
    Lock posixLock(Lock.Mode mode, long start, long length) {
        long first = length < 0 ? start + length : start;
        long last = length == 0 ? Lock.TO_END : length < 0 ? start - 1 : start + length - 1;
        if (first < 0) {
            throw new FsException(Errno.EINVAL, "lock of " + length + " bytes at " + start);
        }
        return new Lock(Lock.Kind.POSIX, mode, processOwner, first, last, 1);
    }

    /** The same filesystem, another process. */
    SeamDescriptors another() {
        return new SeamDescriptors(fs, owners);
    }

    synchronized int add(long ino, int flags, @Nullable OpenFile file) {
        return add(new SeamDescriptor(ino, flags, file, owners.incrementAndGet()));
    }

    private int add(SeamDescriptor description) {
        int fd = 3;
        while (open.containsKey(fd)) {
            fd++;
        }
        open.put(fd, description);
        return fd;
    }

    synchronized int duplicate(int fd) {
        SeamDescriptor description = get(fd);
        description.descriptors++;
        return add(description);
    }

    synchronized SeamDescriptor get(int fd) {
        SeamDescriptor description = open.get(fd);
        if (description == null) {
            throw new FsException(Errno.EBADF, "descriptor " + fd);
        }
        return description;
    }

    /** A descriptor of a regular file; EISDIR for a directory. */
    OpenFile file(int fd, Errno ifDirectory) {
        OpenFile file = get(fd).file;
        if (file == null) {
            throw new FsException(ifDirectory, "descriptor " + fd + " is a directory");
        }
        return file;
    }

    /** copy_file_range: the kernel cuts the range at the end of the source. */
    long copyRange(int from, long fromOffset, int to, long toOffset, long length) {
        OpenFile source = file(from, Errno.EISDIR);
        OpenFile target = file(to, Errno.EISDIR);
        if (get(to).appends()) {
            throw new FsException(Errno.EBADF, "descriptor " + to + " appends");
        }
        long left = Math.clamp(source.attributes().size() - fromOffset, 0, length);
        return target.copyFrom(source, fromOffset, toOffset, left);
    }

    void close(int fd) {
        SeamDescriptor description;
        boolean last;
        synchronized (this) {
            description = get(fd);
            open.remove(fd);
            description.descriptors--;
            last = description.descriptors == 0;
        }
        OpenFile file = description.file;
        if (file == null) {
            return;
        }
        fs.releaseLocks(description.ino, Lock.Kind.POSIX, processOwner);
        if (last) {
            fs.releaseLocks(description.ino, Lock.Kind.FLOCK, description.owner);
            file.close();
        } else {
            file.flush();
        }
    }

    void closeAll() {
        List<Integer> left;
        synchronized (this) {
            left = List.copyOf(open.keySet());
        }
        left.forEach(this::close);
    }

    /** A caller whose right was checked when the descriptor was opened. */
    static Caller trusted(Caller caller) {
        return new Caller(caller.uid(), caller.gid(), caller.groups(), true);
    }
}
