package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.Shell;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.jr.ob.JSON;

/**
 * The metrics of every service of a real cluster: what the dashboard and the alert rules in {@code
 * docker/} name is there, and names and numbers of series keep to the convention.
 */
final class MetricsTest {
    private static final int MAX_SERIES = 2500;
    private static final Path DOCKER =
            Path.of(Objects.requireNonNull(System.getProperty("cairn.root")), "docker");
    private static final Pattern NAME =
            Pattern.compile("\\b(?:cairn|jvm|process|logback|system)_[a-z0-9_]+\\b");
    private static final Pattern OWN_NAME =
            Pattern.compile(
                    "cairn_(?:client|cluster|chunk|cpu|disk|master|net|nfs|raft|rocksdb|target)"
                            + "(?:_[a-z0-9]+)+");

    @TempDir private Path directory;

    @Test
    void whatDashboardAndRulesNameIsThere() throws Exception {
        Set<String> wanted = wanted();
        assertTrue(wanted.size() > 40, wanted.toString());
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServers(1);
            Path mount = cluster.mount("mnt");
            try (CairnProcess gateway =
                    CairnProcess.start(
                            directory.resolve("nfs.log"),
                            List.of(
                                    "nfs",
                                    "--masters",
                                    cluster.masters(),
                                    "--listen",
                                    "127.0.0.1:0",
                                    "--admin",
                                    "127.0.0.1:0"))) {
                String port = gateway.await("ready on 127\\.0\\.0\\.1:(\\d+)", 60).group(1);
                work(mount, port);
                List<String> doors = new ArrayList<>();
                for (CairnProcess each :
                        List.of(
                                cluster.process("m1"),
                                cluster.process("c1"),
                                cluster.process("mnt"),
                                gateway)) {
                    doors.add(each.await("admin on (\\S+)", 60).group(1));
                }
                // The clients that have most connections are looked at every five seconds.
                try (Socket client =
                        new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port))) {
                    Poll.until("metrics of " + client, 40, () -> areThere(wanted, doors));
                }
                for (String door : doors) {
                    checkConvention(door, scrape(door));
                }
            }
        }
    }

    /** Whether all are there; fails with those that are not. */
    private static boolean areThere(Set<String> wanted, List<String> doors) throws Exception {
        Set<String> missing = new TreeSet<>(wanted);
        for (String door : doors) {
            missing.removeAll(namesOf(scrape(door)));
        }
        if (!missing.isEmpty()) {
            throw new IllegalStateException("missing: " + missing);
        }
        return true;
    }

    private void work(Path mount, String port) throws Exception {
        Shell.run(
                directory,
                "head -c 300000 /dev/urandom >mnt/file; sync mnt/file; chmod 755 mnt;"
                        + " nfs-cat 'nfs://127.0.0.1//file?nfsport="
                        + port
                        + "&mountport="
                        + port
                        + "' | cmp - mnt/file");
        assertEquals(300_000, Files.size(mount.resolve("file")));
    }

    /** The names in the expressions of the dashboard and of the rules. */
    private static Set<String> wanted() throws Exception {
        List<String> expressions = new ArrayList<>();
        collect(
                JSON.std.anyFrom(Files.readString(DOCKER.resolve("grafana/dashboards/cairn.json"))),
                expressions);
        Path rules = DOCKER.resolve("prometheus/rules.yml");
        collect(
                new Load(LoadSettings.builder().build()).loadFromString(Files.readString(rules)),
                expressions);
        Set<String> names = new TreeSet<>();
        for (String expression : expressions) {
            Matcher matcher = NAME.matcher(expression);
            while (matcher.find()) {
                names.add(matcher.group());
            }
        }
        return names;
    }

    private static void collect(Object node, List<String> expressions) {
        if (node instanceof Map<?, ?> map) {
            map.forEach(
                    (key, value) -> {
                        if ("expr".equals(key)) {
                            expressions.add(String.valueOf(value));
                        } else if (value != null) {
                            collect(value, expressions);
                        }
                    });
        } else if (node instanceof List<?> list) {
            list.stream().filter(Objects::nonNull).forEach(each -> collect(each, expressions));
        }
    }

    static List<String> scrape(String door) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create("http://" + door + "/metrics"))
                            .timeout(Duration.ofSeconds(60))
                            .build();
            HttpResponse<String> response =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            assertEquals(200, response.statusCode());
            return response.body().lines().filter(l -> !l.startsWith("#")).toList();
        }
    }

    private static Set<String> namesOf(List<String> series) {
        Set<String> names = new TreeSet<>();
        series.forEach(line -> names.add(line.split("[{ ]", 2)[0]));
        return names;
    }

    private static void checkConvention(String door, List<String> series) {
        assertTrue(series.size() < MAX_SERIES, door + " has " + series.size() + " series");
        for (String name : namesOf(series)) {
            assertFalse(name.contains("__"), name);
            if (name.startsWith("cairn_")) {
                assertTrue(OWN_NAME.matcher(name).matches(), name + ": cairn_SERVICE_WHAT[_UNIT]");
                if (name.contains("bytes")) {
                    assertTrue(name.matches(".*_bytes(_total)?"), name + ": the unit stands last");
                }
                assertFalse(name.matches(".*_(ms|millis|us|ns|kb|mb)(_.*)?"), name);
            } else {
                assertTrue(
                        name.matches("(jvm|process|system|logback)_.*"), name + " is of no family");
            }
        }
    }
}
