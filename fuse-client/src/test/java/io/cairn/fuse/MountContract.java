package io.cairn.fuse;

import io.cairn.testkit.contract.FileSystemContract;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.posix.Posix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/**
 * The contract on a real mount. The mount is in another process, because the suite maps files into
 * memory.
 */
abstract class MountContract extends FileSystemContract {
    private static final int MAX_LINKS = 50;

    private @Nullable MountProcess process;
    private @Nullable Path directory;

    /** Value of the option {@code driver}. */
    abstract String driver();

    /** What the driver can express. */
    abstract Set<Posix.Capability> capabilities();

    @Override
    protected Posix door() throws IOException {
        // Not in a @TempDir, which other users cannot enter.
        Path made = Files.createTempDirectory("cairn-mount");
        directory = made;
        Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
        process = MountProcess.start(made, "driver=" + driver(), MAX_LINKS);
        return new NativePosix(made, capabilities(), MAX_LINKS);
    }

    @AfterEach
    void unmount() throws IOException {
        if (process != null) {
            process.close();
        }
        if (directory != null) {
            Files.delete(directory);
        }
    }
}
