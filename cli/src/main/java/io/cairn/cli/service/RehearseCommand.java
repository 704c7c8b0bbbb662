package io.cairn.cli.service;

import io.cairn.client.CairnFileSystem;
import io.cairn.cluster.Endpoint;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.sys.MountException;
import io.cairn.node.Closing;
import io.cairn.node.EmbeddedCluster;
import io.cairn.node.ExitCode;
import io.cairn.node.MountNode;
import io.cairn.node.ProcessContext;
import io.cairn.node.Source;
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

    @Option(
            names = "--data",
            paramLabel = "DIR",
            required = true,
            description = "An empty directory; what it holds afterwards is of no use.")
    private Path data = Path.of("");

    @Override
    public Integer call() throws Exception {
        Path at = data.toAbsolutePath().normalize();
        EmbeddedCluster.Plan plan =
                new EmbeddedCluster.Plan(
                        at.resolve("cluster"), CHUNK_SERVERS, 2, ANY_PORT, ANY_PORT);
        try (Closing closing = new Closing()) {
            ProcessContext servers = closing.add(new ProcessContext());
            EmbeddedCluster cluster = closing.add(EmbeddedCluster.start(servers, plan));
            Source source = new Source(List.of(cluster.master()), "/");
            try (CairnFileSystem files = MountNode.connect(servers, source, "rehearsal")) {
                Rehearsal.onClient(files);
            }
            // A world of its own, as in a process of its own: it reaches the servers by sockets.
            ProcessContext clients = closing.add(new ProcessContext());
            Path mountpoint = Files.createDirectories(at.resolve("mnt"));
            try (var _ = new MountNode(clients, source, mountpoint, MountOptions.parse(""))) {
                Rehearsal.onMount(mountpoint);
            } catch (MountException e) {
                System.out.println("rehearsed without a mount: " + e.getMessage());
            }
        }
        return ExitCode.OK;
    }
}
