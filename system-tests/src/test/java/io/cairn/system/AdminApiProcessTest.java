package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

/** The admin API of three masters as processes, with a chunk server and a real mount. */
class AdminApiProcessTest {
    private static final List<String> MASTERS = List.of("m1", "m2", "m3");

    @TempDir Path directory;
    private final HttpClient http = HttpClient.newHttpClient();
    private String token = "";

    private HttpResponse<String> send(
            ProcessCluster cluster, String master, String method, String path) throws Exception {
        String address = cluster.process(master).await("admin on (\\S+)", 60).group(1);
        URI uri = URI.create("http://" + address + "/api/v1" + path);
        HttpRequest request =
                HttpRequest.newBuilder(uri)
                        .timeout(Duration.ofSeconds(30))
                        .header("Authorization", "Bearer " + token)
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    }

    private Map<String, Object> get(ProcessCluster cluster, String master, String path)
            throws Exception {
        HttpResponse<String> response = send(cluster, master, "GET", path);
        assertEquals(200, response.statusCode(), response.body());
        return JSON.std.mapFrom(response.body());
    }

    @Test
    @Timeout(value = 240)
    void anyMasterAdministersTheCluster() throws Exception {
        try (http;
                ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(3, 1);
            cluster.startChunkServers(1);
            Path mount = cluster.mount("mnt");
            Files.writeString(mount.resolve("hello"), "hello");
            token = Files.readString(cluster.awaitFirstToken()).strip();
            for (String master : MASTERS) {
                // A follower hears of it later.
                Poll.until("token", 60, () -> !get(cluster, master, "/cluster").isEmpty());
            }

            String leader = String.valueOf(get(cluster, "m1", "/cluster").get("leader"));
            for (String master : MASTERS) {
                Map<String, Object> told = get(cluster, master, "/cluster");
                assertEquals(leader, told.get("leader"), "asked " + master);
            }
            String next = leader.equals("m2") ? "m3" : "m2";
            refuse(cluster, next);
            evict(cluster, next, mount);
            transfer(cluster, leader, next);
            transferAgainAndAgain(cluster, next);
            assertEquals("hello", Files.readString(mount.resolve("hello")));
        }
    }

    private void refuse(ProcessCluster cluster, String master) throws Exception {
        String right = token;
        token = "cairn_wrong";
        HttpResponse<String> refused = send(cluster, master, "GET", "/cluster");
        token = right;
        assertEquals(401, refused.statusCode(), refused.body());
    }

    private String onlySession(ProcessCluster cluster, String master) throws Exception {
        String text = String.valueOf(get(cluster, master, "/sessions").get("items"));
        Matcher id = Pattern.compile("\\bid=([0-9a-f]{16})").matcher(text);
        assertTrue(id.find(), text);
        String session = id.group(1);
        assertFalse(id.find(), text);
        return session;
    }

    private void evict(ProcessCluster cluster, String master, Path mount) throws Exception {
        String session = onlySession(cluster, master);
        HttpResponse<String> gone = send(cluster, master, "DELETE", "/sessions/" + session);
        assertEquals(204, gone.statusCode(), gone.body());
        assertEquals(404, send(cluster, master, "GET", "/sessions/" + session).statusCode());
        Poll.until(
                "work in a new session",
                60,
                () -> {
                    try {
                        Files.writeString(mount.resolve("after"), "after");
                        return true;
                    } catch (IOException e) {
                        return false;
                    }
                });
        assertNotEquals(session, onlySession(cluster, master));
    }

    /**
     * The call itself succeeds, whichever master it is made to, the one that gives way included.
     */
    private void transferAgainAndAgain(ProcessCluster cluster, String first) throws Exception {
        String leader = first;
        for (int i = 0; i < 6; i++) {
            String next = MASTERS.get((MASTERS.indexOf(leader) + 1) % MASTERS.size());
            String asked = MASTERS.get((MASTERS.indexOf(leader) + i) % MASTERS.size());
            String path = "/masters/" + next + "/lead";
            HttpResponse<String> moved = send(cluster, asked, "POST", path);
            assertEquals(204, moved.statusCode(), path + " at " + asked + ": " + moved.body());
            leader = next;
        }
    }

    private void transfer(ProcessCluster cluster, String from, String to) throws Exception {
        HttpResponse<String> moved = send(cluster, to, "POST", "/masters/" + to + "/lead");
        assertEquals(204, moved.statusCode(), moved.body() + cluster.logs());
        Poll.until(
                to + " leads",
                30,
                () -> {
                    try {
                        HttpResponse<String> told = send(cluster, from, "GET", "/cluster");
                        return told.statusCode() == 200
                                && told.body().contains("\"leader\":\"" + to + "\"");
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
        String audit = String.valueOf(get(cluster, from, "/audit").get("items"));
        assertTrue(audit.contains("/masters/" + to + "/lead"), audit);
    }
}
