package io.cairn.cli.api;

import io.cairn.base.Wording;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/**
 * Carries requests to the admin API of some master of a cluster: of those given, the one that
 * answered last, at first the first one. The next one is tried when there is no connection; what
 * only reads, also when the answer does not come whole or nobody leads there. A change that was
 * sent is never sent again. Every answer comes within the time limit, or not at all. Thread-safe.
 */
public final class ApiClient {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

    /** A null says that the default is wanted. */
    private static final JSON BODIES = JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES);

    private static final Duration SILENT = Duration.ofSeconds(2);
    private static final long PAUSE_MS = 250;
    private static final int MAX_ANSWER_BYTES = 16 << 20;
    private static final int UNAVAILABLE = 503;

    private final List<URI> bases;
    private final AtomicInteger answering = new AtomicInteger();
    private final String token;
    private final Duration limit;
    private final HttpClient http;
    private final Duration patience;
    private final Consumer<String> waits;

    /**
     * A client; does not connect yet.
     *
     * @param bases {@code http://HOST:PORT} or {@code https://HOST:PORT}, one for a master
     * @param token the secret of a token
     * @param trusted whom to trust over HTTPS; null for whom the machine trusts
     * @param limit until an answer of one master has come whole
     */
    public ApiClient(List<URI> bases, String token, @Nullable SSLContext trusted, Duration limit) {
        this.bases = List.copyOf(bases);
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
        patience = Duration.ZERO;
        waits = _ -> {};
    }

    private ApiClient(ApiClient client, Duration patience, Consumer<String> waits) {
        bases = client.bases;
        token = client.token;
        limit = client.limit;
        http = client.http;
        this.patience = patience;
        this.waits = waits;
    }

    /**
     * The same, but while no master takes connections, or none leads, it asks again.
     *
     * @param longest for so long
     * @param told is given the addresses once it waits
     */
    public ApiClient waiting(Duration longest, Consumer<String> told) {
        return new ApiClient(this, longest, told);
    }

    /**
     * Asks and waits.
     *
     * @throws ApiException when it is refused, or nobody answers in time
     */
    public ApiAnswer send(ApiRequest request) {
        return some(request, base -> send(base, request));
    }

    private ApiAnswer send(URI base, ApiRequest request) throws Unanswered {
        HttpRequest.Builder http1 = builder(base, request).header("Accept", "application/json");
        Map<String, Object> body = request.body();
        http1.method(
                request.method(),
                body == null
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(BODIES.asString(body)));
        if (body != null) {
            http1.header("Content-Type", "application/json");
        }
        if (request.ifMatch() != null) {
            http1.header("If-Match", "\"" + request.ifMatch() + "\"");
        }
        HttpResponse<InputStream> response = exchange(base, http1.build());
        String text = read(base, response);
        if (response.statusCode() >= 300) {
            throw refusal(base, response.statusCode(), text);
        }
        String etag = response.headers().firstValue("etag").orElse(null);
        return new ApiAnswer(
                text, text.isEmpty() ? Map.of() : document(text), etag == null ? null : bare(etag));
    }

    /**
     * Opens a stream; the caller closes it.
     *
     * @param type media type, such as that of server-sent events
     * @throws ApiException when it is refused, or nobody answers in time
     */
    public InputStream open(ApiRequest request, String type) {
        return some(request, base -> open(base, request, type));
    }

    private InputStream open(URI base, ApiRequest request, String type) throws Unanswered {
        HttpResponse<InputStream> response =
                exchange(base, builder(base, request).header("Accept", type).build());
        if (response.statusCode() != 200) {
            throw refusal(base, response.statusCode(), read(base, response));
        }
        return response.body();
    }

    /** One try at one master. */
    private interface Try<T> {
        T at(URI base) throws Unanswered;
    }

    /** A try that may be made at another master: in vain there, or only a reading one. */
    private static final class Unanswered extends Exception {
        private static final long serialVersionUID = 1L;

        private final ApiException told;
        private final boolean isSent;

        Unanswered(ApiException told, boolean isSent) {
            super(told);
            this.told = told;
            this.isSent = isSent;
        }
    }

    private <T> T some(ApiRequest request, Try<T> step) {
        long begin = System.nanoTime();
        boolean isTold = false;
        while (true) {
            try {
                return once(request, step);
            } catch (ApiException e) {
                Duration passed = Duration.ofNanos(System.nanoTime() - begin);
                if (!isPassing(e, request) || passed.compareTo(patience) >= 0) {
                    throw e;
                }
                if (!isTold && passed.compareTo(SILENT) >= 0) {
                    waits.accept(
                            bases.stream().map(URI::toString).collect(Collectors.joining(", ")));
                    isTold = true;
                }
                pause(e);
            }
        }
    }

    /** Whether nothing was done and another try may find a master that has started meanwhile. */
    private static boolean isPassing(ApiException error, ApiRequest request) {
        boolean isReading = request.method().equals("GET");
        return error.getCause() instanceof ConnectException
                ? !(error.getCause().getCause() instanceof UnresolvedAddressException)
                : isReading && error.status() == UNAVAILABLE;
    }

    private static void pause(ApiException error) {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw error;
        }
    }

    private <T> T once(ApiRequest request, Try<T> step) {
        boolean isReading = request.method().equals("GET");
        int first = answering.get();
        ApiException last = null;
        for (int i = 0; i < bases.size(); i++) {
            int index = (first + i) % bases.size();
            try {
                T answer = step.at(bases.get(index));
                answering.set(index);
                return answer;
            } catch (Unanswered e) {
                last = e.told;
                if (e.isSent && !isReading) {
                    break;
                }
            } catch (ApiException e) {
                last = e;
                if (e.status() != UNAVAILABLE || !isReading) {
                    break;
                }
            }
        }
        throw Objects.requireNonNull(last, "there is at least one address");
    }

    private HttpRequest.Builder builder(URI base, ApiRequest request) {
        return HttpRequest.newBuilder(URI.create(base + "/api/v1" + request.address()))
                .timeout(limit)
                .header("Authorization", "Bearer " + token);
    }

    private HttpResponse<InputStream> exchange(URI base, HttpRequest request) throws Unanswered {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw unanswered(base, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(
                    ApiException.UNANSWERED, "interrupted while " + base + " was asked", e);
        }
    }

    private String read(URI base, HttpResponse<InputStream> response) throws Unanswered {
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
            throw unanswered(base, e);
        }
    }

    /** A server that cannot prove to be a master is no reason to try the next one. */
    private static Unanswered unanswered(URI base, IOException error) {
        Throwable cause = error.getCause() == null ? error : error.getCause();
        String why =
                switch (error) {
                    case HttpTimeoutException _ -> "does not answer in time: look at the master";
                    case ConnectException _ when cause instanceof UnresolvedAddressException ->
                            "is not a host that is known: see --api";
                    case ConnectException _ -> "takes no connections: is a master there? See --api";
                    case SSLException _ ->
                            "cannot be trusted ("
                                    + Wording.of(error)
                                    + "): give its certificate or that of its authority with --ca";
                    default ->
                            "broke the connection ("
                                    + Wording.of(error)
                                    + "): see --api; is it https://?";
                };
        if (error instanceof SSLException) {
            throw new ApiException(ApiException.UNTRUSTED, base + " " + why, error);
        }
        boolean isSent =
                !(error instanceof ConnectException
                        || error instanceof HttpConnectTimeoutException);
        ApiException told = new ApiException(ApiException.UNANSWERED, base + " " + why, error);
        return new Unanswered(told, isSent);
    }

    private static Map<String, Object> document(String text) {
        try {
            return JSON.std.mapFrom(text);
        } catch (JacksonException e) {
            throw new ApiException(500, "the answer is not a JSON object; see --api", e);
        }
    }

    /** One line out of a problem (RFC 9457). */
    private static ApiException refusal(URI base, int status, String text) {
        String detail = "";
        List<?> allowed = List.of();
        try {
            Map<String, Object> problem = JSON.std.mapFrom(text);
            detail = String.valueOf(problem.getOrDefault("detail", ""));
            allowed = problem.get("allowed") instanceof List<?> list ? list : allowed;
        } catch (JacksonException e) {
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
