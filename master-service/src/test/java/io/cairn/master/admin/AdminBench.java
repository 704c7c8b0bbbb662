package io.cairn.master.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.cluster.Endpoint;
import io.cairn.master.LoneMaster;
import io.cairn.net.AdminDoor;
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
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** A master with its admin API behind a real door, and a client with the first token. */
final class AdminBench implements AutoCloseable {
    final LoneMaster master = new LoneMaster();
    final AtomicReference<Map<String, String>> levels = new AtomicReference<>(Map.of());
    final AdminApi api;
    final AdminDoor door;
    final String token;
    private final HttpClient http = HttpClient.newHttpClient();

    AdminBench(Path directory, Resource... more) throws Exception {
        Path file = directory.resolve("admin.token");
        api =
                new AdminApi(
                        master.service,
                        master.ground,
                        new AdminSettings("1.0", file, Set.of("admin.example"), levels::set),
                        List.of(more));
        door =
                new AdminDoor(
                        master.loops,
                        new Endpoint("127.0.0.1", 0),
                        null,
                        new AdminDoor.Pages(List::of, () -> "", () -> "{}"),
                        api);
        long end = System.nanoTime() + 10_000_000_000L;
        while (!Files.exists(file)
                || master.service.namespace().records("token/", "", 1).isEmpty()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("no first token");
            }
            Thread.sleep(10);
        }
        token = Files.readString(file, StandardCharsets.UTF_8).strip();
    }

    /** A request to an address below /api/v1 with the token. */
    HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("http://" + door.endpoint() + "/api/v1" + path))
                .timeout(Duration.ofSeconds(20))
                .header("Authorization", "Bearer " + token);
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** The document at an address. */
    Map<String, Object> get(String path) throws Exception {
        HttpResponse<String> response = send(to(path));
        assertEquals(200, response.statusCode(), response.body());
        return object(response);
    }

    /** A change with a body, or "" for none. */
    HttpResponse<String> change(String method, String path, String body) throws Exception {
        HttpRequest.Builder request = to(path);
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        return send(
                request.method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body)));
    }

    static Map<String, Object> object(HttpResponse<String> response) throws IOException {
        return Json.object(response.body().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        http.close();
        door.close();
        api.close();
        master.close();
    }
}
