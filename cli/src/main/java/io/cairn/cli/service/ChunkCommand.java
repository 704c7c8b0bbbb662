package io.cairn.cli.service;

import io.cairn.chunk.ChunkService;
import io.cairn.chunk.ChunkSettings;
import io.cairn.cli.option.IdentityOptions;
import io.cairn.cli.option.InsecureOption;
import io.cairn.cli.option.MasterKeyOptions;
import io.cairn.cli.option.MetricsOption;
import io.cairn.cli.option.ProcessOptions;
import io.cairn.cli.option.TimeSpan;
import io.cairn.cli.option.TransitionOption;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Labels;
import io.cairn.fs.Name;
import io.cairn.net.Principal.Role;
import io.cairn.node.AdminPage;
import io.cairn.node.ChunkDirectories;
import io.cairn.node.ChunkNode;
import io.cairn.node.Closing;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.MasterList;
import io.cairn.node.MasterWait;
import io.cairn.node.ProcessContext;
import io.cairn.node.identity.Credentials;
import io.cairn.runtime.Scheduler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn chunk}: runs one chunk server. */
@Command(
        name = "chunk",
        description = "Run a chunk server: it keeps the contents of files on its disks.",
        footer = {
            "  cairn chunk --id c1 --data /srv/disk1 --listen 10.0.0.5:9881 --masters"
                    + " 10.0.0.1:9871 --join TOKEN",
            "  cairn chunk --id c1 --data /disk1,/disk2 --listen 10.0.0.5:9881 \\",
            "      --masters 10.0.0.1:9871,10.0.0.2:9871,10.0.0.3:9871 --insecure-plain"
        })
public final class ChunkCommand implements Callable<Integer> {
    private static final long LOOK_MS = 50;

    @Option(
            names = "--id",
            required = true,
            paramLabel = "NAME",
            description = "Name of this chunk server, unique in the cluster.")
    private String id = "";

    @Option(
            names = "--data",
            required = true,
            paramLabel = "DIR[,DIR...]",
            description = "Storage directories, best one per disk.")
    private String data = "";

    @Option(
            names = "--listen",
            required = true,
            paramLabel = "HOST:PORT",
            description = "Where clients and other chunk servers find it.")
    private String listen = "";

    @Option(
            names = "--masters",
            required = true,
            paramLabel = "HOST:PORT[,...]",
            description = "The masters of the cluster.")
    private String masters = "";

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:0",
            description = "Health, status and metrics (default: ${DEFAULT-VALUE}, any free port).")
    private String admin = "";

    @Option(
            names = "--format",
            description =
                    "Make targets of empty directories although this server had a target that is"
                            + " missing now (else they are refused: a disk may not be mounted)."
                            + " The missing one counts as replaced. Give it once.")
    private boolean format;

    @Option(
            names = "--adopt",
            description =
                    "Take over targets of other servers: their disks have moved here for good;"
                            + " or go on with an older copy of a target, without what was written"
                            + " since."
                            + " Give it once.")
    private boolean adopt;

    @Option(
            names = "--label",
            paramLabel = "KEY=VALUE",
            description =
                    "Where this server stands. Copies of a chunk are kept in different racks and"
                            + " zones: --label rack=r1 --label zone=z1. Other keys are for people.")
    private List<String> labels = new ArrayList<>();

    @Option(
            names = "--pack-after",
            paramLabel = "TIME",
            defaultValue = "60s",
            description =
                    "How long a chunk is not changed before it is packed, if its storage class"
                            + " has a compression (default: ${DEFAULT-VALUE}).")
    private String packAfter = "";

    @Mixin private IdentityOptions identity = new IdentityOptions();

    @Mixin private InsecureOption insecure = new InsecureOption();

    @Mixin private TransitionOption transition = new TransitionOption();

    @Mixin private MasterKeyOptions masterKey = new MasterKeyOptions();

    @Mixin private MetricsOption metrics = new MetricsOption();

    @Mixin private ProcessOptions worldOptions = new ProcessOptions();

    @Override
    public Integer call() throws Exception {
        List<Path> directories = new ArrayList<>();
        for (String part : data.split(",", -1)) {
            if (part.isBlank()) {
                throw new CommandException(
                        ExitCode.USAGE, "--data '" + data + "' names an empty directory");
            }
            directories.add(Path.of(part.strip()).toAbsolutePath());
        }
        ChunkSettings settings =
                ChunkSettings.of(id, MasterList.endpoint(listen), MasterList.parse(masters));
        settings = settings.declared(new Declaration(adopt, format, parsedLabels()));
        settings = settings.packingAfter(1000 * TimeSpan.seconds("--pack-after", packAfter));
        ChunkDirectories places = new ChunkDirectories(directories, format);
        places.check();
        Credentials credentials = credentials(directories, settings);
        EarlyCompilation.begin(Name.class, ChunkService.class);
        try (Closing closing = new Closing()) {
            ProcessContext world = closing.add(worldOptions.open(credentials));
            transition.apply(world);
            masterKey.apply(world);
            CipherCompiler.check(credentials != null, masterKey.isGiven());
            AdminPage page =
                    closing.add(
                            AdminPage.open(world, MasterList.endpoint(admin), metrics.endpoint()));
            // Of a new directory a master is asked first whether a disk is missing.
            page.show(() -> ChunkNode.NO_MASTER, () -> "{}");
            AtomicReference<Scheduler.@Nullable Timer> told = new AtomicReference<>();
            ChunkNode node =
                    closing.add(
                            new ChunkNode(
                                    world,
                                    settings,
                                    places,
                                    () -> told.set(tellLater(world.scheduler()))));
            closing.add(node::leave);
            page.show(node::notReadyReason, () -> "{}");
            System.out.println(
                    "cairn chunk "
                            + id
                            + " listens on "
                            + node.service().endpoint()
                            + ", admin on "
                            + page.endpoint());
            announce(node, world.scheduler(), Objects.requireNonNull(told.get()));
            new Shutdown().await(closing);
        }
        return ExitCode.OK;
    }

    /** Says that it waits for the masters, if it still does so then. */
    private Scheduler.Timer tellLater(Scheduler scheduler) {
        return scheduler.schedule(
                () -> MasterWait.tell(masters, MasterWait.errors()), MasterWait.SILENT_MS);
    }

    private @Nullable Credentials credentials(List<Path> directories, ChunkSettings settings) {
        Path standard = Credentials.in(directories.getFirst());
        Credentials own = identity.open(Role.CHUNK, standard);
        if (own == null) {
            insecure.requireFor(
                    "make a token with 'cairn ca join-token --role chunk --name %s' and start it"
                                    .formatted(id)
                            + " with 'cairn chunk --join TOKEN'",
                    settings.listen());
            return null;
        }
        String name = own.identity().subject().name();
        if (!name.equals(id)) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "%s holds the identity of chunk server %s, and --id says %s"
                            .formatted(own.directory(), name, id));
        }
        return own;
    }

    private Labels parsedLabels() {
        try {
            return Labels.parse(labels);
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, "--label: " + e.getMessage());
        }
    }

    /** Says "ready" when a master knows it, and before, that it waits. */
    private void announce(ChunkNode node, Scheduler scheduler, Scheduler.Timer told) {
        Runnable[] look = new Runnable[1];
        look[0] =
                () -> {
                    if (node.notReadyReason() == null) {
                        told.cancel();
                        System.out.println("cairn chunk " + id + " ready");
                    } else {
                        scheduler.schedule(look[0], LOOK_MS);
                    }
                };
        look[0].run();
    }
}
