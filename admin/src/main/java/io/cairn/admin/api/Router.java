package io.cairn.admin.api;

import io.cairn.base.Spelling;
import io.cairn.http.WebAnswer;
import io.cairn.http.WebProblem;
import io.cairn.http.WebRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests below {@code /api/v1} with the routes that it was given, the same way for all:
 * see the package. Thread-safe.
 */
public final class Router {
    public static final String PREFIX = "/api/v1";

    private final List<Route> routes;
    private final Authenticator authenticator;
    private final Audit audit;

    public Router(List<Route> routes, Authenticator authenticator, Audit audit) {
        this.routes = List.copyOf(routes);
        this.authenticator = authenticator;
        this.audit = audit;
    }

    public List<Route> routes() {
        return routes;
    }

    /** The template that an address fits, from the root; {@code other} when there is none. */
    public String templateOf(String path) {
        if (path.startsWith(PREFIX + "/")) {
            String rest = path.substring(PREFIX.length());
            for (Route route : routes) {
                if (AddressText.match(route.template(), rest) != null) {
                    return PREFIX + route.template();
                }
            }
        }
        return "other";
    }

    /** A route that fits an address. */
    private record Match(Route route, Map<String, byte[]> variables) {}

    /** Answers on this master, which leads. */
    public WebAnswer answer(WebRequest request) {
        try {
            return respond(request);
        } catch (Problem e) {
            return toAnswer(e);
        }
    }

    public static WebAnswer toAnswer(Problem problem) {
        WebAnswer answer = problem.problem().toAnswer();
        for (Map.Entry<String, String> header : problem.headers().entrySet()) {
            answer = answer.with(header.getKey(), header.getValue());
        }
        return answer;
    }

    private WebAnswer respond(WebRequest request) {
        Call.Caller caller = authenticator.caller(request);
        Match match = find(request);
        Route route = match.route();
        if (!caller.role().includes(route.role())) {
            throw Problem.forbidden(
                    "%s needs a token of role '%s'; '%s' has role '%s'."
                            .formatted(
                                    route,
                                    route.role().text(),
                                    caller.token(),
                                    caller.role().text()));
        }
        requireAccepted(request, route);
        Call call =
                new Call(
                        route,
                        match.variables(),
                        parameters(request, route),
                        body(request, route),
                        caller);
        Route.Reading reading = route.reading();
        return reading != null ? read(request, reading.answer(call)) : change(request, call);
    }

    private Match find(WebRequest request) {
        String path = request.path().substring(PREFIX.length());
        String method = request.method().equals("HEAD") ? "GET" : request.method();
        Set<String> allowed = new LinkedHashSet<>();
        for (Route route : routes) {
            Map<String, byte[]> variables = AddressText.match(route.template(), path);
            if (variables != null) {
                if (route.method().equals(method)) {
                    return new Match(route, variables);
                }
                allowed.add(route.method());
                if (route.method().equals("GET")) {
                    allowed.add("HEAD");
                }
            }
        }
        if (allowed.isEmpty()) {
            List<String> known =
                    routes.stream().map(r -> PREFIX + r.template()).distinct().toList();
            throw Problem.notFound(
                    "There is nothing at "
                            + request.path()
                            + "."
                            + Spelling.hint(known, request.path())
                            + " GET /api/v1/openapi.json tells what there is.");
        }
        throw Problem.method(
                request.method()
                        + " does not go with "
                        + request.path()
                        + "; use "
                        + String.join(", ", allowed)
                        + ".",
                String.join(", ", allowed));
    }

    private static void requireAccepted(WebRequest request, Route route) {
        String accept = request.header("accept");
        if (accept == null || accept.isBlank()) {
            return;
        }
        for (String range : accept.split(",", -1)) {
            String type = range.split(";", 2)[0].strip();
            if (Set.of("*/*", "application/*", "application/json", WebProblem.TYPE).contains(type)
                    || type.equals(route.stream())) {
                return;
            }
        }
        throw Problem.notAcceptable(
                "Answers are application/json (events: text/event-stream), not " + accept + ".");
    }

    private static Map<String, String> parameters(WebRequest request, Route route) {
        Map<String, String> parameters = AddressText.parameters(request.query());
        List<String> known = route.parameters().stream().map(Parameter::name).toList();
        for (String name : parameters.keySet()) {
            if (!known.contains(name)) {
                throw Problem.unknown(
                        name,
                        route + " has no parameter '" + name + "'." + Spelling.hint(known, name),
                        known);
            }
        }
        for (Parameter parameter : route.parameters()) {
            String value = parameters.get(parameter.name());
            if (value != null) {
                ShapeCheck.checkText(parameter, value);
            }
        }
        return parameters;
    }

    private static Map<String, Object> body(WebRequest request, Route route) {
        Shape shape = route.body();
        if (shape == null) {
            if (request.body().length > 0) {
                throw Problem.malformed(route + " takes no body; leave it out.");
            }
            return Map.of();
        }
        if (request.body().length == 0) {
            ShapeCheck.check(shape, Map.of(), "");
            return Map.of();
        }
        String type = request.header("content-type");
        if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase(WebAnswer.JSON)) {
            throw Problem.mediaType("Send the body as 'Content-Type: application/json'.");
        }
        try {
            Map<String, Object> body = Json.object(request.body());
            ShapeCheck.check(shape, body, "");
            return body;
        } catch (IOException e) {
            String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw Problem.malformed("The body is not a JSON object: " + reason);
        }
    }

    private WebAnswer change(WebRequest request, Call call) {
        Route.Deciding deciding = call.route().deciding();
        if (deciding == null) {
            throw new IllegalStateException(call.route() + " does nothing");
        }
        String what = request.method() + " " + request.path();
        Plan plan;
        try {
            plan = deciding.decide(call);
            requireFresh(request, call, plan);
            if (call.isSet("plan")) {
                return document(200, plan.toJson()).with("etag", quoted(plan.etag()));
            }
        } catch (Problem e) {
            if (!call.isSet("plan")) {
                audit.note(call.caller(), what, "", e.problem().title() + ": " + e.getMessage());
            }
            throw e;
        }
        return carryOut(call, what, plan);
    }

    private WebAnswer carryOut(Call call, String what, Plan plan) {
        if (plan.isNotedBefore()) {
            audit.note(call.caller(), what, plan.summary(), "begun");
        }
        Outcome outcome;
        try {
            outcome = plan.carryOut();
        } catch (Problem e) {
            audit.note(call.caller(), what, plan.summary(), String.valueOf(e.getMessage()));
            throw e;
        } catch (RuntimeException e) {
            audit.note(call.caller(), what, plan.summary(), "failed: " + e);
            throw e;
        }
        if (!plan.isNotedBefore()) {
            audit.note(call.caller(), what, plan.summary(), "done");
        }
        Object body = outcome.body();
        WebAnswer answer =
                body == null
                        ? new WebAnswer(outcome.status(), Map.of(), new byte[0], null)
                        : document(outcome.status(), body);
        String location = outcome.location();
        return location == null ? answer : answer.with("location", PREFIX + location);
    }

    /** The state is still the one that the caller has seen: as a plan, or as the resource. */
    private void requireFresh(WebRequest request, Call call, Plan plan) {
        String wanted = request.header("if-match");
        if (wanted == null || wanted.strip().equals("*") || isIn(wanted, plan.etag())) {
            return;
        }
        String current = etagOf(request, call);
        if (current == null || !isIn(wanted, current)) {
            throw Problem.stale(
                    "It has changed since it was read or planned: look again, then decide.");
        }
    }

    /** The tag that reading the same address gives, or null when it cannot be read. */
    private @Nullable String etagOf(WebRequest request, Call call) {
        String path = request.path().substring(PREFIX.length());
        for (Route route : routes) {
            Route.Reading reading = route.reading();
            Map<String, byte[]> variables = AddressText.match(route.template(), path);
            if (reading != null
                    && variables != null
                    && call.caller().role().includes(route.role())) {
                Call read = new Call(route, variables, Map.of(), Map.of(), call.caller());
                return Json.etag(reading.answer(read).body());
            }
        }
        return null;
    }

    private static boolean isIn(String header, String etag) {
        List<String> tags = new ArrayList<>();
        for (String tag : header.split(",", -1)) {
            tags.add(tag.strip());
        }
        return tags.contains(quoted(etag)) || tags.contains(etag);
    }

    private static String quoted(String etag) {
        return "\"" + etag + "\"";
    }

    private static WebAnswer read(WebRequest request, Outcome outcome) {
        byte[] body = Json.bytes(outcome.body());
        String etag = Json.etag(body);
        String known = request.header("if-none-match");
        if (known != null && (known.strip().equals("*") || isIn(known, etag))) {
            return new WebAnswer(304, Map.of("etag", quoted(etag)), new byte[0], null);
        }
        return WebAnswer.of(outcome.status(), WebAnswer.JSON, body)
                .with("etag", quoted(etag))
                .with("cache-control", "no-cache");
    }

    private static WebAnswer document(int status, Object body) {
        return WebAnswer.of(status, WebAnswer.JSON, Json.bytes(body));
    }
}
