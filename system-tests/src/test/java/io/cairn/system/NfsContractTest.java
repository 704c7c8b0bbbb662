package io.cairn.system;

import io.cairn.cluster.Endpoint;
import io.cairn.nfs.NfsFileSystem;
import io.cairn.nfs.NfsSettings;
import io.cairn.node.Closing;
import io.cairn.node.EmbeddedCluster;
import io.cairn.node.NfsNode;
import io.cairn.node.ProcessContext;
import io.cairn.testkit.contract.FileSystemContract;
import io.cairn.testkit.posix.Administration;
import io.cairn.testkit.posix.Posix;
import io.cairn.testkit.posix.SeamPosix;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The filesystem contract through an NFS gateway of a real master and three real chunk servers. */
final class NfsContractTest extends FileSystemContract {
    @TempDir private Path directory;
    private final Closing closing = new Closing();
    private @Nullable Administration administration;

    @Override
    protected Posix door() {
        ProcessContext world = closing.add(new ProcessContext());
        Endpoint any = new Endpoint("127.0.0.1", 0);
        EmbeddedCluster.Plan plan =
                new EmbeddedCluster.Plan(directory.resolve("data"), 3, 2, any, any);
        try {
            EmbeddedCluster cluster = closing.add(EmbeddedCluster.start(world, plan));
            administration = new ServiceAdministration(cluster.service());
            NfsNode gateway =
                    closing.add(
                            new NfsNode(
                                    world,
                                    List.of(cluster.master()),
                                    List.of("/ *(rw,no_root_squash,insecure)"),
                                    NfsSettings.of(any)));
            return new SeamPosix(
                    new NfsFileSystem(gateway.endpoint()),
                    new SeamPosix.SeamLimits(
                            EnumSet.of(
                                    Posix.Capability.LOCKS,
                                    Posix.Capability.DEADLOCK,
                                    Posix.Capability.SPECIAL_FILES,
                                    Posix.Capability.KILL_PRIVILEGE),
                            0));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected @Nullable Administration administration() {
        return administration;
    }

    @AfterEach
    void stop() {
        closing.close();
    }
}
