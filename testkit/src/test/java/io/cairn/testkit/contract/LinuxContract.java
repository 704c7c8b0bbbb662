package io.cairn.testkit.contract;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.posix.Posix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** The contract against a filesystem of the machine: proves that the suite tells the truth. */
abstract class LinuxContract extends FileSystemContract {
    private @Nullable Path directory;

    /** A directory on the filesystem to be asked. */
    abstract Path parent();

    @Override
    protected Posix door() throws IOException {
        Path made = Files.createTempDirectory(parent(), "cairn-contract");
        directory = made;
        Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new NativePosix(made, capabilities(made), 0);
    }

    @AfterEach
    void removeDirectory() {
        Path made = directory;
        if (made != null) {
            try (Posix above = new NativePosix(parent(), Set.of(), 0)) {
                String name = Posix.text(made.getFileName().toString());
                clear(above, name);
                above.rmdir(name);
            }
        }
    }

    /** Local filesystems differ in what they can: ask them. */
    private static Set<Posix.Capability> capabilities(Path directory) {
        Set<Posix.Capability> found = EnumSet.allOf(Posix.Capability.class);
        // ext4 would fill the disk of the machine first.
        found.remove(Posix.Capability.WHOLE_ALLOCATION);
        try (Posix fs = new NativePosix(directory, Set.of(), 0)) {
            int fd = fs.open("capabilities", Posix.O_CREAT | Posix.O_RDWR, 0600);
            retain(
                    found,
                    Posix.Capability.ZERO_RANGE,
                    () -> fs.fallocate(fd, Posix.FALLOC_ZERO_RANGE, 0, 4096));
            retain(
                    found,
                    Posix.Capability.HUGE_FILES,
                    () -> fs.ftruncate(fd, Long.MAX_VALUE - (64L << 20)));
            retain(
                    found,
                    Posix.Capability.LARGE_XATTR,
                    () -> fs.setxattr("capabilities", "user.x", new byte[65_536], 0));
            retainFlags(found, fs, fd);
            fs.unlink("capabilities");
        }
        return found;
    }

    private static void retainFlags(Set<Posix.Capability> found, Posix fs, int fd) {
        try {
            fs.setflags("capabilities", Attributes.IMMUTABLE);
        } catch (FsException e) {
            if (e.errno() != Errno.EOPNOTSUPP
                    && e.errno() != Errno.ENOTTY
                    && e.errno() != Errno.EPERM) {
                throw e;
            }
            found.remove(Posix.Capability.INODE_FLAGS);
            found.remove(Posix.Capability.STRICT_IMMUTABLE);
            return;
        }
        try {
            fs.write(fd, new byte[1]);
            found.remove(Posix.Capability.STRICT_IMMUTABLE);
        } catch (FsException e) {
            if (e.errno() != Errno.EPERM) {
                throw e;
            }
        } finally {
            fs.setflags("capabilities", 0);
        }
    }

    private static void retain(
            Set<Posix.Capability> found, Posix.Capability capability, Runnable attempt) {
        try {
            attempt.run();
        } catch (FsException e) {
            if (e.errno() != Errno.EOPNOTSUPP
                    && e.errno() != Errno.ENOSPC
                    && e.errno() != Errno.EFBIG) {
                throw e;
            }
            found.remove(capability);
        }
    }
}
