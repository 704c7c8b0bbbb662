package io.cairn.admin;

import io.cairn.admin.api.Json;
import io.cairn.admin.api.Problem;
import io.cairn.http.WebAnswer;
import io.cairn.http.WebRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The files of the web console, from the class path below {@code /io/cairn/console/}; {@code /} is
 * {@code index.html}. Thread-safe.
 */
final class StaticFiles {
    private static final String ROOT = "/io/cairn/console";
    private static final Pattern NAME = Pattern.compile("(/[a-zA-Z0-9_-][a-zA-Z0-9._-]*)+");
    private static final int MAX_BYTES = 16 << 20;

    private static final Map<String, String> TYPES =
            Map.ofEntries(
                    Map.entry("html", "text/html; charset=utf-8"),
                    Map.entry("css", "text/css; charset=utf-8"),
                    Map.entry("js", "text/javascript; charset=utf-8"),
                    Map.entry("mjs", "text/javascript; charset=utf-8"),
                    Map.entry("json", "application/json"),
                    Map.entry("map", "application/json"),
                    Map.entry("svg", "image/svg+xml"),
                    Map.entry("png", "image/png"),
                    Map.entry("ico", "image/x-icon"),
                    Map.entry("woff2", "font/woff2"),
                    Map.entry("txt", "text/plain; charset=utf-8"));

    WebAnswer answer(WebRequest request) {
        if (!Set.of("GET", "HEAD").contains(request.method())) {
            throw Problem.method(
                    "Only GET goes with " + request.path() + "; the API is at /api/v1.",
                    "GET, HEAD");
        }
        String path = request.path().equals("/") ? "/index.html" : request.path();
        byte[] bytes = read(path);
        String etag = "\"" + Json.etag(bytes) + "\"";
        if (etag.equals(request.header("if-none-match"))) {
            return secured(new WebAnswer(304, Map.of("etag", etag), new byte[0], null));
        }
        String type =
                TYPES.getOrDefault(
                        path.substring(path.lastIndexOf('.') + 1), "application/octet-stream");
        return secured(WebAnswer.of(200, type, bytes).with("etag", etag));
    }

    private static WebAnswer secured(WebAnswer answer) {
        return answer.with("cache-control", "no-cache")
                .with("content-security-policy", "default-src 'self'; frame-ancestors 'none'")
                .with("x-frame-options", "DENY")
                .with("referrer-policy", "no-referrer");
    }

    private static byte[] read(String path) {
        if (NAME.matcher(path).matches() && path.indexOf('.') > 0) {
            try (InputStream in = StaticFiles.class.getResourceAsStream(ROOT + path)) {
                if (in != null) {
                    return in.readNBytes(MAX_BYTES);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        throw Problem.notFound("There is no page " + path + "; the API is at /api/v1.");
    }
}
