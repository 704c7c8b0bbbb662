package io.cairn.admin.api;

import io.cairn.http.WebProblem;
import java.util.List;
import java.util.Map;

/** Ends a call with an error that its caller can understand: RFC 9457. */
public final class Problem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient WebProblem problem;
    private final transient Map<String, String> headers;

    /** A problem, with headers that go with it. */
    public Problem(WebProblem problem, Map<String, String> headers) {
        super(problem.detail());
        this.problem = problem;
        this.headers = Map.copyOf(headers);
    }

    private Problem(int status, String kind, String title, String detail) {
        this(WebProblem.of(status, kind, title, detail), Map.of());
    }

    /** 400: a field or parameter is wrong. */
    public static Problem invalid(String field, String detail, List<String> allowed) {
        return new Problem(
                new WebProblem(400, "invalid-value", "Invalid value", detail, field, allowed),
                Map.of());
    }

    /** 400: a field or parameter is wrong. */
    public static Problem invalid(String field, String detail) {
        return invalid(field, detail, List.of());
    }

    /** 400: there is no such field or parameter. */
    public static Problem unknown(String field, String detail, List<String> known) {
        return new Problem(
                new WebProblem(400, "unknown-field", "Unknown field", detail, field, known),
                Map.of());
    }

    /** 400: the request cannot be understood. */
    public static Problem malformed(String detail) {
        return new Problem(400, "malformed", "Malformed request", detail);
    }

    /** 401. */
    public static Problem unauthorized(String detail) {
        return new Problem(
                WebProblem.of(401, "unauthorized", "Unauthorized", detail),
                Map.of("www-authenticate", "Bearer realm=\"cairn\""));
    }

    /** 403. */
    public static Problem forbidden(String detail) {
        return new Problem(403, "forbidden", "Forbidden", detail);
    }

    /** 404: the address is right, but there is no such thing. */
    public static Problem notFound(String detail) {
        return new Problem(404, "not-found", "Not found", detail);
    }

    /** 405. */
    public static Problem method(String detail, String allow) {
        return new Problem(
                WebProblem.of(405, "method-not-allowed", "Method not allowed", detail),
                Map.of("allow", allow));
    }

    /** 406. */
    public static Problem notAcceptable(String detail) {
        return new Problem(406, "not-acceptable", "Not acceptable", detail);
    }

    /** 409: the state does not allow it now; the detail says why. */
    public static Problem conflict(String detail) {
        return new Problem(409, "conflict", "Conflict", detail);
    }

    /** 412: somebody changed it meanwhile. */
    public static Problem stale(String detail) {
        return new Problem(412, "stale", "Precondition failed", detail);
    }

    /** 415. */
    static Problem mediaType(String detail) {
        return new Problem(415, "unsupported-media-type", "Unsupported media type", detail);
    }

    /** 421. */
    static Problem misdirected(String detail) {
        return new Problem(421, "misdirected", "Misdirected request", detail);
    }

    /** 429. */
    public static Problem tooMany(String detail, int retryAfterS) {
        return new Problem(
                WebProblem.of(429, "too-many-requests", "Too many requests", detail),
                Map.of("retry-after", String.valueOf(retryAfterS)));
    }

    /** 503: ask again in a moment. */
    public static Problem unavailable(String detail) {
        return new Problem(
                WebProblem.of(503, "unavailable", "Unavailable", detail),
                Map.of("retry-after", "1"));
    }

    WebProblem problem() {
        return problem;
    }

    Map<String, String> headers() {
        return headers;
    }
}
