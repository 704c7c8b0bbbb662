package io.cairn.cli.api;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Carries requests to the admin API of a master. Every answer comes within the time limit or not at
 * all; nothing is asked twice. Thread-safe.
 */
public final class ApiClient {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
    private static final int MAX_ANSWER_BYTES = 16 << 20;

    private final URI base;
    private final String token;
    private final Duration limit;
    private final HttpClient http;

    /**
     * A client; does not connect yet.
     *
     * @param base {@code http://HOST:PORT} or {@code https://HOST:PORT}
     * @param token the secret of a token
     * @param trusted whom to trust over HTTPS; null for whom the machine trusts
     * @param limit until an answer has come whole
     */
    public ApiClient(URI base, String token, @Nullable SSLContext trusted, Duration limit) {
        this.base = base;
        this.token = token;
        this.limit = limit;
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECT_LIMIT);
        if (trusted != null) {
            builder.sslContext(trusted);
        }
        http = builder.build();
    }

    /**
     * Asks and waits.
     *
     * @throws ApiException when it is refused, or nobody answers in time
     */
    public ApiAnswer send(ApiRequest request) {
        HttpRequest.Builder http1 = builder(request).header("Accept", "application/json");
        Map<String, Object> body = request.body();
        try {
            http1.method(
                    request.method(),
                    body == null
                            ? HttpRequest.BodyPublishers.noBody()
                            : HttpRequest.BodyPublishers.ofString(JSON.std.asString(body)));
        } catch (IOException e) {
            throw new IllegalStateException("a body that is no JSON: " + body, e);
        }
        if (body != null) {
            http1.header("Content-Type", "application/json");
        }
        if (request.ifMatch() != null) {
            http1.header("If-Match", "\"" + request.ifMatch() + "\"");
        }
        HttpResponse<InputStream> response = exchange(http1.build());
        String text = read(response);
        if (response.statusCode() >= 300) {
            throw refusal(response.statusCode(), text);
        }
        String etag = response.headers().firstValue("etag").orElse(null);
        return new ApiAnswer(
                text, text.isEmpty() ? Map.of() : document(text), etag == null ? null : bare(etag));
    }

    /**
     * Opens a stream of server-sent events; the caller closes it.
     *
     * @throws ApiException when it is refused, or nobody answers in time
     */
    public InputStream open(ApiRequest request) {
        HttpResponse<InputStream> response =
                exchange(builder(request).header("Accept", "text/event-stream").build());
        if (response.statusCode() != 200) {
            throw refusal(response.statusCode(), read(response));
        }
        return response.body();
    }

    private HttpRequest.Builder builder(ApiRequest request) {
        return HttpRequest.newBuilder(URI.create(base + "/api/v1" + request.address()))
                .timeout(limit)
                .header("Authorization", "Bearer " + token);
    }

    private HttpResponse<InputStream> exchange(HttpRequest request) {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw unanswered(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(
                    ApiException.UNANSWERED, "interrupted while " + base + " was asked", e);
        }
    }

    private String read(HttpResponse<InputStream> response) {
        try (InputStream body = response.body()) {
            byte[] bytes = body.readNBytes(MAX_ANSWER_BYTES + 1);
            if (bytes.length > MAX_ANSWER_BYTES) {
                throw new ApiException(
                        ApiException.UNANSWERED,
                        base + " answers more than 16 MiB: ask for less",
                        null);
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw unanswered(e);
        }
    }

    private ApiException unanswered(IOException error) {
        Throwable cause = error.getCause() == null ? error : error.getCause();
        String why =
                switch (error) {
                    case HttpTimeoutException _ -> "does not answer in time: look at the master";
                    case ConnectException _ when cause instanceof UnresolvedAddressException ->
                            "is not a host that is known: see --api";
                    case ConnectException _ -> "takes no connections: is a master there? See --api";
                    case SSLException _ ->
                            "cannot be trusted ("
                                    + error.getMessage()
                                    + "): give its certificate or that of its authority with --ca";
                    default ->
                            "broke the connection ("
                                    + error.getMessage()
                                    + "): see --api; is it https://?";
                };
        int status =
                error instanceof SSLException ? ApiException.UNTRUSTED : ApiException.UNANSWERED;
        return new ApiException(status, base + " " + why, error);
    }

    private static Map<String, Object> document(String text) {
        try {
            return JSON.std.mapFrom(text);
        } catch (IOException e) {
            throw new ApiException(500, "the answer is not a JSON object; see --api", e);
        }
    }

    /** One line out of a problem (RFC 9457). */
    private ApiException refusal(int status, String text) {
        String detail = "";
        List<?> allowed = List.of();
        try {
            Map<String, Object> problem = JSON.std.mapFrom(text);
            detail = String.valueOf(problem.getOrDefault("detail", ""));
            allowed = problem.get("allowed") instanceof List<?> list ? list : allowed;
        } catch (IOException e) {
            // Not one of ours: the status has to do.
        }
        if (detail.isBlank()) {
            return new ApiException(
                    status, base + " answers status " + status + ": is it a Cairn master?", null);
        }
        String line = detail.lines().collect(Collectors.joining(" "));
        String known = allowed.stream().map(String::valueOf).collect(Collectors.joining(", "));
        boolean isTold = known.isEmpty() || allowed.stream().allMatch(a -> isIn(line, a));
        return new ApiException(status, isTold ? line : line + " Possible: " + known + ".", null);
    }

    private static boolean isIn(String line, Object word) {
        return line.contains(String.valueOf(word));
    }

    private static String bare(String etag) {
        return Optional.of(etag)
                .filter(e -> e.length() > 1 && e.startsWith("\""))
                .map(e -> e.substring(1, e.length() - 1))
                .orElse(etag);
    }
}
