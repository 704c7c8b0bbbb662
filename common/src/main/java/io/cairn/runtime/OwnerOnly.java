package io.cairn.runtime;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.cairn.os.NativeCalls;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what the services store from other users of the machine: names and small files stand in the
 * logs of masters, contents on the disks of chunk servers, tokens in files. Thread-safe.
 */
public final class OwnerOnly {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerOnly.class);
    private static final int GROUP_AND_OTHERS = 077;
    private static final MethodHandle UMASK = NativeCalls.bind("umask", -1, JAVA_INT, JAVA_INT);

    private static final Set<PosixFilePermission> OWNER =
            EnumSet.of(
                    PosixFilePermission.OWNER_READ,
                    PosixFilePermission.OWNER_WRITE,
                    PosixFilePermission.OWNER_EXECUTE);

    private OwnerOnly() {}

    /** Files that this process makes from now on are its user's alone (umask(2)). */
    public static void begin() {
        NativeCalls.once(state -> (int) UMASK.invokeExact(state, GROUP_AND_OTHERS));
    }

    /**
     * Makes a data directory unless it exists, closed to everybody but its owner. Those above it
     * that are missing get the usual rights. Where a filesystem refuses, {@link #close} says so.
     */
    public static void make(Path directory) throws IOException {
        boolean isNew = Files.notExists(directory);
        Files.createDirectories(directory);
        if (isNew && hasRights()) {
            try {
                Files.setPosixFilePermissions(directory, OWNER);
            } catch (FileSystemException e) {
                LOG.debug("{} keeps its rights: {}", directory, e.getMessage());
            }
        }
    }

    private static boolean hasRights() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    }

    /**
     * Closes a data directory to everybody but its owner, and says so when it was open. Below it
     * nobody else comes by then, whatever the rights there are.
     */
    public static void close(Path directory) {
        if (!hasRights()) {
            return;
        }
        try {
            Set<PosixFilePermission> found = Files.getPosixFilePermissions(directory);
            if (OWNER.containsAll(found)) {
                return;
            }
            found.retainAll(OWNER);
            String before = PosixFilePermissions.toString(Files.getPosixFilePermissions(directory));
            Files.setPosixFilePermissions(directory, found);
            LOG.info(
                    "{} was open to other users ({}): it is its owner's alone now",
                    directory,
                    before);
        } catch (IOException e) {
            LOG.warn(
                    "{} may be open to other users of this machine, and its rights cannot be"
                            + " changed: {}; make its user the owner, then chmod 700 {}",
                    directory,
                    e.toString(),
                    directory);
        }
    }
}
