package io.cairn.cli;

import io.cairn.cluster.Endpoint;
import io.cairn.master.MasterService;
import io.cairn.master.MasterSettings;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.master.namespace.Notice;
import io.cairn.master.raft.LogListener;
import io.cairn.master.raft.RatisLog;
import io.cairn.master.raft.RatisSettings;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.raft.RatisSettings.Peer;
import io.cairn.master.store.StoreSettings;
import io.cairn.wire.Limits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A master: its replicated log on disk and its request door, put together. */
final class MasterNode implements AutoCloseable {
    private static final long SESSION_LEASE_MS = 15_000;

    private final RatisLog log;
    private final MasterService service;

    /**
     * Starts the log, then the door.
     *
     * @param wanted where to listen; other masters are told the port, so a free one is chosen
     *     before
     * @param peers all masters, this one included
     */
    MasterNode(
            World world,
            String id,
            Path directory,
            Endpoint wanted,
            List<Peer> peers,
            ClusterSettings cluster) {
        AtomicReference<@Nullable MasterService> door = new AtomicReference<>();
        Endpoint listen =
                wanted.port() != 0 ? wanted : new Endpoint(wanted.host(), FreePort.find());
        RatisSettings settings =
                new RatisSettings(
                        id,
                        directory,
                        peers,
                        listen,
                        StoreSettings.standard(),
                        CheckpointRule.standard());
        log = open(settings, world, door);
        MasterSettings master =
                new MasterSettings(
                        id, listen, cluster, Limits.STANDARD_INLINE_BYTES, SESSION_LEASE_MS);
        try {
            service =
                    new MasterService(
                            master,
                            new MasterService.Ground(
                                    log,
                                    log::namespace,
                                    world.transport(),
                                    world.clock(),
                                    world.scheduler(),
                                    world.random()));
        } catch (RuntimeException e) {
            log.close();
            throw e;
        }
        door.set(service);
    }

    private static RatisLog open(
            RatisSettings settings, World world, AtomicReference<@Nullable MasterService> door) {
        try {
            RatisLog log =
                    new RatisLog(
                            settings,
                            world.clock(),
                            new Forwarding(door),
                            () -> Runtime.getRuntime().halt(ExitCode.SOFTWARE));
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

    MasterService service() {
        return service;
    }

    @Override
    public void close() {
        service.close();
        log.close();
    }
}
