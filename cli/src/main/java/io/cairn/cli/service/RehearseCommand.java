package io.cairn.cli.service;

import io.cairn.client.CairnFileSystem;
import io.cairn.cluster.Endpoint;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.sys.MountException;
import io.cairn.nfs.NfsSettings;
import io.cairn.node.Closing;
import io.cairn.node.EmbeddedCluster;
import io.cairn.node.ExitCode;
import io.cairn.node.MountNode;
import io.cairn.node.NfsNode;
import io.cairn.node.ProcessContext;
import io.cairn.node.Source;
import io.cairn.verify.access.GatewayAccess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code cairn rehearse}: runs a whole cluster for some seconds so that the JVM can learn which
 * classes and methods it needs; the launcher has it do that once after a build (JEP 483, 514, 515).
 * A process that starts with what was learned works at speed from its first request on.
 */
@Command(
        name = "rehearse",
        hidden = true,
        description = "Work for some seconds as all roles in one, for the start-up cache.",
        footer = "  cairn rehearse --data $(mktemp -d)")
public final class RehearseCommand implements Callable<Integer> {
    private static final int CHUNK_SERVERS = 3;
    private static final Endpoint ANY_PORT = new Endpoint("127.0.0.1", 0);
    private static final String EXPORT = "/ 127.0.0.0/8(rw,no_root_squash,insecure)";

    @Option(
            names = "--data",
            paramLabel = "DIR",
            required = true,
            description = "An empty directory; what it holds afterwards is of no use.")
    private Path data = Path.of("");

    @Option(names = "--short", description = "Work a little, so that only the classes are learned.")
    private boolean isShort;

    @Override
    public Integer call() throws Exception {
        Path directory = data.toAbsolutePath().normalize();
        Rehearsal rehearsal = new Rehearsal(!isShort);
        EmbeddedCluster.Plan plan =
                new EmbeddedCluster.Plan(
                        directory.resolve("cluster"), CHUNK_SERVERS, 2, ANY_PORT, ANY_PORT);
        try (Closing closing = new Closing()) {
            ProcessContext servers = closing.add(new ProcessContext());
            EmbeddedCluster cluster = closing.add(EmbeddedCluster.start(servers, plan));
            Source source = new Source(List.of(cluster.master()), "/");
            try (CairnFileSystem files = MountNode.connect(servers, source, "rehearsal")) {
                rehearsal.onClient(files);
            }
            // A world of its own, as in a process of its own: it reaches the servers by sockets.
            ProcessContext clients = closing.add(new ProcessContext());
            Path mountpoint = Files.createDirectories(directory.resolve("mnt"));
            try (NfsNode node =
                    new NfsNode(
                            clients,
                            List.of(cluster.master()),
                            List.of(EXPORT),
                            NfsSettings.of(ANY_PORT))) {
                Endpoint at = node.endpoint();
                rehearsal.onGateway(new GatewayAccess("rehearsal", at.host(), at.port()));
            }
            try (var _ = new MountNode(clients, source, mountpoint, MountOptions.parse(""))) {
                rehearsal.onMount(mountpoint);
            } catch (MountException e) {
                System.out.println("rehearsed without a mount: " + e.getMessage());
            }
        }
        return ExitCode.OK;
    }
}
