package io.cairn.cli;

import io.cairn.client.CairnFileSystem;
import io.cairn.client.ClientRuntime;
import io.cairn.client.ClientSettings;
import io.cairn.client.PathWalker;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fuse.FuseMount;
import io.cairn.fuse.MountOptions;
import io.cairn.trace.Tracer;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;

/** A mount: a client of the cluster and its FUSE door, put together. */
final class MountNode implements AutoCloseable {
    private final CairnFileSystem files;
    private final FuseMount mount;

    /** Connects and mounts. */
    MountNode(World world, Source source, Path mountpoint, MountOptions options) {
        files =
                connect(
                        world,
                        ClientSettings.of(
                                        source.masters(),
                                        hostName()
                                                + ":"
                                                + mountpoint
                                                + " "
                                                + ProcessHandle.current().pid())
                                .withRequestTimeoutMs(options.waitLimitMs()),
                        tracer(world, "cairn-mount"));
        try {
            mount =
                    FuseMount.mount(
                            files,
                            root(files, source),
                            mountpoint,
                            options.withFsName("cairn:" + source));
        } catch (RuntimeException e) {
            files.close();
            throw e;
        }
    }

    /** Makes the spans of a client in this process. */
    static Tracer tracer(World world, String service) {
        return world.tracer(service, hostName() + " " + ProcessHandle.current().pid());
    }

    /** A client for a command. */
    static CairnFileSystem connect(World world, Source source, String name) {
        return connect(world, source, name, Tracer.OFF);
    }

    /** A client for a command or a gateway. */
    static CairnFileSystem connect(World world, Source source, String name, Tracer tracer) {
        return connect(world, ClientSettings.of(source.masters(), name), tracer);
    }

    private static CairnFileSystem connect(World world, ClientSettings settings, Tracer tracer) {
        return CairnFileSystem.connect(
                settings,
                world.transport(),
                new ClientRuntime(world.clock(), world.scheduler(), world.random()).with(tracer),
                world.metrics());
    }

    private static long root(CairnFileSystem files, Source source) {
        Attributes found = new PathWalker(files, Caller.ROOT).resolve(source.subdirectory());
        if (!found.isDirectory()) {
            throw new CommandException(
                    ExitCode.NO_INPUT,
                    source.subdirectory() + " is not a directory of the cluster");
        }
        return found.ino();
    }

    static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** Waits until somebody unmounts. */
    void awaitEnd() throws InterruptedException {
        mount.awaitEnd();
    }

    @Override
    public void close() {
        try {
            mount.close();
        } finally {
            files.close();
        }
    }
}
