package io.cairn.admin.resource;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Router;
import io.cairn.admin.api.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The OpenAPI 3 document of some routes. */
final class ApiDocument {
    private static final Pattern VARIABLE = Pattern.compile("\\{([a-zA-Z]+)\\*?}");

    private ApiDocument() {}

    static Map<String, Object> of(List<Route> routes, String version) {
        Map<String, Object> document = Json.map();
        document.put("openapi", "3.0.3");
        Map<String, Object> title = Json.map();
        title.put("title", "Cairn administration");
        title.put("version", version);
        title.put(
                "description",
                "State and changes of a Cairn cluster. Every change takes ?plan=true, which answers"
                        + " what would change and changes nothing, and If-Match. Errors are"
                        + " application/problem+json (RFC 9457).");
        document.put("info", title);
        document.put("servers", List.of(Map.of("url", Router.PREFIX)));
        document.put("security", List.of(Map.of("token", List.of())));
        Map<String, Object> paths = Json.map();
        for (Route route : routes) {
            String path = route.template().replace("*}", "}");
            methodsOf(paths, path).put(route.method().toLowerCase(Locale.ROOT), operation(route));
        }
        document.put("paths", paths);
        document.put("components", components());
        return document;
    }

    @SuppressWarnings("unchecked") // It puts nothing else there.
    private static Map<String, Object> methodsOf(Map<String, Object> paths, String path) {
        return (Map<String, Object>) paths.computeIfAbsent(path, _ -> Json.map());
    }

    private static Map<String, Object> components() {
        Map<String, Object> components = Json.map();
        Map<String, Object> token = Json.map();
        token.put("type", "http");
        token.put("scheme", "bearer");
        components.put("securitySchemes", Map.of("token", token));
        Shape problem =
                Shape.fields(
                        Field.of("type", Shape.text(), "What kind of problem: a URN."),
                        Field.of("title", Shape.text(), "The kind in words."),
                        Field.of("status", Shape.whole(400, 599), "The status."),
                        Field.of("detail", Shape.text(), "What is wrong, and what to do."),
                        Field.maybe("field", Shape.text(), "Which field or parameter."),
                        Field.maybe("allowed", Shape.items(Shape.text()), "What it could be."));
        Map<String, Object> schemas = Json.map();
        schemas.put("Problem", schema(problem));
        schemas.put("Plan", schema(Plan.shape()));
        components.put("schemas", schemas);
        return components;
    }

    private static Map<String, Object> operation(Route route) {
        Map<String, Object> operation = Json.map();
        operation.put("operationId", operationId(route));
        operation.put("summary", route.summary());
        operation.put("x-role", route.role().text());
        operation.put("parameters", parameters(route));
        Shape body = route.body();
        if (body != null) {
            Map<String, Object> request = Json.map();
            request.put("required", true);
            request.put("content", content("application/json", schema(body)));
            operation.put("requestBody", request);
        }
        operation.put("responses", responses(route));
        return operation;
    }

    private static String operationId(Route route) {
        StringBuilder id = new StringBuilder(route.method().toLowerCase(Locale.ROOT));
        for (String word : route.template().split("[^a-zA-Z]+", -1)) {
            if (!word.isEmpty()) {
                id.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
            }
        }
        return id.toString();
    }

    private static List<Object> parameters(Route route) {
        List<Object> list = new ArrayList<>();
        Matcher matcher = VARIABLE.matcher(route.template());
        while (matcher.find()) {
            Map<String, Object> variable = Json.map();
            variable.put("name", matcher.group(1));
            variable.put("in", "path");
            variable.put("required", true);
            variable.put("schema", Map.of("type", "string"));
            list.add(variable);
        }
        for (Parameter parameter : route.parameters()) {
            Map<String, Object> each = Json.map();
            each.put("name", parameter.name());
            each.put("in", "query");
            each.put("required", false);
            each.put("description", parameter.description());
            each.put("schema", schema(parameter.shape()));
            list.add(each);
        }
        return list;
    }

    private static Map<String, Object> responses(Route route) {
        Map<String, Object> responses = Json.map();
        Map<String, Object> success = Json.map();
        Shape answer = route.answer();
        success.put("description", answer == null ? "Done." : "The document.");
        if (answer != null) {
            String stream = route.stream();
            String type = stream == null ? "application/json" : stream;
            success.put("content", content(type, schema(answer)));
        }
        responses.put(route.deciding() == null ? "200" : "2XX", success);
        Map<String, Object> error = Json.map();
        error.put("description", "A problem (RFC 9457).");
        error.put(
                "content",
                content(
                        "application/problem+json",
                        Map.of("$ref", "#/components/schemas/Problem")));
        responses.put("default", error);
        return responses;
    }

    private static Map<String, Object> content(String type, Map<String, Object> schema) {
        return Map.of(type, Map.of("schema", schema));
    }

    /** A shape in the words of JSON Schema. */
    static Map<String, Object> schema(Shape shape) {
        Map<String, Object> schema = Json.map();
        switch (shape) {
            case Shape.Text text -> {
                schema.put("type", "string");
                schema.put("maxLength", text.maxLength());
            }
            case Shape.Time _ -> {
                schema.put("type", "string");
                schema.put("format", "date-time");
            }
            case Shape.Whole whole -> {
                schema.put("type", "integer");
                schema.put("format", "int64");
                schema.put("minimum", whole.min());
                schema.put("maximum", whole.max());
            }
            case Shape.Decimal _ -> schema.put("type", "number");
            case Shape.Flag _ -> schema.put("type", "boolean");
            case Shape.Choice choice -> {
                schema.put("type", "string");
                schema.put("enum", choice.values());
            }
            case Shape.Items items -> {
                schema.put("type", "array");
                schema.put("items", schema(items.item()));
            }
            case Shape.Table table -> {
                schema.put("type", "object");
                schema.put("additionalProperties", schema(table.value()));
            }
            case Shape.Fields fields -> putFields(schema, fields);
            case Shape.Anything _ -> {}
        }
        return schema;
    }

    private static void putFields(Map<String, Object> schema, Shape.Fields fields) {
        schema.put("type", "object");
        Map<String, Object> properties = Json.map();
        List<String> required = new ArrayList<>();
        for (Field field : fields.fields()) {
            Map<String, Object> property = schema(field.shape());
            property.put("description", field.description());
            if (field.required()) {
                required.add(field.name());
            } else {
                property.put("nullable", true);
            }
            properties.put(field.name(), property);
        }
        schema.put("properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        schema.put("additionalProperties", false);
    }
}
