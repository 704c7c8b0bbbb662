package io.cairn.node;

import io.cairn.client.CairnFileSystem;
import io.cairn.cluster.Endpoint;
import io.cairn.nfs.NfsGateway;
import io.cairn.nfs.NfsSettings;
import io.cairn.nfs.export.Export;
import io.cairn.nfs.export.ExportList;
import io.cairn.nfs.export.Exports;
import io.cairn.nfs.export.SharedExports;
import io.cairn.runtime.DaemonThreads;
import io.cairn.trace.Tracer;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An NFS gateway: a client of the cluster and its NFS door, put together. */
public final class NfsNode implements AutoCloseable {
    /**
     * The default export: everything, to this machine. Not more than that: any user of it who may
     * choose his port could be root else.
     */
    static final String LOCAL_EXPORT =
            "/ 127.0.0.0/8(rw,root_squash,secure) ::1(rw,root_squash,secure)";

    private final Closing closing = new Closing();
    private final CairnFileSystem files;
    private final NfsGateway gateway;

    /**
     * Connects and serves.
     *
     * @param lines what to export, as in exports(5); none for the list that is kept in the cluster
     */
    public NfsNode(
            ProcessContext world,
            List<Endpoint> masters,
            List<String> lines,
            NfsSettings settings) {
        String name =
                Loopback.machineName()
                        + " nfs "
                        + settings.listen()
                        + " "
                        + ProcessHandle.current().pid();
        Tracer tracer = MountNode.tracer(world, "cairn-nfs");
        Source all = new Source(masters, "/");
        files = closing.add(MountNode.connect(world, all, name, tracer, MasterWait.STANDARD_S));
        try {
            Exports exports = lines.isEmpty() ? shared(world) : Exports.of(parse(lines));
            NfsGateway.Context parts =
                    new NfsGateway.Context(
                            world.loops(),
                            world.scheduler(),
                            world.clock(),
                            world.random(),
                            world.metrics(),
                            tracer);
            gateway = closing.add(NfsGateway.start(files, exports, settings, parts));
        } catch (RuntimeException e) {
            closing.close();
            throw e;
        }
        world.metrics().gauge("cairn.nfs.connections", gateway, NfsGateway::connectionCount);
        world.metrics().gauge("cairn.nfs.locks.waiting", gateway, NfsGateway::waitingLockCount);
        world.metrics().gauge("cairn.nfs.open.files", gateway, NfsGateway::openFileCount);
        world.metrics().gauge("cairn.nfs.used.bytes", gateway, NfsGateway::usedBytes);
    }

    private Exports shared(ProcessContext world) {
        ExecutorService worker =
                Executors.newSingleThreadExecutor(new DaemonThreads("nfs-exports"));
        closing.add(worker::shutdownNow);
        return closing.add(
                new SharedExports(
                        new ExportList(files),
                        parse(List.of(LOCAL_EXPORT)),
                        world.scheduler(),
                        worker));
    }

    /** Parses lines of exports(5); fails with USAGE. */
    public static List<Export> parse(List<String> lines) {
        try {
            List<Export> parsed = lines.stream().map(Export::parse).toList();
            Exports.of(parsed);
            return parsed;
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    /** Where it listens. */
    public Endpoint endpoint() {
        return gateway.endpoint();
    }

    @Override
    public void close() {
        closing.close();
    }
}
