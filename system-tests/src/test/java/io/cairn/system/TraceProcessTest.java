package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.Closing;
import io.cairn.system.TraceCollector.Seen;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A trace over processes: a master, two chunk servers, a mount; one of them without traces. */
final class TraceProcessTest {
    private static final String MASTER = "127.0.0.1:" + ProcessCluster.freePort();

    @TempDir private Path directory;
    private final Closing closing = new Closing();

    @AfterEach
    void stop() {
        closing.close();
    }

    private CairnProcess start(String name, Map<String, String> environment, String... arguments) {
        return closing.add(
                CairnProcess.start(
                        directory.resolve(name + ".log"), List.of(arguments), environment));
    }

    private CairnProcess chunk(String name, Map<String, String> environment) {
        return start(
                name,
                environment,
                "chunk",
                "--id",
                name,
                "--data",
                directory.resolve(name).toString(),
                "--listen",
                "127.0.0.1:" + ProcessCluster.freePort(),
                "--masters",
                MASTER);
    }

    /** Starts a master and its chunk servers; the admin address of the master. */
    private String startCluster(TraceCollector collector) throws Exception {
        Map<String, String> traced = Map.of("CAIRN_TRACE_TO", collector.url());
        CairnProcess master =
                start(
                        "m1",
                        Map.of("CAIRN_TRACE_TO", collector.url(), "CAIRN_TRACE_RATIO", "1"),
                        "master",
                        "--id",
                        "m1",
                        "--data",
                        directory.resolve("m1").toString(),
                        "--listen",
                        MASTER,
                        "--found",
                        "--raft",
                        "m1=127.0.0.1:" + ProcessCluster.freePort(),
                        "--replicas",
                        "3",
                        "--expect-servers",
                        "3");
        List<CairnProcess> servers =
                List.of(chunk("c1", traced), chunk("c2", traced), chunk("c3", Map.of()));
        Matcher admin = master.await("(?m)^cairn master .* admin on (\\S+)$", 90);
        master.await(CairnProcess.READY, 90);
        for (CairnProcess server : servers) {
            server.await(CairnProcess.READY, 90);
        }
        return admin.group(1);
    }

    private Path mount(TraceCollector collector) throws Exception {
        Path mountpoint = directory.resolve("mnt");
        Files.createDirectories(mountpoint);
        closing.add(() -> ProcessCluster.unmount(mountpoint));
        CairnProcess mount =
                start(
                        "mount",
                        Map.of(),
                        "mount",
                        MASTER,
                        mountpoint.toString(),
                        "--foreground",
                        "--trace-to",
                        collector.url(),
                        "--trace-ratio",
                        "1");
        mount.await(CairnProcess.READY, 90);
        return mountpoint;
    }

    @Test
    @Timeout(240)
    void anOperationIsOneTraceOverAllProcessesThatTakePart() throws Exception {
        TraceCollector collector = closing.add(new TraceCollector());
        String admin = startCluster(collector);
        Path mountpoint = mount(collector);
        for (int i = 0; i < 4; i++) {
            Files.write(mountpoint.resolve("private" + i), new byte[700_000]);
        }

        Seen create = collector.awaitRoot("fs/create");
        assertEquals("cairn-mount", create.service());
        Seen asked = collector.awaitChild(create, "master/create", "CLIENT");
        Seen answered = collector.awaitChild(asked, "master/create", "SERVER");
        assertEquals("cairn-master", answered.service());
        collector.awaitChild(answered, "log/submit", "INTERNAL");
        assertForwarded(collector);
        assertTrue(
                collector.spans().stream().noneMatch(s -> s.instance().equals("c3")),
                "c3 sends no traces");

        URI api = URI.create("http://" + admin + "/api/v1/files/very/private");
        assertEquals(401, get(api));
        Seen request = collector.awaitRoot("GET /api/v1/files/{path*}");
        assertEquals("401", request.attributes().get("http.response.status_code"));
        assertFalse(collector.spans().toString().contains("private"), "names are private");
    }

    /** One chunk server has forwarded a write to another one, as part of one trace. */
    private void assertForwarded(TraceCollector collector) {
        Poll.until(
                "a write that one chunk server forwards to another",
                30,
                () -> collector.spans("chunk/replicate").stream().anyMatch(this::isServed));
        Seen member =
                collector.spans("chunk/replicate").stream()
                        .filter(this::isServed)
                        .findFirst()
                        .orElseThrow();
        assertEquals("cairn-chunk", member.service());
        Poll.until(
                "the whole of that trace",
                30,
                () -> {
                    List<Seen> trace = collector.traceOf(member);
                    return trace.stream().filter(Seen::isRoot).count() == 1
                            && trace.stream()
                                    .anyMatch(s -> s.name().equals("chunk/write") && isServed(s));
                });
    }

    private boolean isServed(Seen span) {
        return span.kind().equals("SERVER");
    }

    private static int get(URI address) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(20)).build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        }
    }
}
