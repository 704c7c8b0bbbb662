package io.cairn.admin.resource;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.EventLog;
import io.cairn.admin.api.EventLog.Event;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.watch.EventStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code /events}: what happened lately. The stream of them is made by {@link EventStream}, on
 * whichever master is asked; its route stands here for the document.
 */
public final class EventsResource implements Resource {
    public static final String STREAM = "/events/stream";

    static final Shape EVENT =
            Shape.fields(
                    Field.of("id", Shape.text(), "16 hexadecimal digits; grows."),
                    Field.of("at", Shape.time(), "When."),
                    Field.of(
                            "level",
                            Shape.choice(List.of("info", "warning", "critical")),
                            "How bad it is."),
                    Field.of("kind", Shape.text(), "What kind of event, in camel case."),
                    Field.of("subject", Shape.text(), "Who or what."),
                    Field.of("text", Shape.text(), "A sentence."));

    private final EventLog events;

    public EventsResource(EventLog events) {
        this.events = events;
    }

    @Override
    public List<Route> routes() {
        Parameter after =
                new Parameter("after", Shape.text(), "Id of the last event that is known.");
        return List.of(
                Route.of("GET", "/events", Role.READ, "Events, the oldest first.")
                        .with(Parameter.LIMIT, after)
                        .answers(
                                Shape.fields(
                                        Field.of("items", Shape.items(EVENT), "Events."),
                                        Field.maybe("next", Shape.text(), "For the next page."),
                                        Field.of("last", Shape.text(), "Id of the last there is.")))
                        .reads(this::list),
                Route.of(
                                "GET",
                                STREAM,
                                Role.READ,
                                "Server-sent events: 'event' as they happen, and 'state', the"
                                        + " document of /cluster, once a second.")
                        .with(after)
                        .answers(EVENT)
                        .streams("text/event-stream"));
    }

    private Outcome list(Call call) {
        int limit = Listing.limit(call);
        List<Event> found = events.after(after(call), limit + 1);
        List<Object> items = new ArrayList<>();
        found.stream().limit(limit).forEach(event -> items.add(event.toJson()));
        Map<String, Object> document = Json.map();
        document.put("items", items);
        document.put("next", found.size() > limit ? Json.hex(found.get(limit - 1).id()) : null);
        document.put("last", Json.hex(events.last()));
        return Outcome.of(document);
    }

    private static long after(Call call) {
        String after = call.parameter("after");
        if (after == null) {
            return 0;
        }
        try {
            return Long.parseUnsignedLong(after, 16);
        } catch (NumberFormatException e) {
            throw Problem.invalid("after", "'after' must be the id of an event, or left out.");
        }
    }
}
