package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.client.CairnFileSystem;
import io.cairn.client.session.ClientSettings;
import io.cairn.cluster.Endpoint;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.nfs.NfsFileSystem;
import io.cairn.nfs.NfsGateway;
import io.cairn.nfs.NfsSettings;
import io.cairn.nfs.export.Exports;
import io.cairn.node.NfsNode;
import io.cairn.node.ProcessContext;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.posix.Posix;
import io.cairn.testkit.posix.SeamPosix;
import io.cairn.testkit.shared.SharedFileCases;
import io.cairn.trace.Tracer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contract of two clients, through every pair of doors of one real cluster. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TwoClientsContractTest {
    /** A door, and another one of the same kind with a client of its own. */
    enum Door {
        CLIENT,
        KERNEL,
        JNR,
        NFS
    }

    @TempDir(factory = MemoryDirectory.class)
    private static Path directory;

    private final Map<Door, Posix> holders = new EnumMap<>(Door.class);
    private final Map<Door, Posix> others = new EnumMap<>(Door.class);
    private TestCluster cluster;

    @BeforeAll
    void start() throws Exception {
        cluster = new TestCluster(directory, 2, 1);
        for (Door door : Door.values()) {
            holders.put(door, open(door, door + "1"));
            others.put(door, open(door, door + "2"));
        }
    }

    private Posix open(Door door, String name) throws IOException {
        return switch (door) {
            case CLIENT -> new SeamPosix(cluster.client(name), SeamPosix.SeamLimits.all(0));
            case KERNEL -> mount(name, MountOptions.standard());
            case JNR -> mount(name, MountOptions.parse("driver=jnr"));
            case NFS ->
                    new SeamPosix(
                            new NfsFileSystem(gateway(name).endpoint()),
                            new SeamPosix.SeamLimits(EnumSet.noneOf(Posix.Capability.class), 0));
        };
    }

    private NfsGateway gateway(String name) {
        ClientSettings settings = ClientSettings.of(List.of(cluster.master()), name);
        ProcessContext world = cluster.world();
        CairnFileSystem files =
                cluster.add(
                        CairnFileSystem.connect(
                                settings,
                                world.transport(),
                                world.clock(),
                                world.scheduler(),
                                world.random()));
        NfsGateway.Context parts =
                new NfsGateway.Context(
                        world.loops(),
                        world.scheduler(),
                        world.clock(),
                        world.random(),
                        world.metrics(),
                        Tracer.OFF);
        Exports exports =
                Exports.of(NfsNode.parse(List.of("/ 127.0.0.1(rw,no_root_squash,insecure)")));
        NfsSettings listening = NfsSettings.of(new Endpoint("127.0.0.1", 0));
        return cluster.add(NfsGateway.start(files, exports, listening, parts));
    }

    private Posix mount(String name, MountOptions options) throws IOException {
        Path mountpoint = cluster.mount(name, options);
        return new NativePosix(mountpoint, EnumSet.allOf(Posix.Capability.class), 0);
    }

    @AfterAll
    void stop() throws Exception {
        holders.values().forEach(Posix::close);
        others.values().forEach(Posix::close);
        cluster.close();
    }

    @ParameterizedTest
    @CsvSource({
        "CLIENT, CLIENT",
        "KERNEL, KERNEL",
        "JNR, JNR",
        "KERNEL, JNR",
        "JNR, KERNEL",
        "NFS, NFS",
        "KERNEL, NFS",
        "NFS, KERNEL",
        "JNR, NFS",
    })
    void changesInTurn(Door holder, Door other) {
        Posix first = Objects.requireNonNull(holders.get(holder));
        Posix second = Objects.requireNonNull(others.get(other));
        String place = holder + "-" + other;
        first.mkdir(place, 0755);
        List<String> wrong = new SharedFileCases(first.process(place), second.process(place)).run();
        assertEquals(List.of(), wrong);
    }

    @ParameterizedTest
    @CsvSource({
        "CLIENT, CLIENT",
        "KERNEL, KERNEL",
        "JNR, JNR",
        "KERNEL, JNR",
        "KERNEL, NFS",
    })
    void logsAreRotated(Door logger, Door rotator) throws Exception {
        Posix first = Objects.requireNonNull(holders.get(logger));
        Posix second = Objects.requireNonNull(others.get(rotator));
        String place = "rotated-" + logger + "-" + rotator;
        first.mkdir(place, 0755);
        SharedFileCases cases = new SharedFileCases(first.process(place), second.process(place));
        assertEquals(List.of(), cases.rotate(8));
    }
}
