package io.cairn.cli.service;

import io.cairn.admin.AdminSettings;
import io.cairn.cli.option.AdminOptions;
import io.cairn.cli.option.InsecureOption;
import io.cairn.cli.option.MasterKeyOptions;
import io.cairn.cli.option.MasterPeers;
import io.cairn.cli.option.OidcOptions;
import io.cairn.cli.option.ProcessOptions;
import io.cairn.cli.option.Require;
import io.cairn.cli.option.TransitionOption;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.Name;
import io.cairn.identity.JoinToken;
import io.cairn.master.MasterService;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.master.raft.RatisSettings;
import io.cairn.master.raft.member.Peer;
import io.cairn.metadata.Namespace;
import io.cairn.node.Account;
import io.cairn.node.AdminAddress;
import io.cairn.node.AdminPage;
import io.cairn.node.Closing;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.MasterList;
import io.cairn.node.MasterNode;
import io.cairn.node.MasterRun;
import io.cairn.node.ProcessContext;
import io.cairn.node.identity.Credentials;
import io.cairn.node.log.LogLevels;
import io.cairn.runtime.Release;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn master}: runs one master. */
@Command(
        name = "master",
        description = "Run a master: it keeps the names, attributes and the map of the cluster.",
        footer = {
            "  cairn master --id m1 --data /srv/m1 --listen 10.0.0.1:9871 \\",
            "      --raft m1=10.0.0.1:9872 --found --tls",
            "  cairn master --id m2 --data /srv/m2 --listen 10.0.0.2:9871 \\",
            "      --raft m1=10.0.0.1:9872,m2=10.0.0.2:9872 --join TOKEN",
            "  cairn master --id m1 --data /srv/m1 --listen 10.0.0.1:9871 \\",
            "      --raft m1=10.0.0.1:9872,m2=10.0.0.2:9872,m3=10.0.0.3:9872 --found \\",
            "      --insecure-plain",
            "  cairn master --id m1 --data /srv/m1 --listen 10.0.0.1:9871 \\",
            "      --raft m1=10.0.0.1:9872 --restore /backup/cairn-metadata --insecure-plain",
            "  cairn master --id m4 --data /srv/m4 --listen 10.0.0.4:9871 \\",
            "      --raft m4=10.0.0.4:9872 --join 10.0.0.1:9872,10.0.0.2:9872 --insecure-plain"
        })
public final class MasterCommand implements Callable<Integer> {
    @Option(
            names = "--id",
            required = true,
            paramLabel = "NAME",
            description = "Name of this master.")
    private String id = "";

    @Option(
            names = "--data",
            required = true,
            paramLabel = "DIR",
            description = "Where it keeps its state.")
    private Path data = Path.of("");

    @Option(
            names = "--listen",
            required = true,
            paramLabel = "HOST:PORT",
            description = "Where clients and chunk servers find it.")
    private String listen = "";

    @Option(
            names = "--raft",
            required = true,
            paramLabel = "NAME=HOST:PORT[,...]",
            description =
                    "All masters when the cluster is founded, and where they talk to each other.")
    private String raft = "";

    @Option(
            names = "--found",
            description = {
                "Found a new cluster, together with all masters of --raft: when every one of them"
                        + " was told so and none holds anything.",
                "Where a cluster exists it does nothing. Without it a master whose directory is"
                        + " empty joins the cluster of the others."
            })
    private boolean found;

    @ArgGroup(exclusive = false)
    private @Nullable Restoring restoring;

    /** What to go on with, in place of what --data holds. */
    static final class Restoring {
        @Option(
                names = "--restore",
                required = true,
                paramLabel = "FILE",
                description = {
                    "Make this master of a backup ('cairn admin backup'), in an empty directory,"
                            + " when all masters lost theirs.",
                    "All other masters begin with empty directories and join it. What was changed"
                            + " after the backup is lost."
                })
        private Path file = Path.of("");

        @Option(
                names = "--new-cluster",
                description =
                        "Give the cluster of the backup a new identity: it is another cluster, to"
                                + " which the old chunk servers do not belong.")
        private boolean isNew;
    }

    @Option(
            names = "--join",
            paramLabel = "TOKEN|HOST:PORT[,...]",
            description = {
                "Join a cluster that exists. In a cluster with TLS: a token of 'cairn ca join-token"
                        + " --role master'; then --raft tells of living masters and of this one.",
                "In a cluster without: where one or more of its living masters talk to each"
                        + " other, as in their --raft.",
                "For an empty directory. --raft needs to tell of this master only. A new master"
                        + " waits for 'cairn admin masters add'; one that lost its disk gets"
                        + " everything anew at once. Where the directory holds the cluster it does"
                        + " nothing."
            })
    private @Nullable String join;

    @Option(
            names = "--tls",
            description = {
                "Give the cluster a certificate authority, and secure all connections by TLS."
                        + " A master that has the authority in its directory does so from then on.",
                "One master does this, with --found when the cluster is new; others join with"
                        + " tokens."
            })
    private boolean tls;

    @Mixin private InsecureOption insecure = new InsecureOption();

    @Mixin private TransitionOption transition = new TransitionOption();

    @Mixin private MasterKeyOptions masterKey = new MasterKeyOptions();

    @Mixin private AdminOptions admin = new AdminOptions();

    @Mixin private OidcOptions oidc = new OidcOptions();

    @Option(
            names = "--replicas",
            paramLabel = "R",
            defaultValue = "0",
            description = {
                "Copies of every chunk where no directory says otherwise.",
                "Default: as many as there are chunk servers at first, up to 3."
            })
    private int replicas;

    @Option(
            names = "--expect-servers",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Store nothing before N chunk servers came, and do not wait for more (default:"
                            + " begin when none came for two seconds).")
    private int expectServers;

    @Mixin private ProcessOptions worldOptions = new ProcessOptions();

    @Override
    public Integer call() throws Exception {
        Require.between("--replicas", replicas, 0, 15);
        Require.between("--expect-servers", expectServers, 0, 10_000);
        Endpoint endpoint = MasterList.endpoint(listen);
        AdminAddress address = admin.address();
        AdminSettings settings = settings(address);
        worldOptions.check();
        List<Peer> peers = MasterPeers.parse("--raft", raft);
        if (peers.stream().noneMatch(p -> p.id().equals(id))) {
            throw new CommandException(
                    ExitCode.USAGE, "--raft '" + raft + "' does not hold this master '" + id + "'");
        }
        MasterCredentials identity = new MasterCredentials(id, data, tls, found, insecure);
        JoinToken token = join != null && JoinToken.isToken(join) ? identity.token(join) : null;
        List<Endpoint> doors =
                token != null
                        ? identity.doors(peers)
                        : join == null ? List.of() : MasterList.parse(join);
        if (found && join != null) {
            throw new CommandException(
                    ExitCode.USAGE, "--found makes a new cluster, --join joins one: give one");
        }
        ClusterSettings standard = ClusterSettings.STANDARD;
        ClusterSettings cluster =
                new ClusterSettings(
                        replicas, expectServers, standard.settleMs(), standard.serverLeaseMs());
        Credentials credentials = identity.open(token, endpoint, peers);
        EarlyCompilation.begin(Name.class, Namespace.class, MasterService.class);
        try (Closing closing = new Closing()) {
            ProcessContext world = closing.add(worldOptions.open(credentials));
            transition.apply(world);
            masterKey.apply(world);
            AdminPage page = closing.add(AdminPage.open(world, address));
            if (restoring != null) {
                System.out.println(MasterRestore.run(id, data, restoring.file, restoring.isNew));
            }
            MasterNode.Plan plan =
                    new MasterNode.Plan(
                            id,
                            data,
                            endpoint,
                            new RatisSettings.Members(
                                    token == null ? peers : identity.self(peers), found, doors),
                            cluster,
                            settings,
                            MasterNode.SESSION_LEASE_MS);
            Account founder = Account.current().person();
            closing.add(new MasterRun(world, plan, founder, node -> opened(node, page)));
            new Shutdown().await(closing);
        }
        return ExitCode.OK;
    }

    private AdminSettings settings(AdminAddress address) {
        return new AdminSettings(
                        Release.text(),
                        data.resolve(MasterNode.TOKEN_FILE),
                        address.hostNames(),
                        LogLevels::follow)
                .withUsersOf(oidc.settings());
    }

    private void opened(MasterNode node, AdminPage page) {
        page.serve(node.api());
        page.show(node.service()::notReadyReason, node.service()::statusJson);
        announce(node, page);
    }

    /**
     * Says "ready" as soon as the master knows a leader, which may take until other masters come.
     */
    private void announce(MasterNode node, AdminPage page) {
        System.out.println(
                "cairn master "
                        + id
                        + " listens on "
                        + node.service().endpoint()
                        + ", admin on "
                        + page.endpoint());
        node.whenReady(() -> System.out.println("cairn master " + id + " ready"));
    }
}
