package io.cairn.cli.service;

import io.cairn.base.Wording;
import io.cairn.chunk.ChunkService;
import io.cairn.cli.api.Screen;
import io.cairn.cli.option.AdminOptions;
import io.cairn.cli.option.InsecureOption;
import io.cairn.cli.option.LogFile;
import io.cairn.cli.option.MasterKeyOptions;
import io.cairn.cli.option.ProcessOptions;
import io.cairn.cli.option.Require;
import io.cairn.client.CairnFileSystem;
import io.cairn.fs.Name;
import io.cairn.fuse.FuseMount;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.master.MasterService;
import io.cairn.metadata.Namespace;
import io.cairn.nfs.NfsSettings;
import io.cairn.node.Closing;
import io.cairn.node.CommandException;
import io.cairn.node.EmbeddedCluster;
import io.cairn.node.ExitCode;
import io.cairn.node.MasterList;
import io.cairn.node.MasterNode;
import io.cairn.node.MountNode;
import io.cairn.node.NfsNode;
import io.cairn.node.Ports;
import io.cairn.node.ProcessContext;
import io.cairn.node.Program;
import io.cairn.node.RunFile;
import io.cairn.node.Source;
import io.cairn.runtime.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code cairn up}: a whole cluster in one process. */
@Command(
        name = "up",
        description = {
            "Run a whole filesystem on this machine: one master, chunk servers, and a mount.",
            "Started again with the same --data it finds everything again. Ctrl-C stops it."
        },
        footer = {
            "  cairn up --mount /mnt/cairn",
            "  cairn up --data /srv/cairn --mount /mnt/cairn --chunk-servers 3 --detach",
            "  cairn down --data /srv/cairn"
        })
public final class UpCommand implements Callable<Integer> {
    private static final int MAX_CHUNK_SERVERS = 64;
    private static final int START_LIMIT_S = 90;

    @Spec private CommandSpec command = CommandSpec.create();

    @Mixin private DataDirectory data = new DataDirectory();

    @Option(names = "--mount", paramLabel = "DIR", description = "Mount here (default: no mount).")
    private @Nullable Path mount;

    @Option(
            names = "-o",
            paramLabel = "OPTION[,...]",
            description = "Mount options, as for mount(8).")
    private List<String> options = new ArrayList<>();

    @Option(
            names = "--chunk-servers",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "How many chunk servers, each with its own directory (default:"
                            + " ${DEFAULT-VALUE}).")
    private int chunkServers;

    @Option(
            names = "--replicas",
            paramLabel = "R",
            description = "Copies of every chunk (default: as many as chunk servers, up to 3).")
    private @Nullable Integer replicas;

    @Mixin private AdminOptions admin = new AdminOptions();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:9871",
            description =
                    "Where further mounts find the master, and on which address the chunk servers"
                            + " listen (default: ${DEFAULT-VALUE}).")
    private String listen = "";

    @Option(
            names = "--raft",
            paramLabel = "HOST:PORT",
            description = {
                "Where further masters reach this one, when the cluster is to grow.",
                "Default: a port of the loopback, for this machine only."
            })
    private @Nullable String raft;

    @Option(
            names = "--nfs",
            paramLabel = "HOST:PORT",
            description = "Serve NFS to this machine here, too (default: no).")
    private @Nullable String nfs;

    @Option(
            names = "--detach",
            description = "Return when the mount answers; 'cairn down' stops it.")
    private boolean detach;

    @Mixin private InsecureOption insecure = new InsecureOption();

    @Mixin private MasterKeyOptions masterKey = new MasterKeyOptions();

    @Mixin private ProcessOptions worldOptions = new ProcessOptions();

    @Override
    public Integer call() throws Exception {
        Require.between("--chunk-servers", chunkServers, 1, MAX_CHUNK_SERVERS);
        worldOptions.check();
        int copies = replicas == null ? Math.min(chunkServers, 3) : replicas;
        Require.between("--replicas", copies, 1, 15);
        if (copies > chunkServers) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--replicas " + copies + " needs as many chunk servers, not " + chunkServers);
        }
        MountOptions mountOptions = mountOptions(String.join(",", options));
        EmbeddedCluster.Plan plan =
                new EmbeddedCluster.Plan(
                        data.path(),
                        chunkServers,
                        copies,
                        MasterList.endpoint(listen),
                        admin.address(),
                        MasterNode.SESSION_LEASE_MS,
                        raft == null ? null : MasterList.endpoint(raft));
        EmbeddedCluster.check(data.path());
        requirePorts();
        if (mount != null) {
            makeMountpoint(mount); // last: what is refused leaves nothing behind
            FuseMount.check(mount, mountOptions);
        }
        if (detach) {
            return Detached.start(
                    arguments(copies), data.path().resolve("cairn.log"), START_LIMIT_S);
        }
        OwnerOnly.begin();
        if (Screen.isTerminal(2)) {
            LogFile.begin(logFile(data.path()));
        }
        try (Closing closing = new Closing()) {
            run(plan, mountOptions, closing);
        }
        return ExitCode.OK;
    }

    private static Path logFile(Path data) {
        return data.resolve("log").resolve("up.log");
    }

    /** Only the last directory, and only where this user may: a typing error makes no tree. */
    private static void makeMountpoint(Path mount) {
        try {
            Files.createDirectory(mount);
            System.err.println("cairn: made the mountpoint " + mount);
        } catch (IOException e) {
            // It exists, or the check of mountpoints says what to do.
        }
    }

    private void requirePorts() {
        Ports.requireFree("--listen", MasterList.endpoint(listen));
        Ports.requireFree("--admin", admin.address().endpoint());
        if (nfs != null) {
            Ports.requireFree("--nfs", MasterList.endpoint(nfs));
        }
    }

    private void run(EmbeddedCluster.Plan plan, MountOptions mountOptions, Closing closing)
            throws Exception {
        EarlyCompilation.begin(
                Name.class,
                Namespace.class,
                MasterService.class,
                ChunkService.class,
                CairnFileSystem.class,
                FuseMount.class);
        insecure.requireFor(
                "a cluster for other machines is founded with 'cairn master --found --tls'",
                plan.listen(),
                plan.raft() == null ? plan.listen() : plan.raft());
        ProcessContext world = closing.add(worldOptions.open());
        masterKey.apply(world);
        EmbeddedCluster cluster = closing.add(EmbeddedCluster.start(world, plan));
        Path at = mount == null ? null : mount.toAbsolutePath().normalize();
        if (at != null) {
            Source source = new Source(List.of(cluster.master()), "/");
            closing.add(new MountNode(world, source, at, mountOptions));
        }
        NfsNode gateway = null;
        if (nfs != null) {
            gateway =
                    closing.add(
                            new NfsNode(
                                    world,
                                    List.of(cluster.master()),
                                    List.of(),
                                    NfsSettings.of(MasterList.endpoint(nfs))));
        }
        RunFile.own(
                        cluster.master().toString(),
                        cluster.admin().toString(),
                        admin.address().certificate() != null,
                        at == null ? null : at.toString())
                .write(plan.data());
        closing.add(() -> RunFile.delete(plan.data()));
        cluster.showReady();
        System.out.println(readyBlock(plan, cluster, at, gateway));
        closing.add(() -> System.out.println(farewell()));
        new Shutdown().await(closing);
    }

    private static String readyBlock(
            EmbeddedCluster.Plan plan,
            EmbeddedCluster cluster,
            @Nullable Path at,
            @Nullable NfsNode gateway) {
        List<String> lines = new ArrayList<>();
        lines.add("cairn is ready");
        lines.add(
                "  mount    "
                        + (at == null ? "none; cairn mount " + cluster.master() + " DIR" : at));
        lines.add(
                "  data     "
                        + plan.data()
                        + " ("
                        + Wording.count(cluster.chunkServers(), "chunk server")
                        + ", "
                        + Wording.count(plan.replicas(), "replica")
                        + ")");
        lines.add("  master   " + cluster.master());
        if (gateway != null) {
            lines.add("  nfs      " + gateway.endpoint() + ", exports / to this machine");
        }
        lines.add("  admin    " + plan.admin().url(cluster.admin()));
        lines.add("  token    " + EmbeddedCluster.tokenFile(plan.data()));
        if (Screen.isTerminal(2)) {
            lines.add("  log      " + logFile(plan.data()));
        }
        String name = Program.name();
        lines.add("  status   " + name + " status --data " + plan.data());
        String keys = Screen.isTerminal(0) ? "Ctrl-C, or " : ""; // not when it is detached
        lines.add("  stop     " + keys + name + " down --data " + plan.data());
        return String.join(System.lineSeparator(), lines);
    }

    /** Said first when it is told to stop. */
    private String farewell() {
        String start =
                command.commandLine().getParseResult().originalArgs().stream()
                        .map(UpCommand::quoted)
                        .collect(Collectors.joining(" "));
        return (Screen.isTerminal(1) ? System.lineSeparator() : "") // behind ^C
                + "cairn stops; all files stay in "
                + data.path()
                + System.lineSeparator()
                + "  start    "
                + quoted(Program.name())
                + " "
                + start;
    }

    /** As a shell understands it. */
    private static String quoted(String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./-]+")
                ? word
                : "'" + word.replace("'", "'\\''") + "'";
    }

    private List<String> arguments(int copies) {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "up",
                                "--data",
                                data.path().toString(),
                                "--chunk-servers",
                                String.valueOf(chunkServers),
                                "--replicas",
                                String.valueOf(copies),
                                "--listen",
                                listen));
        arguments.addAll(admin.arguments());
        arguments.addAll(worldOptions.arguments());
        arguments.addAll(masterKey.arguments());
        arguments.addAll(insecure.arguments());
        if (mount != null) {
            arguments.addAll(List.of("--mount", mount.toAbsolutePath().toString()));
        }
        if (raft != null) {
            arguments.addAll(List.of("--raft", raft));
        }
        if (nfs != null) {
            arguments.addAll(List.of("--nfs", nfs));
        }
        if (!options.isEmpty()) {
            arguments.addAll(List.of("-o", String.join(",", options)));
        }
        return arguments;
    }

    /** Parses mount options; fails with USAGE. */
    static MountOptions mountOptions(String text) {
        try {
            return MountOptions.parse(text);
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }
}
