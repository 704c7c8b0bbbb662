package io.cairn.admin;

import io.cairn.admin.api.Audit;
import io.cairn.admin.api.Authenticator;
import io.cairn.admin.api.EventLog;
import io.cairn.admin.api.HostCheck;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Records;
import io.cairn.admin.api.Relay;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Router;
import io.cairn.admin.api.Tokens;
import io.cairn.admin.backup.BackupResource;
import io.cairn.admin.backup.BackupSchedule;
import io.cairn.admin.backup.BackupStream;
import io.cairn.admin.check.FsckResource;
import io.cairn.admin.check.TreeScrubResource;
import io.cairn.admin.classes.ClassKeys;
import io.cairn.admin.classes.ClassKeysResource;
import io.cairn.admin.classes.ClassRulesResource;
import io.cairn.admin.classes.ClassesResource;
import io.cairn.admin.classes.DirectoryClassesResource;
import io.cairn.admin.oidc.OidcLogin;
import io.cairn.admin.oidc.OidcUsers;
import io.cairn.admin.resource.AuditResource;
import io.cairn.admin.resource.ClusterResource;
import io.cairn.admin.resource.ConfigurationResource;
import io.cairn.admin.resource.DocumentResource;
import io.cairn.admin.resource.EventsResource;
import io.cairn.admin.resource.FilesResource;
import io.cairn.admin.resource.FirstToken;
import io.cairn.admin.resource.JobsResource;
import io.cairn.admin.resource.LoadHistory;
import io.cairn.admin.resource.LocksResource;
import io.cairn.admin.resource.MastersResource;
import io.cairn.admin.resource.SessionsResource;
import io.cairn.admin.resource.TokensResource;
import io.cairn.admin.resource.TopologyResource;
import io.cairn.admin.slow.SlowResource;
import io.cairn.admin.snapshot.ClassSchedules;
import io.cairn.admin.snapshot.ClonesResource;
import io.cairn.admin.snapshot.HeldCount;
import io.cairn.admin.snapshot.ScheduleBook;
import io.cairn.admin.snapshot.ScheduledSnapshots;
import io.cairn.admin.snapshot.SchedulesResource;
import io.cairn.admin.snapshot.SnapshotsResource;
import io.cairn.admin.storage.DurabilityResource;
import io.cairn.admin.storage.StorageResource;
import io.cairn.admin.trash.TrashResource;
import io.cairn.admin.usage.QuotasResource;
import io.cairn.admin.usage.UsageResource;
import io.cairn.admin.watch.EventStream;
import io.cairn.admin.watch.EventWatch;
import io.cairn.admin.watch.Rate;
import io.cairn.admin.watch.RequestTimes;
import io.cairn.cluster.Endpoint;
import io.cairn.http.WebAnswer;
import io.cairn.http.WebHandler;
import io.cairn.http.WebRequest;
import io.cairn.master.MasterGroup;
import io.cairn.master.MasterService;
import io.cairn.master.check.Fsck;
import io.cairn.master.check.TreeScrub;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The administration of a cluster over HTTP on one master: the API, answered here while this master
 * leads and else by the leader, and the files of the web console. Thread-safe.
 */
public final class AdminApi implements WebHandler, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminApi.class);
    private static final long TICK_MS = 250;

    /** How often, and in what steps, it is looked for a leader while there is none: for 3 s. */
    private static final int LOOKS = 60;

    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final MasterService master;
    private final MasterService.Context ground;
    private final HostCheck hosts;
    private final StaticFiles files = new StaticFiles();
    private final @Nullable OidcLogin login;
    private final Router router;
    private final Relay relay;
    private final FirstToken firstToken;
    private final Rate operations = new Rate();
    private final RequestTimes times;
    private final LoadHistory history;
    private final EventWatch watch;
    private final EventStream stream;
    private final BackupStream backups;
    private final BackupSchedule schedule;
    private final ScheduledSnapshots snapshots;
    private final HeldCount held;
    private final Fsck fsck;
    private final TreeScrub treeScrub;
    private final Consumer<Map<String, String>> logLevels;
    private Map<String, String> lastLevels = Map.of();
    private final ExecutorService workers =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("admin-", 1).factory());
    private volatile boolean closed;
    private volatile boolean ticking;

    /**
     * Begins to serve: other masters' requests through the master's own port at once, HTTP when a
     * door asks {@link #answer}.
     *
     * @param more resources besides those of this package
     */
    public AdminApi(
            MasterService master,
            MasterService.Context ground,
            AdminSettings settings,
            List<Resource> more) {
        this.master = master;
        this.ground = ground;
        hosts = new HostCheck(settings.hostNames());
        Records records = new Records(master);
        Tokens tokens = new Tokens(records, ground.clock());
        EventLog events = new EventLog(ground.clock());
        watch = new EventWatch(master, events, ground.clock(), workers);
        Audit audit = new Audit(records, ground.clock(), events);
        List<Route> routes = new ArrayList<>();
        List<Resource> resources = new ArrayList<>();
        times = new RequestTimes(ground.clock());
        held = new HeldCount(master, ground.clock(), workers);
        ClusterResource cluster =
                new ClusterResource(
                        master, operations, times, ground.clock(), settings.version(), held::bytes);
        history = new LoadHistory(ground.clock(), cluster::sample);
        resources.addAll(List.of(cluster, history));
        resources.add(new MastersResource(ground.log(), master, ground.clock()));
        resources.add(new SlowResource(ground.log(), master));
        resources.addAll(List.of(new FilesResource(master), new UsageResource(master)));
        resources.add(new QuotasResource(master, ground.clock()));
        resources.add(new JobsResource(master, ground.random()));
        resources.add(new TopologyResource(master, records));
        resources.add(new DurabilityResource(ground.log(), master));
        resources.addAll(List.of(new StorageResource(master), new TrashResource(master)));
        ScheduleBook book = new ScheduleBook(master, records);
        ClassKeys keys = new ClassKeys(master, records, settings.masterKey(), ground);
        resources.addAll(classes(master, keys, book.classes()));
        resources.addAll(List.of(new SessionsResource(master), new LocksResource(master)));
        resources.add(new ClonesResource(master, ground.random()));
        snapshots = new ScheduledSnapshots(book, events, ground.clock());
        resources.add(new SchedulesResource(master, book, snapshots, ground.clock()));
        resources.add(new ConfigurationResource(master, records));
        resources.add(new TokensResource(tokens, records, ground.clock(), ground.random()));
        resources.addAll(List.of(new EventsResource(events), new SnapshotsResource(master)));
        resources.addAll(List.of(new AuditResource(records), new BackupResource(master)));
        fsck = new Fsck(master, ground.transport(), ground.clock());
        resources.addAll(List.of(new FsckResource(fsck), new ClassRulesResource(master)));
        treeScrub = new TreeScrub(master, ground.transport(), ground.clock());
        resources.add(new TreeScrubResource(master, treeScrub));
        resources.addAll(more);
        resources.add(new DocumentResource(routes, settings.version()));
        resources.forEach(resource -> routes.addAll(resource.routes()));
        login = OidcLogin.of(settings.oidc(), ground.clock(), ground.random());
        OidcUsers users = login == null ? null : login.users();
        router = new Router(routes, new Authenticator(tokens, ground.clock(), users), audit);
        relay = new Relay(ground.transport(), this::answerHere, workers);
        firstToken = new FirstToken(records, ground.clock(), ground.random(), settings.tokenFile());
        stream = new EventStream(this::answerSomewhere);
        schedule = new BackupSchedule(master, records, events, ground.clock(), settings.version());
        backups =
                new BackupStream(master, this::answerSomewhere, ground.clock(), settings.version());
        logLevels = settings.logLevels();
        begin(cluster);
    }

    private void begin(ClusterResource cluster) {
        master.serveAdmin(relay);
        master.describeBy(cluster::document);
        ground.scheduler().schedule(this::tick, 0);
    }

    private static List<Resource> classes(
            MasterService master, ClassKeys keys, ClassSchedules schedules) {
        return List.of(
                new ClassesResource(master, keys, schedules),
                new ClassKeysResource(master, keys),
                new DirectoryClassesResource(master, schedules));
    }

    /** Tells from now on how long requests take, by the timers of this registry. */
    public void measure(MeterRegistry registry) {
        times.measure(registry);
    }

    /** All routes. */
    public List<Route> routes() {
        return router.routes();
    }

    /** The address of a request with names in place of what it tells, from a fixed set. */
    public String routeOf(WebRequest request) {
        return router.templateOf(request.path());
    }

    @Override
    public WebAnswer answer(WebRequest request) {
        try {
            hosts.check(request);
            if (request.path().startsWith(OidcLogin.PATH)) {
                return login == null ? OidcLogin.answerWithout(request) : login.answer(request);
            }
            if (!request.path().startsWith("/api/")) {
                return files.answer(request);
            }
            if (!request.path().startsWith(Router.PREFIX + "/")) {
                throw Problem.notFound("The API is at " + Router.PREFIX + ", in version 1.");
            }
            String path = request.path().substring(Router.PREFIX.length());
            boolean isGet = request.method().equals("GET");
            if (isGet && path.equals(EventsResource.STREAM)) {
                return stream.open(request);
            }
            return isGet && path.equals(BackupResource.STREAM)
                    ? backups.open(request)
                    : answerSomewhere(request);
        } catch (Problem e) {
            return Router.toAnswer(e);
        }
    }

    /** Answers here while this master leads, else has the leader answer. */
    private WebAnswer answerSomewhere(WebRequest request) {
        try {
            return master.leads() ? answerHere(request) : forward(request);
        } catch (Problem e) {
            return Router.toAnswer(e);
        }
    }

    /** Answers on this master, which leads, is about to, or says that it does not. */
    private WebAnswer answerHere(WebRequest request) {
        for (int i = 0; i < LOOKS && !master.leads() && isToLead(); i++) {
            LockSupport.parkNanos(this, LOOK_NS);
        }
        if (!master.leads()) {
            return Router.toAnswer(noLeader());
        }
        WebAnswer answer = router.answer(request);
        boolean isReading = request.method().equals("GET") || request.method().equals("HEAD");
        return isReading && !master.leads() ? Router.toAnswer(noLeader()) : answer;
    }

    /** While the masters choose a leader, for instance because one was asked to lead, it waits. */
    private WebAnswer forward(WebRequest request) {
        for (int i = 0; i < LOOKS; i++) {
            if (isToLead()) {
                return answerHere(request);
            }
            Endpoint leader = ground.log().leader();
            if (leader != null) {
                return relay.forward(leader, request);
            }
            LockSupport.parkNanos(this, LOOK_NS);
        }
        throw noLeader();
    }

    /** Whether this master leads, or will in a moment. */
    private boolean isToLead() {
        return master.endpoint().equals(ground.log().leader());
    }

    private static Problem noLeader() {
        return Problem.unavailable(
                "There is no leader: a majority of the masters must run; ask again.");
    }

    private void tick() {
        if (closed) {
            return;
        }
        if (!ticking) {
            ticking = true;
            try {
                workers.execute(this::housekeep);
            } catch (RejectedExecutionException e) {
                LOG.debug("The admin API closes", e);
            }
        }
        ground.scheduler().schedule(this::tick, TICK_MS);
    }

    /** One at a time. */
    private void housekeep() {
        try {
            followLogLevels();
            times.sample();
            firstToken.reset(
                    master.leads() && master.namespace().clusterId() != 0, leaderForPeople());
            operations.sample(ground.clock().millis(), master.operations());
            if (master.leads() && master.namespace().clusterId() != 0) {
                firstToken.ensure();
                watch.tick();
                history.tick(master.log().leaderTerm());
                schedule.tick();
                snapshots.tick(master.log().leaderTerm());
                held.tick(master.log().leaderTerm());
            }
        } catch (Problem e) {
            LOG.info("{}", e.getMessage());
        } catch (RuntimeException e) {
            if (!closed) {
                LOG.error("the housekeeping of the admin API failed", e);
            }
        } finally {
            ticking = false;
        }
    }

    private String leaderForPeople() {
        return ground.log().masters().stream()
                .filter(MasterGroup.Standing::leads)
                .map(each -> each.id() + " at " + each.raft())
                .findFirst()
                .orElse("nobody");
    }

    /** On every master, from its own copy of the state. */
    private void followLogLevels() {
        Map<String, String> levels =
                ConfigurationResource.logLevels(
                        master.namespace().records(ConfigurationResource.LOG_LEVELS, "", 1));
        if (!levels.equals(lastLevels)) {
            lastLevels = levels;
            LOG.info("levels of loggers: {}", levels);
            logLevels.accept(levels);
        }
    }

    @Override
    public void close() {
        closed = true;
        relay.close();
        held.close();
        fsck.close();
        treeScrub.close();
        if (login != null) {
            login.close();
        }
        workers.shutdownNow();
    }
}
