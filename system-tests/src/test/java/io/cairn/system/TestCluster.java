package io.cairn.system;

import io.cairn.client.CairnFileSystem;
import io.cairn.cluster.Endpoint;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.node.AdminAddress;
import io.cairn.node.Closing;
import io.cairn.node.EmbeddedCluster;
import io.cairn.node.MasterNode;
import io.cairn.node.MountNode;
import io.cairn.node.ProcessContext;
import io.cairn.node.Source;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A cluster in the process of a test, with clients and mounts that end with it. */
final class TestCluster implements AutoCloseable {
    private final Closing closing = new Closing();
    private final List<Path> mountpoints = new ArrayList<>();
    private final Path directory;
    private final ProcessContext world = closing.add(new ProcessContext());
    private final EmbeddedCluster cluster;

    /** Starts one; everything is in {@code directory}. */
    TestCluster(Path directory, int chunkServers, int replicas) throws InterruptedException {
        this(directory, chunkServers, replicas, MasterNode.SESSION_LEASE_MS);
    }

    /** The same with sessions that end sooner, or later, without a sign of life. */
    TestCluster(Path directory, int chunkServers, int replicas, long sessionLeaseMs)
            throws InterruptedException {
        this.directory = directory;
        Endpoint any = new Endpoint("127.0.0.1", 0);
        cluster =
                closing.add(
                        EmbeddedCluster.start(
                                world,
                                new EmbeddedCluster.Plan(
                                        directory.resolve("data"),
                                        chunkServers,
                                        replicas,
                                        any,
                                        AdminAddress.of(any),
                                        sessionLeaseMs)));
        cluster.showReady();
    }

    ProcessContext world() {
        return world;
    }

    EmbeddedCluster embedded() {
        return cluster;
    }

    /** Runs a command that speaks to the admin API of the master. */
    CommandResult cairn(String... words) {
        Poll.until(
                "the first token",
                60,
                () -> !embedded().service().namespace().records("token/", "", 1).isEmpty());
        List<String> arguments = new ArrayList<>(List.of(words));
        arguments.addAll(
                List.of(
                        "--api",
                        "http://" + embedded().admin(),
                        "--token-file",
                        EmbeddedCluster.tokenFile(directory.resolve("data")).toString()));
        return CommandResult.of(arguments);
    }

    Endpoint master() {
        return cluster.master();
    }

    CairnFileSystem client(String name) {
        return closing.add(MountNode.connect(world, source(), name));
    }

    /** What the master says of itself and its clients; fails while it does not answer. */
    String status() throws IOException {
        URI uri = URI.create("http://" + cluster.admin() + "/status");
        try (InputStream in = uri.toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Source source() {
        return new Source(List.of(cluster.master()), "/");
    }

    /** A mount at {@code DIRECTORY/NAME}. */
    Path mount(String name, MountOptions options) throws IOException {
        Path mountpoint = Files.createDirectory(directory.resolve(name));
        mountpoints.add(mountpoint);
        closing.add(new MountNode(world, source(), mountpoint, options));
        return mountpoint;
    }

    /** A thing that ends before the cluster does. */
    <T extends AutoCloseable> T add(T thing) {
        return closing.add(thing);
    }

    @Override
    public void close() {
        closing.close();
        mountpoints.forEach(ProcessCluster::unmount);
    }
}
