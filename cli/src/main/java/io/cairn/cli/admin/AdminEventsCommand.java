package io.cairn.cli.admin;

import io.cairn.base.Printable;
import io.cairn.cli.api.ApiException;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.EventFeed;
import io.cairn.cli.api.Reading;
import io.cairn.cli.api.Values;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/** {@code cairn admin events}: what happened, and what happens. */
@Command(
        name = "events",
        description = "List what happened in the cluster lately, or follow what happens.",
        footer = {"  cairn admin events", "  cairn admin events --follow --json"})
@Calls({"GET /events", "GET /events/stream"})
final class AdminEventsCommand implements Callable<Integer> {
    private static final Duration SILENCE = Duration.ofSeconds(20);
    private static final int MAX_TROUBLES = 60;
    private static final int PAUSE_S = 1;

    @Mixin private Reading reading = new Reading();

    @Option(
            names = {"-f", "--follow"},
            description = "Print events as they happen, until Ctrl-C.")
    private boolean follow;

    @Option(names = "--after", paramLabel = "ID", description = "Only those after this one.")
    private @Nullable String after;

    @Override
    public Integer call() {
        if (!follow) {
            return reading.list(
                    ApiRequest.of("GET /events").query("after", after), "id at level subject text");
        }
        follow();
        return ExitCode.OK;
    }

    /** A stream that ends is opened again where it ended; a limited number of times in a row. */
    private void follow() {
        int troubles = 0;
        while (!Thread.currentThread().isInterrupted()) {
            try {
                EventFeed feed = new EventFeed(SILENCE);
                ApiRequest request = ApiRequest.of("GET /events/stream").query("after", after);
                boolean[] heard = new boolean[1];
                feed.read(
                        reading.open(request, "text/event-stream"),
                        (event, id, data) -> {
                            heard[0] = true;
                            take(event, id, data);
                        });
                troubles = heard[0] ? 0 : troubles + 1;
            } catch (ApiException e) {
                troubles++;
                int code = e.exitCode();
                if ((code != ExitCode.UNAVAILABLE && code != ExitCode.TEMPORARY)
                        || troubles >= MAX_TROUBLES) {
                    throw e;
                }
                reading.errors().println("cairn: " + Printable.of(String.valueOf(e.getMessage())));
            }
            if (troubles >= MAX_TROUBLES) {
                throw new CommandException(
                        ExitCode.UNAVAILABLE, "the stream of events ends again and again");
            }
            try {
                TimeUnit.SECONDS.sleep(PAUSE_S);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void take(String event, @Nullable String id, String data) {
        if (!event.equals("event")) {
            return;
        }
        after = id == null ? after : id;
        reading.print(List.of(reading.isJson() ? data : line(data)));
    }

    private String line(String data) {
        try {
            Map<String, Object> event = JSON.std.mapFrom(data);
            Values values = reading.values();
            return "%s  %-8s  %s: %s"
                    .formatted(
                            values.text("at", event.get("at")),
                            values.text("level", event.get("level")),
                            values.text("subject", event.get("subject")),
                            values.text("text", event.get("text")));
        } catch (JacksonException e) {
            throw new CommandException(ExitCode.DATA, "an event that is not JSON: " + data, e);
        }
    }
}
