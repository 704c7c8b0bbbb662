package io.cairn.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.admin.access.MountRulesResource;
import io.cairn.admin.access.MountUsersResource;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Role;
import io.cairn.admin.oidc.OidcSettings;
import io.cairn.admin.resource.ExportSyntax;
import io.cairn.admin.resource.ExportsResource;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.http.AdminServer;
import io.cairn.master.LoneMaster;
import io.cairn.master.MasterGroup;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.runtime.Clock;
import io.cairn.seal.MasterKey;
import io.cairn.wire.Decoder;
import io.cairn.wire.ProtocolRange;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TargetLoad;
import io.cairn.wire.scrub.ScrubReport;
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
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A master with its admin API behind a real door, a client with the first token, and the means to
 * be chunk servers and mounts to it.
 */
public final class AdminBench implements AutoCloseable {
    public static final MasterKey MASTER_KEY = new MasterKey(new byte[MasterKey.KEY_BYTES]);

    public final LoneMaster master;
    final AtomicReference<Map<String, String>> levels = new AtomicReference<>(Map.of());
    final ThreeMasters group = new ThreeMasters();
    final Words exports = new Words();
    public final AdminApi api;
    public final AdminServer door;
    final String token;
    private final HttpClient http = HttpClient.newHttpClient();
    private final Connection wire;

    public AdminBench(Path directory) throws Exception {
        this(directory, ProtocolRange.OURS);
    }

    /** Of a release that understands these versions. */
    public AdminBench(Path directory, ProtocolRange understood) throws Exception {
        this(directory, new LoneMaster(understood));
    }

    /** Of a master, which ends with it. */
    public AdminBench(Path directory, LoneMaster master) throws Exception {
        this(directory, master, null);
    }

    /** The same with an OpenID provider. */
    public AdminBench(Path directory, LoneMaster master, @Nullable OidcSettings provider)
            throws Exception {
        this.master = master;
        master.group(group);
        Path file = directory.resolve("admin.token");
        api =
                new AdminApi(
                        master.service,
                        master.ground,
                        new AdminSettings("1.0", file, Set.of("admin.example"), levels::set)
                                .with(MASTER_KEY)
                                .withUsersOf(provider),
                        List.of(
                                new ExportsResource(master.service, exports),
                                new MountRulesResource(master.service),
                                new MountUsersResource(master.service, new Random(7))));
        door =
                new AdminServer(
                        Clock.system(),
                        new Endpoint("127.0.0.1", 0),
                        null,
                        new AdminServer.Pages(List::of, () -> "", () -> "{}"),
                        api);
        wire =
                master.transport
                        .connect(master.service.endpoint(), Handler.refusing(), 5_000)
                        .get(60, TimeUnit.SECONDS);
        until(() -> !master.service.namespace().records("token/", "", 1).isEmpty());
        token = Files.readString(file, StandardCharsets.UTF_8).strip();
    }

    /** Waits for a condition, 60 seconds at most. */
    public static void until(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + 60_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("did not happen within 60 s");
            }
            Thread.sleep(10);
        }
    }

    /** Three masters of which the first leads. */
    static final class ThreeMasters implements MasterGroup {
        volatile String leader = "m1";
        volatile long silentMs = -1;

        @Override
        public List<Standing> masters() {
            return List.of(
                    standing("m1", 0, 100), standing("m2", 5, 98), standing("m3", silentMs, -1));
        }

        private Standing standing(String id, long silentMs, long commitIndex) {
            Endpoint at = new Endpoint("127.0.0.1", 1);
            boolean leads = id.equals(leader);
            return new Standing(
                    id, at, leads ? at : null, leads, commitIndex, silentMs, Share.FULL);
        }

        @Override
        public long term() {
            return 7;
        }

        @Override
        public CompletableFuture<Void> lead(String id) {
            leader = id;
            return CompletableFuture.completedFuture(null);
        }
    }

    /** Exports are paths followed by a word. Hosts called stranger are not known any more. */
    static final class Words implements ExportSyntax {
        /** What happens once, while paths are looked at. */
        final AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});

        @Override
        public void check(String line) {
            if (line.endsWith(" stranger")) {
                throw new IllegalArgumentException("unknown host");
            }
            var _ = pathOf(line);
        }

        @Override
        public String pathOf(String line) {
            meanwhile.getAndSet(() -> {}).run();
            if (!line.startsWith("/") || line.indexOf(' ') < 0) {
                throw new IllegalArgumentException("'" + line + "' is not PATH CLIENT");
            }
            return line.substring(0, line.indexOf(' '));
        }

        @Override
        public void check(List<String> paths) {
            if (Set.copyOf(paths).size() < paths.size()) {
                throw new IllegalArgumentException("a path is exported twice");
            }
        }
    }

    /** A chunk server with one target says that it lives. */
    void heartbeat(String name, int number) throws Exception {
        heartbeat(name, number, TargetLoad.NONE);
    }

    /** The same with what it has done. */
    void heartbeat(String name, int number, TargetLoad load) throws Exception {
        heartbeat(name, number, load, ScrubReport.NONE);
    }

    /** The same with what it has verified. */
    void heartbeat(String name, int number, TargetLoad load, ScrubReport scrub) throws Exception {
        var target =
                new ClusterRequest.TargetReport(
                        0xa0 + number,
                        1000,
                        600,
                        3,
                        true,
                        0,
                        "/disks/" + number,
                        load,
                        List.of(),
                        List.of(),
                        "",
                        scrub,
                        ClusterRequest.Holdings.NONE,
                        0);
        var heartbeat =
                new ClusterRequest.Heartbeat(
                        0,
                        name,
                        new Endpoint("127.0.0.1", 1000 + number),
                        number,
                        number,
                        List.of(target),
                        0,
                        new long[0],
                        Declaration.NONE,
                        0);
        ask(MasterRequest.cluster(heartbeat, 1));
    }

    /** Two chunk servers, and pools over them. */
    public void startServers() throws Exception {
        heartbeat("c1", 1);
        heartbeat("c2", 2);
        until(() -> master.service.namespace().clusterMap().pools().size() >= 2);
    }

    /** Another master says that it is there. */
    void follower(String id, int newest) throws Exception {
        ask(MasterRequest.cluster(new ClusterRequest.MasterPresent(id, newest), 1));
    }

    private byte[] ask(byte[] frame) throws Exception {
        Message answer = wire.call(Message.of(frame), 5_000).get(60, TimeUnit.SECONDS);
        answer.release();
        return answer.header();
    }

    /** A session that says that it lives. */
    public long openSession(String client) throws Exception {
        Envelope open =
                new Envelope(0, client.hashCode(), 0, 0, new SessionMutation.OpenSession(client));
        Reply reply = Reply.decode(new Decoder(ask(MasterRequest.mutation(open))));
        if (!(reply instanceof Reply.SessionReply session)) {
            throw new AssertionError(reply);
        }
        ask(MasterRequest.query(session.session(), new Query.KeepAlive(false, new long[0]), 1));
        return session.session();
    }

    Reply mutate(long session, long sequence, Mutation mutation) throws Exception {
        Envelope envelope = new Envelope(session, sequence, 0, 0, mutation);
        return Reply.decode(new Decoder(ask(MasterRequest.mutation(envelope))));
    }

    /** Why a mutation is refused. */
    Errno refusal(long session, long sequence, Mutation mutation) throws Exception {
        Envelope envelope = new Envelope(session, sequence, 0, 0, mutation);
        ExecutionException error =
                assertThrows(ExecutionException.class, () -> ask(MasterRequest.mutation(envelope)));
        return assertInstanceOf(FsException.class, error.getCause()).errno();
    }

    Reply query(long session, Query query) throws Exception {
        return Reply.decode(new Decoder(ask(MasterRequest.query(session, query, 1))));
    }

    /** A request to an address below /api/v1 with the token. */
    public HttpRequest.Builder to(String path) {
        return to(path, token);
    }

    public HttpRequest.Builder to(String path, String secret) {
        return HttpRequest.newBuilder(URI.create("http://" + door.endpoint() + "/api/v1" + path))
                .timeout(Duration.ofSeconds(20))
                .header("Authorization", "Bearer " + secret);
    }

    public HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpClient http() {
        return http;
    }

    /** The document at an address. */
    public Map<String, Object> get(String path) throws Exception {
        HttpResponse<String> response = send(to(path));
        assertEquals(200, response.statusCode(), response.body());
        return object(response);
    }

    /** The items of a list. */
    public List<Map<String, Object>> items(String path) throws Exception {
        return itemsOf(get(path));
    }

    @SuppressWarnings("unchecked") // Items are objects, as the document says.
    public static List<Map<String, Object>> itemsOf(Map<String, Object> page) {
        return page.get("items") instanceof List<?> list
                ? (List<Map<String, Object>>) list
                : List.of();
    }

    /** A change with a body, or "" for none. */
    public HttpResponse<String> change(String method, String path, String body) throws Exception {
        return send(method(to(path), method, body));
    }

    public static HttpRequest.Builder method(
            HttpRequest.Builder request, String method, String body) {
        if (body.isEmpty()) {
            return request.method(method, HttpRequest.BodyPublishers.noBody());
        }
        return request.header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body));
    }

    /** A new token's secret. */
    public String newToken(String name, Role role) throws Exception {
        String body = "{\"name\":\"%s\",\"role\":\"%s\"}".formatted(name, role.text());
        HttpResponse<String> made = change("POST", "/tokens", body);
        assertEquals(201, made.statusCode(), made.body());
        return String.valueOf(object(made).get("secret"));
    }

    public static Map<String, Object> object(HttpResponse<String> response) throws IOException {
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
