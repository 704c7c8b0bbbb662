package io.cairn.nfs;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.FileSystem;
import io.cairn.net.EventLoops;
import io.cairn.nfs.export.Export;
import io.cairn.nfs.export.Exports;
import io.cairn.nfs.rpc.Credential;
import io.cairn.nfs.rpc.RpcLimits;
import io.cairn.runtime.Clock;
import io.cairn.runtime.ThreadScheduler;
import io.cairn.testkit.model.ModelFileSystem;
import io.cairn.trace.Tracer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Random;

/** A gateway over a filesystem, the model unless one is given, on a free port. */
public final class ModelGateway implements AutoCloseable {
    private final EventLoops loops = new EventLoops("test-nfs", 2, Clock.system());
    private final ThreadScheduler scheduler = new ThreadScheduler("test-timer", 1);
    private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    private final FileSystem files;
    private final NfsGateway gateway;

    /** Exports everything to this machine, with all rights. */
    public ModelGateway() {
        this(
                new ModelFileSystem(Clock.system()),
                RpcLimits.STANDARD,
                "/ *(rw,no_root_squash,insecure)");
    }

    /** With lines of exports(5). */
    public ModelGateway(FileSystem files, RpcLimits limits, String... exports) {
        this(files, NfsSettings.of(new Endpoint("127.0.0.1", 0)).withLimits(limits), exports);
    }

    /** With settings. */
    public ModelGateway(FileSystem files, NfsSettings settings, String... exports) {
        this(files, settings, Tracer.OFF, exports);
    }

    /** With traces. */
    public ModelGateway(Tracer tracer) {
        this(
                new ModelFileSystem(Clock.system()),
                NfsSettings.of(new Endpoint("127.0.0.1", 0)),
                tracer,
                "/ *(rw,no_root_squash,insecure)");
    }

    private ModelGateway(FileSystem files, NfsSettings settings, Tracer tracer, String... exports) {
        this.files = files;
        gateway =
                NfsGateway.start(
                        files,
                        Exports.of(List.of(exports).stream().map(Export::parse).toList()),
                        settings,
                        new NfsGateway.Context(
                                loops, scheduler, Clock.system(), new Random(), metrics, tracer));
    }

    public FileSystem files() {
        return files;
    }

    /** What the gateway counts. */
    public SimpleMeterRegistry metrics() {
        return metrics;
    }

    public NfsGateway gateway() {
        return gateway;
    }

    public Endpoint endpoint() {
        return gateway.endpoint();
    }

    /** A client of the superuser. */
    public NfsClient client() {
        return new NfsClient(endpoint(), Credential.sys(0, 0));
    }

    @Override
    public void close() {
        gateway.close();
        loops.close();
        scheduler.close();
    }
}
