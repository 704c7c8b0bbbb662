package io.cairn.cli;

import io.cairn.client.CairnFileSystem;
import io.cairn.cluster.Endpoint;
import io.cairn.nfs.NfsGateway;
import io.cairn.nfs.NfsSettings;
import io.cairn.nfs.export.Export;
import io.cairn.nfs.export.Exports;
import java.util.List;

/** An NFS gateway: a client of the cluster and its NFS door, put together. */
final class NfsNode implements AutoCloseable {
    /** What is exported unless somebody says otherwise: everything, to this machine. */
    static final String LOCAL_EXPORT =
            "/ 127.0.0.0/8(rw,no_root_squash,insecure) ::1(rw,no_root_squash,insecure)";

    private final CairnFileSystem files;
    private final NfsGateway gateway;

    /** Connects and serves. */
    NfsNode(World world, List<Endpoint> masters, Exports exports, NfsSettings settings) {
        String name =
                MountNode.hostName()
                        + " nfs "
                        + settings.listen()
                        + " "
                        + ProcessHandle.current().pid();
        files = MountNode.connect(world, new Source(masters, "/"), name);
        try {
            gateway =
                    NfsGateway.start(
                            files,
                            exports,
                            settings,
                            new NfsGateway.World(
                                    world.loops(),
                                    world.scheduler(),
                                    world.clock(),
                                    world.random()));
        } catch (RuntimeException e) {
            files.close();
            throw e;
        }
        world.metrics().gauge("cairn.nfs.connections", gateway, NfsGateway::connectionCount);
        world.metrics().gauge("cairn.nfs.open.files", gateway, NfsGateway::openFileCount);
        world.metrics().gauge("cairn.nfs.used.bytes", gateway, NfsGateway::usedBytes);
    }

    /** Parses lines of exports(5); fails with USAGE. */
    static Exports exports(List<String> lines) {
        try {
            return Exports.of(lines.stream().map(Export::parse).toList());
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    /** Where it listens. */
    Endpoint endpoint() {
        return gateway.endpoint();
    }

    @Override
    public void close() {
        try {
            gateway.close();
        } finally {
            files.close();
        }
    }
}
