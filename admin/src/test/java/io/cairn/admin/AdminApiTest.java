package io.cairn.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.api.Authenticator;
import io.cairn.admin.api.Json;
import io.cairn.admin.resource.FirstToken;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdminApiTest {
    @TempDir Path directory;
    private AdminBench bench;

    @BeforeEach
    void open() throws Exception {
        bench = new AdminBench(directory);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void theClusterAtAGlance() throws Exception {
        Map<String, Object> cluster = bench.get("/cluster");
        assertEquals("1.0", cluster.get("version"));
        assertEquals("m1", cluster.get("leader"));
        assertEquals(16, String.valueOf(cluster.get("clusterId")).length());
        String health = Json.text(cluster.get("health"));
        assertTrue(health.startsWith("{\"level\":\"critical\""), health);
        assertTrue(health.contains("cairn chunk"), health);
    }

    @Test
    void theFirstTokenIsForTheOwnerAlone() throws Exception {
        Path file = directory.resolve("admin.token");
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void theFirstTokenIsMadeAnewForWhoMayWriteBesideIt() throws Exception {
        Path file = directory.resolve("admin.token");
        String before = Files.readString(file);
        Files.writeString(file, ""); // as after a power cut
        Path answer = directory.resolve("admin.token" + FirstToken.ANSWER);
        Path request = directory.resolve("admin.token" + FirstToken.REQUEST);
        Files.writeString(request, "");
        AdminBench.until(() -> Files.exists(answer) && !Files.exists(request));
        assertEquals("", Files.readString(answer).strip());
        String after = Files.readString(file);
        assertNotEquals(before, after);
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        URI uri = URI.create("http://" + bench.door.endpoint() + "/api/v1/cluster");
        for (String secret : List.of(before, after)) {
            HttpRequest.Builder asked =
                    HttpRequest.newBuilder(uri).header("Authorization", "Bearer " + secret.strip());
            assertEquals(secret.equals(after) ? 200 : 401, bench.send(asked).statusCode());
        }
    }

    @Test
    void withoutTokenNothingIsTold() throws Exception {
        URI uri = URI.create("http://" + bench.door.endpoint() + "/api/v1/cluster");
        HttpResponse<String> none = bench.send(HttpRequest.newBuilder(uri));
        assertEquals(401, none.statusCode());
        assertEquals(
                "Bearer realm=\"cairn\"", none.headers().firstValue("www-authenticate").orElse(""));
        assertEquals(
                "application/problem+json", none.headers().firstValue("content-type").orElse(""));
        assertTrue(none.body().contains("admin.token"), none.body());
        HttpResponse<String> wrong =
                bench.send(HttpRequest.newBuilder(uri).header("Authorization", "Bearer x"));
        assertEquals(401, wrong.statusCode());
    }

    @Test
    void manyWrongTokensAreSlowedButARightOneIsServed() throws Exception {
        URI uri = URI.create("http://" + bench.door.endpoint() + "/api/v1/cluster");
        HttpRequest.Builder wrong = HttpRequest.newBuilder(uri).header("Authorization", "Bearer x");
        for (int i = 0; i < Authenticator.MAX_FAILURES; i++) {
            assertEquals(401, bench.send(wrong).statusCode());
        }
        HttpResponse<String> slowed = bench.send(wrong);
        assertEquals(429, slowed.statusCode());
        int seconds = Integer.parseInt(slowed.headers().firstValue("retry-after").orElse("0"));
        assertTrue(seconds > 0 && seconds <= 61, "retry after " + seconds);
        assertEquals(200, bench.send(bench.to("/cluster")).statusCode());
    }

    @Test
    void aKnownDocumentIsNotSentAgain() throws Exception {
        HttpResponse<String> first = bench.send(bench.to("/openapi.json"));
        String etag = first.headers().firstValue("etag").orElse("");
        assertTrue(etag.startsWith("\""), etag);
        HttpResponse<String> again =
                bench.send(bench.to("/openapi.json").header("If-None-Match", etag));
        assertEquals(304, again.statusCode());
        assertEquals("", again.body());
        HttpResponse<String> other =
                bench.send(bench.to("/openapi.json").header("If-None-Match", "\"other\""));
        assertEquals(200, other.statusCode());
    }

    @Test
    void whatDoesNotExistIsToldWithAHint() throws Exception {
        HttpResponse<String> wrong = bench.send(bench.to("/clutser"));
        assertEquals(404, wrong.statusCode());
        assertTrue(wrong.body().contains("/api/v1/cluster'"), wrong.body());
        HttpResponse<String> method = bench.send(bench.to("/cluster").DELETE());
        assertEquals(405, method.statusCode());
        assertEquals("GET, HEAD", method.headers().firstValue("allow").orElse(""));
        HttpResponse<String> parameter = bench.send(bench.to("/cluster?verbose=1"));
        assertEquals(400, parameter.statusCode());
        assertEquals("verbose", AdminBench.object(parameter).get("field"));
    }

    @Test
    void withoutALeaderTheAnswerIsToWait() throws Exception {
        bench.master.lead(false);
        HttpResponse<String> none = bench.send(bench.to("/cluster"));
        assertEquals(503, none.statusCode());
        assertNotEquals("", none.headers().firstValue("retry-after").orElse(""));
    }
}
