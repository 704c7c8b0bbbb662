package io.cairn.node;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.session.ClientRuntime;
import io.cairn.client.session.ClientSettings;
import io.cairn.client.session.PasswordLogin;
import io.cairn.client.session.PolledNetwork;
import io.cairn.client.tree.PathWalker;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.KnownMasters;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fuse.FuseMount;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.identity.TlsSecurity;
import io.cairn.net.Principal.Role;
import io.cairn.net.tcp.PolledTransport;
import io.cairn.node.identity.CertificateIssuer;
import io.cairn.node.identity.PasswordJoining;
import io.cairn.node.identity.Renewal;
import io.cairn.runtime.BootIdentity;
import io.cairn.runtime.Scheduler;
import io.cairn.trace.Tracer;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** A mount: a client of the cluster and its FUSE door, put together. */
public final class MountNode implements AutoCloseable {
    private final CairnFileSystem files;
    private final FuseMount mount;

    /** Connects and mounts; waits for masters that are starting. */
    public MountNode(ProcessContext world, Source source, Path mountpoint, MountOptions options) {
        this(world, source, mountpoint, options, MasterWait.STANDARD_S);
    }

    /**
     * Connects and mounts.
     *
     * @param waitS how long it waits for masters that are starting, seconds
     */
    public MountNode(
            ProcessContext world, Source source, Path mountpoint, MountOptions options, int waitS) {
        PolledTransport polled = world.polled();
        ClientRuntime runtime =
                runtime(world, tracer(world, "cairn-mount"))
                        .onMachine(options.direct() ? machine(world) : 0);
        if (world.security() == null) {
            // The network that its threads poll has no TLS.
            runtime = runtime.with(new PolledNetwork(polled, polled));
        }
        files =
                connect(
                        world,
                        ClientSettings.of(
                                        source.masters(),
                                        Loopback.machineName()
                                                + ":"
                                                + mountpoint
                                                + " "
                                                + ProcessHandle.current().pid())
                                .withRequestTimeoutMs(options.waitLimitMs()),
                        runtime,
                        waitS);
        if (options.names() != MountOptions.Names.SYNC) {
            files.mount().master().young().turnOn();
        }
        if (options.names() == MountOptions.Names.ASYNC
                && options.driver() == MountOptions.DriverKind.KERNEL) {
            files.answerEarly();
        }
        try {
            mount =
                    FuseMount.mount(
                            files,
                            root(files, source),
                            mountpoint,
                            options.withFsName("cairn:" + source),
                            polled);
        } catch (RuntimeException e) {
            files.close();
            throw e;
        }
    }

    private static long machine(ProcessContext world) {
        return BootIdentity.of(List.of(), world.random());
    }

    /** Makes the spans of a client in this process. */
    static Tracer tracer(ProcessContext world, String service) {
        return world.tracer(service, Loopback.machineName() + " " + ProcessHandle.current().pid());
    }

    /** A client for a command; it waits for masters that are starting. */
    public static CairnFileSystem connect(ProcessContext world, Source source, String name) {
        return connect(world, source, name, Tracer.OFF, MasterWait.STANDARD_S);
    }

    /**
     * A client for a command or a gateway.
     *
     * @param waitS how long it waits for masters that are starting, seconds
     */
    public static CairnFileSystem connect(
            ProcessContext world, Source source, String name, Tracer tracer, int waitS) {
        return connect(
                world, ClientSettings.of(source.masters(), name), runtime(world, tracer), waitS);
    }

    private static ClientRuntime runtime(ProcessContext world, Tracer tracer) {
        ClientRuntime runtime =
                new ClientRuntime(world.clock(), world.scheduler(), world.random())
                        .with(tracer)
                        .with(world.login());
        TlsSecurity security = world.security();
        return security == null
                ? runtime
                : runtime.onRevoked(security::revokeMore).onAuthorities(world::trust);
    }

    private static CertificateIssuer issuer(
            ProcessContext world, TlsSecurity security, Supplier<List<Endpoint>> masters) {
        PasswordLogin login = world.login();
        return login != null && security.identity().subject().role() == Role.USER
                ? new PasswordJoining(
                        () -> security.identity().authorities().present(),
                        masters,
                        login,
                        world.clock(),
                        world.random())
                : Renewal.byMasters(world.transport(), masters, world.clock());
    }

    private static CairnFileSystem connect(
            ProcessContext world, ClientSettings settings, ClientRuntime runtime, int waitS) {
        TlsSecurity security = world.security();
        // The masters of today may be others than those of its start when it is renewed.
        KnownMasters known = new KnownMasters(settings.masters());
        if (security != null) {
            world.renewBy(issuer(world, security, known::list));
        }
        String masters = MasterWait.names(settings.masters());
        Runnable tell =
                () -> {
                    if (waitS * 1000L > MasterWait.SILENT_MS) {
                        MasterWait.tell(masters, MasterWait.errors());
                    }
                };
        Scheduler.Timer told = world.scheduler().schedule(tell, MasterWait.SILENT_MS);
        try {
            return CairnFileSystem.connect(
                    settings.withConnectTimeoutMs(Math.max(1, waitS) * 1000L),
                    world.transport(),
                    runtime.onMasters(known::learn),
                    world.metrics());
        } finally {
            told.cancel();
        }
    }

    private static long root(CairnFileSystem files, Source source) {
        String path = source.subdirectory();
        Attributes found;
        try {
            found = new PathWalker(files, Caller.ROOT).resolve(path);
        } catch (FsException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
            throw new CommandException(
                    ExitCode.NO_INPUT,
                    "there is no directory " + path + " in the cluster; mount / and make it",
                    e);
        }
        if (!found.isDirectory()) {
            throw new CommandException(
                    ExitCode.NO_INPUT, path + " is not a directory of the cluster");
        }
        return found.ino();
    }

    /** Waits until somebody unmounts. */
    public void awaitEnd() throws InterruptedException {
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
