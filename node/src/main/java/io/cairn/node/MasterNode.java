package io.cairn.node;

import static java.util.stream.Collectors.toSet;

import io.cairn.admin.AdminApi;
import io.cairn.admin.AdminSettings;
import io.cairn.admin.access.AuthoritiesResource;
import io.cairn.admin.access.MountRulesResource;
import io.cairn.admin.access.MountUsersResource;
import io.cairn.admin.resource.CertificatesResource;
import io.cairn.admin.resource.ExportsResource;
import io.cairn.cluster.Endpoint;
import io.cairn.http.TracedWeb;
import io.cairn.http.WebHandler;
import io.cairn.identity.CertificateAuthority;
import io.cairn.identity.TlsSecurity;
import io.cairn.master.Certification;
import io.cairn.master.MasterGroup.Standing;
import io.cairn.master.MasterService;
import io.cairn.master.MasterSettings;
import io.cairn.master.TracedLog;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.master.identity.AuthorityRotation;
import io.cairn.master.identity.CertificateIssuer;
import io.cairn.master.raft.LogListener;
import io.cairn.master.raft.RatisLog;
import io.cairn.master.raft.RatisSettings;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.raft.tls.AuthorityOffer;
import io.cairn.master.raft.tls.SecuredNetwork;
import io.cairn.master.store.StoreSettings;
import io.cairn.metadata.state.Notice;
import io.cairn.net.Refusals;
import io.cairn.node.identity.AuthorityKeeper;
import io.cairn.node.identity.AuthorityNews;
import io.cairn.node.identity.Credentials;
import io.cairn.node.identity.RevocationNews;
import io.cairn.runtime.ConditionWatch;
import io.cairn.runtime.Scheduler;
import io.cairn.trace.Tracer;
import io.cairn.wire.Limits;
import io.cairn.wire.master.OperationNames;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A master: its replicated log on disk and its request door, put together. */
public final class MasterNode implements AutoCloseable {
    /** Where the secret of the first token goes, in the data directory. */
    public static final String TOKEN_FILE = "admin.token";

    /** How long a session lasts without a sign of life. */
    public static final long SESSION_LEASE_MS = 15_000;

    private static final long LOOK_MS = 50;

    private final RatisLog log;
    private final MasterService service;
    private final AdminApi api;
    private final Tracer tracer;
    private final Scheduler scheduler;
    private final Closing closing = new Closing();
    private volatile boolean closed;

    /** What this master shows of itself: it goes with it, and the next one shows its own. */
    private final CompositeMeterRegistry meters = new CompositeMeterRegistry();

    /**
     * The settings of a master.
     *
     * @param wanted where to listen; other masters are told the port, so a free one is chosen
     *     before
     * @param members what it is told of the other masters
     * @param sessionLeaseMs how long the session of a client lasts without a sign of life
     */
    public record Plan(
            String id,
            Path directory,
            Endpoint wanted,
            RatisSettings.Members members,
            ClusterSettings cluster,
            AdminSettings admin,
            long sessionLeaseMs) {}

    /**
     * What becomes of the process.
     *
     * @param failed ends it, or begins to open this master again; told why if that is known
     * @param dismissed hears that this master is none of its group any more, and whether it was one
     *     since it was started
     */
    public record Ends(Consumer<@Nullable Throwable> failed, Consumer<Boolean> dismissed) {
        /** A failure ends the process; what else is in it outlives the membership. */
        static Ends ofProcess() {
            return new Ends(_ -> Runtime.getRuntime().halt(ExitCode.SOFTWARE), _ -> {});
        }
    }

    /**
     * Starts the log, then the door, then the admin API.
     *
     * @param founder whose the root directory is when there is no cluster yet
     */
    MasterNode(ProcessContext world, Plan plan, Account founder, Ends ends) {
        Endpoint wanted = plan.wanted();
        AtomicReference<@Nullable MasterService> door = new AtomicReference<>();
        Endpoint listen =
                wanted.port() != 0 ? wanted : new Endpoint(wanted.host(), world.ports().next());
        RatisSettings settings =
                new RatisSettings(
                        plan.id(),
                        plan.directory(),
                        plan.members(),
                        listen,
                        StoreSettings.forMemory(Machine.memoryBytes()),
                        CheckpointRule.standard());
        scheduler = world.scheduler();
        meters.add(world.metrics());
        AuthorityKeeper keeper = keeper(world, plan);
        SecuredNetwork network = network(world, keeper, meters);
        log = open(settings, world, new Forwarding(door, ends), meters, network);
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
            service = new MasterService(settings(plan, listen, founder), ground);
        } catch (RuntimeException e) {
            meters.clear();
            log.close();
            throw e;
        }
        door.set(service);
        CertificateIssuer issuer = issuer(world, plan.id(), keeper, network);
        api =
                new AdminApi(
                        service,
                        ground,
                        plan.admin().with(world.masterKey()),
                        List.of(
                                new ExportsResource(service, new ExportRules()),
                                new MountRulesResource(service),
                                new MountUsersResource(service, world.random()),
                                new CertificatesResource(service, log, issuer),
                                new AuthoritiesResource(issuer)));
        log.measure(meters);
        service.measure(meters);
        // The timers of requests are those of the process: a master that opens again goes on.
        api.measure(world.metrics());
    }

    private static MasterSettings settings(Plan plan, Endpoint listen, Account founder) {
        return new MasterSettings(
                plan.id(),
                listen,
                plan.cluster(),
                Limits.STANDARD_INLINE_BYTES,
                plan.sessionLeaseMs(),
                founder.uid(),
                founder.gid());
    }

    /** The authority in its directory; null without TLS. */
    private static @Nullable AuthorityKeeper keeper(ProcessContext world, Plan plan) {
        TlsSecurity security = world.security();
        return security == null
                ? null
                : new AuthorityKeeper(
                        Credentials.in(plan.directory()),
                        plan.id(),
                        security,
                        world.clock(),
                        world.random());
    }

    /** Certificates for others; null without TLS. */
    private @Nullable CertificateIssuer issuer(
            ProcessContext world,
            String id,
            @Nullable AuthorityKeeper keeper,
            @Nullable SecuredNetwork network) {
        service.certification().refusals().measure(meters);
        if (keeper == null || network == null) {
            return null;
        }
        Supplier<List<Standing>> others =
                () -> log.masters().stream().filter(each -> !each.id().equals(id)).toList();
        AuthorityRotation rotation =
                new AuthorityRotation(
                        keeper,
                        log::namespace,
                        service::submit,
                        world.clock(),
                        () -> others.get().stream().map(Standing::id).collect(toSet()));
        CertificateIssuer issuer =
                new CertificateIssuer(
                        rotation,
                        log::namespace,
                        service::submit,
                        world.clock(),
                        CertificateAuthority.LIFE);
        Certification certification = service.certification();
        certification.serve(issuer);
        closing.add(
                new RevocationNews(
                        keeper.security(),
                        issuer,
                        service,
                        () -> log.masters().stream().map(Standing::id).toList(),
                        world.scheduler()));
        closing.add(
                new AuthorityNews(
                        keeper,
                        rotation,
                        certification,
                        new AuthorityOffer(network),
                        others,
                        world.scheduler()));
        world.renewBy(keeper::sign);
        return issuer;
    }

    private static RatisLog open(
            RatisSettings settings,
            ProcessContext world,
            Forwarding listener,
            MeterRegistry meters,
            @Nullable SecuredNetwork network) {
        try {
            RatisLog log =
                    new RatisLog(
                            settings,
                            world.clock(),
                            listener,
                            world.loops()
                                    .endOfTurn(settings.alone() ? world.tuning().applyNs() : 0),
                            listener.ends().failed(),
                            network);
            log.start();
            return log;
        } catch (IOException e) {
            meters.clear();
            throw new CommandException(ExitCode.of(e), String.valueOf(e.getMessage()), e);
        }
    }

    /** Over which masters speak to each other; null in plain text. */
    private static @Nullable SecuredNetwork network(
            ProcessContext world, @Nullable AuthorityKeeper keeper, MeterRegistry meters) {
        if (keeper == null) {
            return null;
        }
        Refusals refusals = new Refusals("raft", world.clock());
        refusals.measure(meters);
        return new SecuredNetwork(world.amongMasters(), refusals, keeper);
    }

    /** Notices go to the door as soon as there is one. */
    private record Forwarding(AtomicReference<@Nullable MasterService> door, Ends ends)
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

        @Override
        public void dismissed(boolean was) {
            ends.dismissed().accept(was);
        }
    }

    /** Its administration. */
    public WebHandler api() {
        return TracedWeb.around(api, tracer, api::routeOf);
    }

    public MasterService service() {
        return service;
    }

    /**
     * Runs an action once this master is ready: at once, or on a thread of the scheduler. It does
     * not run when the master is closed before. Returns at once.
     */
    public void whenReady(Runnable action) {
        closing.add(
                new ConditionWatch(
                        scheduler, () -> service.notReadyReason() == null, action, LOOK_MS));
        if (closed) {
            closing.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        closing.close();
        service.handOver();
        api.close();
        service.close();
        meters.clear();
        log.close();
    }
}
