package io.cairn.master.admin;

import io.cairn.cluster.Endpoint;
import io.cairn.master.MasterService;
import io.cairn.net.WebAnswer;
import io.cairn.net.WebHandler;
import io.cairn.net.WebRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The administration of a cluster over HTTP on one master: the API, answered here while this master
 * leads and else by the leader, and the files of the web console. Thread-safe.
 */
public final class AdminApi implements WebHandler, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminApi.class);
    private static final long TICK_MS = 250;

    private final MasterService master;
    private final MasterService.Ground ground;
    private final HostCheck hosts;
    private final StaticFiles files = new StaticFiles();
    private final Router router;
    private final Relay relay;
    private final FirstToken firstToken;
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
            MasterService.Ground ground,
            AdminSettings settings,
            List<Resource> more) {
        this.master = master;
        this.ground = ground;
        hosts = new HostCheck(settings.hostNames());
        Records records = new Records(master);
        Tokens tokens = new Tokens(records, ground.clock());
        Audit audit = new Audit(records, ground.clock());
        List<Route> routes = new ArrayList<>();
        List<Resource> resources = new ArrayList<>();
        resources.add(new ClusterResource(master, settings.version()));
        resources.add(new FilesResource(master));
        resources.add(new JobsResource(master, ground.random()));
        resources.addAll(more);
        resources.add(new DocumentResource(routes, settings.version()));
        resources.forEach(resource -> routes.addAll(resource.routes()));
        router = new Router(routes, new Gatekeeper(tokens, ground.clock()), audit);
        relay = new Relay(ground.transport(), this::answerHere, workers);
        firstToken = new FirstToken(records, ground.clock(), ground.random(), settings.tokenFile());
        master.serveAdmin(relay);
        ground.scheduler().schedule(this::tick, 0);
    }

    @Override
    public WebAnswer answer(WebRequest request) {
        try {
            hosts.check(request);
            if (!request.path().startsWith("/api/")) {
                return files.answer(request);
            }
            if (!request.path().startsWith(Router.PREFIX + "/")) {
                throw Problem.notFound("The API is at " + Router.PREFIX + ", in version 1.");
            }
            return master.leads() ? answerHere(request) : forward(request);
        } catch (Problem e) {
            return Router.toAnswer(e);
        }
    }

    /** Answers on this master, which leads or says that it does not. */
    private WebAnswer answerHere(WebRequest request) {
        if (!master.leads()) {
            return Router.toAnswer(noLeader());
        }
        WebAnswer answer = router.answer(request);
        boolean isReading = request.method().equals("GET") || request.method().equals("HEAD");
        return isReading && !master.leads() ? Router.toAnswer(noLeader()) : answer;
    }

    private WebAnswer forward(WebRequest request) {
        Endpoint leader = ground.log().leader();
        if (leader == null || leader.equals(master.endpoint())) {
            throw noLeader();
        }
        return relay.forward(leader, request);
    }

    private static Problem noLeader() {
        return Problem.unavailable(
                "There is no leader: a majority of the masters must run; ask again.");
    }

    private void tick() {
        if (closed) {
            return;
        }
        if (master.leads() && master.namespace().clusterId() != 0 && !ticking) {
            ticking = true;
            try {
                workers.execute(this::housekeep);
            } catch (RejectedExecutionException e) {
                LOG.debug("The admin API closes", e);
            }
        }
        ground.scheduler().schedule(this::tick, TICK_MS);
    }

    private void housekeep() {
        try {
            firstToken.ensure();
        } catch (Problem e) {
            LOG.info("{}", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("the housekeeping of the admin API failed", e);
        } finally {
            ticking = false;
        }
    }

    @Override
    public void close() {
        closed = true;
        relay.close();
        workers.shutdownNow();
    }
}
