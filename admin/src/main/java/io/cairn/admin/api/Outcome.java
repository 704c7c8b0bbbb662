package io.cairn.admin.api;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call.
 *
 * @param status 200..299
 * @param body maps, lists, texts, numbers and flags, for JSON; null for none
 * @param location address of what was made, or null
 */
public record Outcome(int status, @Nullable Object body, @Nullable String location) {
    /** 200 with a document. */
    public static Outcome of(Object body) {
        return new Outcome(200, body, null);
    }

    /** 201 with a document and where it is. */
    public static Outcome created(Object body, String location) {
        return new Outcome(201, body, location);
    }

    /** 204: done, and nothing to say. */
    public static Outcome done() {
        return new Outcome(204, null, null);
    }
}
