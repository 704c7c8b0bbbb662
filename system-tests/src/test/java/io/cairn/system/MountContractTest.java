package io.cairn.system;

import io.cairn.cluster.Endpoint;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.node.Closing;
import io.cairn.node.EmbeddedCluster;
import io.cairn.node.MountNode;
import io.cairn.node.ProcessContext;
import io.cairn.node.Source;
import io.cairn.testkit.Shell;
import io.cairn.testkit.contract.FileSystemContract;
import io.cairn.testkit.posix.Administration;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.posix.Posix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/**
 * The filesystem contract through a real FUSE mount of a real master and three real chunk servers.
 */
class MountContractTest extends FileSystemContract {
    private final Closing closing = new Closing();
    private @Nullable Administration administration;
    private @Nullable Path directory;

    /** What the driver can express. */
    Set<Posix.Capability> capabilities() {
        return EnumSet.allOf(Posix.Capability.class);
    }

    /** How it is mounted. */
    MountOptions options() {
        return MountOptions.standard();
    }

    @Override
    protected Posix door() throws IOException {
        Path base = Files.createTempDirectory("cairn-contract");
        directory = base;
        // Everybody must be able to reach the mount.
        Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path mountpoint = Files.createDirectory(base.resolve("mnt"));
        ProcessContext world = closing.add(new ProcessContext());
        Endpoint any = new Endpoint("127.0.0.1", 0);
        EmbeddedCluster.Plan plan = new EmbeddedCluster.Plan(base.resolve("data"), 3, 2, any, any);
        try {
            EmbeddedCluster cluster = closing.add(EmbeddedCluster.start(world, plan));
            administration = new ServiceAdministration(cluster.service());
            Source source = new Source(List.of(cluster.master()), "/");
            closing.add(new MountNode(world, source, mountpoint, options()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return new NativePosix(mountpoint, capabilities(), 0);
    }

    @Override
    protected @Nullable Administration administration() {
        return administration;
    }

    @AfterEach
    void stop() throws Exception {
        closing.close();
        Path base = directory;
        if (base != null) {
            ProcessCluster.unmount(base.resolve("mnt"));
            Shell.run(Path.of("/"), "rm -rf --one-file-system '" + base + "'");
        }
    }
}
