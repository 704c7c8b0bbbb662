package io.cairn.admin.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.AdminBench;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.api.ShapeCheck;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holds what the OpenAPI document says against what the API does, route by route. All tests ask one
 * master and leave it as it is: a new one takes no snapshot for seconds, as a leader before it may
 * have promised something to chunk servers.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ApiDocumentTest {
    private AdminBench bench;

    @BeforeAll
    void open(@TempDir Path directory) throws Exception {
        bench = new AdminBench(directory);
        bench.startServers();
        bench.change("POST", "/exports", "{\"line\":\"/data *(rw)\"}");
        bench.change("POST", "/quotas", "{\"path\":\"/\",\"hardInodes\":1000}");
        bench.change("POST", "/classes", "{\"name\":\"a\",\"replicas\":2}");
        bench.change("PUT", "/directory-classes/", "{\"class\":\"a\"}");
        bench.change("POST", "/class-rules", "{\"class\":\"a\",\"name\":\"*.mp4\"}");
        HttpResponse<String> snapshot =
                bench.change("POST", "/snapshots", "{\"directory\":\"/\",\"name\":\"monday\"}");
        assertEquals(2, snapshot.statusCode() / 100, snapshot.body());
        HttpResponse<String> job =
                bench.change("POST", "/jobs", "{\"kind\":\"usage\",\"path\":\"/\"}");
        assertEquals(2, job.statusCode() / 100, job.body());
    }

    /** The session of the test before may have ended. */
    @BeforeEach
    void openSession() throws Exception {
        bench.openSession("host:/mnt 1");
    }

    @AfterAll
    void close() {
        bench.close();
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }

    private static List<?> list(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }

    /** An address where a route's variables stand for something that exists. */
    private String address(Route route) throws Exception {
        String template = route.template();
        String collection = template.replaceFirst("/\\{.*", "");
        if (!template.contains("{")) {
            return template;
        }
        if (template.contains("*}")) {
            return collection + "/";
        }
        List<Map<String, Object>> items = bench.items(collection);
        assertFalse(items.isEmpty(), collection + " is empty");
        Map<String, Object> item = items.getLast();
        String variable = template.substring(template.indexOf('{') + 1, template.indexOf('}'));
        Object key = item.get(variable);
        return template.replaceFirst("\\{[a-z]+}", String.valueOf(key));
    }

    @Test
    void everyRouteIsInTheDocumentAndNothingElse() throws Exception {
        Map<String, Object> document = bench.get("/openapi.json");
        assertEquals("3.0.3", document.get("openapi"));
        Set<String> told = new TreeSet<>();
        Set<String> ids = new HashSet<>();
        map(document.get("paths"))
                .forEach(
                        (path, methods) ->
                                map(methods)
                                        .forEach(
                                                (method, operation) -> {
                                                    told.add(method + " " + path);
                                                    Object id = map(operation).get("operationId");
                                                    assertTrue(
                                                            ids.add(String.valueOf(id)),
                                                            "two operations " + id);
                                                }));
        Set<String> routes = new TreeSet<>();
        for (Route route : bench.api.routes()) {
            String method = route.method().toLowerCase(Locale.ROOT);
            routes.add(method + " " + route.template().replace("*}", "}"));
            assertFalse(route.summary().isBlank(), route::toString);
        }
        assertEquals(routes, told);
    }

    @Test
    void parametersAndFieldsAreThoseOfTheDocument() throws Exception {
        Map<?, ?> paths = map(bench.get("/openapi.json").get("paths"));
        for (Route route : bench.api.routes()) {
            Map<?, ?> operation =
                    map(
                            map(paths.get(route.template().replace("*}", "}")))
                                    .get(route.method().toLowerCase(Locale.ROOT)));
            List<String> told = new ArrayList<>();
            for (Object parameter : list(operation.get("parameters"))) {
                if ("query".equals(map(parameter).get("in"))) {
                    told.add(String.valueOf(map(parameter).get("name")));
                }
            }
            assertEquals(route.parameters().stream().map(Parameter::name).toList(), told);
            assertEquals(route.deciding() != null, told.contains("plan"), route::toString);
            assertEquals(route.body() != null, operation.containsKey("requestBody"));
            assertEquals(route.role().text(), operation.get("x-role"));
        }
    }

    @Test
    void everyAnswerHasTheShapeThatTheDocumentTells() throws Exception {
        for (Route route : bench.api.routes()) {
            Shape shape = route.answer();
            if (route.reading() == null || shape == null) {
                continue;
            }
            if (route.stream() != null) {
                continue;
            }
            HttpResponse<String> response = bench.send(bench.to(address(route)));
            assertEquals(200, response.statusCode(), route + ": " + response.body());
            ShapeCheck.check(shape, AdminBench.object(response), "");
            assertTrue(
                    response.headers().firstValue("etag").orElse("").matches("\"[0-9a-f]+\""),
                    route::toString);
        }
    }

    @Test
    void noRouteAnswersWithoutTokenOrWithALowerRole() throws Exception {
        String reader = bench.newToken("reader", Role.READ);
        String operator = bench.newToken("operator", Role.OPERATE);
        for (Route route : bench.api.routes()) {
            String address = address(route);
            URI uri = URI.create("http://" + bench.door.endpoint() + "/api/v1" + address);
            HttpResponse<String> none =
                    bench.send(AdminBench.method(HttpRequest.newBuilder(uri), route.method(), ""));
            assertEquals(401, none.statusCode(), route::toString);
            if (route.role() == Role.READ) {
                continue;
            }
            String lower = route.role() == Role.ADMIN ? operator : reader;
            HttpResponse<String> low =
                    bench.send(AdminBench.method(bench.to(address, lower), route.method(), ""));
            assertEquals(403, low.statusCode(), route + ": " + low.body());
            assertTrue(low.body().contains("'" + route.role().text() + "'"), low.body());
        }
    }

    @Test
    void everyRouteRefusesWhatItDoesNotKnow() throws Exception {
        for (Route route : bench.api.routes()) {
            if (route.stream() != null) {
                continue;
            }
            String address = address(route);
            HttpResponse<String> parameter =
                    bench.change(route.method(), address + "?limmit=1", "");
            assertEquals(400, parameter.statusCode(), route + ": " + parameter.body());
            assertEquals("limmit", AdminBench.object(parameter).get("field"));
            HttpResponse<String> body = bench.change(route.method(), address, "{\"frobnicate\":1}");
            assertEquals(400, body.statusCode(), route + ": " + body.body());
            if (route.body() != null) {
                assertEquals("frobnicate", AdminBench.object(body).get("field"), route::toString);
            }
        }
    }

    @Test
    void schemasSayWhatIsRequired() {
        Shape shape =
                Shape.fields(
                        Field.of("a", Shape.whole(1, 3), "A."),
                        Field.maybe("b", Shape.choice(List.of("x", "y")), "B."));
        String schema = new String(Json.bytes(ApiDocument.schema(shape)), StandardCharsets.UTF_8);
        assertTrue(schema.contains("\"required\":[\"a\"]"), schema);
        assertTrue(schema.contains("\"enum\":[\"x\",\"y\"]"), schema);
        assertTrue(schema.contains("\"maximum\":3"), schema);
        assertTrue(schema.contains("\"nullable\":true"), schema);
    }
}
