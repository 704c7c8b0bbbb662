package io.cairn.cli.service;

import io.cairn.cli.option.IdentityOptions;
import io.cairn.cli.option.LoginSource;
import io.cairn.cli.option.MetricsOption;
import io.cairn.cli.option.OwnDirectory;
import io.cairn.cli.option.ProcessOptions;
import io.cairn.cli.option.WaitOption;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.session.PasswordLogin;
import io.cairn.fs.Name;
import io.cairn.fuse.FuseMount;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.net.Principal.Role;
import io.cairn.node.AdminPage;
import io.cairn.node.Closing;
import io.cairn.node.ExitCode;
import io.cairn.node.MasterList;
import io.cairn.node.MasterWait;
import io.cairn.node.MountNode;
import io.cairn.node.ProcessContext;
import io.cairn.node.Source;
import io.cairn.node.identity.Credentials;
import io.cairn.node.identity.PasswordJoining;
import io.cairn.runtime.Clock;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn mount}: mounts a cluster. */
@Command(
        name = "mount",
        description = "Mount a cluster, or a directory of it.",
        footer = {
            "  cairn mount 10.0.0.1:9871 /mnt/cairn",
            "  cairn mount 10.0.0.1:9871,10.0.0.2:9871:/home /home -o attr_timeout=0",
            "  cairn mount 10.0.0.1:9871 /mnt/cairn -o credentials=/etc/cairn/alice",
            "  cairn mount 10.0.0.1:9871 /mnt/cairn -o user=alice,ca=/etc/cairn/ca.pem",
            "  cairn unmount /mnt/cairn"
        })
public final class MountCommand implements Callable<Integer> {
    /** How long it may take beside the wait for masters. */
    private static final int MOUNT_LIMIT_S = 60;

    @Parameters(
            index = "0",
            paramLabel = "HOST:PORT[,...][:/DIR]",
            description = "The masters, and what to mount.")
    private String source = "";

    @Parameters(index = "1", paramLabel = "MOUNTPOINT", description = "An empty directory.")
    private Path mountpoint = Path.of("");

    @Option(
            names = "-o",
            paramLabel = "OPTION[,...]",
            description = "Mount options, as for mount(8).")
    private List<String> options = new ArrayList<>();

    @Option(
            names = "--foreground",
            description = "Stay; without it, return when the mount answers.")
    private boolean foreground;

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:0",
            description = "Health and metrics (default: ${DEFAULT-VALUE}, any free port).")
    private String admin = "";

    @Mixin private MetricsOption metrics = new MetricsOption();

    @Mixin private IdentityOptions identity = new IdentityOptions();

    @Mixin private WaitOption patience = new WaitOption();

    @Mixin private ProcessOptions worldOptions = new ProcessOptions();

    @Override
    public Integer call() throws Exception {
        Source from = Source.parse(source);
        Path at = mountpoint.toAbsolutePath().normalize();
        String others = identity.takeFrom(String.join(",", options));
        MountOptions parsed = UpCommand.mountOptions(others);
        worldOptions.check();
        FuseMount.check(at, parsed);
        Credentials credentials = identity.open(Role.MOUNT, null);
        LoginSource logins = loginSource();
        X509Certificate authority = logins.authority(option("ca"), credentials != null);
        LoginSource.Login login = logins.read();
        if (!foreground) {
            Path log = logFile(at);
            int limitS = patience.limitS() + MOUNT_LIMIT_S;
            return login == null || !logins.asks()
                    ? Detached.start(arguments(at, others), log, limitS)
                    : Detached.start(arguments(at, others), log, limitS, login.password());
        }
        EarlyCompilation.begin(Name.class, CairnFileSystem.class, FuseMount.class);
        try (Closing closing = new Closing()) {
            PasswordLogin who = login == null ? null : login.open();
            Credentials own =
                    authority == null || who == null
                            ? credentials
                            : credentials(authority, from, who);
            ProcessContext world = closing.add(worldOptions.open(own));
            CipherCompiler.check(own != null, false);
            if (who != null) {
                world.logInWith(who);
            }
            AdminPage page =
                    closing.add(
                            AdminPage.open(world, MasterList.endpoint(admin), metrics.endpoint()));
            MountNode mount =
                    closing.add(new MountNode(world, from, at, parsed, patience.limitS()));
            EarlyCompilation.await();
            page.show(() -> null, () -> "{}");
            System.out.println(
                    "cairn mount of " + from + " ready at " + at + ", admin on " + page.endpoint());
            Shutdown shutdown = new Shutdown();
            Thread watcher = new Thread(() -> awaitEnd(mount, shutdown), "mount-end");
            watcher.setDaemon(true);
            watcher.start();
            shutdown.await(closing);
        }
        return ExitCode.OK;
    }

    /** Gets a certificate for the password, for as long as this process lasts. */
    private Credentials credentials(X509Certificate authority, Source from, PasswordLogin who) {
        PasswordJoining joining =
                new PasswordJoining(
                        () -> authority, from::masters, who, Clock.system(), new SecureRandom());
        String masters = MasterWait.names(from.masters());
        Runnable waits = () -> MasterWait.tell(masters, MasterWait.errors());
        return new Credentials(null, joining.join(patience.limitS(), waits));
    }

    private LoginSource loginSource() {
        String user = option("user");
        String file = option("credentials");
        return new LoginSource(
                user == null ? option("username") : user,
                file == null ? null : Path.of(file).toAbsolutePath());
    }

    private @Nullable String option(String name) {
        return MountOptions.value(String.join(",", options), name);
    }

    private static void awaitEnd(MountNode mount, Shutdown shutdown) {
        try {
            mount.awaitEnd();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            shutdown.end();
        }
    }

    private List<String> arguments(Path at, String mountOptions) {
        List<String> arguments =
                new ArrayList<>(
                        List.of("mount", source, at.toString(), "--foreground", "--admin", admin));
        if (!mountOptions.isEmpty()) {
            arguments.add("-o");
            arguments.add(mountOptions);
        }
        arguments.addAll(identity.arguments());
        arguments.addAll(patience.arguments());
        arguments.addAll(metrics.arguments());
        arguments.addAll(worldOptions.arguments());
        return arguments;
    }

    private static Path logFile(Path mountpoint) {
        String name = mountpoint.toString().replaceAll("[^A-Za-z0-9._-]+", "_");
        return OwnDirectory.path().resolve("log").resolve("mount" + name + ".log");
    }
}
