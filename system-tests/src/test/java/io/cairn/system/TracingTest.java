package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.node.Closing;
import io.cairn.node.EmbeddedCluster;
import io.cairn.node.MountNode;
import io.cairn.node.ProcessContext;
import io.cairn.node.Source;
import io.cairn.node.trace.OtlpTracing;
import io.cairn.system.TraceCollector.Seen;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.trace.Tracer;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traces of a master, two chunk servers and a client in this process. */
final class TracingTest {
    private static final Caller ROOT = Caller.ROOT;
    private static final int MEBIBYTE = 1 << 20;
    private static final int FLAGS = FileSystem.O_RDWR | FileSystem.O_CREAT;

    @TempDir private Path directory;
    private final Closing closing = new Closing();
    private TraceCollector collector;

    /** A client on a cluster. */
    private record Stage(ProcessContext world, CairnFileSystem files) {
        OpenFile create(String name) {
            return files.create(ROOT, FileSystem.ROOT_INO, Name.of(name), 0644, FLAGS).file();
        }

        /** Makes and removes directories, and files of more than fits into the inode. */
        Void work(String name) {
            for (int i = 0; i < 20; i++) {
                files.mkdir(ROOT, FileSystem.ROOT_INO, Name.of(name + i), 0755);
                OpenFile file = create(name + "f" + i);
                file.write(0, ByteBuffer.allocate(20_000));
                file.close();
                files.rmdir(ROOT, FileSystem.ROOT_INO, Name.of(name + i));
                files.unlink(ROOT, FileSystem.ROOT_INO, Name.of(name + "f" + i));
            }
            return null;
        }
    }

    @BeforeEach
    void collect() throws Exception {
        collector = closing.add(new TraceCollector());
    }

    private Stage start(double ratio) throws Exception {
        URI to = URI.create(collector.url() + "/v1/traces");
        ProcessContext world =
                closing.add(
                        new ProcessContext(new OtlpTracing(to, ratio, "1.0"), OptionalInt.empty()));
        Endpoint any = new Endpoint("127.0.0.1", 0);
        EmbeddedCluster.Plan plan =
                new EmbeddedCluster.Plan(directory.resolve("data"), 2, 2, any, any);
        EmbeddedCluster cluster = closing.add(EmbeddedCluster.start(world, plan));
        Source source = new Source(List.of(cluster.master()), "/");
        Tracer tracer = world.tracer("cairn-mount", "here");
        return new Stage(world, closing.add(MountNode.connect(world, source, "test", tracer, 10)));
    }

    @AfterEach
    void stop() {
        closing.close();
    }

    @Test
    void closingAFileIsOneTraceOverAllServices() throws Exception {
        Stage stage = start(1);
        OpenFile file = stage.create("secret-name");
        file.write(0, ByteBuffer.allocate(MEBIBYTE / 2));
        file.close();

        Seen close = collector.awaitRoot("fs/close");
        assertEquals("cairn-mount", close.service());
        assertEquals("here", close.instance());
        assertEquals(String.valueOf(file.ino()), close.attributes().get("cairn.inode"));
        Seen write = collector.awaitChild(close, "chunk/write", "CLIENT");
        Seen head = collector.awaitChild(write, "chunk/write", "SERVER");
        assertEquals("cairn-chunk", head.service());
        Seen forward = collector.awaitChild(head, "chunk/replicate", "CLIENT");
        assertEquals(head.instance(), forward.instance());
        Seen member = collector.awaitChild(forward, "chunk/replicate", "SERVER");
        assertEquals(Set.of("c1", "c2"), Set.of(head.instance(), member.instance()));
        Seen commit = collector.awaitChild(close, "master/spill", "CLIENT");
        Seen master = collector.awaitChild(commit, "master/spill", "SERVER");
        assertEquals("cairn-master", master.service());
        assertEquals("m1", master.instance());
        collector.awaitChild(master, "log/submit", "INTERNAL");

        assertEquals("cairn", write.attributes().get("rpc.system.name"));
        assertEquals("chunk/write", write.attributes().get("rpc.method"));
        assertEquals("127.0.0.1", write.attributes().get("server.address"));
        assertFalse(
                collector.spans().toString().contains("secret-name"), "names of files are private");
    }

    @Test
    void whatBelongsTogetherIsOneTrace() throws Exception {
        Stage stage = start(1);
        Tracer tracer = stage.world().tracer("cairn-test", "test");
        Span whole = tracer.begin("whole", Span.Kind.INTERNAL);
        Scope.run(
                whole,
                () -> {
                    OpenFile file = stage.create("together");
                    file.write(0, ByteBuffer.allocate(3 * MEBIBYTE));
                    file.sync(false);
                    file.read(0, ByteBuffer.allocate(MEBIBYTE));
                    file.close();
                });
        whole.end();
        assertTrue(Scope.is(Span.NONE), "nothing is left on the thread");

        Seen root = collector.awaitRoot("whole");
        Seen sync = collector.awaitChild(root, "fs/fsync", "INTERNAL");
        Seen flush = collector.awaitChild(sync, "chunk/flush", "CLIENT");
        Seen flushed = collector.awaitChild(flush, "chunk/flush", "SERVER");
        Seen forward = collector.awaitChild(flushed, "chunk/flush", "CLIENT");
        collector.awaitChild(forward, "chunk/flush", "SERVER");
        Seen read = collector.awaitChild(root, "fs/read", "INTERNAL");
        collector.awaitChild(
                collector.awaitChild(read, "chunk/read", "CLIENT"), "chunk/read", "SERVER");
        Seen create = collector.awaitChild(root, "fs/create", "INTERNAL");
        Seen asked = collector.awaitChild(create, "master/create", "CLIENT");
        collector.awaitChild(asked, "master/create", "SERVER");
        assertEquals(
                Set.of("cairn-test", "cairn-mount", "cairn-master", "cairn-chunk"),
                collector.traceOf(root).stream().map(Seen::service).collect(Collectors.toSet()));
    }

    @Test
    void operationsSideBySideKeepTheirTracesApart() throws Exception {
        Stage stage = start(1);
        try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
            List<Callable<Void>> all = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                String name = "t" + i + "-";
                all.add(() -> stage.work(name));
            }
            for (Future<Void> each : threads.invokeAll(all)) {
                each.get();
            }
        }
        Poll.until("all operations arrived", 60, () -> collector.spans("fs/unlink").size() == 120);
        for (Seen server : collector.spans()) {
            if (server.kind().equals("SERVER")) {
                Seen root =
                        collector.traceOf(server).stream()
                                .filter(Seen::isRoot)
                                .findFirst()
                                .orElseThrow(() -> new AssertionError("no root: " + server));
                String done = server.name().split("/", 2)[1];
                switch (done) {
                    case "mkdir", "rmdir", "unlink", "create" ->
                            assertEquals("fs/" + done, root.name());
                    case "write", "replicate", "spill" -> assertEquals("fs/close", root.name());
                    default -> {}
                }
            }
        }
        assertEquals(
                120,
                collector.spans("master/spill").stream()
                        .filter(s -> s.kind().equals("SERVER"))
                        .count());
    }

    @Test
    void aRatioOfZeroTracesNothing() throws Exception {
        Stage stage = start(0);
        stage.work("quiet");
        closing.close();
        assertEquals(0, collector.requests());
        assertEquals(List.of(), collector.spans());
    }

    private boolean areWhole() {
        List<Seen> seen = collector.spans();
        Set<String> known = seen.stream().map(s -> s.ids().span()).collect(Collectors.toSet());
        return !seen.isEmpty()
                && seen.stream().allMatch(s -> s.isRoot() || known.contains(s.ids().parent()));
    }

    @Test
    void aShareOfTheOperationsIsTracedAsAWhole() throws Exception {
        Stage stage = start(0.5);
        for (int i = 0; i < 20; i++) {
            stage.work("share" + i + "-");
        }
        // The end sends what waits for two seconds only: a busy machine needs more for all.
        Poll.until("whole traces", 60, this::areWhole);
        closing.close();
        int made = collector.spans("fs/mkdir").size();
        assertTrue(made > 100 && made < 300, made + " of 400");
        Set<String> known =
                collector.spans().stream().map(s -> s.ids().span()).collect(Collectors.toSet());
        for (Seen span : collector.spans()) {
            assertTrue(span.isRoot() || known.contains(span.ids().parent()), span.toString());
            assertEquals(span.name().startsWith("fs/"), span.isRoot(), span.toString());
        }
        assertEquals(
                made,
                collector.spans("master/mkdir").stream()
                        .filter(s -> s.kind().equals("SERVER"))
                        .count());
    }
}
