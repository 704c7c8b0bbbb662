package io.cairn.node;

import io.cairn.admin.AdminApi;
import io.cairn.admin.AdminSettings;
import io.cairn.admin.resource.ExportsResource;
import io.cairn.cluster.Endpoint;
import io.cairn.http.TracedWeb;
import io.cairn.http.WebHandler;
import io.cairn.master.MasterService;
import io.cairn.master.MasterSettings;
import io.cairn.master.TracedLog;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.master.raft.LogListener;
import io.cairn.master.raft.RatisLog;
import io.cairn.master.raft.RatisSettings;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.raft.RatisSettings.Peer;
import io.cairn.master.store.StoreSettings;
import io.cairn.metadata.state.Notice;
import io.cairn.trace.Tracer;
import io.cairn.wire.Limits;
import io.cairn.wire.master.OperationNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A master: its replicated log on disk and its request door, put together. */
public final class MasterNode implements AutoCloseable {
    /** Where the secret of the first token goes, in the data directory. */
    public static final String TOKEN_FILE = "admin.token";

    /** How long a session lasts without a sign of life. */
    public static final long SESSION_LEASE_MS = 15_000;

    private final RatisLog log;
    private final MasterService service;
    private final AdminApi api;
    private final Tracer tracer;

    /**
     * The settings of a master.
     *
     * @param wanted where to listen; other masters are told the port, so a free one is chosen
     *     before
     * @param peers all masters, this one included
     * @param found whether it may found a cluster with the others, when none of them holds one
     * @param sessionLeaseMs how long the session of a client lasts without a sign of life
     */
    public record Plan(
            String id,
            Path directory,
            Endpoint wanted,
            List<Peer> peers,
            ClusterSettings cluster,
            AdminSettings admin,
            boolean found,
            long sessionLeaseMs) {}

    /** One whose failure ends the process. */
    MasterNode(ProcessContext world, Plan plan, Account founder) {
        this(world, plan, founder, () -> Runtime.getRuntime().halt(ExitCode.SOFTWARE));
    }

    /**
     * Starts the log, then the door, then the admin API.
     *
     * @param founder whose the root directory is when there is no cluster yet
     * @param failed ends the process, or begins to open this master again
     */
    MasterNode(ProcessContext world, Plan plan, Account founder, Runnable failed) {
        Endpoint wanted = plan.wanted();
        AtomicReference<@Nullable MasterService> door = new AtomicReference<>();
        Endpoint listen =
                wanted.port() != 0 ? wanted : new Endpoint(wanted.host(), world.ports().next());
        RatisSettings settings =
                new RatisSettings(
                        plan.id(),
                        plan.directory(),
                        new RatisSettings.Members(plan.peers(), plan.found()),
                        listen,
                        StoreSettings.forMemory(Machine.memoryBytes()),
                        CheckpointRule.standard());
        log = open(settings, world, door, failed);
        MasterSettings master =
                new MasterSettings(
                        plan.id(),
                        listen,
                        plan.cluster(),
                        Limits.STANDARD_INLINE_BYTES,
                        plan.sessionLeaseMs(),
                        founder.uid(),
                        founder.gid());
        tracer = world.tracer("cairn-master", plan.id());
        MasterService.Context ground =
                new MasterService.Context(
                        TracedLog.around(log, tracer),
                        log::namespace,
                        world.measured("master", OperationNames::ofMaster, tracer),
                        world.clock(),
                        world.scheduler(),
                        world.random());
        try {
            service = new MasterService(master, ground);
        } catch (RuntimeException e) {
            log.close();
            throw e;
        }
        door.set(service);
        api =
                new AdminApi(
                        service,
                        ground,
                        plan.admin(),
                        List.of(new ExportsResource(service, new ExportRules())));
        log.measure(world.metrics());
        service.measure(world.metrics());
        api.measure(world.metrics());
    }

    private static RatisLog open(
            RatisSettings settings,
            ProcessContext world,
            AtomicReference<@Nullable MasterService> door,
            Runnable failed) {
        try {
            RatisLog log =
                    new RatisLog(
                            settings,
                            world.clock(),
                            new Forwarding(door),
                            world.loops()
                                    .endOfTurn(settings.alone() ? world.tuning().applyNs() : 0),
                            failed);
            log.start();
            return log;
        } catch (IOException e) {
            throw new CommandException(ExitCode.of(e), String.valueOf(e.getMessage()), e);
        }
    }

    /** Notices go to the door as soon as there is one. */
    private record Forwarding(AtomicReference<@Nullable MasterService> door)
            implements LogListener {
        @Override
        public void leading(long term) {}

        @Override
        public void following() {}

        @Override
        public void notices(List<Notice> notices) {
            MasterService service = door.get();
            if (service != null) {
                service.tell(notices);
            }
        }
    }

    /** Its administration. */
    public WebHandler api() {
        return TracedWeb.around(api, tracer, api::routeOf);
    }

    public MasterService service() {
        return service;
    }

    @Override
    public void close() {
        service.handOver();
        api.close();
        service.close();
        log.close();
    }
}
