package io.cairn.admin.api;

import io.cairn.http.WebFeed;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call.
 *
 * @param status 200..299
 * @param body maps, lists, texts, numbers and flags, for JSON; null for none
 * @param feed makes server-sent events instead of a body, or null
 * @param location address of what was made, or null
 */
public record Outcome(
        int status, @Nullable Object body, @Nullable WebFeed feed, @Nullable String location) {
    /** 200 with a document. */
    public static Outcome of(Object body) {
        return new Outcome(200, body, null, null);
    }

    /** 201 with a document and where it is. */
    public static Outcome created(Object body, String location) {
        return new Outcome(201, body, null, location);
    }

    /** 204: done, and nothing to say. */
    public static Outcome done() {
        return new Outcome(204, null, null, null);
    }

    /** 200 with server-sent events. */
    public static Outcome events(WebFeed feed) {
        return new Outcome(200, null, feed, null);
    }
}
