package io.cairn.cli.service;

import io.cairn.cli.admin.NfsExportsCommand;
import io.cairn.cli.admin.NfsLocksCommand;
import io.cairn.cli.option.IdentityOptions;
import io.cairn.cli.option.LoginSource;
import io.cairn.cli.option.MetricsOption;
import io.cairn.cli.option.ProcessOptions;
import io.cairn.cli.option.Require;
import io.cairn.client.session.PasswordLogin;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Principal.Role;
import io.cairn.nfs.NfsSettings;
import io.cairn.node.AdminPage;
import io.cairn.node.Closing;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.MasterList;
import io.cairn.node.MasterWait;
import io.cairn.node.NfsNode;
import io.cairn.node.ProcessContext;
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

/** {@code cairn nfs}: serves a cluster to NFS clients. */
@Command(
        name = "nfs",
        synopsisSubcommandLabel = "[COMMAND]",
        subcommands = {NfsExportsCommand.class, NfsLocksCommand.class},
        description = {
            "Serve a cluster to machines that speak NFS version 3, over TCP.",
            "NFS, MOUNT, NLM and NSM are on one port. Clients that lock ask a port"
                    + " mapper for NLM:",
            "without --portmap they have to mount with nolock."
        },
        footer = {
            "  cairn nfs exports add '/ 10.0.0.0/8(rw) 10.0.0.7(rw,no_root_squash)'",
            "  cairn nfs --masters 10.0.0.1:9871 --listen 0.0.0.0:2049 --portmap",
            "  mount -o vers=3,tcp,port=2049,mountport=2049 HOST:/ /mnt"
        })
public final class NfsCommand implements Callable<Integer> {
    @Option(
            names = "--masters",
            paramLabel = "HOST:PORT[,...]",
            defaultValue = "127.0.0.1:9871",
            description = "The masters (default: ${DEFAULT-VALUE}).")
    private String masters = "";

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:2049",
            description = "Where NFS and MOUNT are served (default: ${DEFAULT-VALUE}).")
    private String listen = "";

    @Option(
            names = "--mount-port",
            paramLabel = "PORT",
            description = "A second port for MOUNT (default: none).")
    private @Nullable Integer mountPort;

    @Option(
            names = "--portmap",
            arity = "0..1",
            fallbackValue = "111",
            paramLabel = "PORT",
            description = {
                "Run a port mapper of our own, version 2, so that clients and"
                        + " 'showmount -e' find the ports (default: none; PORT: 111)."
            })
    private @Nullable Integer portmapPort;

    @Option(
            names = "--rpcbind",
            arity = "0..1",
            fallbackValue = "111",
            paramLabel = "PORT",
            description = {
                "Register with the rpcbind that runs on this machine, until the"
                        + " gateway stops (default: no; PORT: 111)."
            })
    private @Nullable Integer rpcbindPort;

    @Option(
            names = "--export",
            paramLabel = "'PATH CLIENTS(OPTION,...) ...'",
            description = {
                "What to export to whom, as a line of exports(5); may be repeated."
                        + " CLIENTS is an address, ADDRESS/BITS, a host name, *.domain,"
                        + " @netgroup, or *. Options: ro"
                        + " (default), rw, root_squash (default), no_root_squash, all_squash,"
                        + " anonuid=N, anongid=N, secure (default: ports below 1024 only),"
                        + " insecure, rsize=BYTES, wsize=BYTES.",
                "Without this option: the list kept in the cluster (cairn nfs"
                        + " exports); while there is none, / to this machine:"
                        + " rw,root_squash,secure."
            })
    private List<String> exports = new ArrayList<>();

    @Option(
            names = "--manage-gids",
            description = {
                "Take the groups of callers from this machine (id -G) instead of the"
                        + " 16 that clients can send."
            })
    private boolean manageGids;

    @Option(
            names = "--slow-ms",
            paramLabel = "MS",
            defaultValue = "2000",
            description = "Log calls that take longer (default: ${DEFAULT-VALUE}).")
    private int slowMs;

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:0",
            description = "Health and metrics (default: ${DEFAULT-VALUE}, any free port).")
    private String admin = "";

    @Mixin private IdentityOptions identity = new IdentityOptions();

    @Option(
            names = "--credentials",
            paramLabel = "FILE",
            description = {
                "Log in at the masters with a password, where a mount rule asks for one.",
                "The file has lines user=NAME and password=PASSWORD, for its owner alone."
            })
    private @Nullable Path credentialsFile;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = {
                "Know the masters by the certificate of their authority (tls/authority.pem of a"
                        + " master), and get one of our own for the password of --credentials:",
                "in a cluster with TLS, in place of --identity."
            })
    private @Nullable Path authorityFile;

    @Mixin private MetricsOption metrics = new MetricsOption();

    @Mixin private ProcessOptions worldOptions = new ProcessOptions();

    @Override
    public Integer call() throws Exception {
        Require.between("--slow-ms", slowMs, 1, 3_600_000);
        NfsSettings settings = NfsSettings.of(MasterList.endpoint(listen)).withSlowMs(slowMs);
        OpenPort.warn(settings.listen());
        if (manageGids) {
            settings = settings.withManagedGids();
        }
        if (mountPort != null) {
            Require.between("--mount-port", mountPort, 0, 65_535);
            settings = settings.withMountPort(mountPort);
        }
        if (portmapPort != null) {
            Require.between("--portmap", portmapPort, 0, 65_535);
            settings = settings.withPortmapPort(portmapPort);
        }
        if (rpcbindPort != null) {
            Require.between("--rpcbind", rpcbindPort, 1, 65_535);
            if (portmapPort != null) {
                throw new CommandException(
                        ExitCode.USAGE, "--portmap and --rpcbind exclude each other");
            }
            settings = settings.withRpcbindPort(rpcbindPort);
        }
        NfsNode.parse(exports);
        Credentials own = identity.open(Role.GATEWAY, null);
        LoginSource logins = new LoginSource(null, credentialsFile);
        X509Certificate authority = authority(logins, own != null);
        LoginSource.Login login = logins.read();
        PasswordLogin who = login == null ? null : login.open();
        try (Closing closing = new Closing()) {
            ProcessContext world =
                    closing.add(
                            worldOptions.open(
                                    authority == null || who == null
                                            ? own
                                            : credentials(authority, who)));
            if (who != null) {
                world.logInWith(who);
            }
            AdminPage page =
                    closing.add(
                            AdminPage.open(world, MasterList.endpoint(admin), metrics.endpoint()));
            NfsNode node =
                    closing.add(new NfsNode(world, MasterList.parse(masters), exports, settings));
            page.show(() -> null, () -> "{}");
            System.out.println(
                    "cairn nfs ready on " + node.endpoint() + ", admin on " + page.endpoint());
            new Shutdown().await(closing);
        }
        return ExitCode.OK;
    }

    private @Nullable X509Certificate authority(LoginSource logins, boolean isIdentified) {
        Path file = authorityFile;
        return logins.authority(file == null ? null : file.toString(), isIdentified);
    }

    /** Gets a certificate for the password, for as long as this process lasts. */
    private Credentials credentials(X509Certificate authority, PasswordLogin who) {
        List<Endpoint> doors = MasterList.parse(masters);
        PasswordJoining joining =
                new PasswordJoining(
                        () -> authority, () -> doors, who, Clock.system(), new SecureRandom());
        String names = MasterWait.names(doors);
        Runnable waits = () -> MasterWait.tell(names, MasterWait.errors());
        return new Credentials(null, joining.join(MasterWait.STANDARD_S, waits));
    }
}
