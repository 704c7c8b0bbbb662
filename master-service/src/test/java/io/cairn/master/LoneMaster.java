package io.cairn.master;

import io.cairn.cluster.Endpoint;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.net.EventLoops;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.ThreadScheduler;
import io.cairn.wire.ProtocolRange;
import java.util.Random;

/** A master that leads alone: real network and time, a log that applies at once, no disk. */
public final class LoneMaster implements AutoCloseable {
    private static final long SERVER_LEASE_MS = 3_000;

    public final EventLoops loops = new EventLoops("lone-master", 2, Clock.system());
    public final NettyTransport transport = new NettyTransport(loops);
    public final MasterService service;
    public final MasterService.Context ground;
    private final ThreadScheduler scheduler = new ThreadScheduler("lone-timer", 1);
    private final DirectLog log;

    /** Starts it and waits until the cluster is founded. */
    public LoneMaster() throws InterruptedException {
        this(ProtocolRange.OURS);
    }

    /** The same of a release that understands these versions. */
    public LoneMaster(ProtocolRange understood) throws InterruptedException {
        this(understood, SERVER_LEASE_MS);
    }

    private LoneMaster(ProtocolRange understood, long serverLeaseMs) throws InterruptedException {
        log = new DirectLog(new Namespace(new MemoryStore(), understood));
        // What its clock finds long past would be cleaned away at any moment.
        log.nowNs = Clock.system().wallNs();
        ground =
                new MasterService.Context(
                        log,
                        () -> log.namespace,
                        transport,
                        Clock.system(),
                        scheduler,
                        new Random(1));
        MasterSettings settings =
                new MasterSettings(
                        "m1",
                        new Endpoint("127.0.0.1", 0),
                        new ClusterSettings(2, 1, 100, serverLeaseMs),
                        4096,
                        15_000);
        service = new MasterService(settings, ground);
        log.listener = service::tell;
        long end = System.nanoTime() + 60_000_000_000L;
        while (!service.leads() || service.namespace().clusterId() == 0) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("not founded within 60 s");
            }
            Thread.sleep(10);
        }
    }

    /**
     * One for tests without chunk servers. A new leader takes no snapshot for the time of a lease,
     * as there may be servers that it does not know; here that is a moment.
     */
    public static LoneMaster withoutServers() throws InterruptedException {
        return new LoneMaster(ProtocolRange.OURS, 100);
    }

    /** Lets it lead or not. */
    public void lead(boolean leads) {
        log.leads = leads;
    }

    /** Whether what came of changes gets lost. */
    public void loseAnswers(boolean loses) {
        log.losesAnswers = loses;
    }

    /** Shows it other masters beside it. */
    public void group(MasterGroup group) {
        log.group = group;
    }

    @Override
    public void close() {
        service.close();
        transport.close();
        loops.close();
        scheduler.close();
    }
}
