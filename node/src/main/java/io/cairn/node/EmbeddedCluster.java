package io.cairn.node;

import io.cairn.admin.AdminSettings;
import io.cairn.base.Wording;
import io.cairn.chunk.ChunkSettings;
import io.cairn.cluster.Endpoint;
import io.cairn.master.MasterService;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.master.raft.KnownAddress;
import io.cairn.master.raft.RatisSettings;
import io.cairn.master.raft.member.Peer;
import io.cairn.node.log.LogLevels;
import io.cairn.runtime.Deadline;
import io.cairn.runtime.OwnerOnly;
import io.cairn.runtime.Release;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One master and some chunk servers in this process, on one data directory: {@code DIR/master} and
 * {@code DIR/chunk-N}. The master is a real Raft group of one, the chunk servers talk to it over
 * loopback.
 */
public final class EmbeddedCluster implements AutoCloseable {
    private static final long START_LIMIT_S = 60;
    private static final String MASTER = "master";
    private static final String MASTER_ID = "m1";
    private static final String CHUNK = "chunk-";
    private static final List<String> OWN_FILES =
            List.of(MASTER, "lock", "run.json", "cairn.log", "log");

    private final Closing closing;
    private final MasterNode master;
    private final AdminPage admin;
    private final int chunkServers;

    /**
     * The parts to start.
     *
     * @param data the data directory
     * @param chunkServers how many chunk servers; more when the directory already holds more
     * @param replicas copies of every chunk
     * @param listen where the master listens
     * @param admin the admin address and what belongs to it
     * @param sessionLeaseMs how long the session of a client lasts without a sign of life
     * @param raft where other masters reach this one, when the cluster has grown; null for where
     *     they do already, or any port of the loopback
     */
    public record Plan(
            Path data,
            int chunkServers,
            int replicas,
            Endpoint listen,
            AdminAddress admin,
            long sessionLeaseMs,
            @Nullable Endpoint raft) {
        /** Of one machine. */
        public Plan(
                Path data,
                int chunkServers,
                int replicas,
                Endpoint listen,
                AdminAddress admin,
                long sessionLeaseMs) {
            this(data, chunkServers, replicas, listen, admin, sessionLeaseMs, null);
        }

        /** With sessions that last as long as everywhere. */
        public Plan(
                Path data, int chunkServers, int replicas, Endpoint listen, AdminAddress admin) {
            this(data, chunkServers, replicas, listen, admin, MasterNode.SESSION_LEASE_MS);
        }

        /** With a plain admin address, too. */
        public Plan(Path data, int chunkServers, int replicas, Endpoint listen, Endpoint admin) {
            this(data, chunkServers, replicas, listen, AdminAddress.of(admin));
        }
    }

    private EmbeddedCluster(Closing closing, MasterNode master, AdminPage admin, int chunkServers) {
        this.closing = closing;
        this.master = master;
        this.admin = admin;
        this.chunkServers = chunkServers;
    }

    /** Starts everything and waits until files can be stored. */
    public static EmbeddedCluster start(ProcessContext world, Plan plan)
            throws InterruptedException {
        Closing closing = new Closing();
        try {
            prepare(plan.data(), closing);
            AdminPage admin = closing.add(AdminPage.open(world, plan.admin()));
            int servers = Math.max(plan.chunkServers(), existingServers(plan.data()));
            ClusterSettings standard = ClusterSettings.STANDARD;
            ClusterSettings cluster =
                    new ClusterSettings(
                            plan.replicas(),
                            servers,
                            standard.settleMs(),
                            standard.serverLeaseMs());
            List<Peer> self = List.of(new Peer(MASTER_ID, raft(world, plan)));
            MasterNode master =
                    closing.add(
                            new MasterNode(
                                    world,
                                    new MasterNode.Plan(
                                            MASTER_ID,
                                            plan.data().resolve(MASTER),
                                            plan.listen(),
                                            new RatisSettings.Members(
                                                    self, existingServers(plan.data()) == 0),
                                            cluster,
                                            new AdminSettings(
                                                    Release.text(),
                                                    tokenFile(plan.data()),
                                                    plan.admin().hostNames(),
                                                    LogLevels::follow),
                                            plan.sessionLeaseMs()),
                                    Account.current(),
                                    MasterNode.Ends.ofProcess()));
            admin.serve(master.api());
            Endpoint endpoint = master.service().endpoint();
            for (int i = 1; i <= servers; i++) {
                ChunkSettings settings =
                        ChunkSettings.of(
                                "c" + i, new Endpoint(endpoint.host(), 0), List.of(endpoint));
                Path directory = plan.data().resolve(CHUNK + i);
                closing.add(new ChunkNode(world, settings, ChunkDirectories.of(directory)));
            }
            EmbeddedCluster started = new EmbeddedCluster(closing, master, admin, servers);
            started.awaitReady();
            return started;
        } catch (RuntimeException | InterruptedException e) {
            closing.close();
            throw e;
        }
    }

    private static Endpoint raft(ProcessContext world, Plan plan) {
        if (plan.raft() != null) {
            return plan.raft();
        }
        try {
            Endpoint known = KnownAddress.amongOthers(plan.data().resolve(MASTER), MASTER_ID);
            return known != null ? known : new Endpoint("127.0.0.1", world.ports().next());
        } catch (IOException e) {
            throw new CommandException(ExitCode.of(e), Wording.of(e), e);
        }
    }

    /** Where the secret of the first token goes. */
    public static Path tokenFile(Path data) {
        return data.resolve(MasterNode.TOKEN_FILE);
    }

    private void awaitReady() throws InterruptedException {
        Deadline end = Deadline.afterS(START_LIMIT_S);
        while (true) {
            String reason = master.service().notServingReason();
            if (reason == null) {
                return;
            }
            if (end.isOver()) {
                throw new CommandException(
                        ExitCode.TEMPORARY, "not ready within " + START_LIMIT_S + " s: " + reason);
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /**
     * Makes the directory, refuses one that holds other things, and locks it against a second
     * process.
     */
    private static void prepare(Path data, Closing closing) {
        check(data);
        inDirectory(
                data,
                () -> {
                    closing.add(DataLock.take(data));
                    requireMaster(data);
                    OwnerOnly.close(data);
                });
    }

    /**
     * Makes the directory unless it exists.
     *
     * @throws CommandException when it cannot be one of ours, or another process runs on it
     */
    public static void check(Path data) {
        inDirectory(
                data,
                () -> {
                    OwnerOnly.make(data);
                    refuseForeign(data);
                    DataLock.requireFree(data);
                    if (!Files.isWritable(data)) {
                        throw new AccessDeniedException(data.toString());
                    }
                });
    }

    private static void refuseForeign(Path data) throws IOException {
        try (Stream<Path> entries = Files.list(data)) {
            entries.map(p -> String.valueOf(p.getFileName()))
                    .filter(
                            n ->
                                    !OWN_FILES.contains(n)
                                            && !n.startsWith(CHUNK)
                                            && !n.startsWith(MasterNode.TOKEN_FILE)
                                            && !n.startsWith("run.json"))
                    .findFirst()
                    .ifPresent(
                            n -> {
                                throw new CommandException(
                                        ExitCode.CANNOT_CREATE,
                                        data
                                                + " holds other things ('"
                                                + n
                                                + "'); give an empty directory or one of 'cairn"
                                                + " up' as --data");
                            });
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void inDirectory(Path data, Step step) {
        try {
            step.run();
        } catch (AccessDeniedException e) {
            throw new CommandException(
                    ExitCode.CANNOT_CREATE,
                    "no permission to write " + e.getFile() + "; choose another --data",
                    e);
        } catch (FileSystemException e) {
            throw new CommandException(
                    ExitCode.CANNOT_CREATE,
                    data
                            + " cannot be used as data directory ("
                            + Wording.of(e)
                            + "); choose another --data",
                    e);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.CANNOT_CREATE,
                    data + " cannot be used as data directory: " + Wording.of(e),
                    e);
        }
    }

    /** Chunk servers with data and no master: the names of the files are gone or elsewhere. */
    private static void requireMaster(Path data) {
        if (existingServers(data) > 0 && !Files.exists(data.resolve(MASTER).resolve("FORMAT"))) {
            throw new CommandException(
                    ExitCode.DATA,
                    data
                            + " holds chunk servers, but "
                            + data.resolve(MASTER)
                            + " is gone: restore it, or give an empty directory as --data");
        }
    }

    private static int existingServers(Path data) {
        int servers = 0;
        while (Files.isDirectory(data.resolve(CHUNK + (servers + 1)))) {
            servers++;
        }
        return servers;
    }

    /** Where clients connect. */
    public Endpoint master() {
        return master.service().endpoint();
    }

    /** The master of this process. */
    public MasterService service() {
        return master.service();
    }

    public Endpoint admin() {
        return admin.endpoint();
    }

    /** Lets the admin address say from now on that everything is ready, which it did not before. */
    public void showReady() {
        admin.show(master.service()::notReadyReason, master.service()::statusJson);
    }

    public int chunkServers() {
        return chunkServers;
    }

    @Override
    public void close() {
        closing.close();
    }
}
