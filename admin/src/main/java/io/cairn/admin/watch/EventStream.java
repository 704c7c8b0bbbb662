package io.cairn.admin.watch;

import io.cairn.admin.api.AddressText;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Router;
import io.cairn.http.WebAnswer;
import io.cairn.http.WebFeed;
import io.cairn.http.WebHandler;
import io.cairn.http.WebRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * {@code /events/stream}: server-sent events, made of one request a second to the rest of the API,
 * with the caller's own token. So it works on every master, outlives a change of the leader, and
 * ends when the token does. Thread-safe.
 */
public final class EventStream {
    /** Streams at a time on this master. */
    static final int MAX_STREAMS = 64;

    private static final long PERIOD_MS = 1_000;
    private static final int MAX_TROUBLES = 30;

    private final WebHandler api;
    private final AtomicInteger streams = new AtomicInteger();

    /**
     * Streams out of an API.
     *
     * @param api answers requests, wherever the leader is
     */
    public EventStream(WebHandler api) {
        this.api = api;
    }

    /** Begins a stream, or answers why not. */
    public WebAnswer open(WebRequest request) {
        String accept = request.header("accept");
        if (accept != null && !accept.contains("text/event-stream") && !accept.contains("*/*")) {
            throw Problem.notAcceptable("Events are text/event-stream, not " + accept + ".");
        }
        Map<String, String> parameters = AddressText.parameters(request.query());
        for (String name : parameters.keySet()) {
            if (!name.equals("after")) {
                throw Problem.unknown(
                        name, "The stream has no parameter '" + name + "'.", List.of("after"));
            }
        }
        String after = parameters.get("after");
        String resumed = request.header("last-event-id");
        String from = resumed != null && resumed.matches("[0-9a-f]{16}") ? resumed : after;
        if (streams.get() >= MAX_STREAMS) {
            throw Problem.tooMany(MAX_STREAMS + " streams are open; close some.", 10);
        }
        WebAnswer first = ask(request, "/events", from == null ? "limit=1" : "after=" + from);
        if (first.status() != 200) {
            return first;
        }
        String begin = from == null ? String.valueOf(document(first).get("last")) : from;
        return WebAnswer.of("text/event-stream", out -> feed(request, begin, out));
    }

    private WebAnswer ask(WebRequest request, String path, String query) {
        String token = request.header("authorization");
        Map<String, String> headers = token == null ? Map.of() : Map.of("authorization", token);
        return api.answer(
                new WebRequest(
                        "GET",
                        Router.PREFIX + path,
                        query,
                        headers,
                        new byte[0],
                        request.remote()));
    }

    private static Map<String, Object> document(WebAnswer answer) {
        return Json.stored(answer.body());
    }

    private void feed(WebRequest request, String begin, WebFeed.Sink out)
            throws IOException, InterruptedException {
        streams.incrementAndGet();
        try {
            out.write("retry: 2000\n\n".getBytes(StandardCharsets.UTF_8));
            String last = begin;
            int troubles = 0;
            while (troubles < MAX_TROUBLES) {
                WebAnswer events = ask(request, "/events", "after=" + last);
                WebAnswer state = ask(request, "/cluster", "");
                if (events.status() == 401 || events.status() == 403) {
                    return;
                }
                if (events.status() == 200 && state.status() == 200) {
                    troubles = 0;
                    last = write(events, last, out);
                    out.write(
                            frame("state", null, new String(state.body(), StandardCharsets.UTF_8)));
                } else {
                    troubles++;
                    out.write(": no leader answers\n\n".getBytes(StandardCharsets.UTF_8));
                }
                TimeUnit.MILLISECONDS.sleep(PERIOD_MS);
            }
        } finally {
            streams.decrementAndGet();
        }
    }

    private static String write(WebAnswer answer, String last, WebFeed.Sink out)
            throws IOException, InterruptedException {
        String seen = last;
        for (Object item : items(document(answer))) {
            if (item instanceof Map<?, ?> event) {
                seen = String.valueOf(event.get("id"));
                out.write(frame("event", seen, Json.text(event)));
            }
        }
        return seen;
    }

    private static List<Object> items(Map<String, Object> document) {
        return document.get("items") instanceof List<?> list ? new ArrayList<>(list) : List.of();
    }

    private static byte[] frame(String event, @Nullable String id, String data) {
        String head = "event: " + event + "\n" + (id == null ? "" : "id: " + id + "\n");
        return (head + "data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8);
    }
}
